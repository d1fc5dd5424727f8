"""Which view does a key lead to? Pure: a view and a run go in, the next view comes out."""

from __future__ import annotations

from dataclasses import replace

from ddpwatch.board.snapshot import PassKey, RunView, View


def next_stage(view: View, run: RunView) -> View:
    """From following what is newest through each stage in turn, and back to following."""
    stages = list(dict.fromkeys(key.stage for key in run.passes))
    circle: list[str | None] = [None, *stages]
    place = circle.index(view.stage) if view.stage in circle else 0
    return replace(view, stage=circle[(place + 1) % len(circle)], key=None)


def neighbour_pass(view: View, run: RunView, by: int) -> View:
    """The pass before or after the one shown, of the same stage and dataloader; ends stay put."""
    shown = shown_pass(run)
    if shown is None:
        return view
    same = [k for k in run.passes if (k.stage, k.dataloader) == (shown.stage, shown.dataloader)]
    if shown not in same:
        return view
    return replace(view, key=same[max(0, min(same.index(shown) + by, len(same) - 1))])


def next_loader(view: View, run: RunView) -> View:
    """The next dataloader of the pass shown; the same view where there is only one."""
    shown = shown_pass(run)
    if shown is None:
        return view
    loaders = [key for key in run.passes if key[:4] == shown[:4]]
    if len(loaders) < 2:
        return view
    return replace(view, key=loaders[(loaders.index(shown) + 1) % len(loaders)])


def follow(view: View) -> View:
    """Whatever is newest, of any stage."""
    return replace(view, stage=None, key=None)


def other_axis(view: View) -> View:
    """The chart over epochs instead of steps, or back."""
    return replace(view, over="epochs" if view.over == "steps" else "steps")


def of_run(view: View, run: str) -> View:
    """Another run, from its newest pass on."""
    return View(run=run, over=view.over)


def shown_pass(run: RunView) -> PassKey | None:
    """The pass whose table is on the screen."""
    return None if run.table is None else run.table.key
