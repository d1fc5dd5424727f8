"""What can go wrong, on one page: every error that ddpwatch raises for its user to read."""

from __future__ import annotations


class DDPWatchError(Exception):
    """Base of all errors here; its text says what was expected, what came and what to do next."""


class UsageError(DDPWatchError):
    """An option, address or path that cannot be used as given; commands exit with 2."""


class AddressInUseError(UsageError):
    """The hub's address is taken by another process."""


class UnsafeAddressError(UsageError):
    """The hub was asked to listen beyond loopback, where nothing protects it."""


class TokenError(DDPWatchError):
    """The user's token file cannot be read, made, or trusted."""


class HubError(DDPWatchError):
    """What listens at the address is no hub that one can look on through."""


class FrameError(DDPWatchError):
    """Bytes that are not a frame of this protocol; `kind` is the word they are counted under."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind


class StateError(DDPWatchError):
    """A metric's states do not have the shapes that its class and parameters promise."""


class RecordingError(DDPWatchError):
    """A file that is no recording, or a place in one that cannot be read."""
