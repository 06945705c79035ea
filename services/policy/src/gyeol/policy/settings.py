"""Settings of the policy service, read from POLICY_* environment variables."""

from __future__ import annotations

import sys
from pathlib import Path

from pydantic_settings import SettingsConfigDict

from gyeol.chassis.settings import ServiceSettings
from gyeol.policy.errors import PackMissingError


class Settings(ServiceSettings):
    model_config = SettingsConfigDict(env_prefix="POLICY_", frozen=True)

    cultures: Path | None = None
    """Folder that holds one folder per culture pack; unset: see `cultures_folder`."""


def cultures_folder(configured: Path | None = None) -> Path:
    """Returns the configured folder, else `cultures` from the working directory upward, else the installed one.

    Raises:
      PackMissingError: There is none of them.
    """
    if configured is not None:
        if not configured.is_dir():
            raise PackMissingError(f"POLICY_CULTURES={configured}: is no folder: name the folder that holds ko-KR")
        return configured
    here = Path.cwd()
    installed = Path(sys.prefix) / "share" / "gyeol" / "cultures"
    for candidate in (*(folder / "cultures" for folder in (here, *here.parents)), installed):
        if candidate.is_dir():
            return candidate
    raise PackMissingError(f"no folder `cultures` from {here} upward nor {installed}: set POLICY_CULTURES")
