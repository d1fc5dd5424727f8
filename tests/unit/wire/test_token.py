"""Who may read the token, who may have made it, and do all who ask at once get the same one?"""

from __future__ import annotations

import multiprocessing as mp
import os
import stat
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from ddpwatch.errors import TokenError
from ddpwatch.wire import token
from ddpwatch.wire.token import load_token, runtime_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "private"


def environ(folder: Path) -> dict[str, str]:
    return {"DDPWATCH_RUNTIME_DIR": str(folder)}


def test_first_call_makes_a_private_file_and_the_next_reads_it(folder: Path) -> None:
    made = load_token(environ(folder))
    assert len(made) == 32
    assert load_token(environ(folder)) == made == (folder / "token").read_bytes()
    assert stat.S_IMODE((folder / "token").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [each.name for each in folder.iterdir()] == ["token"]


def test_two_users_of_two_folders_hold_two_tokens(tmp_path: Path) -> None:
    assert load_token(environ(tmp_path / "a")) != load_token(environ(tmp_path / "b"))


def test_without_a_word_in_the_environment_the_session_folder_is_used(tmp_path: Path) -> None:
    assert runtime_folder({"XDG_RUNTIME_DIR": str(tmp_path)}) == tmp_path / "ddpwatch"


def test_a_session_folder_that_is_not_there_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token.tempfile, "gettempdir", lambda: str(tmp_path))
    found = runtime_folder({"XDG_RUNTIME_DIR": str(tmp_path / "gone")})
    assert found in {
        tmp_path / f"ddpwatch-{os.geteuid()}",
        Path(f"/run/user/{os.geteuid()}/ddpwatch"),
    }


def test_an_open_folder_is_refused_with_the_command_to_close_it(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o755)
    with pytest.raises(TokenError, match=r"0755.*chmod 700"):
        load_token(environ(folder))


def test_a_file_that_others_can_read_is_refused(folder: Path) -> None:
    load_token(environ(folder))
    (folder / "token").chmod(0o640)
    with pytest.raises(TokenError, match=r"0640.*rm "):
        load_token(environ(folder))


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_file_of_another_size_is_refused(folder: Path, size: int) -> None:
    load_token(environ(folder))
    (folder / "token").write_bytes(b"x" * size)
    with pytest.raises(TokenError, match="damaged"):
        load_token(environ(folder))


def test_a_link_in_place_of_the_file_is_not_followed(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"x" * 32)
    elsewhere.chmod(0o600)
    folder.mkdir(mode=0o700)
    (folder / "token").symlink_to(elsewhere)
    with pytest.raises(TokenError):
        load_token(environ(folder))


def test_a_link_in_place_of_the_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    folder.symlink_to(elsewhere)
    with pytest.raises(TokenError):
        load_token(environ(folder))
    assert list(elsewhere.iterdir()) == []


def test_a_pipe_in_place_of_the_file_does_not_make_it_wait(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    os.mkfifo(folder / "token", 0o600)
    with pytest.raises(TokenError):
        load_token(environ(folder))


def test_a_folder_that_cannot_be_made_says_which_variable_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TokenError, match="DDPWATCH_RUNTIME_DIR"):
        load_token(environ(tmp_path / "file" / "below"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
@pytest.mark.parametrize("victim", ["folder", "file"])
def test_what_belongs_to_somebody_else_is_refused(folder: Path, victim: str) -> None:
    load_token(environ(folder))
    os.chown(folder if victim == "folder" else folder / "token", 12345, 12345)
    with pytest.raises(TokenError, match="12345"):
        load_token(environ(folder))


def _ask(folder: Path, barrier: Barrier, answers: mp.Queue[bytes]) -> None:
    barrier.wait()
    answers.put(load_token(environ(folder)))


def test_many_processes_at_once_get_one_token(folder: Path) -> None:
    context = mp.get_context("fork")
    barrier, answers = context.Barrier(8), context.Queue()
    started = [context.Process(target=_ask, args=(folder, barrier, answers)) for _ in range(8)]
    for process in started:
        process.start()
    tokens = {answers.get(timeout=30) for _ in started}
    for process in started:
        process.join(30)
    assert tokens == {(folder / "token").read_bytes()}
    assert [each.name for each in folder.iterdir()] == ["token"]
