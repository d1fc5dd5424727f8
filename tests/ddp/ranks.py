"""How does a test run a function on W real processes that import torch only once?

A fork server imports the heavy libraries, and every rank is forked from it: a fresh process with a
fresh environment, without the seconds that its imports would cost.
"""

from __future__ import annotations

import contextlib
import multiprocessing as mp
import os
import socket
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

PRELOAD = ["torch", "torch.distributed", "torchmetrics", "lightning.pytorch", "pytorch_lightning"]

_context = mp.get_context("forkserver")
_context.set_forkserver_preload(PRELOAD)


@dataclass(frozen=True)
class Ended:
    """How one rank ended: its result, or the traceback, or the exit code that it died with."""

    rank: int
    result: Any = None
    error: str = ""
    exitcode: int | None = 0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(rank: int, world_size: int, port: int) -> dict[str, str]:
    """What an external launcher would set; Lightning then starts no process of its own."""
    return {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "NODE_RANK": "0",
        "LOCAL_RANK": str(rank),
        "RANK": str(rank),
        "WORLD_SIZE": str(world_size),
        "OMP_NUM_THREADS": "1",
        "GLOO_SOCKET_IFNAME": "lo",
    }


def _main(
    pipe: Connection, fn: Callable[..., Any], args: tuple[Any, ...], env: Mapping[str, str]
) -> None:
    os.environ.update(env)
    import torch

    torch.set_num_threads(1)
    try:
        pipe.send((fn(*args), ""))
    except BaseException:
        pipe.send((None, traceback.format_exc()))
        raise


def start(
    fn: Callable[..., Any],
    world_size: int,
    *args: Any,
    env: Mapping[str, str] | None = None,
    distributed: bool = True,
) -> list[tuple[Any, Connection]]:
    """Start `fn(*args)` on every rank; returns (process, pipe) by rank."""
    port = free_port()
    started = []
    for rank in range(world_size):
        ours, theirs = _context.Pipe()
        variables = environment(rank, world_size, port) if distributed else {"OMP_NUM_THREADS": "1"}
        process = _context.Process(
            target=_main, args=(theirs, fn, args, {**variables, **(env or {})})
        )
        process.start()
        theirs.close()
        started.append((process, ours))
    return started


def join(started: list[tuple[Any, Connection]], timeout: float = 60.0) -> list[Ended]:
    """Wait for all; a rank that is late is killed and reported with the exit code None."""
    ended = []
    for rank, (process, pipe) in enumerate(started):
        wait([pipe, process.sentinel], timeout)
        result, error = None, ""
        if pipe.poll():
            with contextlib.suppress(EOFError):
                result, error = pipe.recv()
        process.join(10)
        exitcode = process.exitcode
        if exitcode is None:
            process.kill()
            process.join()
        ended.append(Ended(rank, result, error, exitcode))
    return ended


def run(
    fn: Callable[..., Any],
    world_size: int,
    *args: Any,
    env: Mapping[str, str] | None = None,
    timeout: float = 60.0,
    distributed: bool = True,
) -> list[Any]:
    """Run `fn(*args)` on every rank; return the results by rank, or raise what went wrong.

    `fn` must be importable (module level). Each rank finds its place in the environment, as under
    an external launcher; `distributed=False` is one plain process.
    """
    ended = join(start(fn, world_size, *args, env=env, distributed=distributed), timeout)
    broken = [
        f"rank {e.rank} (exit {e.exitcode}):\n{e.error}" for e in ended if e.error or e.exitcode
    ]
    broken += [f"rank {e.rank}: killed after {timeout} s" for e in ended if e.exitcode is None]
    if broken:
        raise AssertionError("\n".join(broken))
    return [e.result for e in ended]
