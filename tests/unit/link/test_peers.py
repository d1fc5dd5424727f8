"""Whom does the hub trust, and what can one get out of it who may not be trusted?"""

from __future__ import annotations

from ddpwatch.link.peers import SILENT_AFTER, Answer, Peers
from ddpwatch.wire import greeting
from ddpwatch.wire.greeting import Greet, Proof, Refused, Taken, Unknown, Welcome
from ddpwatch.wire.messages import PROTOCOL

TOKEN = b"t" * 32
SESSION = "5" * 32
GREET = Greet(protocol=PROTOCOL, nonce=b"r" * 32)


def peers(**bounds: int) -> Peers:
    return Peers(TOKEN, SESSION, **bounds)


def welcomed(of: Peers, identity: bytes, greet: Greet = GREET) -> Welcome:
    answer = of.greeted(identity, greeting.encode(greet), 0.0)
    assert isinstance(answer.reply, Welcome)
    assert not answer.rejected
    return answer.reply


def proof_for(welcome: Welcome, token: bytes = TOKEN, greet: Greet = GREET) -> bytes:
    said = greeting.rank_proof(token, greet, welcome.session, welcome.nonce)
    return greeting.encode(Proof(proof=said))


def prove(of: Peers, identity: bytes, now: float = 0.0) -> None:
    assert of.greeted(identity, proof_for(welcomed(of, identity)), now) == Answer()


def test_the_hub_proves_itself_first() -> None:
    welcome = welcomed(peers(), b"a")
    assert welcome.session == SESSION
    assert welcome.proof == greeting.hub_proof(TOKEN, GREET, SESSION, welcome.nonce)


def test_a_connection_with_the_token_is_trusted() -> None:
    hub = peers()
    prove(hub, b"a")
    assert set(hub.proven) == {b"a"}


def test_another_token_is_refused_and_counted() -> None:
    hub = peers()
    answer = hub.greeted(b"a", proof_for(welcomed(hub, b"a"), token=b"u" * 32), 0.0)
    assert isinstance(answer.reply, Refused)
    assert answer.rejected == "wrong_token"
    assert not hub.proven


def test_a_welcome_allows_one_guess() -> None:
    hub = peers()
    welcome = welcomed(hub, b"a")
    hub.greeted(b"a", proof_for(welcome, token=b"u" * 32), 0.0)
    assert hub.greeted(b"a", proof_for(welcome), 0.0) == Answer(Unknown(), "unauthenticated")
    assert not hub.proven


def test_a_proof_is_worth_nothing_on_another_connection_or_after_another_greeting() -> None:
    hub = peers()
    overheard = proof_for(welcomed(hub, b"a"))
    welcomed(hub, b"b")
    assert hub.greeted(b"b", overheard, 0.0).rejected == "wrong_token"
    welcomed(hub, b"a")
    assert hub.greeted(b"a", overheard, 0.0).rejected == "wrong_token"
    assert not hub.proven


def test_the_hubs_own_proof_does_not_prove_a_rank() -> None:
    hub = peers()
    reflected = greeting.encode(Proof(proof=welcomed(hub, b"a").proof))
    assert hub.greeted(b"a", reflected, 0.0).rejected == "wrong_token"


def test_greeting_again_means_proving_again() -> None:
    hub = peers()
    prove(hub, b"a")
    welcomed(hub, b"a")
    assert not hub.proven


def test_another_protocol_is_refused_with_both_numbers() -> None:
    later = Greet(protocol=PROTOCOL + 1, nonce=b"r" * 32)
    answer = peers().greeted(b"a", greeting.encode(later), 0.0)
    assert isinstance(answer.reply, Refused)
    assert answer.reply.protocol == PROTOCOL
    assert f"hub speaks {PROTOCOL}, rank speaks {PROTOCOL + 1}" in answer.reply.text
    assert answer.rejected == "protocol"


