"""Is a script that does everything right left in peace?"""

from __future__ import annotations

import pytest

from tests.e2e import correct
from tests.e2e.watched import watch

pytestmark = pytest.mark.ddp


NEVER_TRUE = {"DW107"}
"""Information that none of the scripts gives cause for."""


def launch(name: str) -> None:
    """What every rank does."""
    correct.script(name)()


@pytest.mark.parametrize("name", correct.names())
def test_correct_script_gets_no_warning(name: str) -> None:
    """Also that it was seen at all: a run of which nothing is known has no findings either."""
    alone = name.startswith("alone.")
    report, _ = watch(launch, 1 if alone else 2, name, distributed=not alone)
    assert any(epoch["final"] for epoch in report["epochs"])
    wrong = [f for f in report["findings"] if f["severity"] != "info" or f["code"] in NEVER_TRUE]
    assert not wrong, "\n".join(f"{f['code']} {f['key']!r} {f['message']}" for f in wrong)


def test_there_are_enough_correct_scripts() -> None:
    assert len(correct.names()) >= 20
