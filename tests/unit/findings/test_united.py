"""Is a fault that several ranks share told once, with all of them?"""

from __future__ import annotations

from ddpwatch.board.snapshot import Finding, PassKey
from ddpwatch.findings.united import Where, united

PASS = PassKey(0, "train", 0, 0, 0)


def tell(where: Where, seen: str) -> Finding:
    message = f"{seen} on rank {where.rank} is stuck"
    return Finding("DW306", "warning", "t", message, "", "", where.key, (), where.pass_key)


def on(rank: int, key: str = "f1", pass_key: PassKey = PASS) -> tuple[Where, str]:
    return Where(key, pass_key, rank), f"sum {rank}"


def test_the_first_rank_speaks_for_all() -> None:
    (one,) = united([on(0), on(1), on(3), on(1)], tell)
    assert one.ranks == (0, 1, 3)
    assert one.message == "sum 0 on rank 0 is stuck; so it is on ranks 1 and 3"


def test_one_rank_alone_is_named_once() -> None:
    (one,) = united([on(2)], tell)
    assert (one.message, one.ranks) == ("sum 2 on rank 2 is stuck", (2,))


def test_other_keys_and_passes_stay_apart() -> None:
    later = PASS._replace(epoch=1)
    found = list(united([on(0), on(1, key="loss"), on(1, pass_key=later)], tell))
    assert [each.ranks for each in found] == [(0,), (1,), (1,)]


def test_of_nothing_comes_nothing() -> None:
    assert list(united([], tell)) == []


def test_words_are_made_once_however_many_ranks_there_are() -> None:
    told: list[int] = []

    def counted(where: Where, seen: str) -> Finding:
        told.append(where.rank)
        return tell(where, seen)

    (one,) = united(map(on, range(2_000)), counted)
    assert told == [0]
    assert len(one.ranks) == 2_000
