"""DW105: do ranks hold different values of a key by which they take decisions?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ddpwatch.board.snapshot import Finding, LoggedRow
from ddpwatch.findings.evidence import Evidence, PassEvidence
from ddpwatch.findings.logged_rows import ended_values, epoch_rows, held_values, is_comparable
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.sameness import disagree
from ddpwatch.findings.wording import called_name, each_rank, log_object, number, place, ranks
from ddpwatch.wire.messages import Monitor, MonitorState

FAULT = Fault(
    code="DW105",
    severity="error",
    title="a monitored key differs between ranks, or is missing on some",
    why=(
        "Checkpoints, early stopping and schedulers look at the value on their own rank. With "
        "other values they keep other files, stop at other epochs or lower the learning rate at "
        "other times, and a rank that stops alone leaves the others waiting."
    ),
)
_NAMES = {"checkpoint": "ModelCheckpoint", "early_stopping": "EarlyStopping"}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield each monitored key whose values, or whose monitors, are not the same on all ranks.

    Values come first, and once they have told of a key, its monitors add nothing: the pass that
    logged it ends before the one after which monitors differ, but both may be looked at in one go.
    """
    if evidence.world_size < 2:
        return
    by_value = [found for taken in evidence.passes for found in _by_values(taken, evidence)]
    yield from by_value
    before = [each for each in evidence.proven if each.code == FAULT.code]
    for taken in evidence.passes:
        told = {each.key for each in by_value}
        told |= {each.key for each in before if not _is_of(taken, each)}
        for index, monitor in _monitors(evidence):
            if _row_name(monitor.key, evidence) in told:
                continue
            if finding := _by_monitor(index, monitor, taken, evidence):
                yield finding


def _by_values(taken: PassEvidence, evidence: Evidence) -> Iterator[Finding]:
    for row in epoch_rows(taken):
        if row.monitored_by and (finding := _by_value(row, taken, evidence)):
            yield finding


def _is_of(taken: PassEvidence, finding: Finding) -> bool:
    """Whether a finding is the one that this pass's monitors would prove again."""
    key = finding.pass_key
    return key is not None and (key.stage, key.dataloader) == (taken.key.stage, 0)


def _row_name(key: str, evidence: Evidence) -> str:
    """What the row is called whose values a monitor looks at, `val_loss` as `val_loss_epoch`."""
    row = evidence.newest_rows.get(key)
    return row.id.name if row is not None else key


def _by_value(row: LoggedRow, taken: PassEvidence, evidence: Evidence) -> Finding | None:
    world_size = evidence.world_size
    if taken.is_said(world_size) and row.called.any() and not row.called.all():
        missing = set(range(world_size)) - {int(r) for r in row.called.nonzero()[0]}
        if not missing & ended_values(row).keys():
            return _finding(row, taken, evidence, f"is missing on {ranks(missing)}", missing)
    ended = ended_values(row)
    if len(ended) == world_size:
        differing = ended if disagree(ended.values()) else {}
    elif _is_sure_to_differ(row, taken, world_size):
        differing = held_values(row)
    else:
        differing = {}
    if not differing:
        return None
    return _finding(row, taken, evidence, f"differs: {each_rank(differing)}", set(differing))


def _is_sure_to_differ(row: LoggedRow, taken: PassEvidence, world_size: int) -> bool:
    """Mid-pass: nothing will reduce it, and at the same call the ranks hold different values."""
    if row.source.startswith("metric ") or (row.sync_dist and not row.rank_zero_only):
        return False
    if not row.called.all() or not is_comparable(row, taken, world_size):
        return False
    return disagree(held_values(row).values())


def _finding(
    row: LoggedRow, taken: PassEvidence, evidence: Evidence, how: str, those: set[int]
) -> Finding:
    by = " and ".join(_NAMES.get(kind, kind) for kind in row.monitored_by)
    names = {row.alias, row.id.name, called_name(row)}
    told = [_differing(_states(i, taken)) for i, m in _monitors(evidence) if m.key in names]
    decisions = next(filter(None, told), "")
    name = called_name(row)
    fix = (
        log_object(row, row.metric.metric)
        if row.metric is not None
        else f"self.log({name!r}, value, sync_dist=True)  # on every rank, without rank_zero_only"
    )
    return FAULT.finding(
        f"{row.id.name}, monitored by {by}, {how}{decisions}",
        fix,
        key=row.id.name,
        ranks=those,
        pass_key=taken.key._replace(dataloader=max(row.id.dataloader, 0)),
    )


def _monitors(evidence: Evidence) -> Iterator[tuple[int, Monitor]]:
    declare = evidence.declares.get(min(evidence.declares, default=0))
    yield from enumerate(declare.monitors if declare is not None else ())


def _states(index: int, taken: PassEvidence) -> dict[int, MonitorState]:
    """What each rank's monitor holds; nothing where ranks tell of different moments."""
    if len({said.revision for said in taken.said.values()}) > 1:
        return {}
    return {
        rank: state
        for rank, said in sorted(taken.said.items())
        for state in said.monitors
        if state.monitor == index and said.final
    }


def _by_monitor(
    index: int, monitor: Monitor, taken: PassEvidence, evidence: Evidence
) -> Finding | None:
    """What the monitors themselves hold, where no row says it."""
    states = _states(index, taken)
    told = _differing(states) if len(states) == evidence.world_size else ""
    if not told:
        return None
    kind = _NAMES.get(monitor.kind, monitor.kind)
    return FAULT.finding(
        f"{kind} on {monitor.key!r} has come to different decisions in {place(taken.key)}{told}",
        f"self.log({monitor.key!r}, value, sync_dist=True)  # the same value on every rank",
        key=_row_name(monitor.key, evidence),
        ranks=states,
        pass_key=taken.key,
    )


def _differing(states: Mapping[int, MonitorState]) -> str:
    stopped = [rank for rank, state in states.items() if state.stopped]
    if stopped and len(stopped) < len(states):
        return f"; the stop was decided by {ranks(stopped)} (wait {_waits(states)})"
    waits = {state.wait for state in states.values() if state.wait is not None}
    if len(waits) > 1:
        return f"; wait {_waits(states)}"
    best = {rank: state.best for rank, state in states.items() if state.best is not None}
    if len(best) > 1 and disagree(best.values()):
        names = [state.path.rpartition("/")[2] for state in states.values() if state.path]
        files = f" ({', '.join(names[:3])})" if len(set(names)) > 1 else ""
        return f"; best {', '.join(f'{number(b)} on rank {r}' for r, b in best.items())}{files}"
    paths = {state.path for state in states.values() if state.path}
    if len(paths) > 1:
        return "; best files " + ", ".join(sorted(p.rpartition("/")[2] for p in paths)[:3])
    return ""


def _waits(states: Mapping[int, MonitorState]) -> str:
    return ", ".join(f"{state.wait} on rank {rank}" for rank, state in states.items())


RULE = Rule(FAULT, find)
