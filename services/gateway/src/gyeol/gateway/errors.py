"""What can go wrong at the gateway itself; what peers report goes through with its meaning.

InvalidError    OpenDoorError        it would listen to other machines without asking who is there
                AuthSettingError     a token file or OIDC setting that cannot be used
                FormError            a form that did not come from our own page, or with a field that cannot be used
DeniedError     UnknownCallerError   nobody we know (401)
                RoleTooLowError      somebody we know who may not do this
                ForeignOriginError   another site's page is writing here
ExhaustedError  RateExceededError    too many requests in a minute
NotReadyError   PeerAwayError        a service behind the gateway does not answer
"""

from __future__ import annotations

from gyeol.chassis.errors import DeniedError, ExhaustedError, InvalidError, NotReadyError


class OpenDoorError(InvalidError):
    def __init__(self, host: str) -> None:
        super().__init__(
            f"GATEWAY_HTTP_HOST={host!r} would serve other machines without asking who is there. "
            "Set GATEWAY_TOKENS_FILE (make tokens with `python -m gyeol.gateway token`) or GATEWAY_OIDC_ISSUER, "
            "or listen on 127.0.0.1."
        )


class AuthSettingError(InvalidError):
    def __init__(self, setting: str, value: object, problem: str, remedy: str) -> None:
        super().__init__(f"{setting}={str(value)!r}: {problem}. {remedy}")


class FieldError(InvalidError):
    def __init__(self, field: str, value: object, problem: str, remedy: str) -> None:
        super().__init__(f"{field}={str(value)[:80]!r}: {problem}. {remedy}")


class HostUnknownError(InvalidError):
    def __init__(self, host: str) -> None:
        super().__init__(f"Host={host!r}: not a name of this gateway. Use one of GATEWAY_ALLOWED_HOSTS.")


class UnknownCallerError(DeniedError):
    def __init__(self, problem: str) -> None:
        super().__init__(f"Authorization: {problem}. Send `Authorization: Bearer <token>`, or sign in at /login.")


class RoleTooLowError(DeniedError):
    def __init__(self, name: str, role: str, needed: str) -> None:
        super().__init__(
            f"{name} has the role {role!r}; this needs {needed!r}. Ask an admin for a token with that role."
        )


class ForeignOriginError(DeniedError):
    def __init__(self, origin: str) -> None:
        super().__init__(f"Origin={origin!r}: another site's page may not write here. Open the console itself.")


class RateExceededError(ExhaustedError):
    def __init__(self, limit: str, seconds: float) -> None:
        super().__init__(f"More than {limit}. Wait {seconds:.0f} s.", retry_after=seconds)


class PeerAwayError(NotReadyError):
    def __init__(self, peer: str, address: str) -> None:
        super().__init__(
            f"The {peer} service at {address} does not answer. Start it, or correct GATEWAY_{peer.upper()}_ADDRESS."
        )
