"""Compiles the protos when the distribution is built or installed.

The code is generated beside its final place and swapped in, so that a process that imports it never sees half of it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from grpc_tools import protoc
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def generate(root: Path, destination: Path) -> None:
    """Compiles every proto below `root/gyeol` into Python, stubs and gRPC code at `destination`.

    Raises:
      RuntimeError: protoc refused a file; its message is on standard error.
    """
    sources = sorted(str(path.relative_to(root)) for path in (root / "gyeol").rglob("*.proto"))
    include = Path(sys.modules["grpc_tools"].__path__[0]) / "_proto"
    plugins = Path(sys.executable).parent
    with tempfile.TemporaryDirectory(dir=destination.parent) as scratch:
        code = protoc.main(
            [
                "protoc",
                f"--proto_path={root}",
                f"--proto_path={include}",
                f"--plugin=protoc-gen-mypy={plugins / 'protoc-gen-mypy'}",
                f"--plugin=protoc-gen-mypy_grpc={plugins / 'protoc-gen-mypy_grpc'}",
                f"--python_out={scratch}",
                f"--grpc_python_out={scratch}",
                f"--mypy_out={scratch}",
                f"--mypy_grpc_out=only_async:{scratch}",
                *sources,
            ]
        )
        if code != 0:
            raise RuntimeError("protoc could not compile the protos; see the lines above")
        (Path(scratch) / "gyeol" / "api" / "py.typed").touch()
        shutil.rmtree(destination, ignore_errors=True)
        shutil.move(scratch, destination)
        Path(scratch).mkdir()  # TemporaryDirectory removes it on the way out
    destination.chmod(0o755)


class CompileProtos(BuildHookInterface[Any]):
    """Hatch hook: runs before a wheel, also an editable one, is put together."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (the hook's form)
        root = Path(self.root)
        destination = root / "build" / "python"
        destination.parent.mkdir(exist_ok=True)
        generate(root, destination)
