"""Signatures over verdicts: Ed25519 over the exact bytes of `verdict.json`, kept beside it."""

from __future__ import annotations

import base64
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from gyeol.gate.error import GateError


def signing_key(path: Path) -> Ed25519PrivateKey:
    """The private key in a PEM file.

    Raises:
      GateError: the key cannot be read or is not an Ed25519 key.
    """
    try:
        private = load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise GateError(f"{path}: not a PEM private key without password: {error}") from error
    if not isinstance(private, Ed25519PrivateKey):
        raise GateError(
            f"{path}: an Ed25519 key is needed; make one with: openssl genpkey -algorithm ed25519 -out {path}"
        )
    return private


def sign(verdict: Path, key: Ed25519PrivateKey) -> Path:
    """Writes `<verdict>.sig`: base64 and nothing after it, because strict readers take a line break for damage."""
    signature = verdict.with_name(verdict.name + ".sig")
    signature.write_text(base64.b64encode(key.sign(verdict.read_bytes())).decode(), encoding="ascii")
    return signature


def verified(verdict: Path, key: Path) -> bool:
    """Whether `<verdict>.sig` was made over these bytes by the owner of the PEM public key at `key`.

    Raises:
      GateError: the key or the signature cannot be read.
    """
    try:
        public = load_pem_public_key(key.read_bytes())
    except (OSError, ValueError) as error:
        raise GateError(f"{key}: not a PEM public key: {error}") from error
    beside = verdict.with_name(verdict.name + ".sig")
    try:
        signature = base64.b64decode(beside.read_text(encoding="ascii").strip(), validate=True)
    except (OSError, ValueError) as error:
        raise GateError(
            f"{beside}: no signature can be read: {error}; the gate writes one with --signing-key"
        ) from error
    if not isinstance(public, Ed25519PublicKey):
        raise GateError(f"{key}: an Ed25519 public key is needed")
    try:
        public.verify(signature, verdict.read_bytes())
    except InvalidSignature:
        return False
    return True
