"""Which lines does a table have, and what are they called?"""

from __future__ import annotations

from ddpwatch.tui.widgets.grid_model import (
    LineKey,
    ScoreKey,
    build_lines,
    class_word,
    find,
    toggled,
)
from tests.tui import snapshots


def names(lines):
    return [(line.key.kind, line.name, line.average) for line in lines]


def test_scores_of_one_collection_share_a_line_for_their_classes() -> None:
    assert names(build_lines(snapshots.table())) == [
        ("score", "f1", "macro"),
        ("score", "precision", "macro"),
        ("score", "recall", "macro"),
        ("classes", "10 classes", ""),
        ("samples", "samples", ""),
    ]


def test_an_opened_score_is_followed_by_its_labels() -> None:
    opened = frozenset({ScoreKey("val_metrics.precision", "precision")})
    lines = build_lines(snapshots.table(), opened)
    assert [line.name for line in lines][:4] == ["f1", "precision", "0", "1"]
    assert lines[2].title == "precision · 0"
    assert [line.is_open for line in lines if line.key.kind == "score"] == [False, True, False]
    assert len(lines) == 5 + 10


def test_the_line_of_classes_opens_and_closes_all_of_its_scores() -> None:
    lines = build_lines(snapshots.table())
    opened = toggled(frozenset(), lines[3])
    assert {key.score for key in opened} == {"f1", "precision", "recall"}
    again = build_lines(snapshots.table(), opened)
    place = find(again, lines[3].key)
    assert place is not None and again[place].is_open
    assert toggled(opened, again[place]) == frozenset()


def test_a_row_without_labels_opens_nothing() -> None:
    line = build_lines(
        snapshots.table([snapshots.row("loss", "mean", (1.0, 2.0), 1.5, average="")])
    )[0]
    assert line.opens == ()
    assert toggled(frozenset(), line) == frozenset()


def test_metrics_with_other_labels_have_a_line_of_their_own() -> None:
    rows = (
        *snapshots.with_labels("digits.f1", "f1", snapshots.F1, 0.9),
        *snapshots.with_labels("letters.f1", "f1", snapshots.F1, 0.9, labels=("a", "b")),
    )
    lines = build_lines(snapshots.table(rows))
    assert [line.name for line in lines if line.key.kind == "classes"] == [
        "10 classes",
        "2 classes",
    ]


def test_labels_without_an_averaged_row_are_reached_through_their_line() -> None:
    rows = snapshots.with_labels(
        "val.cm", "confusion", snapshots.F1, 0.9, labels=("0→0", "0→1"), average=""
    )[1:]
    closed = build_lines(snapshots.table(rows))
    assert names(closed)[0] == ("classes", "confusion · 2 cells", "")
    assert [
        line.name for line in build_lines(snapshots.table(rows), toggled(frozenset(), closed[0]))
    ] == [
        "confusion · 2 cells",
        "0→0",
        "0→1",
        "samples",
    ]


def test_labels_without_an_averaged_row_say_their_score_among_others() -> None:
    """Below the labels of a best F1, those of its threshold would pass for the same."""
    labels = ("even", "prime")
    rows = [
        *snapshots.with_labels("val.prc", "best_f1", snapshots.F1, 0.9, labels=labels),
        *snapshots.with_labels("val.prc", "best_threshold", snapshots.F1, 0.9, labels=labels)[1:],
    ]
    closed = build_lines(snapshots.table(rows))
    assert [line.name for line in closed] == ["best_f1", "2 classes", "samples"]
    opened = build_lines(snapshots.table(rows), toggled(frozenset(), closed[1]))
    assert [line.name for line in opened] == [
        "best_f1",
        "even",
        "prime",
        "2 classes",
        "best_threshold · even",
        "best_threshold · prime",
        "samples",
    ]


def test_paths_replace_names_that_two_metrics_share() -> None:
    rows = [snapshots.row(f"{stem}.f1", "f1", snapshots.F1, 0.9) for stem in ("coarse", "fine")]
    rows.append(snapshots.row("fine.f1", "precision", snapshots.F1, 0.9, own=False))
    assert [line.name for line in build_lines(snapshots.table(rows))][:3] == [
        "coarse.f1",
        "fine.f1",
        "fine.f1 precision",
    ]


def test_averages_can_tell_two_metrics_apart() -> None:
    rows = [
        snapshots.row(f"f1_{how}", "f1", snapshots.F1, 0.9, average=how)
        for how in ("macro", "micro")
    ]
    assert [(line.name, line.average) for line in build_lines(snapshots.table(rows))][:2] == [
        ("f1", "macro"),
        ("f1", "micro"),
    ]


def test_aggregates_go_by_the_name_of_their_metric() -> None:
    rows = [snapshots.row("val_loss", "mean", snapshots.F1, 0.9, average="", cls="MeanMetric")]
    assert names(build_lines(snapshots.table(rows)))[0] == ("score", "val_loss", "mean")


def test_filter_keeps_what_matches_every_word() -> None:
    assert [line.name for line in build_lines(snapshots.table(), needle="PREC macro")] == [
        "precision",
        "10 classes",
        "samples",
    ]
    assert [line.name for line in build_lines(snapshots.table(), needle="nothing like it")] == [
        "samples"
    ]


def test_filter_finds_labels_that_are_closed() -> None:
    lines = build_lines(
        snapshots.table(snapshots.with_labels("v.f1", "f1", snapshots.F1, 0.9, ("cat", "dog"))),
        needle="do",
    )
    assert [line.name for line in lines] == ["f1", "dog", "2 classes", "samples"]


def test_samples_are_left_out_where_no_rank_knows_them() -> None:
    assert find(build_lines(snapshots.table(samples=(-1, -1, -1, -1))), LineKey("samples")) is None


def test_words_for_labels() -> None:
    one = snapshots.row("v.f1", "f1", snapshots.F1, 0.9, label="x")
    assert class_word([one]) == "1 class"
    many = snapshots.row("v.f1", "f1", snapshots.F1, 0.9, label="x", cls="MultilabelF1Score")
    assert class_word([many, many]) == "2 labels"
