"""Is a moment found by the words that people have for it?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ddpwatch.errors import UsageError
from ddpwatch.recording.library import open_recordings
from ddpwatch.recording.places import Place, find, parse
from ddpwatch.recording.recording import Recording
from ddpwatch.wire.messages import Progress
from ddpwatch.wire.stamped import Stamped
from tests.unit.recording import made


@pytest.mark.parametrize(
    ("word", "place"),
    [
        ("3", Place(epoch=3)),
        (" 3:120 ", Place(epoch=3, step=120)),
        ("90s", Place(seconds=90)),
        ("1.5m", Place(seconds=90)),
        ("2h", Place(seconds=7200)),
        ("250ms", Place(seconds=0.25)),
        ("1:02:03", Place(seconds=3723)),
        ("0:02:03.5", Place(seconds=123.5)),
    ],
)
def test_words(word: str, place: Place) -> None:
    assert parse(word) == place


@pytest.mark.parametrize("word", ["", "soon", "-1", "3:", "1:2:3:4", "3x", "٣", "9" * 200 + "q"])
def test_words_that_mean_nothing(word: str) -> None:
    with pytest.raises(UsageError, match="expected EPOCH, EPOCH:STEP, or a time"):
        parse(word)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recording]:
    folder: Path = tmp_path_factory.mktemp("recorded")
    made.filed(made.run(epochs=3, steps=10), folder)
    with open_recordings(folder) as opened:
        yield opened


def test_times_are_from_the_start_and_end_at_the_end(recording: Recording) -> None:
    assert find(recording, "2s") == recording.start + 2
    assert find(recording, "1h") == recording.end


@pytest.mark.parametrize("epoch", [0, 1, 2])
def test_an_epoch_begins_with_its_training(recording: Recording, epoch: int) -> None:
    run = made.folded([recording.at(find(recording, str(epoch)))]).runs["r"]
    assert sum(key.stage == "train" for key in run.begun) == epoch + 1
    assert sum(key.stage == "validate" for key in run.begun) == epoch


def test_a_step_is_there_when_every_rank_has_come_to_it(recording: Recording) -> None:
    at = find(recording, "1:4")
    items = [i for batch in recording.items() for i in batch if i.at <= at]
    told = [i.envelope for i in items if isinstance(i, Stamped)]
    progress = [(e.rank, e.body) for e in told if isinstance(e.body, Progress)]
    steps = [(r, p.step) for r, p in progress if (p.stage, p.epoch) == ("train", 1)]
    assert steps[-2:] == [(0, 4), (1, 4)]


def test_what_is_not_there(recording: Recording) -> None:
    with pytest.raises(UsageError, match=r"got 7: it has 0 to 2"):
        find(recording, "7")
    with pytest.raises(UsageError, match=r"a step of epoch 1, got 99: it has 0 to 9"):
        find(recording, "1:99")
