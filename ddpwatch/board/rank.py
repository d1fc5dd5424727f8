"""What is known of one rank: who it is, whether it lives, where it is?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ddpwatch.board.snapshot import RankInfo, Status
from ddpwatch.wire.messages import Bye, Declare, Envelope, Event, Hello, Progress, Pulse
from ddpwatch.wire.stamped import Heard, Stamped

SILENT_AFTER = 3.0
"""Seconds without a message, three missed pulses, after which a rank is called silent."""

GONE_AFTER = 10.0
"""Seconds of silence after which a rank no longer holds up the end of its run."""

RIVAL_MESSAGES = 1_000
"""Journal entries kept of a second claimant, in case the first one turns out to be gone."""

Standing: TypeAlias = Literal["speaker", "successor", "rival", "former"]
"""What somebody who claims to be a rank is to it; only the first two are believed."""


@dataclass(slots=True)
class Rank:
    """One rank of one run, as its latest accepted claimant tells it."""

    rank: int
    claim: str = ""
    generation: int = 0
    hello: Hello | None = None
    declares: dict[tuple[str, int], Declare] = field(default_factory=dict)
    progress: dict[str, Progress] = field(default_factory=dict)
    latest: Progress | None = None
    pulse: Pulse | None = None
    pulse_at: float = 0.0
    bye: Bye | None = None
    exception: str = ""
    last_at: float | None = None
    last_seq: int | None = None
    missing: int = 0
    lag: float = 0.0
    least_delay: float | None = None
    former: set[str] = field(default_factory=set)
    rivals: dict[str, list[Stamped]] = field(default_factory=dict)
    rival_at: float | None = None

    def hear(self, stamped: Stamped) -> None:
        """Note that the rank lives, which frames of it never came, and how late this one is."""
        envelope = stamped.envelope
        self.last_at = stamped.at
        if stamped.gap:
            self.last_seq = None
        elif self.last_seq is not None and envelope.seq > self.last_seq + 1:
            self.missing += envelope.seq - self.last_seq - 1
        if not stamped.gap:
            self.last_seq = max(envelope.seq, self.last_seq or 0)
        delay = stamped.at - envelope.sent
        # Clocks of two machines differ, so only the delay beyond the least one seen is lag.
        self.least_delay = delay if self.least_delay is None else min(delay, self.least_delay)
        self.lag = delay - self.least_delay

    def recall(self, heard: Heard) -> None:
        """Put numbers in the place of messages that are not told."""
        self.last_at, self.last_seq, self.missing = heard.at, heard.seq, heard.missing
        self.lag, self.least_delay, self.rival_at = heard.lag, heard.least_delay, heard.rival_at
        if not heard.has_left:
            self.bye = None

    def standing(self, claim: str, now: float, since: float) -> Standing:
        """Say who speaks with this claim at `now`; the run is known `since`."""
        if claim == self.claim:
            return "speaker"
        if claim in self.former:
            return "former"
        return "successor" if self.is_gone(now, since) else "rival"

    def take(self, envelope: Envelope, at: float) -> None:
        """Fold a message that is not a state."""
        body = envelope.body
        if isinstance(body, Hello):
            self.hello, self.bye = body, None
        elif isinstance(body, Declare):
            self.declares[envelope.claim, body.version] = body
        elif isinstance(body, Progress):
            self.progress[body.stage] = self.latest = body
        elif isinstance(body, Pulse):
            self.pulse, self.pulse_at = body, at
        elif isinstance(body, Event) and body.kind == "exception":
            self.exception = body.text
        elif isinstance(body, Bye):
            self.bye = body
            if body.reason == "exception" and not self.exception:
                self.exception = body.text or "exception"

    def succeed(self, claim: str) -> None:
        """Start over for a new claimant: a restarted process, the next generation of this rank."""
        self.former.add(self.claim)
        self.generation += 1
        self.claim = claim
        self.hello = self.latest = self.pulse = self.bye = None
        self.progress = {}
        self.exception = ""
        self.last_seq = self.least_delay = None

    def status(self, now: float) -> Status:
        """What the screen calls it; a rank that said why it ended is not silent."""
        if self.last_at is None:
            return "unseen"
        if self.exception:
            return "failed"
        if self.bye is not None:
            return "ended"
        return "silent" if now - self.last_at > SILENT_AFTER else "live"

    def is_gone(self, now: float, since: float) -> bool:
        """Whether it has said Bye, or nothing for ten seconds (counted from `since` if never)."""
        if self.bye is not None:
            return True
        return now - (self.last_at if self.last_at is not None else since) > GONE_AFTER

    def has_rival(self, now: float) -> bool:
        """Whether a second living process claims to be this rank."""
        return self.rival_at is not None and now - self.rival_at <= SILENT_AFTER

    def info(self, now: float) -> RankInfo:
        """The frozen picture of it."""
        hello, latest, pulse = self.hello, self.latest, self.pulse
        return RankInfo(
            rank=self.rank,
            status=self.status(now),
            node=hello.node if hello else "",
            local_rank=hello.local_rank if hello else 0,
            pid=hello.pid if hello else 0,
            device=hello.device if hello else "",
            silent_for=None if self.last_at is None else max(0.0, now - self.last_at),
            stage=latest.stage if latest else "",
            epoch=latest.epoch if latest else 0,
            step=latest.step if latest else None,
            hook=pulse.hook if pulse else "",
            hook_for=pulse.since + max(0.0, now - self.pulse_at) if pulse else None,
            stack=pulse.stack if pulse else "",
            missing=self.missing,
            dropped=pulse.dropped if pulse else 0,
            failures=pulse.failures if pulse else 0,
            journal_lost=pulse.journal_lost if pulse else 0,
            conflict=self.has_rival(now),
            step_time=latest.step_time if latest else None,
            exception=self.exception,
        )
