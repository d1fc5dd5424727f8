"""Do the examples in docstrings still hold?"""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from ddpwatch.report import markup, workflow


@pytest.mark.parametrize("module", [markup, workflow])
def test_examples(module: ModuleType) -> None:
    tried = doctest.testmod(module)
    assert tried.attempted
    assert not tried.failed
