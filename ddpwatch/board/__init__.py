"""What is known now: messages are folded in, frozen snapshots come out. No socket, clock or widget."""
