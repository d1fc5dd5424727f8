"""Does the hub keep what a source promises: batches in time, ticks, an end, and an address?"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from ddpwatch.errors import AddressInUseError, UnsafeAddressError, UsageError
from ddpwatch.link.hub import Hub
from ddpwatch.wire.stamped import Rejected, Stamped, Tick
from tests.wire.ears import ANY_PORT, TOKEN, Dialler, Ear, FakeHub, enveloped, event, rank


def test_batches_come_also_when_nothing_else_does() -> None:
    with Hub(ANY_PORT, TOKEN) as hub:
        batches = hub.batches()
        assert [list(next(batches)) for _ in range(3)] == [[], [], []]


def test_stopping_ends_them_from_any_thread() -> None:
    ended = threading.Event()
    with Hub(ANY_PORT, TOKEN) as hub:

        def listen() -> None:
            for _ in hub.batches():
                pass
            ended.set()

        thread = threading.Thread(target=listen)
        thread.start()
        hub.stop()
        assert ended.wait(20)
        thread.join()


def test_a_tick_comes_for_every_second_of_its_clock_and_after_what_had_come() -> None:
    now = [1000.0]
    with Hub(ANY_PORT, TOKEN, clock=lambda: now[0]) as hub, Dialler(hub.address) as stranger:
        batches = hub.batches()
        assert list(next(batches)) == []
        now[0] = 1001.5
        stranger.send(enveloped(event("forged")))
        items = []
        while len(items) < 2:
            items += next(batches)
        assert items in (
            [Rejected(1001.5, "unauthenticated"), Tick(1001.5)],
            [Tick(1001.5), Rejected(1001.5, "unauthenticated")],
        )
        now[0] = 1002.4
        assert list(next(batches)) == []
        now[0] = 1005.0
        assert list(next(batches)) == [Tick(1005.0)]


def test_times_are_the_clocks_and_the_raw_frame_comes_along() -> None:
    with Ear() as ear:
        publisher = rank(ear.address)
        publisher.keep(event("kept"))
        ear.wait(lambda: "kept" in ear.said)
        publisher.close("finished")
    stamped = [item for item in ear.items if isinstance(item, Stamped)]
    assert [item.at for item in stamped] == sorted(item.at for item in stamped)
    assert b"kept" in stamped[0].raw


def test_an_address_is_known_once_it_is_open() -> None:
    hub = Hub(ANY_PORT, TOKEN)
    with pytest.raises(RuntimeError, match="open"):
        _ = hub.address
    with hub:
        assert int(hub.address.rpartition(":")[2]) > 0
    hub.close()
    with pytest.raises(RuntimeError, match="open"):
        next(hub.batches())


@pytest.mark.parametrize("address", ["tcp://0.0.0.0:*", "tcp://*:7787", "tcp://[::]:7787"])
def test_it_does_not_listen_beyond_this_machine(address: str) -> None:
    with pytest.raises(UnsafeAddressError), Hub(address, TOKEN):
        pass


def test_an_address_of_another_machine_is_a_usage_error(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match=r"No such file.*--bind"),
        Hub(f"ipc://{tmp_path}/none/x", TOKEN),
    ):
        pass


def test_an_address_of_the_sixth_version_and_a_path_work_too(tmp_path: Path) -> None:
    for address in ("tcp://[::1]:*", f"ipc://{tmp_path}/hub"):
        with Ear(address) as ear:
            publisher = rank(ear.address)
            publisher.keep(event("kept"))
            ear.wait(lambda ear=ear: "kept" in ear.said)
            publisher.close("finished")


def test_a_taken_address_says_by_whom_and_what_to_do() -> None:
    with Ear() as ear, pytest.raises(AddressInUseError) as caught, Hub(ear.address, TOKEN):
        pass
    said = str(caught.value)
    assert ear.address in said
    assert "a ddpwatch hub of yours" in said
    assert "--bind 127.0.0.1:PORT" in said
    assert "kill " in said


def test_a_taken_address_says_when_it_is_somebody_elses_hub_or_none() -> None:
    with Ear(token=b"u" * 32) as ear, pytest.raises(AddressInUseError, match="another token"):
        Hub(ear.address, TOKEN).open()
    with FakeHub() as fake, pytest.raises(AddressInUseError) as caught:
        Hub(fake.address, TOKEN).open()
    assert "which is a ddpwatch hub" not in str(caught.value)


def test_a_path_that_is_listened_on_is_not_taken_away(tmp_path: Path) -> None:
    address = f"ipc://{tmp_path}/hub"
    with Ear(address), pytest.raises(AddressInUseError, match="a ddpwatch hub of yours"):
        Hub(address, TOKEN).open()
    with Hub(address, TOKEN):
        pass


def test_of_hubs_that_race_for_a_port_one_wins() -> None:
    with Ear() as ear:
        address = ear.address
    hubs = [Hub(address, TOKEN) for _ in range(4)]
    outcomes: list[str] = []
    start = threading.Barrier(len(hubs))

    def race(hub: Hub) -> None:
        start.wait()
        try:
            hub.open()
        except AddressInUseError:
            outcomes.append("lost")
        else:
            outcomes.append("won")

    threads = [threading.Thread(target=race, args=(hub,)) for hub in hubs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for hub in hubs:
        hub.close()
    assert sorted(outcomes) == ["lost", "lost", "lost", "won"]


def test_a_peer_that_does_not_read_does_not_hold_the_hub_up() -> None:
    with Ear() as ear, Dialler(ear.address) as deaf:
        deaf.greet()
        for number in range(1, 3000):
            deaf.send(enveloped(event("deaf"), seq=number, journal=number))
        publisher = rank(ear.address)
        publisher.keep(event("heard"))
        ear.wait(lambda: "heard" in ear.said and len(ear.said) >= 3000)
        publisher.close("finished")
