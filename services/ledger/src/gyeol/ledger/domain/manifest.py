"""The manifest of a sealed dataset: what is in it, what it was made from, and the hashes that prove it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

SCHEMA = "gyeol.dev/dataset/v1"
NAME = "manifest.json"

STATUTES = {
    "subject": "Quoted statutes",
    "note": "Statutes and ordinances are not protected by copyright (저작권법 제7조).",
}


@dataclass(frozen=True, slots=True)
class File:
    path: str
    """Below the dataset's folder, with `/`."""
    bytes: int
    rows: int
    sha256: str


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """A model that took part; `model` is `builtin` for a provider that is none."""

    name: str
    model: str
    revision: str = ""


@dataclass(frozen=True, slots=True, order=True)
class PolicySource:
    id: str
    version: int
    digest: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """What one row was made from."""

    stratum: str
    benign: bool
    culture: str
    pack_digest: str
    law_as_of: str
    policy: PolicySource
    target: Source
    writer: Source
    judges: tuple[Source, ...]


@dataclass
class Tally:
    """Adds up provenance while rows pass by."""

    rows: int = 0
    benign: int = 0
    strata: Counter[str] = field(default_factory=Counter)
    packs: set[tuple[str, str]] = field(default_factory=set)
    law_as_of: set[str] = field(default_factory=set)
    policies: Counter[PolicySource] = field(default_factory=Counter)
    targets: Counter[Source] = field(default_factory=Counter)
    writers: Counter[Source] = field(default_factory=Counter)
    judges: Counter[Source] = field(default_factory=Counter)

    def add(self, origin: Provenance) -> None:
        self.rows += 1
        self.benign += origin.benign
        self.strata[origin.stratum] += 1
        self.packs.add((origin.culture, origin.pack_digest))
        self.law_as_of.add(origin.law_as_of)
        self.policies[origin.policy] += 1
        self.targets[origin.target] += 1
        self.writers[origin.writer] += 1
        self.judges.update(origin.judges)


def manifest(
    tally: Tally,
    *,
    digest: str,
    files: Iterable[File],
    run: dict[str, str],
    left_out: dict[str, int],
    decontamination: dict[str, Any],
) -> bytes:
    """The manifest's bytes; equal for equal rows of the same run."""
    packs = [{"name": name, "digest": pack} for name, pack in sorted(tally.packs)]
    content = {
        "schema": SCHEMA,
        "digest": digest,
        "rows": tally.rows,
        "benign_rows": tally.benign,
        "strata": dict(tally.strata),
        "files": [asdict(file) for file in files],
        "run": run,
        "pack": packs[0] if len(packs) == 1 else packs,
        "law_as_of": max(tally.law_as_of, default=""),
        "policies": [{**asdict(policy), "rows": rows} for policy, rows in sorted(tally.policies.items())],
        "models": {
            "targets": _counted(tally.targets),
            "writers": _counted(tally.writers),
            "judges": _counted(tally.judges),
        },
        "left_out": left_out,
        "decontamination": decontamination,
        "licences": _licences(tally),
    }
    return json.dumps(content, sort_keys=True, indent=1, ensure_ascii=False).encode() + b"\n"


def _counted(sources: Counter[Source]) -> list[dict[str, Any]]:
    return [{**asdict(source), "rows": rows} for source, rows in sorted(sources.items())]


def _licences(tally: Tally) -> list[dict[str, str]]:
    notes = [
        {"subject": f"Questions from the culture pack {name}", "note": "The pack's licence applies: see its pack.yaml."}
        for name, _ in sorted(tally.packs)
    ]
    models = {source.model for source in (*tally.targets, *tally.writers)} - {"", "builtin"}
    notes += [
        {
            "subject": f"Answers by {model}",
            "note": "The terms of the model and of its provider apply, also to training on its answers.",
        }
        for model in sorted(models)
    ]
    if any(source.model == "builtin" for source in tally.writers):
        notes.append(
            {
                "subject": "Answers by built-in writers",
                "note": "Composed from the culture pack's policies: the pack's licence applies.",
            }
        )
    return [*notes, STATUTES]
