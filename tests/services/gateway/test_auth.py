"""Who may come in, and what they may do there."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from gyeol.chassis.clock import SystemClock
from gyeol.gateway.auth.gate import gate
from gyeol.gateway.auth.oidc import Oidc
from gyeol.gateway.auth.principal import Role, role_of
from gyeol.gateway.auth.session import Session, Sessions, session_key
from gyeol.gateway.auth.token import Tokens, made
from gyeol.gateway.errors import AuthSettingError, OpenDoorError, UnknownCallerError
from gyeol.gateway.settings import Settings
from support.clock import SteppedClock
from support.record import life, seed, triplet_accepted

RUNS = "/api/v1/runs"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "gateway.example"])
def test_other_machines_are_not_served_without_authentication(host: str) -> None:
    with pytest.raises(OpenDoorError, match=f"GATEWAY_HTTP_HOST='{host}'.*GATEWAY_TOKENS_FILE"):
        gate(Settings(http_host=host), SystemClock())


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.8.8.8"])
def test_this_machine_is_served_without_authentication(host: str) -> None:
    assert gate(Settings(http_host=host), SystemClock()).open


def test_the_http_door_listens_where_the_service_does_unless_told_otherwise() -> None:
    assert Settings(host="10.0.0.7").listen == "10.0.0.7"
    with pytest.raises(OpenDoorError):
        Settings(host="0.0.0.0").check()


def test_an_issuer_without_an_audience_is_refused() -> None:
    with pytest.raises(AuthSettingError, match="GATEWAY_OIDC_AUDIENCE"):
        Settings(http_host="0.0.0.0", oidc_issuer="https://login.example").check()


def test_an_issuer_must_be_reached_safely() -> None:
    with pytest.raises(AuthSettingError, match="not an https URL"):
        Oidc("http://login.example", "gyeol", "roles", "")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "holds no list `tokens`"),
        ("tokens: []", "holds no list `tokens`"),
        ("tokens: [{name: kim, role: king, hash: x}]", "role 'king'"),
        ("tokens: [{name: kim, role: viewer, hash: plain-text}]", "tokens\\[0\\]"),
        ("tokens: [", "cannot be read"),
    ],
)
def test_a_token_file_that_cannot_be_used_is_named(tmp_path: Path, content: str, complaint: str) -> None:
    file = tmp_path / "tokens.yaml"
    file.write_text(content)
    with pytest.raises(AuthSettingError, match=complaint):
        Tokens(file)


def test_only_a_hash_of_a_token_is_kept(tmp_path: Path) -> None:
    secret, entry = made("kim", Role.REVIEWER)
    assert secret.startswith("gyeol_kim_")
    assert len(secret) > 50
    assert secret not in entry.hash
    assert entry.hash.startswith("$argon2id$")
    with pytest.raises(AuthSettingError, match="--name='Kim Ha'"):
        made("Kim Ha", Role.VIEWER)


async def test_a_caller_needs_a_token_and_the_role(house: Any, tokens: Callable[..., Any]) -> None:
    file, secrets = tokens("viewer", "reviewer", "operator", "admin")
    await house.start_run()
    await house.hear(*life(seed(1)))
    record = triplet_accepted(seed(1)).triplet.record_id
    reveal = f"{RUNS}/run-1/records/{record}/reveal"
    async with house.gateway(tokens_file=file) as client:
        unknown = await client.get(RUNS)
        assert (unknown.status_code, unknown.headers["www-authenticate"]) == (401, 'Bearer realm="gyeol"')
        assert (await client.get(RUNS, headers=bearer("gyeol_the-viewer_wrong"))).status_code == 401
        assert (await client.get(RUNS, headers=bearer("gyeol_nobody_x"))).status_code == 401
        assert (await client.get(RUNS, headers=bearer(secrets["viewer"]))).status_code == 200
        denied = await client.post(reveal, headers=bearer(secrets["viewer"]))
        assert denied.status_code == 403
        assert "the role 'viewer'; this needs 'reviewer'" in denied.json()["detail"]
        assert (await client.post(reveal, headers=bearer(secrets["reviewer"]))).status_code == 200
        verify = "/api/v1/datasets/verification?location=/nowhere"
        assert (await client.get(verify, headers=bearer(secrets["reviewer"]))).status_code == 403
        assert (await client.get(verify, headers=bearer(secrets["operator"]))).status_code == 404
        me = (await client.get("/api/v1/caller", headers=bearer(secrets["operator"]))).json()
        assert me == {"name": "the-operator", "role": "operator"}
        path = f"{RUNS}/run-1/triplets/{triplet_accepted(seed(1)).triplet.id}"
        history = (await client.get(path, headers=bearer(secrets["viewer"]))).json()["history"]
        denied = await client.get(f"{RUNS}/run-1/accesses", headers=bearer(secrets["operator"]))
        assert denied.status_code == 403
        log = (await client.get(f"{RUNS}/run-1/accesses", headers=bearer(secrets["admin"]))).json()
    assert [access["person"] for access in history] == ["the-reviewer"]
    assert [(access["action"], access["record_id"]) for access in log["accesses"]] == [("revealed", record)]


async def test_health_needs_no_token(house: Any, tokens: Callable[..., Any]) -> None:
    file, _ = tokens("viewer")
    async with house.gateway(tokens_file=file) as client:
        assert (await client.get("/health/live")).status_code == 200
        assert (await client.get("/health/ready")).status_code == 200
        assert (await client.get("/api/v1/health")).status_code == 401


async def test_a_token_that_was_taken_away_opens_nothing_any_more(house: Any, tokens: Callable[..., Any]) -> None:
    file, secrets = tokens("viewer", "admin")
    async with house.gateway(tokens_file=file) as client:
        assert (await client.get(RUNS, headers=bearer(secrets["admin"]))).status_code == 200
        kept = [line for line in file.read_text().splitlines() if "the-admin" not in line]
        file.write_text("\n".join(kept))
        assert (await client.get(RUNS, headers=bearer(secrets["admin"]))).status_code == 401
        assert (await client.get(RUNS, headers=bearer(secrets["viewer"]))).status_code == 200


async def test_wrong_tokens_are_tried_only_so_often(house: Any, tokens: Callable[..., Any]) -> None:
    file, secrets = tokens("viewer")
    async with house.gateway(tokens_file=file, sign_ins_per_minute=3) as client:
        tries = [(await client.get(RUNS, headers=bearer("gyeol_the-viewer_x"))).status_code for _ in range(5)]
        assert tries == [401, 401, 401, 429, 429]
        assert (await client.get(RUNS, headers=bearer(secrets["viewer"]))).status_code == 200


async def test_a_caller_asks_only_so_often_and_is_told_when_to_come_back(house: Any) -> None:
    async with house.gateway(requests_per_minute=5) as client:
        answers = await asyncio.gather(*(client.get(RUNS) for _ in range(8)))
        refused = [answer for answer in answers if answer.status_code == 429]
        assert len(refused) == 3
        assert 1 <= int(refused[0].headers["retry-after"]) <= 60
        assert refused[0].json()["meaning"] == "EXHAUSTED"


async def test_a_body_that_is_too_large_is_refused_also_when_it_hides_its_size(house: Any) -> None:
    async def stream() -> Any:
        for _ in range(40):
            yield b'{"text": "' + b"a" * 1024

    async with house.gateway(body_kilobytes=16) as client:
        large = {"text": "가" * 20_000}
        assert (await client.post("/api/v1/law/check", json=large)).status_code == 413
        headers = {"content-type": "application/json"}
        answer = await client.post("/api/v1/law/check", content=stream(), headers=headers)
        assert answer.status_code == 413
        assert "GATEWAY_BODY_KILOBYTES" in answer.json()["detail"]


async def test_pages_of_other_sites_cannot_write_here(house: Any) -> None:
    path = "/api/v1/law/check"
    async with house.gateway() as client:
        question = {"text": "민법 제1조"}
        assert (await client.post(path, json=question)).status_code == 200
        own = str(client.base_url).rstrip("/")
        assert (await client.post(path, json=question, headers={"Origin": own})).status_code == 200
        foreign = await client.post(path, json=question, headers={"Origin": "https://elsewhere.example"})
        assert foreign.status_code == 403
        assert foreign.json()["field"] == "Origin"
        assert (await client.post(path, json=question, headers={"Sec-Fetch-Site": "cross-site"})).status_code == 403
        # A form of another site can send JSON as plain text without asking first.
        plain = {"content-type": "text/plain"}
        assert (await client.post(path, content=json.dumps(question), headers=plain)).status_code == 400


async def test_without_authentication_only_names_of_this_machine_are_answered(house: Any) -> None:
    async with house.gateway() as client:
        answer = await client.get(RUNS, headers={"Host": "rebound.example"})
        assert answer.status_code == 400
        assert answer.json()["field"] == "Host"
        assert (await client.get(RUNS, headers={"Host": "localhost:8080"})).status_code == 200
        assert (await client.get(RUNS, headers={"Host": "[::1]:8080"})).status_code == 200


async def test_every_answer_carries_security_headers(house: Any) -> None:
    async with house.gateway() as client:
        for path in ("/runs", RUNS, "/api/v1/nowhere", "/health/live", "/static/console.css", "/static/none"):
            headers = (await client.get(path)).headers
            assert "default-src 'none'" in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["x-frame-options"] == "DENY"
            assert "server" not in headers
        assert "immutable" in (await client.get("/static/console.css")).headers["cache-control"]
        assert (await client.get(RUNS)).headers["cache-control"] == "no-store"


async def test_a_session_lasts_as_long_as_its_token(house: Any, tokens: Callable[..., Any]) -> None:
    file, secrets = tokens("reviewer", "admin")
    async with house.gateway(tokens_file=file) as client:
        sent = await client.get("/runs")
        assert (sent.status_code, sent.headers["location"]) == (303, "/login?next=%2Fruns")
        page = await client.get("/login")
        form = page.text.split('name="form_token" value="')[1].split('"')[0]
        wrong = await client.post("/login", data={"form_token": form, "token": "gyeol_the-reviewer_x", "next": "/"})
        assert wrong.status_code == 401
        forged = await client.post("/login", data={"form_token": "x", "token": secrets["reviewer"]})
        assert forged.status_code == 400
        entered = await client.post(
            "/login", data={"form_token": form, "token": secrets["reviewer"], "next": "//elsewhere.example"}
        )
        assert (entered.status_code, entered.headers["location"]) == (303, "/")
        cookie = entered.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "samesite=strict" in cookie.lower()
        assert (await client.get("/runs")).status_code == 200
        assert (await client.get(RUNS)).status_code == 401, "a cookie must not open the API"
        file.write_text("\n".join(line for line in file.read_text().splitlines() if "reviewer" not in line))
        assert (await client.get("/runs")).status_code == 303


async def test_signing_out_ends_the_session(house: Any, tokens: Callable[..., Any]) -> None:
    file, secrets = tokens("viewer")
    async with house.gateway(tokens_file=file) as client:
        form = (await client.get("/login")).text.split('name="form_token" value="')[1].split('"')[0]
        await client.post("/login", data={"form_token": form, "token": secrets["viewer"]})
        assert (await client.get("/runs")).status_code == 200
        assert (await client.post("/logout", data={})).status_code == 400
        await client.post("/logout", data={"form_token": form})
        assert (await client.get("/runs")).status_code == 303


def test_a_session_ends_by_itself_and_cannot_be_made_up() -> None:
    clock = SteppedClock()
    sessions = Sessions(b"k" * 32, 1.0, clock)
    cookie = sessions.issued(Session("kim", "f"))
    assert sessions.read(cookie) == Session("kim", "f")
    assert sessions.read(cookie[:-3] + "abc") is None
    assert Sessions(b"o" * 32, 1.0, clock).read(cookie) is None
    none = jwt.encode({"sub": "kim", "fpr": "f", "exp": 9e9}, "", algorithm="none")
    assert sessions.read(none) is None
    clock.advance(3601)
    assert sessions.read(cookie) is None


def test_a_session_key_must_be_long_enough(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_bytes(b"short")
    with pytest.raises(AuthSettingError, match=r"GATEWAY_SESSION_KEY_FILE.*holds 5 bytes"):
        session_key(file)
    file.write_bytes(b"k" * 32)
    assert session_key(file) == b"k" * 32


class Issuer:
    """An OIDC issuer on loopback."""

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        public = json.loads(RSAAlgorithm.to_jwk(self.key.public_key()))
        self._documents = {
            "/.well-known/openid-configuration": lambda: {"issuer": self.url, "jwks_uri": f"{self.url}/keys"},
            "/keys": lambda: {"keys": [public | {"kid": "one", "use": "sig", "alg": "RS256"}]},
        }
        documents = self._documents

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = json.dumps(documents[self.path]()).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def token(self, **claims: Any) -> str:
        now = int(time.time())
        standard = {"iss": self.url, "aud": "gyeol", "sub": "u1", "iat": now, "exp": now + 60, "roles": ["viewer"]}
        return jwt.encode(standard | claims, self.key, algorithm="RS256", headers={"kid": "one"})


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    made_up = Issuer()
    thread = threading.Thread(target=made_up.server.serve_forever, daemon=True)
    thread.start()
    yield made_up
    made_up.server.shutdown()
    made_up.server.server_close()
    thread.join()


def oidc(issuer: Issuer, claim: str = "roles", prefix: str = "") -> Oidc:
    return Oidc(issuer.url, "gyeol", claim, prefix)


async def test_a_token_of_the_issuer_brings_its_highest_role(issuer: Issuer) -> None:
    token = issuer.token(roles=["viewer", "reviewer", "unrelated"], preferred_username="kim")
    principal = await oidc(issuer).principal(token)
    assert (principal.name, principal.role) == ("kim", Role.REVIEWER)
    nested = issuer.token(roles=None, realm_access={"roles": ["gyeol-operator", "admin"]})
    found = await oidc(issuer, "realm_access.roles", "gyeol-").principal(nested)
    assert found.role is Role.OPERATOR


async def test_tokens_that_the_issuer_did_not_mean_for_us_are_refused(issuer: Issuer) -> None:
    now = int(time.time())
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    forged = jwt.encode({"iss": issuer.url, "aud": "gyeol"}, stranger, algorithm="RS256", headers={"kid": "one"})
    public = RSAAlgorithm.to_jwk(issuer.key.public_key()).encode()
    confused = jwt.encode({"iss": issuer.url}, public[:64], algorithm="HS256", headers={"kid": "one"})
    refused = {
        "expired": issuer.token(exp=now - 120),
        "for somebody else": issuer.token(aud="other"),
        "of somebody else": issuer.token(iss="https://other.example"),
        "without a role": issuer.token(roles=["unrelated"]),
        "signed by a stranger": forged,
        "signed with a public key as secret": confused,
        "no token at all": "abc",
    }
    for token in refused.values():
        with pytest.raises(UnknownCallerError):
            await oidc(issuer).principal(token)


async def test_both_kinds_of_token_open_the_same_door(house: Any, issuer: Issuer, tokens: Callable[..., Any]) -> None:
    file, secrets = tokens("viewer")
    settings = {"tokens_file": file, "oidc_issuer": issuer.url, "oidc_audience": "gyeol"}
    async with house.gateway(**settings) as client:
        assert (await client.get(RUNS, headers=bearer(secrets["viewer"]))).status_code == 200
        assert (await client.get(RUNS, headers=bearer(issuer.token()))).status_code == 200
        assert (await client.get(RUNS, headers=bearer(issuer.token(aud="x")))).status_code == 401


def test_every_role_may_do_what_the_ones_before_it_may() -> None:
    assert [role.word for role in sorted(Role)] == ["viewer", "reviewer", "operator", "admin"]
    assert role_of("king") is None
