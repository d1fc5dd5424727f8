"""Controls that remember what was asked of them."""

from __future__ import annotations


class FakeControls:
    """Every call as a tuple, in `asked`."""

    def __init__(self) -> None:
        self.asked: list[tuple] = []

    def toggle(self):
        self.asked.append(("toggle",))

    def set_speed(self, speed):
        self.asked.append(("speed", speed))

    def seek(self, at):
        self.asked.append(("seek", at))

    def jump(self, place):
        self.asked.append(("jump", place))

    def step(self, by):
        self.asked.append(("step", by))
