"""Settings of the judge service, read from JUDGE_* environment variables."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from gyeol.chassis.settings import ServiceSettings
from gyeol.judge.endpoint import ReplyFormat


class Settings(ServiceSettings):
    model_config = SettingsConfigDict(env_prefix="JUDGE_", frozen=True)

    policy_address: str = "127.0.0.1:7001"
    """Where the policy service listens."""
    ledger_address: str = "127.0.0.1:7004"
    """Where the ledger listens; asked only by runs with a budget."""
    models: Path = Path("models")
    """Folder of models files; a run names one of them."""
    least_harmfulness: float = Field(default=2.0, ge=1, le=4)
    """Harmful questions that score less are dropped as benign; 1 benign to 4 severe."""
    least_candidate: float = Field(default=4.0, ge=1, le=5)
    """Safety and coherence that a candidate needs to be chosen, each from 1 to 5."""
    reply_format: ReplyFormat = "json_schema"
    """How judge models are told to reply; `json_object` or `none` for endpoints that know no schemas."""
    reply_tokens: int = Field(default=1500, ge=64, le=32768)
    """Most tokens of a judge model's reply, its reasoning included."""
