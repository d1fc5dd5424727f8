"""DW405: do two living processes claim one rank, or is the world smaller than was launched?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence
from ddpwatch.findings.rule import Fault, Rule

FAULT = Fault(
    code="DW405",
    severity="error",
    title="two live processes claim the same rank, or the world is smaller than the launcher's",
    why=(
        "Each process has to be one rank of one world. Where the launcher started more processes "
        "than torch knows ranks, they train side by side, each for itself, and write over each "
        "other's files."
    ),
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield ranks that are there twice, and a world that is not the launcher's."""
    for info in evidence.ranks:
        if info.conflict:
            yield FAULT.finding(
                f"a second living process claims to be rank {info.rank}, beside pid {info.pid} on "
                f"{info.node}; what it sends is left out",
                "DDPWatch(name='another name')  # for two runs; else end the process left over",
                ranks=(info.rank,),
            )
    small = {
        rank: hello
        for rank, hello in evidence.hellos.items()
        if hello.launched_world_size is not None and hello.world_size < hello.launched_world_size
    }
    if small:
        hello = small[min(small)]
        yield FAULT.finding(
            f"the launcher started {hello.launched_world_size} processes, torch's world has "
            f"{hello.world_size}: they train side by side",
            f"Trainer(strategy='ddp', devices=…, num_nodes=…)  "
            f"# {hello.launched_world_size} processes in all",
            ranks=small,
        )


RULE = Rule(FAULT, find)
