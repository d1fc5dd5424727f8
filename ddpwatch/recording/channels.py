"""Which channel of a file does an item go to? One for each kind; what must not be lost has its own.

The order of `TOPICS` is the channels' numbers in every file ever written: add at the end only.
"""

from __future__ import annotations

from typing import Final

from ddpwatch.wire.messages import (
    Bye,
    Declare,
    Event,
    Hello,
    Logged,
    LoggerCall,
    Message,
    Output,
    Progress,
    Pulse,
    State,
)

TOPICS: Final = (
    "hello",
    "declare",
    "event",
    "bye",
    "state.final",
    "logged.final",
    "finding",
    "logger",
    "output",
    "state",
    "logged",
    "progress",
    "pulse",
    "tick",
)

ENCODING: Final = "msgpack"
"""Of all channels: a frame of a rank, or a verdict; a tick is empty."""

NUMBERS: Final = {topic: number for number, topic in enumerate(TOPICS, 1)}

LASTING: Final = frozenset(
    NUMBERS[topic]
    for topic in ("hello", "declare", "event", "bye", "state.final", "logged.final", "finding")
)
"""What every later moment builds on."""

REMARKS: Final = frozenset(NUMBERS[topic] for topic in ("logger", "output"))
"""What the board keeps a bounded number of."""

PASSING: Final = frozenset(NUMBERS[topic] for topic in ("state", "logged", "progress", "pulse"))
"""What a newer one of the same rank and place replaces."""

TICK: Final = NUMBERS["tick"]
FINDING: Final = NUMBERS["finding"]
STATE: Final = NUMBERS["state"]
PULSE: Final = NUMBERS["pulse"]
PROGRESS: Final = NUMBERS["progress"]
HELLO: Final = NUMBERS["hello"]

_OF: Final[dict[type[Message], int]] = {
    Hello: NUMBERS["hello"],
    Declare: NUMBERS["declare"],
    Event: NUMBERS["event"],
    Bye: NUMBERS["bye"],
    State: NUMBERS["state"],
    Logged: NUMBERS["logged"],
    LoggerCall: NUMBERS["logger"],
    Output: NUMBERS["output"],
    Progress: NUMBERS["progress"],
    Pulse: NUMBERS["pulse"],
}


def channel_of(body: Message) -> int:
    """Return the number of the channel that a message of a rank belongs to."""
    if isinstance(body, State) and body.final:
        return NUMBERS["state.final"]
    if isinstance(body, Logged) and body.final:
        return NUMBERS["logged.final"]
    return _OF[type(body)]
