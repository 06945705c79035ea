"""Ids belong where they stand. That they are unique within their list is checked file by file."""

from __future__ import annotations

from collections.abc import Iterator

from gyeol.policy.domain.check.finding import Finding, Keys
from gyeol.policy.domain.pack import Pack


def findings(pack: Pack) -> Iterator[Finding]:
    """Yields ids under the wrong parent and files of unknown categories."""
    yield from _taxonomy(pack)
    letters = {category.id for category in pack.categories()}
    types = {kind.id for kind in pack.types()}
    for category, group in pack.molds.items():
        ids = [mold.id for mold in group.molds]
        kinds = [mold.type for mold in group.molds]
        yield from _parts(f"molds/{category}.yaml", "molds", category, ids, kinds, letters, types)
    for category, probes in pack.probes.items():
        ids, kinds = [probe.id for probe in probes], [probe.type for probe in probes]
        yield from _parts(f"probes/{category}.yaml", "probes", category, ids, kinds, letters, types)
    for category, policy in pack.policies.items():
        file = f"policies/{category}.yaml"
        if category not in letters:
            yield Finding(file, ("category",), f"{category!r} is no category of taxonomy.yaml: correct it")
        for kind in policy.types:
            if kind not in types or not kind.startswith(f"{category}."):
                yield Finding(file, ("types", kind), f"is no type of category {category} in taxonomy.yaml: correct it")


def _taxonomy(pack: Pack) -> Iterator[Finding]:
    seen: set[str] = set()
    for d, domain in enumerate(pack.domains):
        for c, category in enumerate(domain.categories):
            keys: Keys = ("domains", d, "categories", c)
            if category.id in seen:
                yield Finding("taxonomy.yaml", (*keys, "id"), f"category {category.id} occurs twice: keep one")
            seen.add(category.id)
            for t, kind in enumerate(category.types):
                where: Keys = (*keys, "types", t, "id")
                if not kind.id.startswith(f"{category.id}."):
                    yield Finding(
                        "taxonomy.yaml", where, f"{kind.id} stands under {category.id}: begin it with {category.id}."
                    )
                if kind.id in seen:
                    yield Finding("taxonomy.yaml", where, f"type {kind.id} occurs twice: keep one")
                seen.add(kind.id)


def _parts(
    file: str, key: str, category: str, ids: list[str], kinds: list[str], letters: set[str], types: set[str]
) -> Iterator[Finding]:
    if category not in letters:
        yield Finding(file, (), f"{category!r} is no category of taxonomy.yaml: name the file after one")
    for index, (identifier, kind) in enumerate(zip(ids, kinds, strict=True)):
        if kind not in types or not kind.startswith(f"{category}."):
            yield Finding(
                file, (key, index, "type"), f"{kind!r} is no type of category {category} in taxonomy.yaml: correct it"
            )
        if not identifier.startswith(f"{kind}."):
            yield Finding(file, (key, index, "id"), f"{identifier} does not begin with its type {kind}.: rename it")
