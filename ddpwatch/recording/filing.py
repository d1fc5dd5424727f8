"""Into which file does each item go? One part for every run, and another one after trouble."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from ddpwatch.recording.channels import FINDING, TICK, channel_of
from ddpwatch.recording.chunk import Record
from ddpwatch.recording.homes import Home, home_of
from ddpwatch.recording.moments import to_nanoseconds
from ddpwatch.recording.part import Part
from ddpwatch.wire.messages import Bye
from ddpwatch.wire.stamped import Item, Stamped, Tick, Told

QUIET = 60.0
"""Seconds after the last rank's goodbye until a run's part is finished."""

LONG_QUIET = 600.0
"""The same, where a rank never said goodbye."""

AGAIN_AFTER = 30.0
"""Seconds until a run whose file could not be written is given a new one."""


@dataclass(frozen=True, slots=True)
class Filed:
    """How far recording has come: where, how many bytes, how many messages were lost, and why."""

    folder: Path
    nbytes: int = 0
    lost: int = 0
    trouble: str = ""


@dataclass(slots=True)
class _Run:
    """A run's part, if it has one at present, and who speaks in it."""

    part: Part | None = None
    living: frozenset[int] = frozenset()
    heard: float = 0.0
    retry_at: float = 0.0


class Filing:
    """Writes items into part files below a folder; `told` says that findings are among them."""

    def __init__(
        self, folder: Path, *, told: bool = True, home: Home = home_of, mark: str = ""
    ) -> None:
        """Nothing is made before the first message.

        `home` says in which folder below this one a run's part belongs; `mark` goes into the names
        of the files.
        """
        self.filed = Filed(folder)
        self._home = home
        self._mark = mark
        self._told = told
        self._runs: dict[str, _Run] = {}
        self._done = 0

    def take(self, items: Iterable[Item], now: float) -> None:
        """Take in a batch; it is in the files after the next `flush` (`now`: any clock, seconds).

        Never raises `OSError`: what cannot be written is counted, and tried anew later.
        """
        for item in items:
            if isinstance(item, Stamped):
                self._message(item, now)
            elif isinstance(item, Told):
                known = self._runs.get(item.run)
                if known is not None:
                    self._add(known, Record(FINDING, 0, to_nanoseconds(item.at), item.raw), now)
            elif isinstance(item, Tick):
                self._tick(item, now)

    def flush(self, now: float) -> None:
        """Bring everything into the files."""
        for run in self._runs.values():
            if run.part is not None:
                try:
                    run.part.flush()
                except OSError as error:
                    self._give_up(run, error, now)
        self._count()

    def close(self, now: float) -> None:
        """Finish all files."""
        for run in self._runs.values():
            self._finish(run, now)
        self._count()

    def _message(self, item: Stamped, now: float) -> None:
        envelope, body = item.envelope, item.envelope.body
        run = self._runs.setdefault(envelope.run, _Run())
        run.heard = item.at
        rank = frozenset({envelope.rank})
        run.living = run.living - rank if isinstance(body, Bye) else run.living | rank
        if run.part is None and not self._begin(run, item, now):
            self._lose(1)
            return
        record = Record(channel_of(body), envelope.rank, to_nanoseconds(item.at), item.raw)
        self._add(run, record, now, to_nanoseconds(envelope.sent))

    def _tick(self, tick: Tick, now: float) -> None:
        for run in self._runs.values():
            if run.part is None:
                continue
            if tick.at - run.heard > (LONG_QUIET if run.living else QUIET):
                self._finish(run, now)
            else:
                self._add(run, Record(TICK, 0, to_nanoseconds(tick.at), b""), now)

    def _add(self, run: _Run, record: Record, now: float, sent: int | None = None) -> None:
        if run.part is None:
            self._lose(1)
            return
        try:
            run.part.add(record, record.log_time if sent is None else sent)
        except OSError as error:
            self._give_up(run, error, now)

    def _begin(self, run: _Run, item: Stamped, now: float) -> bool:
        """Give a run a file, unless that failed a moment ago."""
        if now < run.retry_at:
            return False
        envelope = item.envelope
        try:
            home = self._home(self.filed.folder, envelope.run, envelope.claim, item.at)
            stamp = datetime.fromtimestamp(item.at).astimezone().strftime("%Y%m%d-%H%M%S")
            about = {"run": envelope.run, "findings": "told" if self._told else "none"}
            run.part = _created(home, stamp + self._mark, about)
        except OSError as error:
            self._trouble(run, error, now)
            return False
        return True

    def _finish(self, run: _Run, now: float) -> None:
        part, run.part = run.part, None
        if part is None:
            return
        waiting = part.waiting
        try:
            part.finish()
        except OSError as error:
            self._lose(waiting)
            self._trouble(run, error, now)
        self._done += part.size

    def _give_up(self, run: _Run, error: OSError, now: float) -> None:
        part, run.part = run.part, None
        if part is not None:
            self._lose(part.waiting)
            part.abandon()
            self._done += part.size
        self._trouble(run, error, now)

    def _trouble(self, run: _Run, error: OSError, now: float) -> None:
        run.retry_at = now + AGAIN_AFTER
        place = error.filename or self.filed.folder
        text = f"{place}: {error.strerror or error}"
        self.filed = replace(self.filed, trouble=self.filed.trouble or text)

    def _lose(self, count: int) -> None:
        self.filed = replace(self.filed, lost=self.filed.lost + count)

    def _count(self) -> None:
        nbytes = self._done + sum(r.part.size for r in self._runs.values() if r.part is not None)
        self.filed = replace(self.filed, nbytes=nbytes)


def _created(home: Path, stamp: str, about: dict[str, str]) -> Part:
    """A part with a name that no other one has, of this process or another."""
    for number in range(1, 1000):
        name = f"{stamp}.mcap" if number == 1 else f"{stamp}-{number}.mcap"
        try:
            return Part(home / name, about)
        except FileExistsError:
            continue
    raise FileExistsError(17, "too many parts began in this second", str(home))
