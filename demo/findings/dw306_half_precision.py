"""Why does my mean stop moving after a few hundred steps?

`precision="bf16-true"` makes the metrics' states bfloat16 too, which has 8 bits for digits: 256 + 1
is 256 again, and a counter stands still there. `--right` uses `bf16-mixed`: the states stay in 32
bits.
"""

from __future__ import annotations

from typing import Any

from torchmetrics import MeanMetric, SumMetric

from demo.findings.common import Model, loader, main, trainer

EXPECTED = {"ranks": [0, 1], "key": "count", "numbers": ["256"]}
"""Where the sum stands still on each rank."""


class Wrong(Model):
    precision = "bf16-true"

    def __init__(self) -> None:
        super().__init__()
        self.mean, self.count = MeanMetric(), SumMetric()

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.mean.update(1.0 if batch_idx < 256 else 0.0)
        self.count.update(1.0)
        self.log_dict({"mean": self.mean, "count": self.count})


class Right(Wrong):
    precision = "bf16-mixed"


def run(*, right: bool = False, **options: Any) -> None:
    """Validate 400 batches of one sample per rank. Mean is 1.0 and count 512, or .64 and 800."""
    model = Right() if right else Wrong()
    trainer(**{"precision": model.precision, **options}).validate(
        model, loader([0] * 400, batch_size=1), verbose=False
    )


if __name__ == "__main__":
    main(run)
