"""Style and script. Their addresses change with their content, so browsers may keep them for ever."""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path
from typing import Any, Final

from starlette.responses import Response
from starlette.staticfiles import StaticFiles

FOLDER: Final = Path(__file__).parent / "static"


class Assets(StaticFiles):
    def __init__(self) -> None:
        super().__init__(directory=FOLDER)

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


@functools.cache
def address(name: str) -> str:
    """Where browsers find an asset."""
    digest = hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()[:12]
    return f"/static/{os.fspath(name)}?v={digest}"
