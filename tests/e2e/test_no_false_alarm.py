"""Is a script that does everything right left in peace?"""

from __future__ import annotations

from itertools import groupby

import pytest

from tests.e2e import correct
from tests.e2e.watched import watch

pytestmark = pytest.mark.ddp

PER_FILE = 4
"""How many scripts of each file run every time; the others run with what takes long."""

SHORT = [
    name
    for _, names in groupby(correct.names(), key=lambda name: name.split(".")[0])
    for name in list(names)[:PER_FILE]
]

SCRIPTS = [
    pytest.param(name, marks=() if name in SHORT else pytest.mark.soak) for name in correct.names()
]


NEVER_TRUE = {"DW107"}
"""Information that none of the scripts gives cause for."""


def launch(name: str) -> None:
    """What every rank does."""
    correct.script(name)()


@pytest.mark.parametrize("name", SCRIPTS)
def test_correct_script_gets_no_warning(name: str) -> None:
    """Also that it was seen at all: a run of which nothing is known has no findings either."""
    alone = name.startswith("alone.")
    report, _ = watch(launch, 1 if alone else 2, name, distributed=not alone)
    assert any(epoch["final"] for epoch in report["epochs"])
    wrong = [f for f in report["findings"] if f["severity"] != "info" or f["code"] in NEVER_TRUE]
    assert not wrong, "\n".join(f"{f['code']} {f['key']!r} {f['message']}" for f in wrong)


def test_there_are_enough_correct_scripts() -> None:
    assert len(SHORT) >= 20
