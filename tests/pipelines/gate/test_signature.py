"""A verdict is signed over its exact bytes, and a changed one is found out."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from typer.testing import CliRunner

from gyeol.gate.command import command
from support.evaluation import evaluation, rows


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    private = Ed25519PrivateKey.generate()
    (tmp_path / "key.pem").write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "public.pem").write_bytes(public)
    return tmp_path / "key.pem", tmp_path / "public.pem"


def run(tmp_path: Path, key: Path) -> tuple[int, Path]:
    side = evaluation(tmp_path / "side", rows("cultural-safety", "safe", [1.0] * 20))
    arguments = ["run", "--baseline", str(side), "--candidate", str(side), "--policy", "ko-default"]
    ended = CliRunner().invoke(command, [*arguments, "--output", str(tmp_path / "out"), "--signing-key", str(key)])
    return ended.exit_code, tmp_path / "out" / "verdict.json"


def test_a_signed_verdict_is_verified_until_somebody_changes_it(tmp_path: Path, keys: tuple[Path, Path]) -> None:
    private, public = keys
    code, verdict = run(tmp_path, private)
    assert code == 0
    base64.b64decode(verdict.with_name("verdict.json.sig").read_bytes(), validate=True)
    check = ["verify", str(verdict), "--key", str(public)]
    assert CliRunner().invoke(command, check).exit_code == 0
    verdict.write_text(verdict.read_text(encoding="utf-8").replace("Inconclusive", "Pass"), encoding="utf-8")
    changed = CliRunner().invoke(command, check)
    assert (changed.exit_code, "BAD signature" in changed.output) == (3, True)


def test_a_key_that_cannot_sign_is_refused_before_anything_is_judged(tmp_path: Path, keys: tuple[Path, Path]) -> None:
    code, verdict = run(tmp_path, keys[1])
    assert code == 2
    assert not verdict.exists()


def test_a_verdict_without_a_signature_is_not_verified(tmp_path: Path, keys: tuple[Path, Path]) -> None:
    private, public = keys
    _, verdict = run(tmp_path, private)
    verdict.with_name("verdict.json.sig").unlink()
    assert CliRunner().invoke(command, ["verify", str(verdict), "--key", str(public)]).exit_code == 2
