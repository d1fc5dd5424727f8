"""Which findings are news to those who did not look themselves: a recording, other viewers?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ddpwatch.board.findings_told import Case, Verdict, case_of, encode
from ddpwatch.board.run import Run
from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.wire.stamped import Told


class Telling:
    """Remembers what was told of every run, and tells what has changed since."""

    def __init__(self, diagnosis: Diagnosis) -> None:
        """`diagnosis` is the one that the board asks as well."""
        self._diagnosis = diagnosis
        self._seen: dict[str, tuple[Finding, ...]] = {}

    def news(self, runs: Iterable[Run], now: float, *, at_once: bool = False) -> Iterator[Told]:
        """Yield every finding that is new, has other numbers or was taken back, since last time.

        With `at_once` everything that has come is looked at before.
        """
        ask = self._diagnosis.conclude if at_once else self._diagnosis.findings
        for run in runs:
            found, seen = ask(run, now), self._seen.get(run.run, ())
            if found is not seen:
                self._seen[run.run] = found
                yield from (Told(now, run.run, encode(each)) for each in _changes(seen, found))

    def all(self, run: str) -> Iterator[Verdict]:
        """Yield what was told of a run and stands."""
        yield from (Verdict(each) for each in self._seen.get(run, ()))


def _changes(seen: tuple[Finding, ...], found: tuple[Finding, ...]) -> Iterator[Verdict]:
    before: dict[Case, Finding] = {case_of(each): each for each in seen}
    after = {case_of(each): each for each in found}
    yield from (Verdict(each, stands=False) for case, each in before.items() if case not in after)
    yield from (Verdict(each) for case, each in after.items() if before.get(case) != each)
