"""What every rank prints is heard with its hook and stage, and still printed."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from ddpwatch.wire.messages import Output
from tests.ddp import ranks, recorder
from tests.ddp.ear import Ear
from tests.ddp.training import Model, loader, rank, trainer

pytestmark = pytest.mark.ddp


class Printing(Model):
    """Prints on every rank, on rank 0 only, and through logging."""

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        print(f"step {batch_idx}", file=sys.stderr)
        return super().training_step(batch, batch_idx)

    def on_validation_epoch_end(self) -> None:
        import logging

        super().on_validation_epoch_end()
        print("\x1b[1mscores\x1b[0m", rank())
        if self.global_rank == 0:
            print("only on rank zero")
        logging.getLogger("mine").warning("careful")
        self.print("through the bar")


def printed(**options: Any) -> list[Any]:
    from ddpwatch_lightning import DDPWatch

    recorder.Recorder.install()
    fitting = trainer(DDPWatch(**options), enable_progress_bar=True, enable_model_summary=True)
    fitting.fit(Printing(), loader(16), loader(16))
    print("after training")
    assert not {"write"} & {*vars(sys.stdout), *vars(sys.stderr)}
    return recorder.bodies()


def quiet() -> list[Any]:
    return printed(capture_output=False)


@pytest.fixture(scope="module")
def run() -> list[list[Output]]:
    return [recorder.of(Output, messages) for messages in ranks.run(printed, 2)]


def texts(lines: list[Output], **of: Any) -> list[str]:
    return [e.text for e in lines if all(getattr(e, name) == v for name, v in of.items())]


def test_lines_of_a_hook(run: list[list[Output]]) -> None:
    for number, lines in enumerate(run):
        found = texts(lines, hook="on_validation_epoch_end", stage="validate")
        alone = ["only on rank zero", "through the bar"] if number == 0 else []
        assert found == [f"scores {number}", *alone[:1], "careful", *alone[1:]]
        assert "careful" in texts(lines, stream="logging")
        assert texts(lines, hook="training_step", stream="stderr") == ["step 0", "step 1"]


def test_the_sanity_check_is_a_stage_of_its_own(run: list[list[Output]]) -> None:
    for number, lines in enumerate(run):
        assert f"scores {number}" in texts(lines, stage="sanity_check")


def test_neither_bars_nor_what_comes_later_is_among_them(run: list[list[Output]]) -> None:
    for lines in run:
        everything = texts(lines)
        assert not [each for each in everything if "it/s" in each or "\x1b" in each]
        assert "after training" not in everything


def test_it_can_be_turned_off() -> None:
    for messages in ranks.run(quiet, 2):
        assert recorder.of(Output, messages) == []


def flooded(address: str) -> int:
    from ddpwatch_lightning import DDPWatch

    class Flooding(Printing):
        def on_validation_epoch_end(self) -> None:
            super().on_validation_epoch_end()
            for number in range(5000):
                print("line", number)

    trainer(DDPWatch(address)).fit(Flooding(), loader(16), loader(16))
    return 2 * 5000


def test_a_flood_is_bounded_counted_and_displaces_nothing_else() -> None:
    from ddpwatch.wire.messages import Pulse, State

    with Ear() as ear:
        (count,) = ranks.run(flooded, 1, ear.address, distributed=False)
        messages = ear.of_rank(0)
    came = [each for each in recorder.of(Output, messages) if each.text.startswith("line ")]
    assert 0 < len(came) < count
    assert ear.finals(0) >= {("train", 0), ("validate", 0), ("sanity_check", 0)}
    edges = {(e.stage, e.step) for e in recorder.of(State, messages) if not e.final}
    assert {("validate", 0), ("validate", 3)} <= edges
    assert [each.dropped for each in recorder.of(Pulse, messages)][-1:] == [0]
