"""Which of Lightning's two namespaces is the callback built on? Whichever is loaded already."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

_NAMESPACES = ("lightning.pytorch", "pytorch_lightning")


def callback_bases() -> tuple[type, ...]:
    """Return the `Callback` of every namespace that is loaded, else of the first one installed.

    A callback of one namespace works in a Trainer of the other when it comes in a list; being
    an instance of both, it also works alone.

    Raises:
        ImportError: neither namespace is installed.
    """
    loaded = [sys.modules[name] for name in _NAMESPACES if name in sys.modules]
    return tuple(module.Callback for module in loaded or [_import_one()])


def _import_one() -> ModuleType:
    for name in _NAMESPACES:
        if importlib.util.find_spec(name.partition(".")[0]) is not None:
            return importlib.import_module(name)
    raise ImportError(
        "ddpwatch_lightning expected lightning or pytorch-lightning, got neither. "
        "Install one, for example with: pip install 'ddpwatch[lightning]'"
    )


if TYPE_CHECKING:
    import lightning.pytorch
    import pytorch_lightning

    LightningModule: TypeAlias = (
        lightning.pytorch.LightningModule | pytorch_lightning.LightningModule
    )
    Trainer: TypeAlias = lightning.pytorch.Trainer | pytorch_lightning.Trainer

    # To a type checker, too, it is a callback of either namespace.
    class LightningCallback(lightning.pytorch.Callback, pytorch_lightning.Callback):  # type: ignore[misc]
        """What both namespaces take for a callback."""
else:
    LightningCallback = type("LightningCallback", callback_bases(), {})
    LightningModule = Trainer = object

__all__ = ["LightningCallback", "LightningModule", "Trainer", "callback_bases"]
