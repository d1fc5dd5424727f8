"""How long do ddpwatch's hooks hold the training thread, beside what `self.log` costs there?

Real runs: three metrics of ten classes and three logged keys, states and logged values published at
every step, a hub in a process of its own. A step's hook time is that of all of its hooks together
and of hearing the three keys: what calling `results.log` takes with ddpwatch around it, less what
Lightning's own part in it takes, and less what one more clock around that takes. What three
`self.log` calls cost is the time between entering the first and leaving the third, without all
that. Whatever else the machine does only adds to both, so of several runs the one with the shortest
hooks counts. Run it with `python -m tests.bench.hook_time`; it ends with 1 where a bound is not
kept.
"""

from __future__ import annotations

import functools
import multiprocessing as mp
import statistics
import sys
import time
import warnings
from multiprocessing.connection import Connection
from typing import Any

import lightning.pytorch as pl
import torch
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics.classification import MulticlassF1Score, MulticlassPrecision, MulticlassRecall

from ddpwatch.link.hub import Hub
from ddpwatch.wire.messages import State
from ddpwatch.wire.stamped import Stamped
from ddpwatch.wire.token import load_token
from ddpwatch_lightning import DDPWatch

RUNS = 4
STEPS = 1500
WARM_UP = 200
MOST_MICROSECONDS = 100.0
MOST_OF_LOGGING = 1 / 10

HOOKS = (
    "on_train_batch_start",
    "on_train_batch_end",
)


class Timed(DDPWatch):
    """The callback, with a clock around each hook of a training step."""

    def __init__(self, endpoint: str) -> None:
        super().__init__(endpoint, every=1)
        self.by_hook: dict[str, list[float]] = {hook: [] for hook in HOOKS}
        for hook in HOOKS:
            setattr(self, hook, self._clocked(hook))

    def _clocked(self, name: str) -> Any:
        hook = getattr(super(), name)
        times = self.by_hook[name]

        @functools.wraps(hook)
        def clocked(*args: Any) -> None:
            before = time.perf_counter_ns()
            hook(*args)
            times.append((time.perf_counter_ns() - before) / 1000)

        return clocked


class LogClock(pl.Callback):
    """Clocks `results.log` of training as it is when the callback is set up."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        results = trainer.fit_loop.epoch_loop._results
        log = results.log

        def clocked(*args: Any, **options: Any) -> None:
            before = time.perf_counter_ns()
            log(*args, **options)
            self.times.append((time.perf_counter_ns() - before) / 1000)

        results.log = clocked

    def by_step(self) -> list[float]:
        """Return the time of each step's three calls together."""
        return [sum(self.times[first : first + 3]) for first in range(0, len(self.times), 3)]


class Model(pl.LightningModule):
    """A small classifier that logs three numbers a step."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)
        )
        self.f1 = MulticlassF1Score(10)
        self.precision = MulticlassPrecision(10)
        self.recall = MulticlassRecall(10)
        self.logging: list[float] = []

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        inputs, target = batch
        scores = self.layers(inputs)
        loss = torch.nn.functional.cross_entropy(scores, target)
        for metric in (self.f1, self.precision, self.recall):
            metric.update(scores, target)
        values = [loss.detach() * factor for factor in (1, 2, 3)]
        before = time.perf_counter_ns()
        self.log("first", values[0], on_step=True, on_epoch=True)
        self.log("second", values[1], on_step=True, on_epoch=True)
        self.log("third", values[2], on_step=True, on_epoch=True)
        self.logging.append((time.perf_counter_ns() - before) / 1000)
        return loss

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=0.01)


def listen(pipe: Connection) -> None:
    """Be the hub until told to stop; report how many states came."""
    hub = Hub("tcp://127.0.0.1:*", load_token())
    hub.open()
    pipe.send(hub.address)
    states = 0
    for batch in hub.batches():
        for item in batch:
            states += isinstance(item, Stamped) and isinstance(item.envelope.body, State)
        if pipe.poll():
            break
    hub.close()
    pipe.send(states)


def train(endpoint: str) -> tuple[dict[str, list[float]], list[float]]:
    """Train once; return the microseconds of each hook and of logging, by step."""
    callback, model = Timed(endpoint), Model()
    within, around, clock = LogClock(), LogClock(), LogClock()
    inputs, target = torch.randn(STEPS * 8, 64), torch.randint(0, 10, (STEPS * 8,))
    trainer = pl.Trainer(
        max_epochs=1,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[within, callback, around, clock],
    )
    trainer.fit(model, DataLoader(TensorDataset(inputs, target), batch_size=8))
    times = callback.by_hook
    times["hearing three keys"] = [
        2 * heard - lightnings - clocked
        for lightnings, heard, clocked in zip(
            within.by_step(), around.by_step(), clock.by_step(), strict=True
        )
    ]
    times["all hooks"] = [sum(step) for step in zip(*times.values(), strict=True)]
    logging = [
        whole - clocked + lightnings
        for whole, clocked, lightnings in zip(
            model.logging, clock.by_step(), within.by_step(), strict=True
        )
    ]
    return {name: each[WARM_UP:] for name, each in times.items()}, logging[WARM_UP:]


def measure() -> tuple[dict[str, list[float]], list[float], int]:
    """Return the times of the quietest of all runs, and how many states reached the hub."""
    ours, theirs = mp.Pipe()
    hub = mp.get_context("spawn").Process(target=listen, args=(theirs,))
    hub.start()
    endpoint = ours.recv()
    runs = [train(endpoint) for _ in range(RUNS)]
    ours.send("stop")
    states = ours.recv()
    hub.join()
    return *min(runs, key=lambda run: statistics.median(run[0]["all hooks"])), states


def main() -> int:
    """Print the table; return the exit code."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    times, logging, states = measure()
    print(f"{'µs per step':28}{'median':>10}{'p95':>10}")
    for name, each in {**times, "three self.log calls": logging}.items():
        p95 = statistics.quantiles(each, n=20)[-1]
        print(f"{name:28}{statistics.median(each):10.1f}{p95:10.1f}")
    hooks = statistics.median(times["all hooks"])
    share = hooks / statistics.median(logging)
    print(f"all hooks: {hooks:.1f} µs (at most {MOST_MICROSECONDS:.0f})")
    print(f"all hooks / three self.log calls: {share:.3f} (at most {MOST_OF_LOGGING:.3f})")
    print(f"{states} states reached the hub in {RUNS * STEPS} steps")
    kept = hooks <= MOST_MICROSECONDS and share <= MOST_OF_LOGGING and states > 0
    print("kept" if kept else "NOT KEPT")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
