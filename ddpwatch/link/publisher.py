"""How does a rank hand over what it measured without ever waiting for a socket, a file or a hub?"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import time
from collections.abc import Callable, Hashable

from ddpwatch.link.closing import Closing
from ddpwatch.link.complaints import Complaints
from ddpwatch.link.journal import Journal
from ddpwatch.link.outbox import Content, Outbox, Where
from ddpwatch.link.pulse import Heart
from ddpwatch.link.seeker import Seeker
from ddpwatch.link.sender import Sender
from ddpwatch.link.stream import Stream, Who
from ddpwatch.link.tap import FrameFile
from ddpwatch.wire.messages import Bye, Pulse


class Publisher:
    """The rank's end of the wire: one thread that owns the socket, and an outbox in front of it.

    `keep`, `latest`, `queue`, `remark`, `later`, `here` and `back` are for the training thread:
    each stores one object and returns. A content is a message, or a function that makes one; the
    function runs on the publisher's thread, so that packing costs the training nothing. Where it
    raises, that is logged once, counted, and nothing is sent.

    In a forked child every method does nothing: thread and socket are its parent's.
    """

    def __init__(
        self,
        endpoint: str,
        run: str,
        rank: int,
        claim: str,
        *,
        journal: Journal,
        token: Callable[[], bytes],
        pulse: Callable[[Pulse], Pulse] | None = None,
        file: FrameFile | None = None,
    ) -> None:
        """Prepare; nothing is opened before `open`.

        Args:
            endpoint: what `ddpwatch.wire.endpoint.resolve` returned.
            run: the run's id.
            rank: this process's global rank.
            claim: a random word that this process keeps as long as it lives.
            journal: what outlives this publisher; pass the same one to the next of this run.
            token: returns the user's token (`ddpwatch.wire.token.load_token`); called on the
                publisher's thread for each greeting, so that a new token is found.
            pulse: given every pulse before it is sent, on the publisher's thread, to add to it.
            file: keeps all frames too, hub or no hub; used and closed on the publisher's thread.
        """
        self._outbox = Outbox()
        self._closing = Closing()
        self._who = Who(run, rank, claim)
        self._endpoint = endpoint
        self._journal = journal
        self._token = token
        self._pulse = pulse
        self._file = file
        self._thread: threading.Thread | None = None
        self._pid = os.getpid()

    def open(self) -> None:
        """Start the thread; the caller's thread is the one whose stack a pulse may show."""
        if self._thread is not None or not self._takes():
            return
        main = threading.get_ident()
        sender = self._sender(Heart(main, self._pulse), Heart(main, self._pulse))
        self._thread = threading.Thread(target=sender.run, name="ddpwatch-publisher", daemon=True)
        self._thread.start()
        # A daemon thread is stopped in the middle of whatever it does, so the last words go before.
        atexit.register(self._at_exit)

    def keep(self, content: Content) -> None:
        """Put a message in the journal: every hub that this process lives to see will get it."""
        if self._takes():
            self._outbox.keep(content)

    def latest(self, slot: Hashable, content: Content) -> None:
        """Send a message unless another one for the same slot comes first."""
        if self._takes():
            self._outbox.latest(slot, content)

    def queue(self, content: Content) -> None:
        """Send a message in its turn; beyond 64 waiting, the oldest is dropped and counted."""
        if self._takes():
            self._outbox.queue(content)

    def remark(self, content: Content) -> None:
        """Send a message after the queue; beyond 512 waiting, the oldest is dropped and counted."""
        if self._takes():
            self._outbox.remark(content)

    @property
    def unheard(self) -> int:
        """How many remarks were dropped."""
        return self._outbox.unheard

    def later(self, chore: Callable[[], object]) -> bool:
        """Let something be done on the publisher's thread, hub or no hub; False says: never."""
        takes = self._takes()
        if takes:
            self._outbox.later(chore)
        return takes

    def here(self, hook: str, key: str = "") -> Where:
        """Say which hook the training thread has just entered, and about which key.

        Returns where it was before, for `back`. In every hook, so no check of any kind: the last
        place is harmless where nobody asks for it any more.
        """
        outbox = self._outbox
        before = outbox.where
        outbox.where = (hook, key, time.monotonic())
        return before

    @property
    def where(self) -> Where:
        """Where the training thread is, as `back` takes it."""
        return self._outbox.where

    def back(self, where: Where) -> None:
        """Say that the training thread is where it was, and has been since then."""
        self._outbox.where = where

    def close(self, reason: str, text: str = "", timeout: float = 1.0) -> None:
        """Say goodbye, give the hub up to `timeout` seconds to acknowledge the journal, and end.

        Returns at once when there is no hub, never raises, and does nothing the second time.
        `reason` is `finished`, `exception` or `closed`.
        """
        thread = self._thread
        if thread is None or self._closing.is_set or os.getpid() != self._pid:
            return
        bye = Bye(reason=reason[:512], text=text[:16_384])
        self._closing.begin(bye, time.monotonic() + 0.8 * timeout)
        # RuntimeError: called on the publisher's own thread, which then ends by itself.
        with contextlib.suppress(RuntimeError):
            thread.join(timeout)
        atexit.unregister(self._at_exit)

    def _sender(self, heart: Heart, file_heart: Heart) -> Sender:
        complaints = Complaints()
        stream = Stream(
            self._who,
            self._journal,
            self._outbox,
            heart,
            complaints,
            file=self._file,
            file_heart=file_heart,
        )
        seeker = Seeker(self._endpoint, self._token, self._closing, complaints)
        return Sender(
            self._endpoint,
            journal=self._journal,
            outbox=self._outbox,
            stream=stream,
            seeker=seeker,
            closing=self._closing,
        )

    def _at_exit(self) -> None:
        self.close("closed", "the interpreter exited")

    def _takes(self) -> bool:
        return not (self._closing.is_set or self._outbox.is_shut) and os.getpid() == self._pid
