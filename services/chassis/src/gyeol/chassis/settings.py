"""Settings that every service has, read from environment variables with the service's prefix."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from gyeol.chassis.errors import InvalidError


class ServiceSettings(BaseSettings):
    """Subclass it with `model_config = SettingsConfigDict(env_prefix="SEED_")` and add the service's own fields."""

    model_config = SettingsConfigDict(env_prefix="GYEOL_", frozen=True)

    host: str = "127.0.0.1"
    """Address to listen on; `0.0.0.0` in a pod."""
    port: int = Field(default=0, ge=0, le=65535)
    """gRPC port; 0 takes a free one."""
    metrics_port: int = Field(default=0, ge=0, le=65535)
    """Prometheus port; 0 serves no metrics."""
    tls_ca: Path | None = None
    """Certificate authority of the services; set with the two below, every gRPC call is mutual TLS."""
    tls_certificate: Path | None = None
    """This service's certificate."""
    tls_key: Path | None = None
    """Key of this service's certificate."""
    nats_url: str = "nats://127.0.0.1:4222"
    """One address or several, separated by commas."""
    nats_credentials: Path | None = None
    """File of a NATS user: `.creds`, or a bare nkey seed."""
    nats_ca: Path | None = None
    """Certificate authority of the NATS server; set, the connection is TLS."""
    nats_certificate: Path | None = None
    """Client certificate shown to the NATS server."""
    nats_key: Path | None = None
    """Key of the client certificate."""
    nats_ensure: bool = True
    """Create and update streams and consumers at start; false where the NATS user may not."""
    nats_replicas: int = Field(default=1, ge=1, le=5)
    """Copies of each stream; 3 on a NATS cluster."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Least severe level that is logged."""
    log_format: Literal["json", "console"] = "json"
    """`json` for machines, `console` for people."""
    otlp_endpoint: str | None = None
    """OTLP gRPC endpoint that receives traces, for example `http://collector:4317`; unset: none are sent."""
    trace_file: Path | None = None
    """File that receives finished spans as JSON lines; unset: none is written."""
    trace_ratio: float = Field(default=1.0, ge=0, le=1)
    """Share of new traces that is recorded; a trace begun elsewhere keeps its decision."""
    drain_seconds: float = Field(default=20.0, ge=0)
    """Seconds that work in hand may take to finish after SIGTERM."""
    prestop_seconds: float = Field(default=0.0, ge=0)
    """Seconds between reporting not serving and closing the door, for load balancers to notice."""
    slots: int = Field(default=64, ge=1, le=4096)
    """Records in work at once."""
    ready_file: Path | None = None
    """File that receives {"pid", "port", "metrics_port"} once the service serves; removed when it stops."""


SettingsT = TypeVar("SettingsT", bound=ServiceSettings)


def load(settings: type[SettingsT]) -> SettingsT:
    """Reads the settings from the environment.

    Raises:
      InvalidError: Names every wrong variable, its value and what is expected.
    """
    try:
        return settings()
    except ValidationError as error:
        prefix = settings.model_config.get("env_prefix", "")
        raise InvalidError("; ".join(_complaint(prefix, dict(detail)) for detail in error.errors())) from None


def _complaint(prefix: str, detail: dict[str, object]) -> str:
    location = detail["loc"]
    name = prefix + "_".join(str(part) for part in (location if isinstance(location, tuple) else ())).upper()
    if detail["type"] == "missing":
        return f"{name} is not set: set the environment variable"
    value = detail["input"]
    hint = ""
    if isinstance(value, str) and value.startswith("tcp://"):
        hint = " (a Kubernetes service link put it there: set enableServiceLinks: false)"
    return f"{name}={value!r}: {detail['msg']}{hint}"
