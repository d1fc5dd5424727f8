"""Does the built wheel work by itself: the viewer without torch, the demo with it?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TRAINING = ("torch", "lightning", "pytorch_lightning", "torchmetrics", "sklearn")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the wheel of this tree has been unpacked, as pip does it."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder / "site")
    return folder / "site"


@pytest.fixture(scope="module")
def viewer(installed: Path) -> Path:
    """A folder with all that is installed here, but for the training side."""
    folder = installed.parent / "viewer"
    folder.mkdir()
    for each in Path(sysconfig.get_path("purelib")).iterdir():
        if not each.name.startswith((*TRAINING, "ddpwatch")):
            (folder / each.name).symlink_to(each)
    return folder


def command(
    installed: Path, *arguments: str, only: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the wheel's `ddpwatch` far from the source tree; with `only`, with what lies there."""
    code = (
        f"import ddpwatch; assert ddpwatch.__file__.startswith({str(installed)!r})\n"
        "from ddpwatch.cli import main; main(prog_name='ddpwatch')"
    )
    # Without `site`, Python looks into the folders that it is given and no others.
    bare = ["-S"] if only else []
    where = os.pathsep.join(map(str, [installed, only] if only else [installed]))
    return subprocess.run(
        [sys.executable, *bare, "-c", code, *arguments],
        cwd=installed.parent,
        env={**os.environ, "PYTHONPATH": where},
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )


def test_it_holds_the_two_packages_and_nothing_else(installed: Path) -> None:
    named = {each.name for each in installed.iterdir() if each.suffix != ".dist-info"}
    assert named == {"ddpwatch", "ddpwatch_lightning"}
    assert not [each for each in installed.rglob("*") if "test" in each.name]


def test_explain_has_its_pages_where_there_is_no_torch(installed: Path, viewer: Path) -> None:
    told = command(installed, "explain", "DW101", only=viewer)
    assert told.returncode == 0, told.stderr
    assert told.stdout == (ROOT / "docs/findings/DW101.md").read_text(encoding="utf-8") + "\n"


def test_serve_starts_where_there_is_no_torch(installed: Path, viewer: Path) -> None:
    """Loopback is the only place to listen; the refusal comes after all imports."""
    told = command(installed, "serve", "--headless", "--bind", "10.0.0.1:1", only=viewer)
    assert told.returncode == 2
    assert "ssh" in told.stderr and "Traceback" not in told.stderr


def test_demo_where_there_is_no_torch_says_what_to_install(installed: Path, viewer: Path) -> None:
    told = command(installed, "demo", "--headless", only=viewer)
    assert told.returncode == 2
    assert "pip install 'ddpwatch[demo]'" in told.stderr


@pytest.mark.ddp
def test_demo_has_its_script(installed: Path) -> None:
    told = command(
        installed, "demo", "--ranks", "2", "--epochs", "1", "--headless", "--format", "json"
    )
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["run"]["world_size"] == 2
