"""Which run is this? A word that all ranks of one job find alike, without asking each other."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Collection, Mapping, MutableMapping

VARIABLE = "DDPWATCH_RUN_ID"
"""The environment variable that hands the first process's run id to those it starts."""

LONGEST = 400
"""Characters of an id; what the environment says may be of any length."""

_MADE = "made-"
_LAUNCHED = ("RANK", "LOCAL_RANK")


def announce(environ: MutableMapping[str, str], pid: int) -> None:
    """Leave a random run id for the processes that this one will start.

    A process that was itself started as a rank leaves none: its siblings would each make their own.
    One that an earlier run left for its own children, this process among them, is replaced.
    """
    if any(name in environ for name in _LAUNCHED):
        return
    present = environ.get(VARIABLE, "")
    is_stale = present.startswith(_MADE) and not present.endswith(f"-{pid}")
    if not present or is_stale:
        environ[VARIABLE] = f"{_MADE}{secrets.token_hex(4)}-{pid}"


def run_id(
    environ: Mapping[str, str],
    *,
    name: str | None,
    single_node: bool,
    family: Collection[int],
    ordinal: int,
) -> str:
    """Return the run's id.

    Args:
        environ: the process's environment.
        name: what the user calls the run; the launchers' ids count only without it.
        single_node: whether all ranks are on one machine.
        family: ids of the processes of which this one may believe that they started the run:
            itself, its parent, and the one that made the callback.
        ordinal: which of the process's Trainers it is; each is a run.
    """
    word = (
        name
        or _from_elastic(environ)
        or _from_slurm(environ)
        or _from_variable(environ, family if single_node else ())
        or _from_master(environ)
        or secrets.token_hex(4)
    )
    word = word[:LONGEST]
    return f"{word}.{ordinal}" if ordinal else word


def new_claim() -> str:
    """Return a random word; not from `random`, which ranks seed alike and training depends on."""
    return f"{os.getpid():x}-{secrets.token_hex(8)}"


def _from_elastic(environ: Mapping[str, str]) -> str:
    word = environ.get("TORCHELASTIC_RUN_ID", "")
    # torchrun says "none" where nobody gave the job an id.
    return "" if word in {"", "none"} else word + _restarts(environ)


def _from_slurm(environ: Mapping[str, str]) -> str:
    job = environ.get("SLURM_JOB_ID", "")
    step = environ.get("SLURM_STEP_ID") or environ.get("SLURM_STEPID", "")
    # Without a step, the script was started by hand inside an allocation, perhaps several times.
    return f"slurm-{job}.{step}{_restarts(environ)}" if job and step else ""


def _from_variable(environ: Mapping[str, str], family: Collection[int]) -> str:
    value = environ.get(VARIABLE, "")
    if not value.startswith(_MADE):
        return value
    # The first process of every node makes one, and whatever it starts inherits it, be it a rank
    # or a program that has nothing to do with this run.
    word, _, pid = value.removeprefix(_MADE).partition("-")
    return word if pid.isdecimal() and int(pid) in family else ""


def _from_master(environ: Mapping[str, str]) -> str:
    address, port = environ.get("MASTER_ADDR", ""), environ.get("MASTER_PORT", "")
    if not address or not port:
        return ""
    digest = hashlib.sha256(f"{address}:{port}".encode()).hexdigest()
    return digest[:8] + _restarts(environ)


def _restarts(environ: Mapping[str, str]) -> str:
    count = environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    return f"-r{count}" if count not in {"", "0"} else ""
