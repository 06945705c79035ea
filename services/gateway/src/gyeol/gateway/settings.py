"""Settings of the gateway, read from `GATEWAY_*`."""

from __future__ import annotations

import ipaddress
from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from gyeol.chassis.settings import ServiceSettings
from gyeol.gateway.errors import AuthSettingError, OpenDoorError


class Settings(ServiceSettings):
    model_config = SettingsConfigDict(env_prefix="GATEWAY_", frozen=True)

    http_host: str = ""
    """Address of the REST API and the console; empty: as `host`. Another than loopback needs tokens or OIDC."""
    http_port: int = Field(default=8080, ge=0, le=65535)
    """Port of the REST API and the console; 0 takes a free one."""
    ledger_address: str = "127.0.0.1:7006"
    """Where the ledger listens."""
    policy_address: str = "127.0.0.1:7001"
    """Where the policy service listens."""
    seed_address: str = "127.0.0.1:7002"
    """Where the seed service listens."""
    judge_address: str = "127.0.0.1:7004"
    """Where the judge service listens."""
    cultures: tuple[str, ...] = ("ko-KR",)
    """Culture packs that the console offers."""
    tokens_file: Path | None = None
    """YAML file of API tokens: `tokens: [{name, role, hash}]`, as `python -m gyeol.gateway token` prints them."""
    oidc_issuer: str = ""
    """OIDC issuer whose JSON Web Tokens are accepted; `https`, or `http` on loopback."""
    oidc_audience: str = ""
    """Audience that the tokens must name; needed with an issuer."""
    oidc_role_claim: str = "roles"
    """Claim that lists the caller's roles; dots lead into nested claims, for example `realm_access.roles`."""
    oidc_role_prefix: str = ""
    """What stands before `viewer`, `reviewer`, `operator` or `admin` in that claim, for example `gyeol-`."""
    session_key_file: Path | None = None
    """File with the secret that signs console sessions; unset: a new one at each start, so a restart signs everybody out."""
    session_hours: float = Field(default=8.0, gt=0, le=24 * 30)
    """How long a sign-in to the console lasts."""
    allowed_hosts: tuple[str, ...] = ()
    """Host names that requests may name; empty: any with authentication, only loopback names without."""
    forwarded_allow_ips: str = "127.0.0.1"
    """Proxies whose X-Forwarded-* headers are believed."""
    requests_per_minute: int = Field(default=600, ge=1)
    """Requests of one caller in a minute."""
    sign_ins_per_minute: int = Field(default=10, ge=1)
    """Tries to sign in, from one address in a minute."""
    body_kilobytes: int = Field(default=256, ge=1)
    """Largest request body."""

    @property
    def listen(self) -> str:
        """The address the HTTP door listens on."""
        return self.http_host or self.host

    @property
    def authenticates(self) -> bool:
        """Somebody has to say who they are."""
        return self.tokens_file is not None or bool(self.oidc_issuer)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Host names that requests may name; empty: any."""
        if self.allowed_hosts or self.authenticates:
            return self.allowed_hosts
        # Without authentication a page of another site could reach us by a name of its own that resolves to loopback.
        return ("localhost", "127.0.0.1", "[::1]")

    def check(self) -> None:
        """Refuses settings that would open the door to anybody.

        Raises:
          OpenDoorError: Other machines could come in without authentication.
          AuthSettingError: The OIDC settings are incomplete.
        """
        if not self.authenticates and not is_loopback(self.listen):
            raise OpenDoorError(self.listen)
        if self.oidc_issuer and not self.oidc_audience:
            raise AuthSettingError(
                "GATEWAY_OIDC_AUDIENCE", "", "not set although there is an issuer", "Name the audience of our tokens."
            )


def is_loopback(host: str) -> bool:
    """Only this machine can reach the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
