"""I asked for `sync_dist=True`: why do the ranks still hold different losses?

`rank_zero_only=True` turns the sync off, without a word: each rank keeps its own value, and rank
0's is logged. `--right` leaves it out. A metric object ignores `sync_dist` as well, but there all
is well: it syncs its own states.
"""

from __future__ import annotations

from typing import Any

from demo.findings.common import Model, loader, main, mine, trainer

EXPECTED = {"key": "val_loss", "numbers": ["rank_zero_only"]}
"""What turns the sync off."""


class Wrong(Model):
    rank_zero_only = True

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.log("val_loss", batch.mean(), sync_dist=True, rank_zero_only=self.rank_zero_only)


class Right(Wrong):
    rank_zero_only = False


def run(*, right: bool = False, **options: Any) -> None:
    """Validate two samples per rank. The loss is 1.0 and 3.0, or 2.0."""
    losses = mine([[0.5, 1.5], [2.5, 3.5]])
    trainer(**options).validate(Right() if right else Wrong(), loader(losses), verbose=False)


if __name__ == "__main__":
    main(run)
