"""What does `python -m ddpwatch` do? The same as `ddpwatch`."""

from ddpwatch.cli import main

main(prog_name="ddpwatch")
