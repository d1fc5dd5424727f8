"""Which messages suffice to know what was known at a moment of a recording?

All that lasts up to then; of what passes (states, accounts of `self.log`, progress, pulses) the
newest of every pass that was under way, and samples of the passes whose steps a chart shows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter

from ddpwatch.board.history import RECENT
from ddpwatch.recording.channels import FINDING, PASSING, PROGRESS, PULSE, STATE, TICK
from ddpwatch.recording.index import Index
from ddpwatch.recording.merged import Kept, Opened, Raw, kept_of, raw_between
from ddpwatch.recording.sampling import sampled
from ddpwatch.recording.where import where_of
from ddpwatch.recording.windows import NEAR, spans_of, windows
from ddpwatch.wire.stamped import Item, Restart, Stamped, Tick


def digest(
    opened: Sequence[Opened],
    index: Index,
    moment: int,
    complain: Callable[[str], None],
    *,
    exact: bool,
) -> list[Item]:
    """Return the items, beginning with `Restart` and ending with a tick at `moment`.

    Without `exact`, a pass that was under way for long is sampled.
    """
    lasting = index.upto(moment)
    spans = list(spans_of(lasting, moment))
    passing: dict[Raw, None] = {}
    last_words = _last_words(opened, lasting, moment, complain)
    for begin, end in {*windows(spans, moment, exact=exact), *last_words}:
        # Windows may overlap, and a message counts once.
        passing.update(dict.fromkeys(raw_between(opened, begin, end, complain, PASSING)))
    newest = [_jumped(raw) for raw in _newest(sorted(passing, key=_time))]
    past = [
        _jumped(raw) for span in spans for raw in sampled(opened, span.begin, span.end, complain)
    ]
    found = sorted([*lasting, *newest, *past], key=attrgetter("at"))
    at = moment / 1_000_000_000
    first = found[0].item.at if found else at
    return [Restart(first), *(kept.item for kept in found), Tick(at)]


def _last_words(
    opened: Sequence[Opened],
    lasting: Iterable[Kept],
    moment: int,
    complain: Callable[[str], None],
) -> Iterator[tuple[int, int]]:
    """Yield when ranks that were silent at the moment were last heard, a window for each."""
    near = raw_between(opened, moment - NEAR, moment, complain, PASSING)
    speaking = {raw.record.sequence for raw in near}
    silent = {k.rank for k in lasting if k.channel not in (FINDING, TICK)} - speaking
    upto = moment - NEAR
    ends = {place.end for each in opened for place in each.part.chunks if place.start <= upto}
    for place_end in sorted(ends, reverse=True):
        if not silent:
            return
        end = min(place_end, upto)
        for rank, last in _last_heard(opened, end, complain).items():
            if rank in silent:
                silent.discard(rank)
                yield last - NEAR, min(last + NEAR, moment)


def _last_heard(
    opened: Sequence[Opened], end: int, complain: Callable[[str], None]
) -> dict[int, int]:
    """When each rank was heard last in the chunks that end here."""
    found = raw_between(opened, end - NEAR, end, complain, {PULSE})
    return {raw.record.sequence: raw.record.log_time for raw in found}


def _jumped(raw: Raw) -> Kept:
    kept = kept_of(raw)
    if not isinstance(kept.item, Stamped):
        return kept
    return kept._replace(item=replace(kept.item, gap=True))


def _newest(passing: Iterable[Raw]) -> Iterator[Raw]:
    """Of every kind, rank and place the newest; of states the last ones, as a board keeps them."""
    kept: dict[Hashable, dict[int, Raw]] = {}
    for raw in passing:
        where, channel = where_of(raw.record.data), raw.record.channel
        if where is None:
            continue
        # Of progress a board keeps the newest of each stage, whatever pass that is.
        place = (where.who, where.stage) if channel == PROGRESS else where.place
        slot = kept.setdefault((channel, place), {})
        slot[where.step if channel == STATE else 0] = raw
        if len(slot) > RECENT:
            del slot[min(slot)]
    for slot in kept.values():
        yield from slot.values()


def _time(raw: Raw) -> int:
    return raw.record.log_time