def test_another_role_is_refused() -> None:
    viewer = Greet(protocol=PROTOCOL, nonce=b"r" * 32, role="viewer")
    answer = peers().greeted(b"a", greeting.encode(viewer), 0.0)
    assert isinstance(answer.reply, Refused)
    assert answer.rejected == "role"


def test_viewers_are_served_where_there_is_something_to_show_them() -> None:
    viewer = Greet(protocol=PROTOCOL, nonce=b"r" * 32, role="viewer")
    hub = peers(viewers=True)
    proof = proof_for(welcomed(hub, b"a", viewer), greet=viewer)
    assert hub.greeted(b"a", proof, 0.0) == Answer()
    assert hub.proven[b"a"].role == "viewer"
    other = greeting.encode(Greet(protocol=PROTOCOL, nonce=b"r" * 32, role="x"))
    assert hub.greeted(b"b", other, 0.0).rejected == "role"


def test_a_proof_for_one_role_does_not_prove_another() -> None:
    hub = peers(viewers=True)
    viewer = Greet(protocol=PROTOCOL, nonce=b"r" * 32, role="viewer")
    as_rank = proof_for(welcomed(hub, b"a", viewer))
    assert hub.greeted(b"a", as_rank, 0.0).rejected == "wrong_token"


def test_only_a_viewer_says_what_it_has_taken_in() -> None:
    hub = peers(viewers=True)
    taken = greeting.encode(Taken(frames=3))
    assert hub.greeted(b"a", taken, 0.0) == Answer(Unknown(), "unauthenticated")
    prove(hub, b"a")
    assert hub.greeted(b"a", taken, 0.0) == Answer(rejected="role")
    viewer = Greet(protocol=PROTOCOL, nonce=b"r" * 32, role="viewer")
    hub.greeted(b"b", proof_for(welcomed(hub, b"b", viewer), greet=viewer), 0.0)
    assert hub.greeted(b"b", taken, 5.0) == Answer(taken=3)
    assert hub.proven[b"b"].heard == 5.0


def test_a_rank_that_found_another_token_here_is_counted() -> None:
    hub = peers()
    welcomed(hub, b"a")
    said = greeting.encode(Refused(reason="wrong_token"))
    assert hub.greeted(b"a", said, 0.0) == Answer(None, "wrong_token")


def test_a_stranger_is_told_so_once_in_a_second() -> None:
    hub = peers()
    told = [hub.stranger(b"a", at / 10) for at in range(25)]
    assert all(answer.rejected == "unauthenticated" for answer in told)
    assert [at for at, answer in enumerate(told) if answer.reply] == [0, 10, 20]


def test_garbage_is_counted_and_not_answered() -> None:
    assert peers().greeted(b"a", b"\x80", 0.0) == Answer(None, "malformed")


def test_strangers_beyond_the_bound_are_forgotten_oldest_first() -> None:
    hub = peers(most_pending=3)
    welcomes = {bytes([each]): welcomed(hub, bytes([each])) for each in range(5)}
    answers = [
        hub.greeted(each, proof_for(welcome), 0.0) for each, welcome in reversed(welcomes.items())
    ]
    assert set(hub.proven) == {b"\2", b"\3", b"\4"}
    assert [answer.rejected for answer in answers[3:]] == ["unauthenticated"] * 2


def test_the_trusted_are_bounded_too() -> None:
    hub = peers(most_proven=2)
    for each in (b"a", b"b", b"c"):
        prove(hub, each)
    assert set(hub.proven) == {b"b", b"c"}


def test_the_silent_are_forgotten() -> None:
    hub = peers()
    prove(hub, b"a", now=0.0)
    prove(hub, b"b", now=10.0)
    hub.forget_silent(SILENT_AFTER)
    assert set(hub.proven) == {b"a", b"b"}
    hub.forget_silent(SILENT_AFTER + 5.0)
    assert set(hub.proven) == {b"b"}
