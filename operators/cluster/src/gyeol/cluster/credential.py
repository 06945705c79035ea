"""Secrets that an installation needs and that nobody should have to invent.

Helm must not render random values: they would differ at every upgrade.
So a job makes each Secret once; what is there already is kept, what is missing is added.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Callable, Mapping

import nkeys
from argon2 import PasswordHasher

from gyeol.chassis import logs
from gyeol.chassis.errors import InvalidError
from gyeol.cluster.client import Cluster, Object
from gyeol.cluster.errors import GoneError
from gyeol.cluster.kind import Kind
from gyeol.cluster.permission import TRAFFIC, users
from gyeol.reconcile.manifest.name import MANAGER

SECRET = Kind("", "v1", "secrets", "Secret")
USERS = "users.conf"
TOKENS, TOKEN, SESSION_KEY = "tokens.yaml", "admin-token", "session.key"

Content = dict[str, bytes]

_log = logs.get()


def nats_users(known: Mapping[str, bytes]) -> Content:
    """A seed for each deployable, and the configuration by which a server knows them all.

    Raises:
      InvalidError: A known seed is not one.
    """
    seeds = {name: known.get(f"{name}.nk") or _seed() for name in TRAFFIC}
    keys = {name: _public(name, seed) for name, seed in seeds.items()}
    return {**{f"{name}.nk": seed for name, seed in seeds.items()}, USERS: users(keys).encode()}


def gateway_access(known: Mapping[str, bytes]) -> Content:
    """A first administrator's token beside its hash, and the key that signs sessions."""
    content = {SESSION_KEY: known.get(SESSION_KEY) or secrets.token_urlsafe(48).encode()}
    if TOKENS in known:
        return {**content, TOKENS: known[TOKENS]}
    token = f"gyeol_admin_{secrets.token_urlsafe(32).replace('_', '-')}"
    hashed = PasswordHasher(time_cost=1, memory_cost=8 * 1024, parallelism=1).hash(token)
    listed = f"tokens:\n  - name: admin\n    role: admin\n    hash: {hashed}\n"
    return {**content, TOKENS: listed.encode(), TOKEN: token.encode()}


async def provide(cluster: Cluster, namespace: str, name: str, make: Callable[[Mapping[str, bytes]], Content]) -> bool:
    """Makes a Secret, or adds what is missing in it.

    Args:
      cluster: The API server.
      namespace: Where the Secret is.
      name: Its name.
      make: From what it holds to what it should hold.

    Returns:
      Whether anything was written.

    Raises:
      ClusterError: The API server refuses.
      InvalidError: What the Secret holds cannot be used.
    """
    try:
        current = await cluster.get(SECRET, namespace, name)
    except GoneError:
        current = None
    known = {key: base64.b64decode(value) for key, value in ((current or {}).get("data") or {}).items()}
    wanted = make(known)
    if all(known.get(key) == value for key, value in wanted.items()):
        return False
    data = {key: base64.b64encode(value).decode() for key, value in wanted.items()}
    if current is None:
        await cluster.create(SECRET, _secret(namespace, name, data))
    else:
        await cluster.patch(SECRET, namespace, name, {"data": data})
    _log.info("secret_written", name=name, added=sorted(set(wanted) - set(known)))
    return True


def _secret(namespace: str, name: str, data: Mapping[str, str]) -> Object:
    labels = {"app.kubernetes.io/part-of": "gyeol", "app.kubernetes.io/managed-by": MANAGER}
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", "data": dict(data)}


def _seed() -> bytes:
    return bytes(nkeys.encode_seed(secrets.token_bytes(32), nkeys.PREFIX_BYTE_USER))


def _public(name: str, seed: bytes) -> str:
    try:
        return str(nkeys.from_seed(bytearray(seed.strip())).public_key.decode())
    except (nkeys.NkeysError, ValueError):
        raise InvalidError(
            f"{name}.nk is not the seed of an nkey; remove the key from the Secret, and a new one is made"
        ) from None
