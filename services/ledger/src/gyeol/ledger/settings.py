"""Settings of the ledger, read from `LEDGER_*`."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from gyeol.chassis.settings import ServiceSettings


class Settings(ServiceSettings):
    model_config = SettingsConfigDict(env_prefix="LEDGER_", frozen=True)

    database_url: str = "sqlite:///ledger.db"
    """`sqlite:////absolute/path.db`, or `postgresql://user:password@host/name` on a cluster."""
    durable: bool = False
    """SQLite only: survive a power cut without losing acknowledged events, at a quarter of the speed."""
    max_megabytes: int | None = Field(default=None, ge=1)
    """SQLite only: size that the database may not outgrow; unset: as large as the disk."""
    busy_seconds: float = Field(default=5.0, gt=0)
    """How long a write waits for another process, or for a free connection, before it counts as not ready."""
    slots: int = Field(default=512, ge=1, le=4096)
    """Events in work at once; those that wait together are committed together."""
