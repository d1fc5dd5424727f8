"""Are cells normalised over the right axis, and named so that one can read them?"""

from __future__ import annotations

import numpy as np
import pytest

from ddpwatch.errors import StateError
from ddpwatch.metrics.confusion import cell_names, cell_scores, cells
from tests.unit.metrics.declared import confusion

MATRIX = np.array([[[1, 3], [0, 4]]])


@pytest.mark.parametrize(
    ("normalize", "row"),
    [
        ("none", [1, 3, 0, 4]),
        ("true", [0.25, 0.75, 0, 1]),
        ("pred", [1, 3 / 7, 0, 4 / 7]),
        ("all", [1 / 8, 3 / 8, 0, 4 / 8]),
    ],
)
def test_cells_are_shares_of_rows_columns_or_everything(normalize, row):
    assert np.allclose(cells(MATRIX, normalize), [row])


def test_an_empty_row_stays_zero():
    with np.errstate(all="ignore"):
        assert cells(np.array([[[0, 0], [1, 1]]]), "true").tolist() == [[0, 0, 0.5, 0.5]]


def test_cells_are_named_target_to_prediction():
    assert cell_names("multiclass", MATRIX, ("cat", "dog")) == (
        "cat→cat",
        "cat→dog",
        "dog→cat",
        "dog→dog",
    )
    assert cell_names("binary", MATRIX, ()) == ("0→0", "0→1", "1→0", "1→1")


def test_labels_lead_their_cells():
    names = cell_names("multilabel", np.zeros((1, 2, 2, 2)), ("red", ""))
    assert names[:5] == ("red: 0→0", "red: 0→1", "red: 1→0", "red: 1→1", "1: 0→0")


def test_a_matrix_too_large_to_read_says_so():
    metric = confusion("MulticlassConfusionMatrix")
    assert len(cell_scores(metric, "multiclass", np.ones((2, 20, 20)))[0]) == 1
    scores, reason = cell_scores(metric, "multiclass", np.ones((2, 21, 21)))
    assert scores == ()
    assert "441 cells" in reason


def test_an_unknown_normalisation_is_refused():
    with pytest.raises(StateError, match="normalize: expected one of none, true, pred, all"):
        cell_scores(confusion("MulticlassConfusionMatrix", normalize="rows"), "binary", MATRIX)
