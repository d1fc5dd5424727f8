"""Only what is compiled is guarded against being traced."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from ddpwatch_lightning.graphs import is_compiled, kept_out


def plain() -> None:
    pass


def test_nothing_is_compiled_as_a_rule() -> None:
    module = SimpleNamespace(training_step=plain, _compiler_ctx=None)
    assert not is_compiled(module)
    assert kept_out(plain, module) is plain


@pytest.mark.parametrize(
    "module",
    [
        SimpleNamespace(_compiler_ctx={"compiler": "dynamo"}),
        SimpleNamespace(validation_step=torch.compile(plain, backend="eager")),
    ],
)
def test_a_compiled_module_or_step_is_noticed(module: object) -> None:
    assert is_compiled(module)
    assert kept_out(plain, module) is not plain
