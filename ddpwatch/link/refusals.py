"""What is a viewer told that cannot look on: what was expected, what came, what to do?"""

from __future__ import annotations

from ddpwatch.errors import FrameError
from ddpwatch.link.introduction import Verdict


def refused(address: str, verdict: Verdict, reason: str) -> str:
    """Return the text for who was answered with this verdict, and the hub's own `reason`."""
    if verdict is Verdict.OTHER_TOKEN:
        return (
            f"expected a hub with this user's token at {address}, got one with another. If it is "
            f"your own, set DDPWATCH_RUNTIME_DIR to the same folder for both, or copy the token "
            f"file to this machine."
        )
    if verdict is Verdict.REFUSED:
        return (
            f"expected a hub that lets viewers look on at {address}, got a refusal ({reason}). "
            f"Install the same version of ddpwatch at both ends, and start the hub again."
        )
    return (
        f"expected a ddpwatch hub at {address}, got an answer of something else. Give the address "
        f"at which `ddpwatch serve` listens."
    )


def garbled(address: str, error: FrameError) -> str:
    """Return the text for who got bytes that mean nothing."""
    return (
        f"expected items from the hub at {address}, got bytes that are none ({error}). Install the "
        f"same version of ddpwatch at both ends."
    )
