"""What is in a recording, from the first message of its parts to the last?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from types import TracebackType
from typing import final

from ddpwatch.errors import RecordingError
from ddpwatch.recording.channels import PASSING
from ddpwatch.recording.digest import digest
from ddpwatch.recording.index import Index
from ddpwatch.recording.merged import Kept, between, open_all, with_ticks
from ddpwatch.recording.moments import to_nanoseconds, to_seconds
from ddpwatch.recording.scan import PartMap
from ddpwatch.recording.steady import keep_steady
from ddpwatch.recording.windows import NEAR
from ddpwatch.wire.stamped import Item

BATCH = 1_000
FOREVER = 1 << 64


@final
class Recording:
    """Part files of one run, or of several; a context manager. For one thread."""

    def __init__(self, parts: Sequence[PartMap]) -> None:
        """Prepare; nothing is opened before `open`. At least one part."""
        self._parts = tuple(parts)
        self._stack = ExitStack()
        self._notes: dict[str, None] = {}
        self.opened = open_all((), self._stack)
        self.index = Index((), self.complain)

    def open(self) -> None:
        """Open the files.

        Raises:
            RecordingError: one is gone, or there is not a message in any of them.
        """
        self.opened = open_all(self._parts, self._stack)
        for each in self.opened:
            for note in keep_steady(each.file, each.part):
                self.complain(note)
            if each.part.trouble:
                self.complain(f"{each.part.path.name}: {each.part.trouble}")
        if not any(part.chunks for part in self._parts):
            notes = "; ".join(self._notes) or "its writer was stopped at once"
            raise RecordingError(f"expected messages in {self._parts[0].path}, got none: {notes}")
        self.index = Index(self.opened, self.complain)

    def close(self) -> None:
        """Close the files."""
        self._stack.close()

    def __enter__(self) -> Recording:
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def start(self) -> float:
        """Time of the first message, in seconds."""
        return to_seconds(min(p.chunks[0].start for p in self._parts if p.chunks))

    @property
    def end(self) -> float:
        """Time of the last message, in seconds."""
        return to_seconds(max(p.chunks[-1].end for p in self._parts if p.chunks))

    @property
    def is_told(self) -> bool:
        """Whether it has the findings of the one who recorded it; if not, look for them again."""
        return all(part.about.get("findings") == "told" for part in self._parts)

    @property
    def is_cut_short(self) -> bool:
        """Whether a writer was stopped before it could finish its file."""
        return not all(part.is_whole for part in self._parts)

    @property
    def starts(self) -> tuple[float, ...]:
        """When each part begins, in order."""
        return tuple(sorted(to_seconds(p.chunks[0].start) for p in self._parts if p.chunks))

    @property
    def parts(self) -> tuple[PartMap, ...]:
        """What the files say about themselves."""
        return self._parts

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(part.size for part in self._parts)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is wrong with the files, as far as they have been read."""
        return tuple(self._notes)

    def complain(self, note: str) -> None:
        """Remember what is wrong with a file, once."""
        self._notes[note] = None

    def items(self, after: float = 0.0) -> Iterator[Sequence[Item]]:
        """Yield everything that came later than `after`, in order, in batches."""
        start = to_nanoseconds(after)
        found = with_ticks(between(self.opened, start, FOREVER, self.complain))
        while batch := list(islice(found, BATCH)):
            yield batch

    def final(self) -> Iterator[Sequence[Item]]:
        """Yield what leads to the same end on a shorter way, where nobody has to look again."""
        if not self.is_told:
            yield from self.items()
            return
        yield self.at(self.end, exact=True)

    def at(self, moment: float, *, exact: bool = False) -> list[Item]:
        """Return what a fresh board needs to be where it was at `moment`, beginning with `Restart`.

        With `exact`, also of passes that never ended, however long they are.
        """
        return digest(self.opened, self.index, to_nanoseconds(moment), self.complain, exact=exact)

    def passed(self, after: float, upto: float) -> list[Item]:
        """Return what to fold to get from `after` to `upto` without taking in every message."""
        first, last = to_nanoseconds(after), to_nanoseconds(upto)
        lasting = self.index.between(first, last)
        near = max(first, last - NEAR)
        return in_order([*lasting, *between(self.opened, near, last, self.complain, PASSING)])


def in_order(found: Sequence[Kept]) -> list[Item]:
    """The items by time."""
    return [kept.item for kept in sorted(found, key=lambda kept: kept.at)]
