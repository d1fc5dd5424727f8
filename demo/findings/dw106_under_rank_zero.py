"""Why does the job freeze after its first epoch, without a traceback?

`if self.trainer.is_global_zero` lets rank 0 alone log a key that is to be synced: it waits for the
others in a collective which they never enter. `--right` says `rank_zero_only=True` and syncs
nothing, for there is nothing to sync.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from lightning.pytorch.strategies import DDPStrategy

from demo.findings.common import Model, loader, main, trainer

EXPECTED = {"key": "epoch_seconds", "numbers": ["epoch_seconds"], "beside": ["DW401"]}
"""What rank 0 alone waits for."""


class Wrong(Model):
    def validation_step(self, batch: Any, batch_idx: int) -> None:
        pass

    def on_validation_epoch_end(self) -> None:
        if self.trainer.is_global_zero:
            self.log("epoch_seconds", 1.5, sync_dist=True)


class Right(Wrong):
    def on_validation_epoch_end(self) -> None:
        if self.trainer.is_global_zero:
            self.log("epoch_seconds", 1.5, rank_zero_only=True)


def run(*, right: bool = False, **options: Any) -> None:
    """Validate. GPUs wait for half an hour; here rank 1 ends, and rank 0 loses the connection."""
    strategy = DDPStrategy(timeout=timedelta(seconds=10))
    trainer(**{"strategy": strategy, **options}).validate(
        Right() if right else Wrong(), loader([0, 0]), verbose=False
    )


if __name__ == "__main__":
    main(run)
