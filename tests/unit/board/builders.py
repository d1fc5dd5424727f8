"""Messages of made-up ranks, for tests that fold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ddpwatch.wire.arrays import from_numpy
from ddpwatch.wire.messages import (
    Body,
    Bye,
    Declare,
    Envelope,
    Hello,
    MetricState,
    State,
    StateSpec,
    TrackedMetric,
)
from ddpwatch.wire.stamped import Stamped

COUNTS = tuple(StateSpec(name=n, reduction="sum", dtype="int64") for n in ("tp", "fp", "tn", "fn"))


def multiclass(path: str, cls: str = "MulticlassF1Score", classes: int = 3, **params: Any) -> Any:
    return TrackedMetric(
        path=path,
        cls=f"torchmetrics.classification.{cls}",
        base=f"torchmetrics.classification.{cls}",
        params={"num_classes": classes, "average": "macro", "top_k": 1, **params},
        states=COUNTS,
    )


def counts(preds: Sequence[int], target: Sequence[int], classes: int = 3) -> tuple[Any, ...]:
    """tp, fp, tn, fn of a multiclass metric that has seen these samples."""
    p, t = np.array(preds, dtype=int), np.array(target, dtype=int)
    rows = [
        [(p == c) & (t == c), (p == c) & (t != c), (p != c) & (t != c), (p != c) & (t == c)]
        for c in range(classes)
    ]
    summed = np.array([[hits.sum() for hits in row] for row in rows], dtype=np.int64)
    return tuple(from_numpy(summed[:, place].copy()) for place in range(4))


class FakeRank:
    """One rank's end: numbers its frames and journal as a publisher would."""

    def __init__(self, rank: int, world_size: int = 2, run: str = "r", claim: str = "") -> None:
        self.rank, self.world_size, self.run = rank, world_size, run
        self.claim = claim or f"claim{rank}"
        self.seq = self.journal = 0

    def say(self, body: Body, at: float = 0.0, *, journal: bool = True) -> Stamped:
        self.seq += 1
        self.journal += journal
        number = self.journal if journal else 0
        envelope = Envelope(self.run, self.rank, self.claim, self.seq, number, at, body)
        return Stamped(at, envelope)

    def hello(self, at: float = 0.0, **more: Any) -> Stamped:
        known = {
            "name": "toy",
            "world_size": self.world_size,
            "node": "n0",
            "pid": 100 + self.rank,
            "started": 0.0,
            "versions": {"torchmetrics": "1.9.0"},
            **more,
        }
        return self.say(Hello(**known), at)

    def declare(self, *metrics: TrackedMetric, version: int = 1, at: float = 0.0) -> Stamped:
        return self.say(Declare(version=version, metrics=metrics), at)

    def state(
        self,
        step: int,
        *tensors: tuple[Any, ...],
        at: float = 0.0,
        final: bool = False,
        stage: str = "validate",
        pass_: int = 0,
        epoch: int = 0,
        dataloader: int = 0,
        fresh: int = 1,
        samples: int | None = None,
        steps: int | None = None,
    ) -> Stamped:
        metrics = tuple(
            MetricState(metric=i, updates=max(step + 1, 0), fresh=fresh, states=each)
            for i, each in enumerate(tensors)
        )
        body = State(
            stage=stage,
            pass_=pass_,
            epoch=epoch,
            dataloader=dataloader,
            step=step,
            steps=steps,
            declare=1,
            final=final,
            samples=samples,
            metrics=metrics,
        )
        return self.say(body, at, journal=final)

    def bye(self, at: float = 0.0, reason: str = "finished") -> Stamped:
        return self.say(Bye(reason=reason), at)
