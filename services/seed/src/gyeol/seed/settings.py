"""Settings of the seed service, read from SEED_* environment variables."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from gyeol.chassis.settings import ServiceSettings


class Settings(ServiceSettings):
    model_config = SettingsConfigDict(env_prefix="SEED_", frozen=True)

    policy_address: str = "127.0.0.1:7001"
    """Where the policy service listens."""
    lowest_depth: float = Field(default=1.0, ge=0, le=3)
    """Cultural depth, 0 to 3, below which a harmful seed is refused as unrealistic."""
