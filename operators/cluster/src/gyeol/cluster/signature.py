"""Whether the pack that is served is the one that was signed.

The owner of the key signs the digest of an image's manifest; the manifest names the digest of the pack's content;
the policy service says which content it serves. All three have to fit.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from pathlib import Path, PurePosixPath

import aiohttp
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

from gyeol.chassis.chat.http import CheckedResolver
from gyeol.cluster.client import Cluster
from gyeol.cluster.credential import SECRET
from gyeol.cluster.errors import GoneError, ImageDamagedError, ImageUnreadableError, RefusedError
from gyeol.cluster.image import ARTIFACT, Image, Layout, digest_of
from gyeol.cluster.registry import Registry
from gyeol.cluster.settings import Settings
from gyeol.reconcile.culture import Signature
from gyeol.reconcile.pack import CulturePack

KEY = "pack.pub"
"""Entry of the Secret: a PEM public key."""
MOST = 32
"""Signatures of an image that are looked at."""
_CONTENT = "dev.gyeol.culture.digest"


class Signatures:
    """Checks signatures of culture packs.

    Args:
      cluster: The API server, which has the keys.
      settings: Where the artifact store is.
    """

    def __init__(self, cluster: Cluster, settings: Settings) -> None:
        self._cluster = cluster
        self._settings = settings

    async def look(self, pack: CulturePack, served: str) -> Signature | None:
        """What is known of the signature; None when the pack asks for none.

        Args:
          pack: The object.
          served: Digest of the content that the policy service serves.

        Raises:
          UnreachableError: The API server cannot be asked now.
        """
        if not pack.spec.source.public_key_ref:
            return None
        try:
            public = await self._key(pack)
            connector = aiohttp.TCPConnector(resolver=CheckedResolver())
            async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as http:
                return await checked_signature(self._image(pack, http), public, served)
        except ImageUnreadableError as error:
            return Signature("Unverified", str(error))

    async def _key(self, pack: CulturePack) -> Ed25519PublicKey:
        name, namespace = pack.spec.source.public_key_ref, pack.metadata.namespace
        where = f"the Secret {name} in the namespace {namespace}"
        make = f"kubectl create secret generic {name} --namespace {namespace} --from-file {KEY}=PUBLIC_KEY_FILE"
        try:
            data = (await self._cluster.get(SECRET, namespace, name)).get("data") or {}
            found = load_pem_public_key(base64.b64decode(data[KEY], validate=True))
        except GoneError:
            raise ImageUnreadableError(f"{where} is not there; make it: {make}") from None
        except RefusedError:
            raise ImageUnreadableError(
                f"{where} may not be read; list it in the chart's value cluster.packKeys"
            ) from None
        except (KeyError, ValueError, UnsupportedAlgorithm):
            found = None
        if not isinstance(found, Ed25519PublicKey):
            raise ImageUnreadableError(f"{where} holds no Ed25519 public key as {KEY}; make it anew: {make}")
        return found

    def _image(self, pack: CulturePack, http: aiohttp.ClientSession) -> Image:
        uri, settings = pack.spec.source.uri, self._settings
        scheme, _, rest = uri.partition(":")
        if scheme == "oci":
            return Registry(http, uri)
        if scheme == "configmap":
            raise ImageUnreadableError(
                "a ConfigMap carries no signature; name a signed image, or leave publicKeyRef out"
            )
        claim, _, path = rest.strip("/").partition("/")
        own = settings.artifacts == f"pvc://{claim}" and pack.metadata.namespace == settings.lease_namespace
        if not own or ".." in PurePosixPath(path).parts:
            raise ImageUnreadableError(f"{uri} is not on the claim that the operator sees; name an image of a registry")
        return Layout(Path(settings.artifacts_folder, path))


async def checked_signature(image: Image, public: Ed25519PublicKey, served: str) -> Signature:
    """What is to be said of an image's signature.

    Args:
      image: The image.
      public: The key that must have signed it.
      served: Digest of the content that is served.

    Raises:
      ImageUnreadableError: The image cannot be read now.
    """
    raw = public.public_bytes(Encoding.Raw, PublicFormat.Raw)
    key = hashlib.sha256(raw).hexdigest()[:16]
    try:
        manifest = await image.manifest()
        digest = digest_of(manifest)
        if not await _signed(image, digest, public, key):
            return Signature(
                "Invalid", f"no signature by the key {key} fits the image {digest}; sign it, or do not use it"
            )
        content = _content(manifest)
    except ImageDamagedError as error:
        return Signature("Invalid", str(error))
    if content != served:
        return Signature(
            "Invalid",
            f"the image {digest} that was signed holds {content}, but the policy service has {served}; mount it",
        )
    return Signature("Verified", f"the image {digest} was signed with the key {key}")


async def _signed(image: Image, digest: str, public: Ed25519PublicKey, key: str) -> bool:
    for one in (await image.referring(digest))[:MOST]:
        try:
            found = json.loads(await image.manifest(one))
            if found["subject"]["digest"] != digest:
                continue
            payload = json.loads(await image.blob(found["layers"][0]["digest"]))
            if payload["key"] != key:
                continue
            public.verify(
                base64.b64decode(payload["signature"], validate=True), f"gyeol culture pack {digest}".encode()
            )
        except (ValueError, KeyError, TypeError, IndexError, binascii.Error, InvalidSignature):
            continue  # what somebody else attached is no reason to doubt the owner's own
        return True
    return False


def _content(manifest: bytes) -> str:
    """Digest of the pack's content, as a signed manifest names it."""
    try:
        found = json.loads(manifest)
        if found["artifactType"] == ARTIFACT:
            return str(found["annotations"][_CONTENT])
    except (ValueError, KeyError, TypeError):
        pass
    raise ImageDamagedError("what was signed is not the image of a culture pack; do not use it")
