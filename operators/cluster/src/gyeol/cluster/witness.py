"""Looks at what a job left, and reports only what holds.

Every manifest lists its files with their hashes; all of them are recomputed here, in another container than the one that wrote them.
A verdict is taken only when the gate wrote one of the three, and, where a key is given, when its signature is the gate's.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gyeol.chassis.errors import InvalidError
from gyeol.cluster.report import Report
from gyeol.reconcile.seen import Job

VERDICTS = ("Pass", "Fail", "Inconclusive")
_MANIFEST = {Job.PREFLIGHT: "preflight.json", Job.GATE: "verdict.json"}
_FILES = ("files", "outputs", "shards")
"""Where manifests list their files."""


class UnprovenError(InvalidError):
    """What a job left does not hold; the text says what and where."""


def manifest_file(job: Job) -> str:
    """The file that a job writes last."""
    return _MANIFEST.get(job, "manifest.json")


def proven(job: Job, folder: Path, location: str, public_key: Path | None = None) -> tuple[Report, str]:
    """The report on what lies in a folder, and the manifest's text.

    Args:
      job: Who left it.
      folder: Where it lies.
      location: Address by which others find it.
      public_key: PEM public key of the gate; None: signatures are not asked for.

    Raises:
      UnprovenError: The manifest is missing or unreadable, a file is missing or another one, a number is none, a signature is wrong.
    """
    path = folder / manifest_file(job)
    try:
        raw = path.read_bytes()
        found = json.loads(raw, parse_constant=_not_finite)
    except FileNotFoundError:
        raise UnprovenError(f"{path} is not there: the job did not finish its work") from None
    except ValueError as error:
        raise UnprovenError(f"{path} is not what a job writes: {error}") from None
    if not isinstance(found, dict):
        raise UnprovenError(f"{path} is not a manifest")
    count = _verify(found, folder)
    if job in (Job.WEIGHTS, Job.TRAIN) and not count:
        raise UnprovenError(f"{path} lists no file; a model has at least one")
    own = "sha256:" + hashlib.sha256(raw).hexdigest()
    verdict = str(found.get("verdict", "")) if job is Job.GATE else ""
    if job is Job.GATE:
        if verdict not in VERDICTS:
            raise UnprovenError(f"{path} has no verdict: {verdict!r} is none of {', '.join(VERDICTS)}")
        if public_key is not None:
            _check_signature(path, raw, public_key)
    summary = found.get("summary")
    told = summary if isinstance(summary, str) else ""
    values = (
        {key: str(found[key]) for key in ("url", "commit", "reason") if found.get(key)} if job is Job.PROMOTE else None
    )
    return Report(job.value, str(found.get("digest") or own), location, verdict, told, values), raw.decode()


def _verify(manifest: Mapping[str, Any], folder: Path) -> int:
    count = 0
    for name, wanted in _listed(manifest):
        path = (folder / name).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise UnprovenError(f"{name} lies outside of {folder}")
        try:
            with path.open("rb") as file:
                real = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise UnprovenError(f"{path} cannot be read: {error.strerror}") from None
        if real != wanted.removeprefix("sha256:"):
            raise UnprovenError(f"{path} has digest sha256:{real}, but the manifest says {wanted}")
        count += 1
    return count


def _listed(manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Files and their hashes, in the forms that manifests use."""
    for key in _FILES:
        files = manifest.get(key)
        if isinstance(files, Mapping):
            for name, one in files.items():
                yield str(name), str(one.get("sha256") if isinstance(one, Mapping) else one)
        elif isinstance(files, list):
            for one in files:
                yield str(one.get("path") or one.get("name")), str(one.get("sha256") or one.get("digest"))


def _not_finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a number that was measured")
    return value


def _check_signature(path: Path, raw: bytes, key: Path) -> None:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    signature = path.with_name(path.name + ".sig")
    try:
        public = load_pem_public_key(key.read_bytes())
        if not isinstance(public, Ed25519PublicKey):
            raise UnprovenError(f"{key} is not an Ed25519 public key")
        public.verify(base64.b64decode(signature.read_text(encoding="ascii"), validate=True), raw)
    except InvalidSignature:
        raise UnprovenError(f"{signature} was not made by the owner of {key}") from None
    except (OSError, ValueError) as error:
        raise UnprovenError(f"the signature {signature} cannot be checked: {error}") from None
