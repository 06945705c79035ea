"""Reads a culture pack from its folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from gyeol.policy.domain import pack as packs
from gyeol.policy.domain.check import identity, wording
from gyeol.policy.domain.check.finding import Finding
from gyeol.policy.domain.check.reference import References
from gyeol.policy.domain.law import LawIndex
from gyeol.policy.domain.mold import MoldSet, Probe
from gyeol.policy.domain.policy import AttackStrategy, Norm, Policy, Population, Prompt
from gyeol.policy.domain.statute import Institution, InstitutionName, LawName, Statute
from gyeol.policy.domain.taxonomy import Domain, Rubric
from gyeol.policy.errors import PackInvalidError, PackMissingError
from gyeol.policy.store import index, schema
from gyeol.policy.store.document import Document, document

FILES: Mapping[str, str] = {
    "pack.yaml": "pack",
    "taxonomy.yaml": "taxonomy",
    "statutes.yaml": "statutes",
    "institutions.yaml": "institutions",
    "attacks.yaml": "attacks",
    "prompt.yaml": "prompt",
    "rubrics.yaml": "rubrics",
    "norms.yaml": "norms",
    "populations.yaml": "populations",
    "terms.yaml": "terms",
    "empathy.yaml": "empathy",
    "names.yaml": "names",
    "lexicon.yaml": "lexicon",
    "mcq.jsonl": "questions",
}
"""File name to schema."""

REQUIRED = frozenset(
    {"pack.yaml", "taxonomy.yaml", "statutes.yaml", "institutions.yaml", "attacks.yaml", "prompt.yaml"}
)

FOLDERS: Mapping[str, str] = {"molds": "molds", "policies": "policy", "probes": "probes"}
"""One file per category in each, named by its letter."""

INDEX_FOLDER = "law-index"


def read_documents(folder: Path) -> dict[str, Document]:
    """Returns the parsed files of a pack by their path below `folder`.

    Raises:
      PackMissingError: There is no pack.
      PackInvalidError: A file is missing or malformed; every finding of every file is in it.
    """
    if not (folder / "pack.yaml").is_file():
        raise PackMissingError(f"{folder} holds no culture pack: it has no pack.yaml")
    known = [*FILES, *(f"{name}/{path.name}" for name in FOLDERS for path in (folder / name).glob("*.yaml"))]
    findings = [f"{folder / name}: is missing: add it" for name in sorted(REQUIRED) if not (folder / name).is_file()]
    findings += [f"{path}: is no file of a pack: rename or remove it" for path in _strangers(folder, set(known))]
    documents: dict[str, Document] = {}
    for name in sorted(known):
        if not (folder / name).is_file():
            continue
        try:
            documents[name] = document(folder / name, folder)
        except PackInvalidError as error:
            findings += error.findings
        else:
            findings += schema.findings(documents[name], _schema_of(name))
    if findings:
        raise PackInvalidError(findings)
    return documents


@dataclass(frozen=True)
class Culture:
    """A pack together with the laws its answers are checked against."""

    pack: packs.Pack
    laws: LawIndex
    documents: Mapping[str, Document]

    def placed(self, finding: Finding) -> str:
        """Returns a finding as one line with its file and line."""
        document = self.documents.get(finding.file)
        return f"{document.place(finding.keys) if document else finding.file}: {finding.message}"


def read_culture(folder: Path, law_index: Path | None = None) -> Culture:
    """Reads a culture pack and a law index, its own by default, and checks what must hold before anybody may use them.

    Raises:
      PackMissingError: There is none.
      PackInvalidError: It breaks the format, or refers to nothing; every finding is in it.
      IndexInvalidError: The law index is damaged.
    """
    documents = read_documents(folder)
    laws, digest = index.read(law_index or folder / INDEX_FOLDER)
    culture = Culture(pack_of(documents, digest), laws, documents)
    findings = [*identity.findings(culture.pack), *wording.findings(culture.pack)]
    findings += References(culture.pack, laws.has_article).findings()
    if severe := [culture.placed(finding) for finding in findings if finding.severe]:
        raise PackInvalidError(severe)
    return culture


def read_cultures(folder: Path) -> dict[str, tuple[packs.Pack, LawIndex]]:
    """Reads every culture pack below `folder`, by name.

    Raises:
      PackMissingError: There is none.
      PackInvalidError: At least one breaks the format; the findings of all are in it.
    """
    cultures: dict[str, tuple[packs.Pack, LawIndex]] = {}
    findings: list[str] = []
    for manifest in sorted(folder.glob("*/pack.yaml")):
        try:
            culture = read_culture(manifest.parent)
        except PackInvalidError as error:
            findings += error.findings
        else:
            cultures[culture.pack.manifest.name] = (culture.pack, culture.laws)
    if findings:
        raise PackInvalidError(findings)
    if not cultures:
        raise PackMissingError(f"{folder} holds no culture pack: no folder in it has a pack.yaml")
    return cultures


def pack_of(documents: Mapping[str, Document], law_index: str) -> packs.Pack:
    """Puts valid documents together; `law_index` is the digest of the laws they are checked against."""
    data = {name: document.data for name, document in documents.items()}
    content = {**data, INDEX_FOLDER: law_index}
    policies = {name: raw for name, raw in data.items() if name.startswith("policies/")}
    return packs.Pack(
        manifest=_as(packs.Manifest, _without(data["pack.yaml"], "description_ko", "description_en")),
        digest=packs.content_digest(content),
        domains=_as(tuple[Domain, ...], data["taxonomy.yaml"]["domains"]),
        molds={_stem(name): _as(MoldSet, raw) for name, raw in data.items() if name.startswith("molds/")},
        probes={
            _stem(name): _as(tuple[Probe, ...], raw["probes"])
            for name, raw in data.items()
            if name.startswith("probes/")
        },
        policies={raw["category"]: _as(Policy, _spelled_out(raw)) for raw in policies.values()},
        policy_digests={raw["category"]: packs.content_digest(raw) for raw in policies.values()},
        rubrics=_as(dict[str, tuple[Rubric, ...]], data.get("rubrics.yaml", {})),
        statutes=_by_id(_as(tuple[Statute, ...], data["statutes.yaml"]["statutes"])),
        institutions=_by_id(_as(tuple[Institution, ...], data["institutions.yaml"]["institutions"])),
        populations=_by_id(_as(tuple[Population, ...], _list(data, "populations"))),
        norms=_by_id(_as(tuple[Norm, ...], _list(data, "norms"))),
        attacks=_as(tuple[AttackStrategy, ...], [_wrapped(raw) for raw in data["attacks.yaml"]["strategies"]]),
        prompt=_as(Prompt, data["prompt.yaml"]),
        terms=_as(tuple[packs.Term, ...], _list(data, "terms")),
        questions=_as(tuple[packs.Question, ...], data.get("mcq.jsonl", [])),
        empathy=_as(tuple[packs.EmpathyPrompt, ...], data.get("empathy.yaml", {}).get("prompts", [])),
        law_names=_as(tuple[LawName, ...], data.get("names.yaml", {}).get("laws", [])),
        institution_names=_as(tuple[InstitutionName, ...], data.get("names.yaml", {}).get("institutions", [])),
        markers=_as(tuple[packs.Marker, ...], data.get("lexicon.yaml", {}).get("markers", [])),
    )


def _spelled_out(policy: Mapping[str, Any]) -> dict[str, Any]:
    types = {kind: {part: _texts(lines) for part, lines in parts.items()} for kind, parts in policy["types"].items()}
    return {**policy, "types": types}


def _wrapped(strategy: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": strategy["id"], "wrappers": _texts(strategy["wrappers"])}


def _texts(lines: Iterable[Any]) -> list[Any]:
    """A sentence without conditions is written as its text alone."""
    return [{"text": line} if isinstance(line, str) else line for line in lines]


def _list(data: Mapping[str, Any], name: str) -> Any:
    return data.get(f"{name}.yaml", {}).get(name, [])


def _as(shape: Any, raw: Any) -> Any:
    """Builds frozen values from data that its schema has accepted."""
    return TypeAdapter(shape).validate_python(raw)


def _by_id(rows: Iterable[Any]) -> dict[str, Any]:
    return {row.id: row for row in rows}


def _without(raw: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in raw.items() if name not in names}


def _stem(name: str) -> str:
    return Path(name).stem


def _schema_of(name: str) -> str:
    return FILES[name] if name in FILES else FOLDERS[name.split("/")[0]]


def _strangers(folder: Path, known: set[str]) -> list[Path]:
    found = (path for path in folder.rglob("*") if path.is_file() and path.suffix in {".yaml", ".yml", ".jsonl"})
    return sorted(path for path in found if str(path.relative_to(folder)) not in known)
