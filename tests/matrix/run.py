"""Do Lightning 2.0, 2.2, 2.4 and the newest, in both namespaces, lead to the same report?

And is every reduction told right in each of them, on 2, 3 and 4 ranks?
Each version has a virtual environment of its own in front of the installed packages, so torch is
shared. Run by `make matrix`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from typing import Any

from tests.matrix.reductions import EXPECTED

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".matrix"
VERSIONS = {
    "2.0.9": "1.0.3",
    "2.2.5": "1.3.2",
    "2.4.0": "1.4.3",
    "newest": "newest",
}
NAMESPACES = {"pytorch_lightning": "pytorch-lightning", "lightning.pytorch": "lightning"}


def main() -> int:
    """Run all combinations, print a line for each, and return the number that differ."""
    reports: dict[tuple[str, str], Any] = {}
    wrong = 0
    for version, metrics in VERSIONS.items():
        for namespace, package in NAMESPACES.items():
            python = interpreter(package, version, metrics)
            report = report_of("small_run", namespace, python)
            reports[version, namespace] = comparable(report)
            wrong += check_reductions(version, namespace, python)
    expected = reports["newest", "pytorch_lightning"]
    odd = 0
    for (version, namespace), report in reports.items():
        same = report == expected
        odd += not same
        print(f"{namespace:18} {version:8} {len(report)} passes  {'same' if same else 'DIFFERENT'}")
        if not same:
            print(difference(expected, report))
    print(f"{len(reports) - odd} passed, {odd} failed")
    return odd + wrong


def check_reductions(version: str, namespace: str, python: Path) -> int:
    """Print what was decided otherwise than it should be; return how often at 2, 3 and 4 ranks."""
    wrong = 0
    for ranks in (2, 3, 4):
        (epoch,) = report_of("reductions", namespace, python, ranks)["epochs"]
        told = {entry["key"]: entry["reduction"] for entry in epoch["logged"]}
        odd = {key: told.get(key) for key, right in EXPECTED.items() if told.get(key) != right}
        print(f"{namespace:18} {version:8} {ranks} ranks  {odd or f'{len(EXPECTED)} right'}")
        wrong += len(odd)
    return wrong


def interpreter(package: str, version: str, metrics: str) -> Path:
    """Return the Python of a virtual environment with these versions in front of what is here."""
    if version == "newest":
        return Path(sys.executable)
    folder = FOLDER / f"{package}-{version}"
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        venv.create(folder, clear=True, with_pip=True)
        (own,) = folder.glob("lib/python*/site-packages")
        # A path file shares the packages of this interpreter, torch above all.
        (own / "shared.pth").write_text(sysconfig.get_path("purelib"))
        # Lightning 2.0 imports pkg_resources, which later setuptools no longer have.
        wanted = [f"{package}=={version}", f"torchmetrics=={metrics}", "setuptools<81"]
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--constraint", str(ROOT / "constraints.txt"), "torch"], check=True)
        subprocess.run([*pip, *wanted], check=True)
        (folder / "complete").touch()
    return python


def report_of(name: str, namespace: str, python: Path, ranks: int = 2) -> dict[str, Any]:
    """Run one of the scripts beside this under a hub of its own, and return the hub's report."""
    cli = [sys.executable, "-m", "ddpwatch"]
    hub = subprocess.Popen(
        [*cli, "serve", "--headless", "--once", "--format", "json", "--bind", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert hub.stderr is not None
    address = hub.stderr.readline().split()[-1]
    environment = {
        **os.environ,
        "DDPWATCH": address,
        "NAMESPACE": namespace,
        "RANKS": str(ranks),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "plugin")]),
        "OMP_NUM_THREADS": "1",
    }
    script = [str(python), str(ROOT / "tests" / "matrix" / f"{name}.py")]
    try:
        done = subprocess.run(
            script, check=False, env=environment, capture_output=True, text=True, timeout=180
        )
        if done.returncode:
            raise RuntimeError(f"{namespace} under {python} failed:\n{done.stderr[-3000:]}")
        output, _ = hub.communicate(timeout=30)
    finally:
        hub.kill()
    return json.loads(output)  # type: ignore[no-any-return]


def comparable(report: dict[str, Any]) -> list[Any]:
    """What has to be the same: everything but processes, with numbers to six digits."""
    return [rounded(epoch) for epoch in report["epochs"]]


def rounded(value: Any) -> Any:
    """Round floats anywhere in plain data."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list) else value


def difference(expected: list[Any], report: list[Any]) -> str:
    """The first entry that differs."""
    for ours, theirs in zip(expected, report, strict=False):
        if ours != theirs:
            return f"  expected {json.dumps(ours)[:1500]}\n  got      {json.dumps(theirs)[:1500]}"
    return f"  expected {len(expected)} passes, got {len(report)}"


if __name__ == "__main__":
    sys.exit(main())
