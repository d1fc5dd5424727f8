"""What does `serve --headless` do? News on stderr, a report on stdout at the end of every run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ddpwatch.board.board import Board
from ddpwatch.board.run import Run
from ddpwatch.feed import Intake, Stoppable
from ddpwatch.report.found import Herald
from ddpwatch.report.narration import Narrator


def watch(
    source: Stoppable,
    intake: Intake,
    herald: Herald,
    *,
    say: Callable[[str], None],
    report: Callable[[Run, float], None],
    once: bool,
) -> None:
    """Fold the source to its end; with `once`, to the end of the first run.

    `say` gets one line at a time, what `herald` has to tell as well; `report` gets each run that
    has ended and the time of its end. What is still going on when the source ends is reported as
    it stands.
    """
    board = intake.board
    narrator = Narrator()
    reported: set[str] = set()

    def end(run: Run) -> None:
        for line in herald.last_news(run, board.now):
            say(line)
        reported.add(run.run)
        report(run, board.now)

    for batch in source.batches():
        intake.take(batch)
        for line in _news(board, narrator, herald):
            say(line)
        # That nothing comes from a hub that is gone says nothing about its ranks.
        for run in narrator.ended(board) if board.is_live else ():
            end(run)
        if once and reported:
            return
    for run in board.runs.values():
        if run.run not in reported:
            end(run)


def _news(board: Board, narrator: Narrator, herald: Herald) -> Iterator[str]:
    yield from narrator.link(board)
    if not board.is_live:
        return
    yield from narrator.news(board)
    for run in board.runs.values():
        yield from herald.news(run, board.now)
