"""Ed25519 signatures of packed cultures."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from gyeol.policy.errors import ImageInvalidError
from gyeol.policy.store.image import SIGNATURE, Image, attach, attached

_KEY_ID: Final = "dev.gyeol.signature.key"
_MAKE: Final = "make one with `openssl genpkey -algorithm ed25519 -out key.pem`"


def sign(image: Image, key: Path) -> str:
    """Signs the digest of a pack's manifest and returns the id of the key.

    Raises:
      ImageInvalidError: The file is no Ed25519 private key in PEM.
    """
    private = _load(key, load_private=True)
    if not isinstance(private, Ed25519PrivateKey):
        raise ImageInvalidError(f"{key}: is no Ed25519 private key: {_MAKE}")
    identifier = _key_id(private.public_key())
    signature = base64.b64encode(private.sign(_message(image))).decode()
    payload = {"subject": image.digest, "key": identifier, "signature": signature}
    attach(image, json.dumps(payload, sort_keys=True).encode(), SIGNATURE, {_KEY_ID: identifier})
    return identifier


def verify(image: Image, key: Path) -> str:
    """Returns the id of the key when one of the image's signatures was made with it.

    Raises:
      ImageInvalidError: The file is no Ed25519 public key, or no signature fits.
    """
    public = _load(key, load_private=False)
    if not isinstance(public, Ed25519PublicKey):
        raise ImageInvalidError(f"{key}: is no Ed25519 public key: `openssl pkey -in key.pem -pubout` prints it")
    identifier = _key_id(public)
    for payload in attached(image, SIGNATURE):
        signature = json.loads(payload)
        if signature["key"] != identifier:
            continue
        try:
            public.verify(base64.b64decode(signature["signature"]), _message(image))
        except InvalidSignature:
            break
        return identifier
    raise ImageInvalidError(
        f"{image.layout}: no signature by key {identifier} fits {image.digest}: do not use this image"
    )


def _message(image: Image) -> bytes:
    return f"gyeol culture pack {image.digest}".encode()


def _key_id(public: Ed25519PublicKey) -> str:
    return hashlib.sha256(public.public_bytes(Encoding.Raw, PublicFormat.Raw)).hexdigest()[:16]


def _load(key: Path, *, load_private: bool) -> object:
    try:
        content = key.read_bytes()
        return load_pem_private_key(content, password=None) if load_private else load_pem_public_key(content)
    except OSError as error:
        raise ImageInvalidError(f"{key}: cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
