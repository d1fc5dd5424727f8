"""How fast does the hub take frames in, as a part of what a bare ROUTER loop manages?

Both receive and decode the same frames from the same kind of feeder in the same run, in turns, so
that the machine and its load cancel out. Run it with `python -m tests.bench.link_hub`.
"""

from __future__ import annotations

import multiprocessing as mp
import statistics
import sys
import time

import numpy as np
import zmq

from ddpwatch.link.binding import FRAMES_WAITING
from ddpwatch.link.connection import Connection
from ddpwatch.link.hub import Hub
from ddpwatch.link.introduction import Introduction
from ddpwatch.wire import greeting
from ddpwatch.wire.arrays import from_numpy
from ddpwatch.wire.codec import decode, encode
from ddpwatch.wire.messages import Envelope, MetricState, State
from ddpwatch.wire.stamped import Stamped

TOKEN = b"0123456789abcdef" * 2
FRAMES = 30_000
ROUNDS = 5
LEAST_RATIO = 0.5
LEAST_RATE = 10_000


def frame(seq: int) -> bytes:
    """A state message of three 10-class metrics in one compute group."""
    counts = tuple(from_numpy(np.arange(10, dtype=np.int64)) for _ in range(4))
    metrics = (
        MetricState(metric=0, updates=seq, fresh=seq, states=counts),
        MetricState(metric=1, updates=seq, fresh=seq, leader=0),
        MetricState(metric=2, updates=seq, fresh=seq, leader=0),
    )
    body = State(stage="train", pass_=0, epoch=0, step=seq, metrics=metrics)
    return encode(Envelope("bench", 0, "claim", seq, 0, 0.0, body))


def feed(endpoint: str, *, greets: bool) -> None:
    """Send all frames as fast as the other end takes them; the body of a process of its own."""
    frames = [frame(seq) for seq in range(1, 257)]
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    connection = Connection(context, endpoint)
    while not connection.is_ready:
        connection.wait(1.0)
    if greets:
        _introduce(connection)
    for number in range(FRAMES):
        while not connection.send(frames[number % len(frames)]):
            connection.wait(1.0, to_send=True)
    while not connection.is_lost:
        connection.wait(1.0)


def _introduce(connection: Connection) -> None:
    introduction = Introduction(TOKEN)
    connection.send(greeting.encode(introduction.greet))
    while (answer := connection.receive()) is None:
        connection.wait(1.0)
    introduction.judge(answer)
    assert introduction.reply is not None
    connection.send(greeting.encode(introduction.reply))


def bare() -> float:
    """Frames per second of the plainest loop that ends with decoded messages."""
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    socket = context.socket(zmq.ROUTER)
    socket.setsockopt(zmq.RCVHWM, FRAMES_WAITING)
    port = socket.bind_to_random_port("tcp://127.0.0.1")
    feeder = _start(f"tcp://127.0.0.1:{port}", greets=False)
    socket.poll()
    begun = time.perf_counter()
    for _ in range(FRAMES):
        _, got = socket.recv_multipart()
        decode(got)
    rate = FRAMES / (time.perf_counter() - begun)
    context.destroy(linger=0)
    feeder.join()
    return rate


def hub() -> float:
    """Frames per second of the hub, its batches thrown away."""
    count, begun = 0, 0.0
    with Hub("tcp://127.0.0.1:*", TOKEN) as source:
        feeder = _start(source.address, greets=True)
        for batch in source.batches():
            if batch and not begun:
                begun = time.perf_counter()
            count += sum(isinstance(item, Stamped) for item in batch)
            if count == FRAMES:
                break
        rate = FRAMES / (time.perf_counter() - begun)
    feeder.join()
    return rate


def _start(endpoint: str, *, greets: bool) -> mp.process.BaseProcess:
    process = mp.get_context("spawn").Process(
        target=feed, args=(endpoint,), kwargs={"greets": greets}
    )
    process.start()
    return process


def main() -> int:
    """Print the rates and their ratio; the exit code says whether they are good enough."""
    rounds = [(bare(), hub()) for _ in range(ROUNDS)]
    bare_rate = statistics.median(each for each, _ in rounds)
    hub_rate = statistics.median(each for _, each in rounds)
    ratio = statistics.median(ours / theirs for theirs, ours in rounds)
    print(f"bare ROUTER loop {bare_rate:10,.0f} frames/s ({len(frame(1))} bytes each)")
    print(f"hub              {hub_rate:10,.0f} frames/s, {ratio:.2f} of it (median of {ROUNDS})")
    return int(ratio < LEAST_RATIO or hub_rate < LEAST_RATE)


if __name__ == "__main__":
    sys.exit(main())
