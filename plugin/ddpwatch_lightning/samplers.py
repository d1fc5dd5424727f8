"""Which loaders does a stage read, and how do their samplers share the set among the ranks?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
from torch.utils.data import RandomSampler

from ddpwatch.wire.messages import Loader, Stage
from ddpwatch_lightning.base import Trainer
from ddpwatch_lightning.fingerprint import fingerprint

LONGEST_NAME = 200
MOST_LOADERS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Described:
    """A loader as far as it is known at once; the data set is told apart by its identity."""

    loader: Loader
    dataset: Any

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Described)
            and self.loader == other.loader
            and self.dataset is other.dataset
        )

    __hash__ = None  # type: ignore[assignment]

    def complete(self) -> Loader:
        """Return the loader with its fingerprint; for the publisher's thread."""
        return msgspec.structs.replace(self.loader, fingerprint=fingerprint(self.dataset))


class Samplers:
    """The loaders of every stage that has begun, those of the latest pass of each."""

    def __init__(self) -> None:
        self._by_stage: dict[Stage, list[Described]] = {}

    def refresh(self, trainer: Trainer, stage: Stage) -> list[Described]:
        """Look at the loaders of the stage that begins; return all that are known.

        No iterator and no sample is touched.
        """
        # The sanity check reads the loaders of the validation.
        name: Stage = "validate" if stage == "sanity_check" else stage
        if name != "predict":
            found = _loaders(trainer)
            self._by_stage[name] = [
                _described(loader, name, index) for index, loader in enumerate(found)
            ]
        return [each for some in self._by_stage.values() for each in some]


def _loaders(trainer: Any) -> list[Any]:
    """Return the loaders of the stage that runs, one by one, however they are combined."""
    loop = trainer._active_loop  # noqa: SLF001 - Lightning tells it nobody else
    combined = getattr(loop, "_combined_loader", None)
    flat = getattr(combined, "flattened", None)
    return list(flat)[:MOST_LOADERS] if flat is not None else []


def _described(loader: Any, stage: Stage, index: int) -> Described:
    sampler = _sampler(loader)
    dataset = getattr(loader, "dataset", None)
    batches = getattr(loader, "batch_sampler", None)
    return Described(
        Loader(
            stage=stage,
            dataloader=index,
            cls=type(loader).__name__[:LONGEST_NAME],
            sampler=_name(sampler),
            batch_size=_count(
                getattr(loader, "batch_size", None) or getattr(batches, "batch_size", None)
            ),
            batches=_length(loader),
            length=_length(dataset),
            drawn=_length(sampler),
            total=_count(getattr(sampler, "total_size", None)),
            replicas=_count(getattr(sampler, "num_replicas", None)),
            replica=_count(getattr(sampler, "rank", None)),
            drop_last=_flag(getattr(loader, "drop_last", None)),
            shuffle=_shuffles(sampler),
        ),
        dataset,
    )


def _sampler(loader: Any) -> Any:
    """Return what draws the samples; with a batch sampler of the user's own, that one's."""
    batches = getattr(loader, "batch_sampler", None)
    inner = getattr(batches, "sampler", None)
    if inner is not None:
        return inner
    if batches is not None and getattr(loader, "batch_size", None) is None:
        return batches
    return getattr(loader, "sampler", None)


def _wrapped(sampler: Any) -> Any:
    """Return the sampler that Lightning's own distributed ones wrap, if there is one."""
    return getattr(getattr(sampler, "dataset", None), "_sampler", None)


def _name(sampler: Any) -> str:
    if sampler is None:
        return ""
    name = type(sampler).__name__
    inner = _wrapped(sampler)
    return (name if inner is None else f"{name}({type(inner).__name__})")[:LONGEST_NAME]


def _shuffles(sampler: Any) -> bool | None:
    if sampler is None:
        return None
    inner = _wrapped(sampler)
    if inner is not None:
        # The wrapper leaves the order to what it wraps.
        return _shuffles(inner)
    own = getattr(sampler, "shuffle", None)
    return own if isinstance(own, bool) else isinstance(sampler, RandomSampler)


def _length(sized: Any) -> int | None:
    try:
        return _count(len(sized))
    except Exception:  # noqa: BLE001 - the length of a user's data set is the user's code
        return None


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 2**53
    return value if is_count else None


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None
