"""Does every command say clearly what is wrong, with the right exit code and no traceback?"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from ddpwatch.link.hub import Hub
from ddpwatch.wire.token import load_token


def ddpwatch(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if k != "DDPWATCH"}
    return subprocess.run(
        [sys.executable, "-m", "ddpwatch", *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        env={**env, **environment},
    )


def without(*blocked: str, code: str) -> subprocess.CompletedProcess[str]:
    """Run code in an interpreter that cannot import the blocked packages."""
    program = f"import sys\nsys.modules.update(dict.fromkeys({blocked!r}))\n{code}"
    return subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=60
    )


@pytest.fixture
def taken() -> Iterator[str]:
    with Hub("tcp://127.0.0.1:*", load_token()) as hub:
        yield hub.address


def test_help_and_version() -> None:
    assert ddpwatch("--help").returncode == 0
    assert ddpwatch("--version").stdout.startswith("ddpwatch")
    for command in (
        "serve",
        "attach",
        "list",
        "replay",
        "demo",
        "report",
        "check",
        "compare",
        "export",
    ):
        assert "Usage" in ddpwatch(command, "--help").stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["serve", "--bind", "0.0.0.0:7787", "--headless"], "ssh -N -L"),
        (["serve", "--bind", "nonsense:::", "--headless"], "expected HOST:PORT"),
        (["serve", "--bind", "127.0.0.1:99999", "--headless"], "above 65535"),
        (["serve", "--once"], "--headless"),
        (["serve"], "ddpwatch serve --headless"),
        (["serve", "--fail-on", "error"], "--headless"),
        (["attach", "--once"], "--headless"),
        (["attach"], "ddpwatch attach --headless"),
        (["attach", "10.0.0.1:7787", "--headless"], "ssh -N -L"),
        (["attach", "127.0.0.1:0", "--headless"], "port 0"),
        (["serve", "--headless", "--fail-on", "fatal"], "fatal"),
        (["explain", "DW999"], "ddpwatch explain"),
        (["demo"], "ddpwatch demo --headless"),
        (["serve", "--headless", "--format", "yaml"], "yaml"),
        (["demo", "--headless", "--ranks", "0"], "--ranks"),
        (["serve", "--nonsense"], "--nonsense"),
        (["unknown"], "unknown"),
    ],
)
def test_wrong_use_is_told_with_exit_code_2(arguments: list[str], told: str) -> None:
    done = ddpwatch(*arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_explain_prints_the_page_and_without_a_code_the_list() -> None:
    done = ddpwatch("explain", "DW102")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# DW102: logged value averages a ratio metric")
    assert "## How to put it right" in done.stdout
    listed = ddpwatch("explain").stdout.splitlines()
    assert [line[:5] for line in listed[:2]] == ["DW101", "DW102"]


def test_explain_needs_neither_sockets_nor_screens() -> None:
    code = (
        "from ddpwatch.cli import main\n"
        "try:\n    main(['explain', 'DW101'])\nexcept SystemExit:\n    pass\n"
        "assert not {'textual', 'zmq', 'socket'} & set(sys.modules)"
    )
    done = without("torch", code=code)
    assert done.returncode == 0, done.stderr


def test_port_in_use_says_which_by_whom_and_what_to_do(taken: str) -> None:
    done = ddpwatch("serve", "--headless", "--bind", taken)
    assert done.returncode == 2
    assert taken.removeprefix("tcp://") in done.stderr
    assert "--bind" in done.stderr
    if sys.platform == "linux":
        assert str(os.getpid()) in done.stderr
    assert "Traceback" not in done.stderr


def test_wrong_address_in_the_environment_names_the_variable() -> None:
    done = ddpwatch("serve", "--headless", DDPWATCH="what is this")
    assert done.returncode == 2
    assert "$DDPWATCH" in done.stderr


def test_token_that_others_can_read_is_refused(tmp_path: object) -> None:
    folder = str(tmp_path)
    os.chmod(folder, 0o700)  # noqa: PTH101
    assert ddpwatch("serve", "--bind", "x:y:z", DDPWATCH_RUNTIME_DIR=folder).returncode == 2
    load_token({"DDPWATCH_RUNTIME_DIR": folder})
    for name in os.listdir(folder):  # noqa: PTH208
        os.chmod(os.path.join(folder, name), 0o644)  # noqa: PTH101, PTH118
    done = ddpwatch("serve", "--headless", "--bind", "127.0.0.1:0", DDPWATCH_RUNTIME_DIR=folder)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_viewer_imports_and_helps_without_torch() -> None:
    code = "from ddpwatch.cli import main; main(['serve', '--help'])"
    done = without("torch", "torchmetrics", "lightning", "pytorch_lightning", "sklearn", code=code)
    assert done.returncode == 0, done.stderr
    everything = (
        "import ddpwatch, ddpwatch.serving, ddpwatch.demonstration, ddpwatch.tui.app\n"
        "assert sys.modules['torch'] is None"
    )
    done = without("torch", "torchmetrics", "lightning", "pytorch_lightning", code=everything)
    assert done.returncode == 0, done.stderr


def test_demo_without_torch_says_what_to_install() -> None:
    code = "from ddpwatch.cli import main; main(['demo', '--headless'])"
    done = without("torch", code=code)
    assert done.returncode == 2
    assert "pip install 'ddpwatch[demo]'" in done.stderr


def test_help_imports_neither_textual_nor_numpy() -> None:
    code = (
        "from ddpwatch.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "assert not {'textual', 'numpy', 'zmq'} & set(sys.modules)"
    )
    done = without("torch", code=code)
    assert done.returncode == 0, done.stderr


def test_headless_does_not_import_textual() -> None:
    code = "import ddpwatch.serving\nassert 'textual' not in sys.modules"
    assert without("torch", code=code).returncode == 0
