"""DW106: do ranks log different keys, in a different order, or a synced key only on some?"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

from ddpwatch.board.entries import full_name
from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence, PassEvidence
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.waiting import Waiting, waiting_in_log
from ddpwatch.findings.wording import place, plural, ranks
from ddpwatch.wire.messages import Logged, LoggedKey

FAULT = Fault(
    code="DW106",
    severity="error",
    title="ranks log different keys or in a different order, or a synced key only on some ranks",
    why=(
        "A synced key is one collective call. Lightning makes these calls in the order in which "
        "each rank logged its keys, and matches them by nothing else. Ranks with other keys, "
        "another order or another number of calls mix up their values, or wait for ever."
    ),
)


class Call(NamedTuple):
    """A key as the ranks have to agree on it."""

    hook: str
    name: str
    dataloader: int


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield hangs in `self.log`, then what the ranks' calls have not in common."""
    for waiting in waiting_in_log(evidence):
        yield _hang(waiting)
    if evidence.world_size < 2:
        return
    for taken in evidence.passes:
        yield from _missing(taken, evidence)
        yield from _order(taken, evidence)
        yield from _counts(taken, evidence)


def _call(key: LoggedKey) -> Call:
    return Call(key.hook, full_name(key), key.dataloader)


def _hang(waiting: Waiting) -> Finding:
    call = f"self.log({waiting.key!r}, …)"
    return FAULT.finding(
        f"rank {waiting.rank} has been in {call} in {waiting.hook} for {waiting.seconds:.0f} s; "
        f"{waiting.others}",
        f"# log {waiting.key!r} on every rank and outside of `if`, or on one rank without a sync:\n"
        f"self.log({waiting.key!r}, value, rank_zero_only=True)  # sync_dist left out",
        key=waiting.key,
        ranks=(waiting.rank,),
        pass_key=waiting.pass_key,
    )


def _missing(taken: PassEvidence, evidence: Evidence) -> Iterator[Finding]:
    """Keys that a rank did not log although it was where the others logged them."""
    where: dict[Call, dict[int, LoggedKey]] = {}
    for rank, said in taken.said.items():
        for key in said.keys:
            where.setdefault(_call(key), {})[rank] = key
    for call, having in where.items():
        lacking = {
            rank
            for rank in range(evidence.world_size)
            if rank not in having and _passed(rank, having, taken, evidence)
        }
        if lacking and not all(key.rank_zero_only for key in having.values()):
            yield _missing_finding(call, having, lacking, taken)


def _missing_finding(
    call: Call, having: dict[int, LoggedKey], lacking: set[int], taken: PassEvidence
) -> Finding:
    if any(_is_collective(key) for key in having.values()):
        severity, effect = FAULT.severity, "its sync mixes up values or hangs"
    elif 0 in lacking:
        severity, effect = "warning", "no logger ever gets it"
    else:
        severity, effect = "info", "it is not synced, so nothing waits for it"
    return FAULT.finding(
        f"{call.name} is logged in {call.hook} on {ranks(having)} and not on {ranks(lacking)} "
        f"({place(taken.key)}): {effect}",
        f"# the same keys in the same order on every rank, whatever the batch holds:\n"
        f'self.log({call.name!r}, value if seen else float("nan"), sync_dist=True)\n'
        f"# or, for rank 0 alone: self.log({call.name!r}, value, rank_zero_only=True)",
        key=call.name,
        ranks=lacking,
        pass_key=taken.key._replace(dataloader=max(call.dataloader, 0)),
        severity=severity,
    )


def _passed(rank: int, having: dict[int, LoggedKey], taken: PassEvidence, ev: Evidence) -> bool:
    """Whether a rank that lacks a key has surely come past the place where others logged it."""
    said = taken.said.get(rank)
    if said is None:
        return False
    if said.final:
        return True
    keys = list(having.values())
    if any(key.dataloader > 0 for key in keys) or not all(_in_step(key) for key in keys):
        return False
    if all(key.syncs and key.on_step for key in keys):
        return said.step >= min(key.last_step for key in keys) >= 0
    return _is_at_last_step(said, rank, taken, ev)


def _in_step(key: LoggedKey) -> bool:
    return key.hook.endswith("_step") or "_batch_" in key.hook


def _is_at_last_step(said: Logged, rank: int, taken: PassEvidence, evidence: Evidence) -> bool:
    declared = evidence.declares.get(rank)
    stages = [x for x in (declared.loaders if declared else ()) if x.stage == taken.key.stage]
    progress = evidence.progress.get(rank)
    here = progress is not None and (
        (progress.stage, progress.pass_, progress.epoch) == taken.key[1:4]
    )
    if len(stages) > 1 or progress is None or not here or progress.steps is None:
        return False
    return said.step + 1 >= progress.steps


def _is_collective(key: LoggedKey) -> bool:
    return key.syncs or (bool(key.metric) and key.metric_syncs)


def _order(taken: PassEvidence, evidence: Evidence) -> Iterator[Finding]:
    """Synced keys that all ranks have, in other orders."""
    if not taken.is_said(evidence.world_size):
        return
    # Metrics that are held in another order are DW404; their keys follow from that.
    held = {tuple(m.path for m in d.metrics) for d in evidence.declares.values() if d.metrics}
    counts = _is_collective if len(held) < 2 else attrgetter("syncs")
    orders = {
        rank: tuple(_call(k) for k in sorted(said.keys, key=lambda k: k.order) if counts(k))
        for rank, said in taken.said.items()
    }
    first = orders[min(orders)]
    odd = {r for r, calls in orders.items() if calls != first and set(calls) == set(first)}
    if odd:
        other = orders[min(odd)]
        at = next(i for i, (a, b) in enumerate(zip(first, other, strict=True)) if a != b)
        yield FAULT.finding(
            f"{ranks(odd)} logs synced keys in another order than rank {min(orders)} "
            f"({place(taken.key)}): {other[at].name} where that one logs {first[at].name}, so "
            "their values are averaged with each other",
            "# log in one order, on every rank:\n"
            "for name in sorted(values):\n    self.log(name, values[name], sync_dist=True)",
            key=first[at].name,
            ranks=odd,
            pass_key=taken.key,
        )


def _counts(taken: PassEvidence, evidence: Evidence) -> Iterator[Finding]:
    """Keys that are synced at every step, on ranks that will make another number of steps."""
    steps = {
        (rank, loader.key.dataloader): state.steps
        for loader in taken.loaders
        for rank, state in loader.states.items()
    }
    for said in taken.said.values():
        for key in said.keys:
            loader = max(key.dataloader, 0)
            each = {r: steps.get((r, loader)) for r in range(evidence.world_size)}
            known = {r: n for r, n in each.items() if n is not None}
            if key.syncs and key.on_step and _in_step(key) and len(set(known.values())) > 1:
                counts = ", ".join(
                    f"rank {r} has {plural(n, 'batch').replace('batchs', 'batches')}"
                    for r, n in known.items()
                )
                yield FAULT.finding(
                    f"{key.name} is synced at every step of {place(taken.key)}, and {counts}: "
                    "the ranks with more will wait for ever",
                    f"self.log({key.name!r}, value, on_step=False, on_epoch=True, sync_dist=True)",
                    key=full_name(key),
                    ranks=known,
                    pass_key=taken.key._replace(dataloader=loader),
                )
        return


RULE = Rule(FAULT, find)
