"""Settings of the seed service, read from SEED_* environment variables."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from gyeol.chassis.settings import ServiceSettings
from gyeol.seed.domain.realism import LOWEST_PLAUSIBILITY
from gyeol.seed.reply import ReplyFormat


class Settings(ServiceSettings):
    model_config = SettingsConfigDict(env_prefix="SEED_", frozen=True)

    policy_address: str = "127.0.0.1:7001"
    """Where the policy service listens."""
    ledger_address: str = "127.0.0.1:7004"
    """Where the ledger listens; asked only by runs with a budget."""
    models: Path = Path("models")
    """Folder of models files; the one a run names may give models the roles `filler` and `plausibility`."""
    lowest_depth: float = Field(default=1.0, ge=0, le=3)
    """Cultural depth, 0 to 3, below which a harmful seed is refused as unrealistic."""
    lowest_plausibility: float = Field(default=LOWEST_PLAUSIBILITY, ge=0, le=5)
    """Plausibility, 0 to 5, below which a harmful seed is refused as unrealistic, where a model judges it."""
    reply_format: ReplyFormat = "json_schema"
    """How models are told to reply; `json_object` or `none` for endpoints that know no schemas."""
    reply_tokens: int = Field(default=1500, ge=64, le=32768)
    """Most tokens of a model's reply, its reasoning included."""
