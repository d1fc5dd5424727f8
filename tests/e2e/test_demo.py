"""Does the demo train on real data, and show that ranks disagree?"""

from __future__ import annotations

import json

import pytest

from ddpwatch import demonstration
from ddpwatch.errors import DDPWatchError
from tests.e2e.test_cli import ddpwatch
from tests.e2e.watched import epochs, row

pytestmark = pytest.mark.ddp


def test_demo_without_a_terminal_prints_the_report() -> None:
    done = ddpwatch("demo", "--headless", "--ranks", "3", "--epochs", "2", "--format", "json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["run"]["world_size"] == 3
    passes = epochs(report, "validate")
    assert [(e["epoch"], e["final"]) for e in passes] == [(0, True), (1, True)]
    f1 = row(passes[-1], "val.f1")
    assert sum(f1["samples"]) == 363, "361 images do not divide by 3: two are counted twice"
    assert max(f1["ranks"]) - min(f1["ranks"]) > 0.01
    assert abs(f1["global"] - f1["mean_of_ranks"]) > 0.005
    per_class = [m for m in passes[-1]["metrics"] if m["name"] == "val.f1" and m["label"]]
    assert [m["label"] for m in per_class] == [str(digit) for digit in range(10)]
    assert "validate epoch 1" in done.stderr


def test_demo_whose_training_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demonstration, "LAST_WORDS", 0.0)
    with pytest.raises(DDPWatchError, match=r"exit code 2(.|\n)*--ranks"):
        demonstration.run("two", 1, headless=True, form="table")  # type: ignore[arg-type]
