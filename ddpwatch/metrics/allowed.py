"""Which torchmetrics classes may compute for themselves here, and what must be known for that?

All of them compute from tensors of fixed size and the parameters listed, and from nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Allowed:
    """A class: where it is, what its results are called, and which parameters they depend on."""

    module: str
    scores: tuple[str, ...]
    params: tuple[str, ...] = ()


def find_allowed(base: str) -> Allowed | None:
    """Return what a torchmetrics class (its qualified or bare name) needs, if it is allowed."""
    return _CLASSES.get(base.rpartition(".")[2])


_WIDTHS = {"Binary": (), "Multiclass": ("num_classes",), "Multilabel": ("num_labels",)}
_AT = {
    "RecallAtFixedPrecision": "min_precision",
    "PrecisionAtFixedRecall": "min_recall",
    "SensitivityAtSpecificity": "min_specificity",
    "SpecificityAtSensitivity": "min_sensitivity",
}
_SNAKE = {
    "RecallAtFixedPrecision": "recall_at_fixed_precision",
    "PrecisionAtFixedRecall": "precision_at_fixed_recall",
    "SensitivityAtSpecificity": "sensitivity_at_specificity",
    "SpecificityAtSensitivity": "specificity_at_sensitivity",
}
_BY_SUM = {
    "SignalNoiseRatio": ("torchmetrics.audio", "snr"),
    "ScaleInvariantSignalNoiseRatio": ("torchmetrics.audio", "si_snr"),
    "SignalDistortionRatio": ("torchmetrics.audio", "sdr"),
    "ScaleInvariantSignalDistortionRatio": ("torchmetrics.audio", "si_sdr"),
    "WordErrorRate": ("torchmetrics.text", "wer"),
    "CharErrorRate": ("torchmetrics.text", "cer"),
    "MatchErrorRate": ("torchmetrics.text", "mer"),
    "WordInfoLost": ("torchmetrics.text", "word_info_lost"),
    "WordInfoPreserved": ("torchmetrics.text", "word_info_preserved"),
    "Perplexity": ("torchmetrics.text", "perplexity"),
}
_NOMINAL = {
    "CramersV": ("cramers_v", ("num_classes", "bias_correction")),
    "TschuprowsT": ("tschuprows_t", ("num_classes", "bias_correction")),
    "PearsonsContingencyCoefficient": ("pearsons_contingency", ("num_classes",)),
    "TheilsU": ("theils_u", ("num_classes",)),
}

_CLASSES: dict[str, Allowed] = {
    "BLEUScore": Allowed("torchmetrics.text", ("bleu",), ("n_gram", "smooth", "weights")),
    "PeakSignalNoiseRatio": Allowed(
        "torchmetrics.image", ("psnr",), ("data_range", "base", "reduction")
    ),
    "StructuralSimilarityIndexMeasure": Allowed("torchmetrics.image", ("ssim",), ("reduction",)),
    "MultiScaleStructuralSimilarityIndexMeasure": Allowed(
        "torchmetrics.image", ("ms_ssim",), ("reduction",)
    ),
}
_CLASSES |= {name: Allowed(module, (score,)) for name, (module, score) in _BY_SUM.items()}
_CLASSES |= {
    name: Allowed("torchmetrics.nominal", (score,), params)
    for name, (score, params) in _NOMINAL.items()
}
_CLASSES |= {
    task + kind: Allowed(
        "torchmetrics.classification",
        (_SNAKE[kind], "threshold"),
        (*width, limit, "thresholds"),
    )
    for task, width in _WIDTHS.items()
    for kind, limit in _AT.items()
}
_CLASSES |= {
    "BinaryEER": Allowed("torchmetrics.classification", ("eer",), ("thresholds",)),
    "MulticlassEER": Allowed(
        "torchmetrics.classification", ("eer",), ("num_classes", "average", "thresholds")
    ),
    "MultilabelEER": Allowed("torchmetrics.classification", ("eer",), ("num_labels", "thresholds")),
}
