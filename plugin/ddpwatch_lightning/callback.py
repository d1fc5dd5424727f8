"""Which of the Trainer's hooks does ddpwatch listen to? Each one hands over and returns."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Concatenate, Literal, ParamSpec

from typing_extensions import override

from ddpwatch.wire.messages import Stage
from ddpwatch_lightning.arguments import checked
from ddpwatch_lightning.base import LightningCallback, LightningModule, Trainer
from ddpwatch_lightning.greeting import hello
from ddpwatch_lightning.identity import announce
from ddpwatch_lightning.shadow import Shadow
from ddpwatch_lightning.watch import Watch
from ddpwatch_lightning.watches import Watches

log = logging.getLogger("ddpwatch")

P = ParamSpec("P")


class DDPWatch(LightningCallback):
    """Publishes what every rank's metrics hold, for the ddpwatch viewer.

    Put it among the callbacks of every rank's Trainer: `Trainer(callbacks=[DDPWatch()])`. Training
    goes on as without it: it runs no collective, computes no metric, opens no socket on the
    training thread, and lets no exception out. Where no viewer listens, nothing is sent.

    Args:
        endpoint: where the viewer listens, as `HOST:PORT`; if None, `$DDPWATCH`, else the default
            port of this machine.
        name: the run's name and id; if None, the launcher's id, else one made up.
        every: publish states every so many steps. "auto" means every step or, where steps are fast,
            every 2nd, 4th, 8th ..., about 20 times a second at most. The first and last step of a
            pass are always published.
        include: glob patterns; only metrics whose path in the module fits one are followed.
        exclude: glob patterns; metrics whose path fits one are not followed.
        labels: names of the classes: a list for all metrics with as many classes, a dict from path
            patterns to lists, or the name of a module attribute that holds a list. If None, the
            attributes `class_names`, `label_names` and `classes` are tried.
        shadow: for a module without metrics of its own: what its steps return, as a `Shadow` or a
            dict of its arguments. ddpwatch then keeps the counts itself and shows F1, precision and
            recall per label, per rank and over all ranks.
        record: a folder into which every rank writes all that it publishes, viewer or no viewer:
            `ddpwatch replay FOLDER` shows it. A full disk costs messages, never a step.
        capture_output: also publish the lines that this rank prints, on stdout and stderr and
            through `logging`. What is printed still goes where it went.

    Raises:
        TypeError: an argument is not of a type that is expected.
        ValueError: an argument has a value that cannot be used.
    """

    def __init__(
        self,
        endpoint: str | None = None,
        *,
        name: str | None = None,
        every: int | Literal["auto"] = "auto",
        include: str | Sequence[str] | None = None,
        exclude: str | Sequence[str] | None = None,
        labels: Sequence[str] | Mapping[str, Sequence[str]] | str | None = None,
        shadow: Shadow | Mapping[str, Any] | None = None,
        record: str | os.PathLike[str] | None = None,
        capture_output: bool = True,
    ) -> None:
        super().__init__()
        self._arguments = checked(
            endpoint,
            name=name,
            every=every,
            include=include,
            exclude=exclude,
            labels=labels,
            shadow=shadow,
            capture_output=capture_output,
            record=record,
        )
        self._watches = Watches(self._arguments)
        self._watch: Watch | None = None
        announce(os.environ, os.getpid())

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process or a copy needs: nothing that runs here or is bound here."""
        bound = {"log", "log_dict"}
        kept = {name: value for name, value in vars(self).items() if name not in bound}
        return kept | {"_watch": None}

    @override
    def setup(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
        try:
            self._watch = self._start(trainer, pl_module)
        except Exception as error:  # noqa: BLE001 - the edge to the training thread
            self._watch = None
            log.warning("ddpwatch publishes nothing from this rank; training goes on: %s", error)

    @override
    def teardown(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
        self._do("teardown", Watch.close)

    @override
    def on_exception(
        self, trainer: Trainer, pl_module: LightningModule, exception: BaseException
    ) -> None:
        self._do("on_exception", Watch.fail, exception)

    @override
    def on_fit_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_fit_start")

    @override
    def on_sanity_check_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_sanity_check_start")

    @override
    def on_sanity_check_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_sanity_check_end")

    @override
    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_train_start")

    @override
    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_train_epoch_start", Watch.begin, trainer, pl_module, "train")

    @override
    def on_train_batch_start(
        self, trainer: Trainer, pl_module: LightningModule, batch: Any, batch_idx: int
    ) -> None:
        self._do("on_train_batch_start", Watch.step_begins, trainer, pl_module, "train", 0)

    @override
    def on_before_backward(self, trainer: Trainer, pl_module: LightningModule, loss: Any) -> None:
        self._do("on_before_backward", Watch.backward_begins)

    @override
    def on_train_batch_end(
        self,
        trainer: Trainer,
        pl_module: LightningModule,
        outputs: Any,
        batch: Any,
        batch_idx: int,
    ) -> None:
        self._do(
            "on_train_batch_end",
            Watch.step_ends,
            trainer,
            pl_module,
            "train",
            batch_idx,
            batch,
            outputs=outputs,
        )

    @override
    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_train_epoch_end", Watch.last_step_ended, "train")

    @override
    def on_train_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_train_end", Watch.end_training, trainer)

    @override
    def on_validation_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_validation_start", Watch.begin, trainer, pl_module, _validation(trainer))

    @override
    def on_validation_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_validation_epoch_start")

    @override
    def on_validation_batch_start(
        self,
        trainer: Trainer,
        pl_module: LightningModule,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        self._do(
            "on_validation_batch_start",
            Watch.step_begins,
            trainer,
            pl_module,
            _validation(trainer),
            dataloader_idx,
        )

    @override
    def on_validation_batch_end(
        self,
        trainer: Trainer,
        pl_module: LightningModule,
        outputs: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        self._do(
            "on_validation_batch_end",
            Watch.step_ends,
            trainer,
            pl_module,
            _validation(trainer),
            batch_idx,
            batch,
            outputs=outputs,
        )

    @override
    def on_validation_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_validation_epoch_end", Watch.last_step_ended, _validation(trainer))

    @override
    def on_validation_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_validation_end", Watch.end, _validation(trainer))

    @override
    def on_test_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_test_start", Watch.begin, trainer, pl_module, "test")

    @override
    def on_test_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_test_epoch_start")

    @override
    def on_test_batch_start(
        self,
        trainer: Trainer,
        pl_module: LightningModule,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        self._do(
            "on_test_batch_start", Watch.step_begins, trainer, pl_module, "test", dataloader_idx
        )

    @override
    def on_test_batch_end(
        self,
        trainer: Trainer,
        pl_module: LightningModule,
        outputs: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        self._do(
            "on_test_batch_end",
            Watch.step_ends,
            trainer,
            pl_module,
            "test",
            batch_idx,
            batch,
            outputs=outputs,
        )

    @override
    def on_test_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_test_epoch_end", Watch.last_step_ended, "test")

    @override
    def on_test_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_test_end", Watch.end, "test")

    @override
    def on_predict_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_predict_start", Watch.begin, trainer, pl_module, "predict")

    @override
    def on_predict_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_predict_epoch_start")

    @override
    def on_predict_batch_start(
        self,
        trainer: Trainer,
        pl_module: LightningModule,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        self._do(
            "on_predict_batch_start",
            Watch.step_begins,
            trainer,
            pl_module,
            "predict",
            dataloader_idx,
        )

    @override
    def on_predict_batch_end(
        self,
        trainer: Trainer,
        pl_module: LightningModule,
        outputs: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        self._do(
            "on_predict_batch_end", Watch.step_ends, trainer, pl_module, "predict", batch_idx, batch
        )

    @override
    def on_predict_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_predict_epoch_end")

    @override
    def on_predict_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._do("on_predict_end", Watch.end, "predict")

    def _start(self, trainer: Trainer, pl_module: LightningModule) -> Watch | None:
        if _first(trainer) is not self:
            log.warning("this Trainer has more than one DDPWatch; only the first one publishes")
            return None
        watch = self._watches.of(trainer)
        name = self._arguments.name or type(pl_module).__name__
        watch.line.open(hello(trainer, name, watch.line.started, os.environ))
        watch.logbook.open(trainer, pl_module)
        watch.listen(trainer, pl_module, output=self._arguments.capture_output)
        return watch

    def _do(
        self,
        hook: str,
        act: Callable[Concatenate[Watch, P], object] | None = None,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Enter a hook: no exception leaves it, and an idle callback does nothing."""
        watch = self._watch
        if watch is None:
            return
        try:
            watch.line.publisher.here(hook)
            if act is not None:
                act(watch, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - the edge to the training thread
            watch.line.failures.note(hook, error)


def _first(trainer: Any) -> DDPWatch:
    return next(each for each in trainer.callbacks if isinstance(each, DDPWatch))


def _validation(trainer: Trainer) -> Stage:
    return "sanity_check" if trainer.sanity_checking else "validate"
