"""DW107: calls on `logger.experiment` that go nowhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from ddpwatch.board.snapshot import LoggerRow
from ddpwatch.findings.rules.thrown_away import find
from tests.unit.findings.builders import evidence, nothing, the_only


def calls(
    tag: str,
    counts: list[int],
    written: list[bool],
    hook: str = "on_validation_epoch_end",
    method: str = "add_scalar",
) -> Any:
    return LoggerRow(
        logger="TensorBoardLogger",
        method=method,
        tag=tag,
        hook=hook,
        stage="validate",
        calls=np.array(counts),
        written=np.array(written),
        values=np.array([0.5] * len(counts)),
        steps=np.array([0] * len(counts)),
    )


def test_all_tags_of_one_method_are_one_finding() -> None:
    rows = tuple(calls(tag, [2, 2], [True, False]) for tag in ("f1/even", "f1/prime"))
    finding = the_only(find, evidence(calls=rows))
    assert (finding.code, finding.severity, finding.ranks) == ("DW107", "info", (1,))
    assert finding.message.startswith("4 add_scalar calls of f1/even, f1/prime")
    assert "thrown away on rank 1" in finding.message


def test_calls_on_rank_0_alone_are_right() -> None:
    assert nothing(find, evidence(calls=(calls("f1", [2, 0], [True, False]),)))


def test_what_lightning_hands_on_from_self_log_is_right() -> None:
    assert nothing(find, evidence(calls=(calls("f1", [2, 2], [True, False], "self.log"),)))


def test_hyperparameters_that_lightning_hands_over_are_right() -> None:
    given = calls("", [1, 1], [True, False], hook="", method="log_hyperparams")
    assert nothing(find, evidence(calls=(given,)))
    own = calls("", [1, 1], [True, False], hook="on_fit_start", method="log_hyperparams")
    assert the_only(find, evidence(calls=(own,))).code == "DW107"
