"""Are parameters read as torchmetrics means them, and refused where they make no sense?"""

from __future__ import annotations

import math

import pytest

from ddpwatch.errors import StateError
from ddpwatch.metrics.parameters import brief, read_settings, whole, word
from ddpwatch.metrics.rules import rules_of

NEW, OLD = rules_of({"torchmetrics": "1.9.0"}), rules_of({"torchmetrics": "1.0.3"})


def test_absent_parameters_have_the_defaults_of_torchmetrics():
    settings = read_settings("multiclass", {}, NEW)
    assert (settings.average, settings.top_k, settings.beta) == ("macro", 1, 1.0)
    assert settings.zero_division == 0.0


def test_none_as_average_means_per_class():
    assert read_settings("multilabel", {"average": None}, NEW).average == "none"


def test_a_binary_metric_has_no_average():
    assert read_settings("binary", {"average": "macro"}, NEW).average == ""


def test_only_multiclass_has_top_k():
    assert read_settings("multiclass", {"top_k": 3}, NEW).top_k == 3
    assert read_settings("multilabel", {"top_k": 3}, NEW).top_k == 1


@pytest.mark.parametrize(
    ("given", "read"), [(1, 1.0), (0.5, 0.5), ("warn", 0.0), ("nan", math.nan)]
)
def test_zero_division_may_be_a_number_or_a_word(given, read):
    value = read_settings("binary", {"zero_division": given}, NEW).zero_division
    assert value == read or (math.isnan(value) and math.isnan(read))


def test_zero_division_means_nothing_before_it_existed():
    assert read_settings("binary", {"zero_division": 1}, OLD).zero_division == 0.0


@pytest.mark.parametrize(
    "params",
    [
        {"average": "median"},
        {"average": 3},
        {"average": ["macro"]},
        {"top_k": 0},
        {"top_k": True},
        {"top_k": 1.5},
        {"beta": 0},
        {"beta": -1.0},
        {"beta": math.nan},
        {"beta": "two"},
        {"beta": 10**400},
        {"zero_division": "maybe"},
        {"zero_division": None},
    ],
)
def test_senseless_parameters_are_named_with_what_came(params):
    with pytest.raises(StateError, match=rf"^{next(iter(params))}: expected .*, got "):
        read_settings("multiclass", params, NEW)


def test_whole_tells_absent_from_wrong():
    assert whole({}, "num_classes") is None
    assert whole({"num_classes": 10}, "num_classes") == 10
    with pytest.raises(StateError, match="num_classes"):
        whole({"num_classes": "10"}, "num_classes")


def test_word_has_a_default():
    assert word({}, "normalize", ("none", "true")) == "none"
    assert word({"normalize": None}, "normalize", ("none", "true")) == "none"


def test_a_shown_value_is_short():
    assert brief("x" * 1000) == "'" + "x" * 36 + "..."
    assert brief(10**5000) == "int"
