"""The lines around every screen: tabs above, the title of the table, keys below."""

from __future__ import annotations

from collections.abc import Sequence

from ddpwatch.board.snapshot import Finding, PassKey, RunView, Table, View
from ddpwatch.numbers import count, size
from ddpwatch.text import visible
from ddpwatch.tui.verbs import Verb
from ddpwatch.tui.widgets.finding_model import tab_span
from ddpwatch.tui.widgets.tones import Span, Spans, fill, spread, width_of

TABS = (
    ("1", "Metrics", "metrics"),
    ("2", "Logged", "logged"),
    ("3", "Ranks", "ranks"),
    ("4", "Findings", "findings"),
    ("5", "Output", "output"),
)


def tab_spans(current: str, findings: Sequence[Finding] = ()) -> Spans:
    """The screens there are, with the present one marked and the findings counted."""
    spans: list[Span] = []
    for key, title, name in TABS:
        active = name == current
        spans.append(Span(f" {key} {title} ", "active" if active else "muted"))
        if name == "findings" and findings:
            told = tab_span(findings)
            spans.append(Span(told.text, "active") if active else told)
    return tuple(spans)


def key_spans(verbs: Sequence[Verb], width: int) -> Spans:
    """The keys: those of any screen at the right, and before them as many more as fit."""
    # The first ones stay where not all fit, and there is always room for help.
    kept = sorted((v for v in verbs if v.short and v.always), key=lambda v: v.short != "help")
    fitting = fill([_key(verb) for verb in kept], width - 2, "  ")
    order = [verb for verb in verbs if verb in kept and _key(verb)[1] in fitting]
    always = fill([_key(verb) for verb in order], width - 2, "  ")
    rest = [_key(verb) for verb in verbs if verb.short and not verb.always]
    left = fill(rest, width - 4 - width_of(always), "  ")
    return spread((Span(" "), *left), (*always, Span(" ")), width)


def _key(verb: Verb) -> Spans:
    return Span(verb.shown.split(" ", 1)[0], "key"), Span(f" {verb.short}", "muted")


def title_spans(run: RunView, view: View, needle: str, width: int, *, found: bool = True) -> Spans:
    """Which pass the table shows, and by whose choice; `found` says if any row matches `needle`."""
    if run.table is None:
        return (Span(" no metric has been updated yet; its rows appear here", "muted"),)
    groups = [*_facts(run.table, run.passes)]
    if run.table.note:
        groups.append((Span(visible(run.table.note, max(8, width // 3)), "worst"),))
    if needle:
        what = "filter " if found else "no row matches "
        groups.append((Span(what, "muted"), Span(visible(needle, 20), "worst")))
    mode = _mode(view, run.table, run.passes)
    wanted = sum(width_of(group) + 3 for group in groups) + width_of(mode)
    if wanted + 2 > width and view.key is None:
        mode = ()
    if run.table.bytes_per_rank is not None and wanted + 20 < width:
        groups.append((Span(f"{size(run.table.bytes_per_rank)} a rank", "faint"),))
    left = fill(groups, width - 3 - width_of(mode), " · ")
    return spread((Span(" "), *left), (*mode, Span(" ")), width)


def pass_name(key: PassKey, passes: Sequence[PassKey]) -> str:
    """Name a pass, with its ordinals only where others differ by nothing else."""
    parts = [key.stage.replace("_", " "), f"epoch {key.epoch}"]
    alike = [k for k in passes if (k.stage, k.epoch) == (key.stage, key.epoch)]
    if len({k.generation for k in passes}) > 1:
        parts.append(f"restart {key.generation}")
    if len({k.pass_ for k in alike if k.generation == key.generation}) > 1:
        parts.append(f"pass {key.pass_}")
    if len({k.dataloader for k in alike}) > 1:
        parts.append(f"dataloader {key.dataloader}")
    return " · ".join(parts)


def _facts(table: Table, passes: Sequence[PassKey]) -> list[Spans]:
    done = table.step + 1
    of = f" of {count(table.steps)}" if table.steps is not None else ""
    if table.final:
        how = "complete"
    elif done <= 0:
        how = "no batch yet"
    else:
        how = f"after {count(done)}{of} batches"
    return [
        (Span(pass_name(table.key, passes), "strong"),),
        (Span(how, "good" if table.final else "plain"),),
    ]


def _mode(view: View, table: Table, passes: Sequence[PassKey]) -> Spans:
    if view.key is not None:
        # A recording that went back, or a run that began anew: it shows as soon as it is there.
        yet = "" if view.key == table.key else f"{pass_name(view.key, passes)} is still to come"
        return (
            Span(yet or "held", "worst"),
            Span(", ", "muted"),
            Span("f", "key"),
            Span(" follows", "muted"),
        )
    if view.stage is not None:
        return (Span(f"follows {view.stage.replace('_', ' ')}", "muted"),)
    return (Span("follows the newest", "muted"),)
