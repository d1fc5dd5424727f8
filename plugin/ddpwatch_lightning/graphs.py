"""May `torch.compile` come across ddpwatch, and how is it kept out of what is traced?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

STEPS = ("training_step", "validation_step", "test_step")


def kept_out(function: Callable[..., None], module: Any) -> Callable[..., None]:
    """Return `function`, guarded as Lightning guards its own `log` if steps are compiled.

    The guard costs more than the function, so no other module gets it.
    """
    if not is_compiled(module):
        return function
    disabled: Callable[..., None] = torch.compiler.disable(function)  # type: ignore[no-untyped-call]
    return disabled


def is_compiled(module: Any) -> bool:
    """Say whether a module, or one of its steps, went through `torch.compile`."""
    if getattr(module, "_compiler_ctx", None) is not None:
        return True
    steps = (getattr(module, step, None) for step in STEPS)
    return any(hasattr(step, "_torchdynamo_orig_callable") for step in steps)
