"""Under which names, with which values, does Lightning give out what was logged in a pass?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from ddpwatch.wire.messages import Emitted
from ddpwatch_lightning.log_calls import LONGEST_NAME, Key
from ddpwatch_lightning.scalars import Scalar, numbers, taken
from ddpwatch_lightning.tally import Entry


class Given(NamedTuple):
    """What one of Lightning's items held when it was reset; a name is empty where nothing is."""

    key: Key
    step_name: str
    epoch_name: str
    step: Scalar
    epoch: Scalar


def given_out(results: Mapping[str, Any]) -> list[Given]:
    """Return what each item that is in use holds, computing nothing; for the training thread."""
    return [given_of(item) for item in results.values() if not item.has_reset]


def key_of(meta: Any) -> Key:
    """Return the key of an item, from its metadata."""
    loader = meta.dataloader_idx if meta.add_dataloader_idx else None
    if loader is None:
        return meta.fx, meta.name, -1
    return meta.fx.removesuffix(f".{loader}"), meta.name, loader


def emitted(givens: Sequence[Given], entries: Mapping[Key, Entry]) -> Iterator[Emitted]:
    """Yield every name with its values; inside `scalars.passed`, on the publisher's thread."""
    values = iter(numbers(list(chain.from_iterable((each.step, each.epoch) for each in givens))))
    for given in givens:
        step, epoch = next(values), next(values)
        entry = entries.get(given.key)
        if entry is None:
            continue
        if given.step_name:
            yield _step(given.step_name, entry, step)
        if given.epoch_name:
            yield _epoch(given.epoch_name, entry, epoch)


def given_of(item: Any) -> Given:
    """Return what one item holds."""
    meta = item.meta
    key = key_of(meta)
    suffix = f"/dataloader_idx_{key[2]}" if key[2] >= 0 else ""
    # Lightning keeps an item's latest step value in its cache, the epoch's in `_computed`.
    step, epoch = item._forward_cache, item._computed  # noqa: SLF001
    has_step = meta.on_step and step is not None
    return Given(
        key,
        (meta.forked_name(on_step=True) + suffix)[:LONGEST_NAME] if has_step else "",
        (meta.forked_name(on_step=False) + suffix)[:LONGEST_NAME] if meta.on_epoch else "",
        taken(step) if has_step else None,
        taken(epoch) if meta.on_epoch else None,
    )


def _step(name: str, entry: Entry, value: float | None) -> Emitted:
    about = entry.about
    # A metric that syncs in every step does not tell what its own value was.
    local = entry.last if about.syncs else value if entry.is_tensor else None
    return Emitted(key=about.order, name=name, kind="step", local=local, value=value)


def _epoch(name: str, entry: Entry, value: float | None) -> Emitted:
    about = entry.about
    local = value if not about.syncs else None
    if entry.is_tensor:
        local = entry.local() if local is None else local
    elif about.metric_syncs:
        local = None
    return Emitted(key=about.order, name=name, kind="epoch", local=local, value=value)
