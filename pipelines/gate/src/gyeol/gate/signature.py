"""Signatures over verdicts: Ed25519 over the exact bytes of `verdict.json`, kept beside it."""

from __future__ import annotations

import base64
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from gyeol.gate.error import GateError


def sign(verdict: Path, key: Path) -> Path:
    """Writes `<verdict>.sig` with the PEM private key at `key`.

    Raises:
      GateError: the key cannot be read or is not an Ed25519 key.
    """
    try:
        private = load_pem_private_key(key.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise GateError(f"{key}: not a PEM private key without password: {error}") from error
    if not isinstance(private, Ed25519PrivateKey):
        raise GateError(
            f"{key}: an Ed25519 key is needed; make one with: openssl genpkey -algorithm ed25519 -out {key}"
        )
    signature = verdict.with_name(verdict.name + ".sig")
    signature.write_text(base64.b64encode(private.sign(verdict.read_bytes())).decode() + "\n", encoding="ascii")
    return signature


def verified(verdict: Path, key: Path) -> bool:
    """Whether `<verdict>.sig` was made over these bytes by the owner of the PEM public key at `key`.

    Raises:
      GateError: the key or the signature cannot be read.
    """
    try:
        public = load_pem_public_key(key.read_bytes())
        signature = base64.b64decode(
            verdict.with_name(verdict.name + ".sig").read_text(encoding="ascii"), validate=True
        )
    except (OSError, ValueError) as error:
        raise GateError(f"{key}: the public key or the signature beside {verdict} cannot be read: {error}") from error
    if not isinstance(public, Ed25519PublicKey):
        raise GateError(f"{key}: an Ed25519 public key is needed")
    try:
        public.verify(signature, verdict.read_bytes())
    except InvalidSignature:
        return False
    return True
