"""What holds for every test: folders of its own, and no address left over from the user."""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest
from hypothesis import settings

# No test is timed: on a shared machine, a slow example is not a wrong one.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

_folder = tempfile.mkdtemp(prefix="ddpwatch-tests-")


def pytest_configure(config: pytest.Config) -> None:
    """Keep the user's own token and hub out of the tests, also in processes that they start."""
    os.environ["DDPWATCH_RUNTIME_DIR"] = _folder
    os.environ["DDPWATCH_RECORDINGS"] = f"{_folder}/recordings"
    # pytest-xdist's workers hold COLUMNS and LINES, which a program believes over its terminal.
    for name in ("DDPWATCH", "DDPWATCH_RUN_ID", "NO_COLOR", "COLUMNS", "LINES"):
        os.environ.pop(name, None)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave nothing behind."""
    shutil.rmtree(_folder, ignore_errors=True)
