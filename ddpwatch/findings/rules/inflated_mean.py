"""DW108: is a synced mean inflated, because the averaged sample count was cut to an integer?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence
from ddpwatch.findings.flooring import flooring_of
from ddpwatch.findings.logged_rows import ended_rows, ended_values
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.sameness import differs
from ddpwatch.findings.wording import called_name, number, place

FAULT = Fault(
    code="DW108",
    severity="warning",
    title="a synced mean is inflated: the averaged sample count was cut to an integer",
    why=(
        "Lightning divides the ranks' mean sum by the ranks' mean sample count, and keeps that "
        "count in an integer tensor. Where the samples do not divide by the number of ranks, the "
        "count is cut and every synced mean of the epoch is too large by the same factor."
    ),
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield synced means that the numbers prove to be inflated."""
    for taken in evidence.passes:
        for row in ended_rows(taken):
            floored, ended = flooring_of(row, taken), ended_values(row)
            if floored is None or not ended or not differs(floored.factor, 1.0):
                continue
            value = next(iter(ended.values()))
            yield FAULT.finding(
                f"{row.id.name} in {place(taken.key)} is {number(value)}, too large by "
                f"x{floored.factor:.4g}: {floored.total:g} samples on {len(row.called)} ranks "
                f"are {floored.total / len(row.called):g} each, cut to {floored.cut_to}; the mean "
                f"is {number(floored.mean)}",
                "# a metric object keeps its own sums, which are not cut\n"
                "self.mean = torchmetrics.MeanMetric()  # in __init__\n"
                "self.mean.update(value, weight=batch_size)  # in the step\n"
                f"self.log({called_name(row)!r}, self.mean, on_step=False, on_epoch=True)",
                key=row.id.name,
                ranks=ended,
                pass_key=taken.key._replace(dataloader=max(row.id.dataloader, 0)),
            )


RULE = Rule(FAULT, find)
