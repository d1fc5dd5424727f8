"""Which codes does a check look at? Those that begin as was asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ddpwatch.errors import UsageError
from ddpwatch.findings.registry import BY_CODE


@dataclass(frozen=True, slots=True)
class Selection:
    """Beginnings of codes: nothing in `select` means all; what is in `ignore` is left out of it."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def takes(self, code: str) -> bool:
        """Whether findings of this code are asked for."""
        return code.startswith(self.select or ("",)) and not (
            bool(self.ignore) and code.startswith(self.ignore)
        )


def parse(select: Iterable[str], ignore: Iterable[str]) -> Selection:
    """Return the selection that options spell, each with one or more codes between commas.

    Raises:
        UsageError: one of them begins no code that there is.
    """
    return Selection(tuple(_codes(select)), tuple(_codes(ignore)))


def _codes(options: Iterable[str]) -> Iterable[str]:
    for option in options:
        for code in option.split(","):
            wanted = code.strip().upper()
            if not wanted or not any(known.startswith(wanted) for known in BY_CODE):
                raise UsageError(
                    f"expected codes or beginnings of codes such as DW102 or DW1, with commas "
                    f"between them, got {code.strip()!r}: known are {', '.join(BY_CODE)}"
                )
            yield wanted
