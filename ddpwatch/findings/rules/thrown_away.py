"""DW107: are values sent to a logger's `experiment` on ranks that write nothing?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding, LoggerRow
from ddpwatch.findings.evidence import Evidence
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.wording import plural, ranks

FAULT = Fault(
    code="DW107",
    severity="info",
    title="a value sent to `logger.experiment` on ranks above 0 is thrown away",
    why=(
        "On ranks above 0 a Lightning logger's `experiment` is a dummy that takes every call and "
        "does nothing. What rank 0 writes is its own share alone."
    ),
)
MOST_TAGS = 3
BY_LIGHTNING = "self.log"
"""The hook of values that Lightning itself writes, on every rank: nobody's to mend."""
HYPERPARAMETERS = "log_hyperparams"
"""Lightning calls it on every rank before the first hook, with what the module has saved."""


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield each method of a logger that some rank called in vain, with its tags."""
    groups: dict[tuple[str, str, str], list[LoggerRow]] = {}
    for row in evidence.calls:
        if _lost(row) and not _is_lightnings(row):
            groups.setdefault((row.logger, row.method, row.hook), []).append(row)
    for (logger, method, hook), rows in groups.items():
        lost = {rank for row in rows for rank in _lost(row)}
        tags = [row.tag for row in rows if row.tag]
        more = f" and {len(tags) - MOST_TAGS} more" if len(tags) > MOST_TAGS else ""
        told = f" of {', '.join(tags[:MOST_TAGS])}{more}" if tags else ""
        calls = sum(int(row.calls[rank]) for row in rows for rank in _lost(row))
        yield FAULT.finding(
            f"{plural(calls, f'{method} call')}{told} in {hook or 'no hook'}: thrown away on "
            f"{ranks(lost)}; {logger} has rank 0's values only",
            f"# reduce first, on every rank, then write once:\n"
            f"value = self.trainer.strategy.reduce(value)  # or a torchmetrics object's compute()\n"
            f"if self.trainer.is_global_zero:\n"
            f"    self.logger.experiment.{method}({tags[0] if tags else 'tag'!r}, value, step)",
            key=f"{logger}.{method} in {hook}" if hook else f"{logger}.{method}",
            ranks=lost,
        )


def _is_lightnings(row: LoggerRow) -> bool:
    return row.hook == BY_LIGHTNING or (row.method == HYPERPARAMETERS and not row.hook)


def _lost(row: LoggerRow) -> list[int]:
    """Ranks whose calls with this tag were not written."""
    return [int(r) for r in row.calls.nonzero()[0] if r > 0 and not row.written[r]]


RULE = Rule(FAULT, find)
