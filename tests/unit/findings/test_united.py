"""Is a fault that several ranks share told once, with all of them?"""

from __future__ import annotations

from dataclasses import replace

from ddpwatch.board.snapshot import Finding, PassKey
from ddpwatch.findings.united import united

PASS = PassKey(0, "train", 0, 0, 0)
FIRST = Finding("DW306", "warning", "t", "sum on rank 0 is stuck", "", "", "f1", (0,), PASS)


def of(rank: int, **changes: object) -> Finding:
    message = f"sum on rank {rank} is stuck"
    return replace(FIRST, message=message, ranks=(rank,), **changes)  # type: ignore[arg-type]


def test_the_first_rank_speaks_for_all() -> None:
    (one,) = united([of(0), of(1), of(3), of(1)])
    assert one.ranks == (0, 1, 3)
    assert one.message == "sum on rank 0 is stuck; so it is on ranks 1 and 3"


def test_one_rank_alone_is_left_as_it_is() -> None:
    assert list(united([of(2)])) == [of(2)]


def test_other_keys_and_passes_stay_apart() -> None:
    later = PASS._replace(epoch=1)
    found = list(united([of(0), of(1, key="loss"), of(1, pass_key=later)]))
    assert [each.ranks for each in found] == [(0,), (1,), (1,)]


def test_of_nothing_comes_nothing() -> None:
    assert list(united([])) == []
