"""How do numbers leave the GPU without the training thread waiting for them?"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_streams: dict[torch.device, torch.cuda.Stream] = {}
_lock = threading.Lock()


class Departing:
    """A tensor on its way into pinned memory, by a stream of its own."""

    def __init__(self, packed: torch.Tensor) -> None:
        """Start the copy behind the work that the current stream was given so far."""
        stream = _side_stream(packed.device)
        stream.wait_stream(torch.cuda.current_stream(packed.device))
        with torch.cuda.stream(stream):
            # PyTorch keeps pinned blocks for reuse, so only the first steps allocate.
            self._host = torch.empty(packed.shape, dtype=packed.dtype, pin_memory=True)
            self._host.copy_(packed, non_blocking=True)
            self._done = torch.cuda.Event(blocking=True)  # type: ignore[no-untyped-call]
            self._done.record(stream)
        # Until the copy is done, nobody else may be given this memory.
        self._packed: torch.Tensor | None = packed

    def arrived(self) -> torch.Tensor:
        """Wait for the copy and return it; for the publisher's thread."""
        self._done.synchronize()
        self._packed = None
        return self._host


class Moment:
    """What the current stream was given so far; another thread can wait until it is done."""

    def __init__(self) -> None:
        """Mark the moment; does not wait."""
        self._device = torch.device("cuda", torch.cuda.current_device())
        self._reached = torch.cuda.Event(blocking=True)  # type: ignore[no-untyped-call]
        self._reached.record()

    @contextmanager
    def passed(self) -> Iterator[None]:
        """Wait for it, then work on a stream of its own, beside training's."""
        self._reached.synchronize()
        with torch.cuda.stream(_side_stream(self._device)):
            yield


def _side_stream(device: torch.device) -> torch.cuda.Stream:
    with _lock:
        if device not in _streams:
            _streams[device] = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        return _streams[device]
