"""Does each key lead to the view that it promises?"""

from __future__ import annotations

from dataclasses import replace

from ddpwatch.board.snapshot import PassKey, RowKey, View
from ddpwatch.tui import steer
from tests.tui import snapshots

OLD = PassKey(0, "validate", 2, 2, 0)


def test_stages_come_in_turn_and_then_the_newest_again() -> None:
    run, view = snapshots.run(), View(key=OLD)
    seen = []
    for _ in range(4):
        view = steer.next_stage(view, run)
        seen.append(view.stage)
    assert seen == ["train", "validate", None, "train"]
    assert view.key is None


def test_a_stage_that_is_gone_counts_as_none() -> None:
    assert steer.next_stage(View(stage="predict"), snapshots.run()).stage == "train"


def test_passes_of_the_same_stage_and_no_further() -> None:
    run = snapshots.run()
    back = steer.neighbour_pass(View(), run, -1)
    assert back.key == OLD
    assert steer.neighbour_pass(View(), run, 1).key == snapshots.VALIDATE
    at_start = snapshots.run(snapshots.table(key=OLD))
    assert steer.neighbour_pass(back, at_start, -1).key == OLD
    assert steer.neighbour_pass(back, at_start, 1).key == snapshots.VALIDATE


def test_dataloaders_go_round() -> None:
    second = snapshots.VALIDATE._replace(dataloader=1)
    run = replace(snapshots.run(), passes=(*snapshots.PASSES, second))
    assert steer.next_loader(View(), run).key == second
    assert (
        steer.next_loader(View(), replace(run, table=snapshots.table(key=second))).key
        == snapshots.VALIDATE
    )
    assert steer.next_loader(View(), snapshots.run()) == View()


def test_nothing_shown_nothing_changes() -> None:
    empty = replace(snapshots.run(), table=None, passes=())
    view = View(row=RowKey("m", "f1"))
    assert steer.neighbour_pass(view, empty, 1) == view
    assert steer.next_loader(view, empty) == view
    assert steer.next_stage(view, empty).stage is None


def test_following_forgets_stage_and_pass_only() -> None:
    view = View(run="a", stage="train", key=OLD, row=RowKey("m", "f1"), over="epochs")
    assert steer.follow(view) == View(run="a", row=RowKey("m", "f1"), over="epochs")


def test_axes_and_runs() -> None:
    assert steer.other_axis(View()).over == "epochs"
    assert steer.other_axis(View(over="epochs")).over == "steps"
    held = View(run="a", key=OLD, over="epochs")
    assert steer.of_run(held, "b") == View(run="b", over="epochs")
