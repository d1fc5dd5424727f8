"""DW202: every rank saw all, or its own split, case 22."""

from __future__ import annotations

from typing import Any

import pytest

from ddpwatch.findings.rules.same_samples import find
from tests.unit.findings.builders import (
    Loader,
    declared,
    evidence,
    loader_pass,
    nothing,
    state,
    taken,
    the_only,
)


def seen(sums: tuple[int, int], samples: int = 8, final: bool = True, **loader: Any) -> Any:
    states = [state(samples=samples, checksum=s, batches=4, final=final) for s in sums]
    declares = {
        rank: declared(loaders=(Loader(stage="validate", length=8, replica=rank, **loader),))
        for rank in (0, 1)
    }
    return evidence(taken(loaders=[loader_pass(states)]), declares=declares)


def test_equal_checksums_prove_it() -> None:
    finding = the_only(find, seen((0xBEEF, 0xBEEF)))
    assert (finding.code, finding.severity) == ("DW202", "warning")
    assert "all 2 ranks saw the same 8 samples" in finding.message


@pytest.mark.parametrize(
    "right",
    [
        seen((1, 2)),
        seen((0, 0)),
        seen((7, 7), final=False),
        seen((7, 7), replicas=2),
        seen((7, 7), samples=0),
    ],
)
def test_right_twins_are_left_alone(right: Any) -> None:
    assert nothing(find, right)


def subsets(*prints: str, replicas: int | None) -> Any:
    declares = {
        rank: declared(
            loaders=(Loader(stage="validate", length=4, fingerprint=text, replicas=replicas),)
        )
        for rank, text in enumerate(prints)
    }
    return evidence(declares=declares)


def test_turns_in_different_subsets() -> None:
    finding = the_only(find, subsets("aaaaaaaaaa", "bbbbbbbbbb", replicas=2))
    assert "aaaaaaaa on rank 0, bbbbbbbb on rank 1" in finding.message
    assert "manual_seed" in finding.fix


def test_same_subset_no_subset_and_shards_made_by_hand_are_right() -> None:
    assert nothing(find, subsets("aa", "aa", replicas=2))
    assert nothing(find, subsets("", "", replicas=2))
    assert nothing(find, subsets("aa", "bb", replicas=None))
