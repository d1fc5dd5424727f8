"""Which texts are endpoints, which come first, and which are safe to listen on?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddpwatch.errors import UnsafeAddressError, UsageError
from ddpwatch.wire.endpoint import DEFAULT_ENDPOINT, is_loopback, resolve, resolve_bind


@pytest.mark.parametrize(
    ("text", "endpoint"),
    [
        ("7788", "tcp://127.0.0.1:7788"),
        (":7788", "tcp://127.0.0.1:7788"),
        ("localhost:7788", "tcp://127.0.0.1:7788"),
        ("127.0.0.1:7788", "tcp://127.0.0.1:7788"),
        (" tcp://127.0.0.1:7788 ", "tcp://127.0.0.1:7788"),
        ("node-17.cluster:1", "tcp://node-17.cluster:1"),
        ("[::1]:7788", "tcp://[::1]:7788"),
        ("ipc:///tmp/hub", "ipc:///tmp/hub"),
        ("ipc://@hub", "ipc://@hub"),
    ],
)
def test_every_accepted_form_is_normalised(text: str, endpoint: str) -> None:
    assert resolve(text, {}) == endpoint


def test_argument_comes_before_variable_before_default() -> None:
    assert resolve("1", {"DDPWATCH": "2"}) == "tcp://127.0.0.1:1"
    assert resolve(None, {"DDPWATCH": "2"}) == "tcp://127.0.0.1:2"
    assert resolve("", {"DDPWATCH": " "}) == DEFAULT_ENDPOINT
    assert resolve(None, {}) == DEFAULT_ENDPOINT


@pytest.mark.parametrize(
    "text",
    [
        "host",
        "host:port",
        "tcp://host",
        "http://host:80",
        "65536",
        "-1",
        "0",
        "*",
        "host:",
        "a b:1",
        "[::g]:1",
        "[nonsense]:1",
        "::1:7787",
        "ipc://",
        "ipc://*",
        "ipc://" + "x" * 101,
        "ipc://a\0b",
    ],
)
def test_what_cannot_be_dialled_is_a_usage_error_that_quotes_it(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        resolve(None, {"DDPWATCH": text})
    said = str(caught.value)
    assert repr(text) in said
    assert "$DDPWATCH" in said
    assert "127.0.0.1:7787" in said


@pytest.mark.parametrize("text", ["0", ":0", "127.0.0.1:*", "tcp://127.0.0.1:*", "localhost:0"])
def test_a_hub_may_ask_for_any_free_port(text: str) -> None:
    assert resolve_bind(text, {}) == "tcp://127.0.0.1:*"


@pytest.mark.parametrize(
    "text", ["0.0.0.0:7788", "*:7788", "192.168.1.5:7788", "[::]:7788", "node17:7788"]
)
def test_listening_beyond_loopback_is_refused_with_the_tunnel_to_use(text: str) -> None:
    with pytest.raises(UnsafeAddressError) as caught:
        resolve_bind(text, {})
    said = str(caught.value)
    assert "ssh -N -L 7788:127.0.0.1:7788 USER@HOST" in said
    assert "not encrypted" in said


@pytest.mark.parametrize(
    ("address", "answer"),
    [
        ("tcp://127.0.0.1:1", True),
        ("tcp://127.8.9.1:1", True),
        ("tcp://[::1]:1", True),
        ("tcp://localhost:1", True),
        ("ipc:///tmp/x", True),
        ("tcp://0.0.0.0:1", False),
        ("tcp://*:1", False),
        ("tcp://128.0.0.1:1", False),
        ("tcp://127.0.0.1.example.org:1", False),
        ("tcp://[::]:1", False),
        ("tcp://[::ffff:10.0.0.1]:1", False),
    ],
)
def test_loopback_is_what_only_this_machine_reaches(address: str, answer: bool) -> None:
    assert is_loopback(address) is answer


@given(st.text(max_size=40))
def test_any_text_is_an_endpoint_or_a_usage_error(text: str) -> None:
    try:
        endpoint = resolve(text, {})
    except UsageError:
        return
    assert endpoint.startswith(("tcp://", "ipc://"))
    assert resolve(endpoint, {}) == endpoint
