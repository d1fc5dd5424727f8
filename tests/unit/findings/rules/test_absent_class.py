"""DW204: classes that a rank has no samples of."""

from __future__ import annotations

from typing import Any

from ddpwatch.findings.rules.absent_class import find
from tests.unit.findings.builders import (
    array,
    evidence,
    loader_pass,
    metric,
    nothing,
    spec,
    state,
    taken,
    the_only,
    updated,
)

COUNTS = tuple(spec(name) for name in ("tp", "fp", "tn", "fn"))
NO_2 = tuple(array(x) for x in ([2, 1, 0], [0, 0, 0], [1, 2, 3], [0, 0, 0]))
ALL = tuple(array(x) for x in ([1, 1, 1], [0, 0, 0], [2, 2, 2], [0, 0, 0]))
LABELS = ("cat", "dog", "owl")


def ranks(*held: tuple[Any, ...], final: bool = True) -> Any:
    metrics = [metric(name, "MulticlassF1Score", *COUNTS, labels=LABELS) for name in ("f1", "f1b")]
    states = [state(updated(*tensors), updated(*tensors, index=1), final=final) for tensors in held]
    return evidence(taken(loaders=[loader_pass(states, *metrics)]))


def test_it_names_the_labels_once_for_all_metrics_that_count_them() -> None:
    finding = the_only(find, ranks(ALL, NO_2))
    assert (finding.code, finding.severity, finding.key) == ("DW204", "info", "f1")
    assert "rank 1 has none of owl" in finding.message


def test_labels_that_everybody_or_nobody_has_are_left_alone() -> None:
    assert nothing(find, ranks(ALL, ALL))
    assert nothing(find, ranks(NO_2, NO_2))
    assert nothing(find, ranks(ALL, NO_2, final=False))


def test_micro_states_do_not_say() -> None:
    micro = tuple(array([n]) for n in (2, 0, 2, 0))
    none = tuple(array([n]) for n in (0, 0, 2, 0))
    assert nothing(find, ranks(micro, none))


def test_confusion_matrices_say_it_too() -> None:
    held = metric("cm", "MulticlassConfusionMatrix", spec("confmat"), labels=LABELS)
    states = [
        state(updated(array(matrix)), final=True)
        for matrix in ([[1, 0, 0], [0, 1, 0], [0, 1, 0]], [[1, 0, 1], [0, 1, 0], [0, 0, 0]])
    ]
    finding = the_only(find, evidence(taken(loaders=[loader_pass(states, held)])))
    assert "rank 1 has none of owl" in finding.message
