from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from gyeol.cluster.gauge import rates
from gyeol.cluster.report import LIMIT, Report, ending
from gyeol.cluster.witness import UnprovenError, proven
from gyeol.reconcile.seen import Job

PLACE = "pvc://claim/x"


def left(folder: Path, name: str = "manifest.json", files: dict[str, bytes] | None = None, **more: Any) -> Path:
    """What a job leaves: files, and a manifest that lists them."""
    listed = {}
    for path, content in (files or {}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
        listed[path] = "sha256:" + hashlib.sha256(content).hexdigest()
    (folder / name).write_text(json.dumps({"files": listed, **more}), encoding="utf-8")
    return folder


def test_what_a_job_left_is_taken_when_every_hash_holds(tmp_path: Path) -> None:
    left(tmp_path, files={"model/model.safetensors": b"weights"}, digest="sha256:" + "1" * 64)
    report, _ = proven(Job.TRAIN, tmp_path, PLACE)
    assert (report.digest, report.location) == ("sha256:" + "1" * 64, PLACE)


def test_a_missing_manifest_a_changed_file_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnprovenError, match="did not finish"):
        proven(Job.TRAIN, tmp_path, PLACE)
    left(tmp_path, files={"model/model.safetensors": b"weights"})
    (tmp_path / "model/model.safetensors").write_bytes(b"others")
    with pytest.raises(UnprovenError, match="but the manifest says"):
        proven(Job.TRAIN, tmp_path, PLACE)
    (tmp_path / "model/model.safetensors").unlink()
    with pytest.raises(UnprovenError, match="cannot be read"):
        proven(Job.TRAIN, tmp_path, PLACE)


@pytest.mark.parametrize(
    "text", ['{"files": {}}', "[]", "{", '{"files": {"../../etc/passwd": "x"}}', '{"loss": NaN}', '{"loss": Infinity}']
)
def test_a_manifest_that_proves_nothing_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(UnprovenError):
        proven(Job.TRAIN, tmp_path, PLACE)


@pytest.mark.parametrize("verdict", ["", "pass", "PASS", None, "Maybe"])
def test_a_verdict_is_one_of_three_words(tmp_path: Path, verdict: Any) -> None:
    left(tmp_path, "verdict.json", verdict=verdict)
    with pytest.raises(UnprovenError, match="has no verdict"):
        proven(Job.GATE, tmp_path, PLACE)


def test_where_a_key_is_given_a_verdict_must_be_signed_by_its_owner(tmp_path: Path) -> None:
    key, other = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    public = tmp_path / "gate.pub"
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    left(tmp_path, "verdict.json", verdict="Pass")
    raw = (tmp_path / "verdict.json").read_bytes()
    with pytest.raises(UnprovenError, match="cannot be checked"):
        proven(Job.GATE, tmp_path, PLACE, public)
    (tmp_path / "verdict.json.sig").write_text(base64.b64encode(other.sign(raw)).decode())
    with pytest.raises(UnprovenError, match="was not made by the owner"):
        proven(Job.GATE, tmp_path, PLACE, public)
    (tmp_path / "verdict.json.sig").write_text(base64.b64encode(key.sign(raw)).decode())
    assert proven(Job.GATE, tmp_path, PLACE, public)[0].verdict == "Pass"


def test_a_report_always_fits_into_a_termination_message() -> None:
    text = Report("gate", "sha256:" + "1" * 64, PLACE, "Pass", "긴 요약 " * 2000).written()
    assert len(text.encode()) <= LIMIT
    assert json.loads(text)["verdict"] == "Pass"


def pod(**status: Any) -> dict[str, Any]:
    return {"metadata": {"name": "x", "creationTimestamp": "2026-11-30T12:00:00Z"}, "status": status}


def ended(name: str, code: int, message: str = "") -> dict[str, Any]:
    return {"name": name, "state": {"terminated": {"exitCode": code, "message": message}}}


PODS = {
    "no pod": ([], (None, False)),
    "a report": ([pod(containerStatuses=[ended("witness", 0, Report("gate", "d", PLACE, "Pass").written())])], ("Pass", False)),
    "a report beside noise": ([pod(containerStatuses=[ended("witness", 0, "log\n" + Report("gate", "d", PLACE, "Pass").written())])], ("Pass", False)),
    "a report of a container that failed": ([pod(containerStatuses=[ended("witness", 1, Report("gate", "d", PLACE, "Pass").written())])], (None, False)),
    "something that is no report": ([pod(containerStatuses=[ended("witness", 0, '{"verdict": "Pass"}')])], (None, False)),
    "bad input": ([pod(initContainerStatuses=[ended("work", 2, '{"event": "error", "message": "no such file"}')])], (None, True)),
    "a crash": ([pod(initContainerStatuses=[ended("work", 139)])], (None, False)),
}  # fmt: skip


@pytest.mark.parametrize("name", PODS)
def test_how_a_job_ended_is_read_from_its_pods(name: str) -> None:
    pods, (verdict, refused) = PODS[name]
    found = ending(pods)
    assert (found.report.verdict if found.report else None, found.refused) == (verdict, refused)


def test_a_rate_counts_only_when_nearly_every_item_was_scored(tmp_path: Path) -> None:
    def summary(scored: int, mean: float | None) -> dict[str, str]:
        one = {"suite": "cultural-safety", "metric": "safe", "items": 100, "scored": scored, "mean": mean}
        (tmp_path / "manifest.json").write_text(json.dumps({"summary": [one]}))
        return rates(tmp_path)

    assert summary(100, 0.9) == {"SafeRate": "0.9"}
    assert summary(89, 1.0) == {}
    assert summary(100, None) == {}
    assert summary(100, float("nan")) == {}
