"""DW205: would each rank choose another best threshold?"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding, Row
from ddpwatch.findings.evidence import Evidence, LoaderPass
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.sameness import disagree
from ddpwatch.findings.wording import attribute, each_rank, number, place

FAULT = Fault(
    code="DW205",
    severity="info",
    title="ranks would choose different best thresholds",
    why=(
        "The threshold with the highest F1 on one rank's share is best for that share. It has to "
        "be searched on the curve of all ranks' counts, or the ranks go on with other thresholds."
    ),
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield curves whose best threshold is not the same on all ranks, at the end of a pass."""
    for loader in evidence.loaders():
        if loader.key.stage == "sanity_check" or not loader.is_final(evidence.world_size):
            continue
        rows = loader.table.rows if loader.table is not None else ()
        by_metric: dict[str, list[Row]] = {}
        for row in rows:
            if row.key.score == "best_threshold" and disagree(_values(row).values()):
                by_metric.setdefault(row.key.metric, []).append(row)
        for path, differing in by_metric.items():
            yield _finding(loader, path, differing)


def _values(row: Row) -> dict[int, float]:
    values = {int(rank): float(row.values[rank]) for rank in row.present.nonzero()[0]}
    return {rank: value for rank, value in values.items() if not math.isnan(value)}


def _finding(loader: LoaderPass, path: str, rows: list[Row]) -> Finding:
    row = rows[0]
    label = f" for {row.label}" if row.label is not None else ""
    more = f" (and {len(rows) - 1} labels more)" if len(rows) > 1 else ""
    return FAULT.finding(
        f"{path} in {place(loader.key)}{label}: best threshold {number(row.global_)} over all "
        f"ranks; {each_rank(_values(row))}{more}",
        f"precision, recall, thresholds = {attribute(path)}.compute()  # on every rank\n"
        "f1 = 2 * precision * recall / (precision + recall)\n"
        "best = thresholds[f1[..., :-1].nan_to_num().argmax(-1)]",
        key=path,
        ranks=_values(row),
        pass_key=loader.key,
    )


RULE = Rule(FAULT, find)
