"""Which scripts are right, in whatever way? Every public function here is one, on every rank."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any


def names() -> list[str]:
    """`module.function` of every script."""
    modules = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    return [f"{module}.{name}" for module in modules for name in _scripts(module)]


def script(name: str) -> Callable[[], Any]:
    """The function of a name."""
    module, _, function = name.partition(".")
    return _scripts(module)[function]


def _scripts(module: str) -> dict[str, Callable[[], Any]]:
    loaded = importlib.import_module(f"{__name__}.{module}")
    return {
        name: each
        for name, each in vars(loaded).items()
        if inspect.isfunction(each) and each.__module__ == loaded.__name__ and name[0] != "_"
    }
