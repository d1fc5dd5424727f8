"""Which formulas does the torchmetrics version that the ranks run use?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?")
_NEWEST = (9999, 0, 0)


@dataclass(frozen=True, slots=True)
class Rules:
    """What changed between torchmetrics 1.0 and 1.9, each by its first version.

    `top_k_weights` (1.3.2): a macro average with `top_k` above 1 leaves out classes that no target
    has, even where they were predicted. `zero_division` (1.4.0): the argument exists.
    `safe_binary_jaccard` (1.4.2): an empty binary Jaccard index is no longer not-a-number.
    """

    top_k_weights: bool
    zero_division: bool
    safe_binary_jaccard: bool


def rules_of(versions: Mapping[str, str]) -> Rules:
    """Return the rules of `versions["torchmetrics"]`; a missing or odd version means the newest."""
    version = _parse(versions.get("torchmetrics", ""))
    return Rules(
        top_k_weights=version >= (1, 3, 2),
        zero_division=version >= (1, 4, 0),
        safe_binary_jaccard=version >= (1, 4, 2),
    )


def _parse(text: str) -> tuple[int, int, int]:
    found = _VERSION.match(text)
    if found is None:
        return _NEWEST
    major, minor, micro = found.groups(default="0")
    return int(major), int(minor), int(micro)
