"""What does a user ask of ddpwatch's own metrics, for code that has none in it?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, get_args

Task: TypeAlias = Literal["binary", "multiclass", "multilabel"]
Average: TypeAlias = Literal["macro", "micro", "weighted", "none"]
ShadowStage: TypeAlias = Literal["train", "validate", "test"]
Key: TypeAlias = str | int
Pick: TypeAlias = Callable[[Any, Any], tuple[Any, Any]]
"""Given what the step returned and its batch; returns predictions and target."""

MOST_LABELS = 65_536
MOST_THRESHOLDS = 1_000


@dataclass(frozen=True)
class Shadow:
    """Metrics that ddpwatch keeps itself, from what `training_step` and its like return.

    Their counts give F1, precision and recall per label, per rank and over all ranks. Nothing in
    the module has to change; no collective is run, and nothing is computed on the ranks.

    Predictions are probabilities, scores before the sigmoid or softmax, or, for `multiclass`, class
    indices; target is 0 and 1, or class indices. Tensors, arrays and lists will do.

    Args:
        task: `binary` (predictions and target of shape (N,)), `multiclass` (scores (N, C) or
            classes (N,), target (N,)), or `multilabel` (both (N, L)).
        labels: names of the classes or labels, or how many there are; not needed for `binary`.
        preds: the key of the predictions in what the step returns.
        target: the key of the target there or, where it is not there, in the batch.
        pick: in place of both keys, a function from (outputs, batch) to (predictions, target).
        threshold: from where on a probability counts as 1; "best" is 0.5 with `search`.
        search: also keep a curve of `thresholds` steps, from which the viewer finds the threshold
            with the best F1.
        thresholds: how many thresholds the curve has, evenly from 0 to 1.
        logits: whether predictions are scores before the sigmoid or softmax. If None, those of a
            batch are when one of them is outside of [0, 1], which is torchmetrics' rule.
        average: how the values of labels become one.
        ignore_index: a target value that does not count.
        stages: of which stages; of `train`, `validate` and `test`.

    Raises:
        TypeError: an argument is not of a type that is expected.
        ValueError: an argument has a value that cannot be used.
    """

    task: Task
    labels: Sequence[str] | int = ()
    preds: Key = "preds"
    target: Key = "target"
    pick: Pick | None = None
    threshold: float | Literal["best"] = 0.5
    search: bool = False
    thresholds: int = 101
    logits: bool | None = None
    average: Average = "macro"
    ignore_index: int | None = None
    stages: Sequence[ShadowStage] = ("validate", "test")

    def __post_init__(self) -> None:
        self._check_words()
        self._check_labels()
        self._check_numbers()
        for name in ("preds", "target"):
            key = getattr(self, name)
            if isinstance(key, bool) or not isinstance(key, str | int):
                raise TypeError(f"shadow: expected a key as {name}, got {key!r}")
        if self.pick is not None and not callable(self.pick):
            raise TypeError(f"shadow: expected a function as pick, got {self.pick!r}")

    @property
    def searches(self) -> bool:
        """Whether a curve is kept."""
        return self.search or self.threshold == "best"

    @property
    def cut(self) -> float:
        """The threshold of the counts."""
        return 0.5 if isinstance(self.threshold, str) else float(self.threshold)

    @property
    def count(self) -> int:
        """How many classes or labels there are; 1 for a binary task."""
        if self.task == "binary":
            return 1
        return self.labels if isinstance(self.labels, int) else len(self.labels)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of classes or labels, if they have any."""
        return () if isinstance(self.labels, int) else tuple(self.labels)

    def _check_words(self) -> None:
        _one_of("task", self.task, Task)
        _one_of("average", self.average, Average)
        if isinstance(self.stages, str) or not isinstance(self.stages, Sequence):
            raise TypeError(f"shadow: expected a list of stages, got {self.stages!r}")
        for stage in self.stages:
            _one_of("stages", stage, ShadowStage)

    def _check_labels(self) -> None:
        labels = self.labels
        is_count = isinstance(labels, int) and not isinstance(labels, bool)
        is_names = isinstance(labels, list | tuple) and all(isinstance(n, str) for n in labels)
        if not (is_count or is_names):
            raise TypeError(f"shadow: expected names or a number as labels, got {labels!r}")
        least = {"binary": 1, "multiclass": 2, "multilabel": 1}[self.task]
        if not least <= self.count <= MOST_LABELS:
            raise ValueError(
                f"shadow: expected at least {least} labels for {self.task}, got {labels!r}"
            )

    def _check_numbers(self) -> None:
        threshold = self.threshold
        if threshold != "best" and (
            isinstance(threshold, bool | str) or not isinstance(threshold, int | float)
        ):
            raise TypeError(f"shadow: expected a number or 'best' as threshold, got {threshold!r}")
        if not 0.0 <= self.cut <= 1.0:
            raise ValueError(f"shadow: expected a threshold from 0 to 1, got {threshold!r}")
        if not isinstance(self.thresholds, int) or not 2 <= self.thresholds <= MOST_THRESHOLDS:
            raise ValueError(
                f"shadow: expected from 2 to {MOST_THRESHOLDS} thresholds, got {self.thresholds!r}"
            )


def checked_shadow(value: object) -> Shadow | None:
    """Return what was asked for, from a `Shadow` or a dict of its arguments.

    Raises:
        TypeError: it is neither, or has arguments that there are not.
        ValueError: an argument has a value that cannot be used.
    """
    if value is None or isinstance(value, Shadow):
        return value
    if not isinstance(value, Mapping):
        raise TypeError(
            "shadow: expected a Shadow or a dict such as {'task': 'multilabel', 'labels': [...], "
            "'preds': 'predictions', 'target': 'labels'} (a function goes in as 'pick'), "
            f"got {value!r}"
        )
    known = [field.name for field in fields(Shadow)]
    unknown = [name for name in value if name not in known]
    if unknown or "task" not in value:
        raise TypeError(
            f"shadow: expected 'task' and any of {', '.join(known[1:])}, got {list(value)!r}"
        )
    return Shadow(**value)


def _one_of(name: str, value: object, words: Any) -> None:
    if value not in get_args(words):
        raise ValueError(f"shadow: expected {name} of {', '.join(get_args(words))}, got {value!r}")
