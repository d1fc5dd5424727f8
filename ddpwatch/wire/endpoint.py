"""Which address do ranks dial and the hub listen on, and can only this machine reach it?"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping

from ddpwatch.errors import UnsafeAddressError, UsageError

DEFAULT_PORT = 7787
DEFAULT_ENDPOINT = f"tcp://127.0.0.1:{DEFAULT_PORT}"
VARIABLE = "DDPWATCH"
"""Name of the environment variable that stands in for the argument."""

LONGEST_PATH = 100
"""Bytes of an `ipc://` path; the kernel takes 107."""

_HOST_AND_PORT = re.compile(
    r"(?P<host>\[[0-9A-Fa-f:.%a-z]+\]|[A-Za-z0-9._-]*|\*)(?P<colon>:)(?P<port>\*|[0-9]+)"
)
_PORT = re.compile(r"[0-9]+")


def resolve(argument: str | None, environ: Mapping[str, str]) -> str:
    """Return the endpoint to dial: `argument`, else `$DDPWATCH`, else the default loopback port.

    Taken are `HOST:PORT`, `:PORT`, `PORT`, `tcp://HOST:PORT` and `ipc://PATH`; an empty text counts
    as none. The result always has its scheme.

    Raises:
        UsageError: the text is none of these.
    """
    text, origin = _chosen(argument, environ)
    endpoint = _normalise(text, origin)
    if _port_of(endpoint) == 0:
        raise UsageError(_unusable(text, origin, "port 0 means nothing to a rank that dials"))
    return endpoint


def resolve_bind(argument: str | None, environ: Mapping[str, str]) -> str:
    """Return the endpoint to listen on, chosen as in `resolve`; port `0` or `*`: any free one.

    Raises:
        UsageError: the text is no endpoint.
        UnsafeAddressError: it can be reached from beyond this machine.
    """
    endpoint = _normalise(*_chosen(argument, environ))
    require_loopback(endpoint)
    return endpoint


def is_loopback(address: str) -> bool:
    """Say whether only this machine can reach `address`; no name but `localhost` is believed."""
    if address.startswith("ipc://"):
        return True
    host = address.removeprefix("tcp://").rpartition(":")[0].strip("[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def require_loopback(address: str) -> None:
    """Raise `UnsafeAddressError`, which tells how to go through SSH, unless it is loopback."""
    if is_loopback(address):
        return
    port = _port_of(address) or DEFAULT_PORT
    raise UnsafeAddressError(
        f"expected a loopback address, got {address}: what ranks send is not encrypted, so anyone "
        f"on the network between could read and change it. Keep both ends on {DEFAULT_ENDPOINT} "
        f"and forward the port from the ranks' machine through SSH:\n"
        f"  ssh -N -L {port}:127.0.0.1:{port} USER@HOST"
    )


def _chosen(argument: str | None, environ: Mapping[str, str]) -> tuple[str, str]:
    if argument and argument.strip():
        return argument.strip(), "the endpoint given"
    if environ.get(VARIABLE, "").strip():
        return environ[VARIABLE].strip(), f"${VARIABLE}"
    return DEFAULT_ENDPOINT, "the default"


def _normalise(text: str, origin: str) -> str:
    if text.startswith("ipc://"):
        return _ipc(text, origin)
    plain = text.removeprefix("tcp://")
    if _PORT.fullmatch(plain):
        plain = f":{plain}"
    match = _HOST_AND_PORT.fullmatch(plain)
    if match is None:
        raise UsageError(_unusable(text, origin, "no host and port can be read from it"))
    port = 0 if match["port"] == "*" else int(match["port"])
    if port > 65535:
        raise UsageError(_unusable(text, origin, f"port {port} is above 65535"))
    return f"tcp://{_host(match['host'], text, origin)}:{port or '*'}"


def _host(host: str, text: str, origin: str) -> str:
    # Not every resolver answers 127.0.0.1 for localhost, and both ends must mean one address.
    if host in {"", "localhost"}:
        return "127.0.0.1"
    if host.startswith("["):
        try:
            ipaddress.IPv6Address(host.strip("[]"))
        except ValueError as error:
            raise UsageError(_unusable(text, origin, str(error))) from error
    return host


def _ipc(text: str, origin: str) -> str:
    path = text.removeprefix("ipc://")
    if not path or path == "*" or "\0" in path or len(path.encode()) > LONGEST_PATH:
        raise UsageError(
            _unusable(text, origin, f"its path must have 1 to {LONGEST_PATH} bytes, and a name")
        )
    return text


def _port_of(endpoint: str) -> int | None:
    """Port of a tcp endpoint, 0 for the wildcard, None for `ipc://`."""
    if endpoint.startswith("ipc://"):
        return None
    port = endpoint.rpartition(":")[2]
    return int(port) if port.isdigit() else 0


def _unusable(text: str, origin: str, why: str) -> str:
    return (
        f"expected HOST:PORT, :PORT, PORT, tcp://HOST:PORT or ipc://PATH, got {text!r} "
        f"from {origin}: {why}. Give for example 127.0.0.1:{DEFAULT_PORT}, or leave it out."
    )
