"""Do the recordings that came with earlier versions still give what they gave then?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ddpwatch.recording.library import open_recordings
from demo.recordings.make import EXPECTED, HERE, SCRIPTS, account_of
from tests.unit.recording import made

ROOT = HERE.parents[1]


def test_each_script_has_its_recording_and_each_recording_its_script() -> None:
    assert {path.stem for path in HERE.glob("*.mcap")} == set(SCRIPTS)
    assert set(json.loads(EXPECTED.read_text())) == set(SCRIPTS)
    assert sum(path.stat().st_size for path in HERE.glob("*.mcap")) < 1_000_000


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_gives_what_it_gave(name: str) -> None:
    expected = json.loads(EXPECTED.read_text())[name]
    found = json.loads(json.dumps(account_of(HERE / f"{name}.mcap")))
    values = found.pop("values")
    assert values == pytest.approx(expected.pop("values"), abs=1e-9, nan_ok=True)
    assert found == expected


@pytest.mark.parametrize("name", SCRIPTS)
def test_going_to_the_end_is_as_good_as_playing_to_it(name: str) -> None:
    with open_recordings(HERE / f"{name}.mcap") as recording:
        whole, short = made.folded(recording.items()), made.folded(recording.final())
    assert made.seen(whole) == made.seen(short)


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_tells_nothing_of_the_machine_that_made_it(name: str) -> None:
    with open_recordings(HERE / f"{name}.mcap") as recording:
        raw = b"".join(getattr(item, "raw", b"") for batch in recording.items() for item in batch)
    for place in (str(ROOT), str(Path.home()), "/tmp/", "/work/"):
        assert place.encode() not in raw, place
