"""What is known now: messages fold in, frozen snapshots come out. No socket, no clock."""
