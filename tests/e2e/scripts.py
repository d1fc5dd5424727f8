"""Which scripts of findings are there, and how does a test run one?"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from tests.e2e.watched import watch

FOLDER = Path(__file__).parents[2] / "demo" / "findings"
NAMES = sorted(path.stem for path in FOLDER.glob("dw[0-9]*.py"))


def code_of(name: str) -> str:
    """The finding that a script is about."""
    return name.partition("_")[0].upper()


def module(name: str) -> Any:
    """The script, imported."""
    return importlib.import_module(f"demo.findings.{name}")


def launch(name: str, right: bool, options: dict[str, Any]) -> None:
    """What every rank does."""
    module(name).run(right=right, **options)


def report_of(name: str, *, right: bool = False, **options: Any) -> dict[str, Any]:
    """Run a script on as many ranks as it is about, and return the report.

    A wrong script may end in an exception, or be killed for waiting; a right one may not.
    """
    world_size = module(name).EXPECTED.get("world_size", 2)
    report, _ = watch(
        launch, world_size, name, right, options,
        distributed=world_size > 1, may_fail=not right, timeout=40,
    )  # fmt: skip
    return report
