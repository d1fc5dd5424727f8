"""Do Lightning 2.0, 2.2, 2.4 and the newest, in both namespaces, lead to the same report?

Each version is unpacked beside the others, without its dependencies, and put in front of the
installed one; torch is shared. Run by `make matrix`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

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
    for version, metrics in VERSIONS.items():
        for namespace, package in NAMESPACES.items():
            folder = unpack(package, version, metrics)
            reports[version, namespace] = comparable(report_of(namespace, folder))
    expected = reports["newest", "pytorch_lightning"]
    odd = 0
    for (version, namespace), report in reports.items():
        same = report == expected
        odd += not same
        print(f"{namespace:18} {version:8} {len(report)} passes  {'same' if same else 'DIFFERENT'}")
        if not same:
            print(difference(expected, report))
    print(f"{len(reports) - odd} passed, {odd} failed")
    return odd


def unpack(package: str, version: str, metrics: str) -> Path | None:
    """Return a folder with the two packages in it, or None for what is installed already."""
    if version == "newest":
        return None
    folder = FOLDER / f"{package}-{version}"
    if not folder.exists():
        wanted = [f"{package}=={version}", f"torchmetrics=={metrics}"]
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--target", str(folder), *wanted], check=True)
    return folder


def report_of(namespace: str, folder: Path | None) -> dict[str, Any]:
    """Run the small run under a hub of its own, and return the hub's report."""
    cli = [sys.executable, "-m", "ddpwatch"]
    hub = subprocess.Popen(
        [*cli, "serve", "--headless", "--once", "--format", "json", "--bind", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert hub.stderr is not None
    address = hub.stderr.readline().split()[-1]
    paths = [str(folder)] if folder else []
    environment = {
        **os.environ,
        "DDPWATCH": address,
        "NAMESPACE": namespace,
        "PYTHONPATH": os.pathsep.join([*paths, str(ROOT)]),
        "OMP_NUM_THREADS": "1",
    }
    script = [sys.executable, str(ROOT / "tests" / "matrix" / "small_run.py")]
    try:
        done = subprocess.run(
            script, check=False, env=environment, capture_output=True, text=True, timeout=180
        )
        if done.returncode:
            raise RuntimeError(f"{namespace} in {folder} failed:\n{done.stderr[-3000:]}")
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
