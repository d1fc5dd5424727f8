"""Is a file there whole or not at all, and what was there before never lost?"""

from __future__ import annotations

from pathlib import Path

import pytest

from ddpwatch.errors import UsageError
from ddpwatch.report.destination import written_whole


def test_nothing_is_left_where_writing_fails(tmp_path: Path) -> None:
    old = tmp_path / "x.csv"
    old.write_text("old")
    with pytest.raises(KeyboardInterrupt), written_whole(old, force=True) as path:
        path.write_text("half")
        raise KeyboardInterrupt
    assert [p.name for p in tmp_path.iterdir()] == ["x.csv"]
    assert old.read_text() == "old"


def test_name_is_taken_only_at_the_end(tmp_path: Path) -> None:
    out = tmp_path / "x.csv"
    with written_whole(out, force=False) as path:
        path.write_text("new")
        assert not out.exists()
    assert out.read_text() == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["x.csv"]


def test_what_is_there_is_replaced_only_by_force(tmp_path: Path) -> None:
    out = tmp_path / "x.csv"
    out.write_text("old")
    with pytest.raises(UsageError, match="add --force"), written_whole(out, force=False):
        pass
    with written_whole(out, force=True) as path:
        path.write_text("new")
    assert out.read_text() == "new"


def test_folder_is_replaced_as_a_whole(tmp_path: Path) -> None:
    out = tmp_path / "tb"
    (out / "rank7").mkdir(parents=True)
    (out / "rank7" / "events.out.tfevents.1.host.2.3").touch()
    with written_whole(out, force=True, folder=True) as path:
        (path / "rank0").mkdir()
    assert [p.name for p in out.iterdir()] == ["rank0"]
    assert [p.name for p in tmp_path.iterdir()] == ["tb"]


def test_folder_with_anything_else_in_it_is_never_replaced(tmp_path: Path) -> None:
    out = tmp_path / "home"
    out.mkdir()
    (out / "thesis.tex").touch()
    with (
        pytest.raises(UsageError, match="remove it yourself"),
        written_whole(out, force=True, folder=True),
    ):
        pass
    assert (out / "thesis.tex").exists()


@pytest.mark.parametrize("folder", [False, True])
def test_file_and_folder_do_not_replace_each_other(tmp_path: Path, *, folder: bool) -> None:
    out = tmp_path / "x"
    if folder:
        out.touch()
    else:
        out.mkdir()
    with (
        pytest.raises(UsageError, match="name another place"),
        written_whole(out, force=True, folder=folder),
    ):
        pass


def test_link_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(UsageError), written_whole(tmp_path / "link", force=True):
        pass


def test_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match="make the folder first"),
        written_whole(tmp_path / "no" / "x.csv", force=False),
    ):
        pass


def test_full_disk_is_an_error_of_ours(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match="No space left"),
        written_whole(tmp_path / "x", force=False),
    ):
        raise OSError(28, "No space left on device")
