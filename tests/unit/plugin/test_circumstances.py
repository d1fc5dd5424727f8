"""The hook is the one that Lightning notes, the pass the newest."""

from __future__ import annotations

from types import SimpleNamespace

from ddpwatch_lightning.circumstances import Circumstance, Circumstances
from ddpwatch_lightning.passes import Pass


def test_within_a_hook_of_a_pass() -> None:
    module = SimpleNamespace(_current_fx_name="test_step")
    assert Circumstances(lambda: Pass("test", 2, 1), module).now() == Circumstance(
        "test", 2, 1, "test_step"
    )


def test_outside_of_everything() -> None:
    assert Circumstances(lambda: None, object()).now() == Circumstance(None, 0, 0, "")


def test_while_another_thread_changes_the_pass() -> None:
    def changing() -> None:
        raise RuntimeError("dictionary changed size during iteration")

    module = SimpleNamespace(_current_fx_name="test_step")
    assert Circumstances(changing, module).now() == Circumstance(None, 0, 0, "test_step")
