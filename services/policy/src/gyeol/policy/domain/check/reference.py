"""Every reference to a statute, article, office, group or norm leads somewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from gyeol.policy.domain.check.finding import Finding, Keys
from gyeol.policy.domain.pack import Pack
from gyeol.policy.domain.policy import Policy
from gyeol.policy.domain.statute import ArticleRef

ArticleKnown = Callable[[str, str], bool]
"""(law id, article) -> the law index has it and it is not deleted."""


@dataclass(frozen=True)
class References:
    """Resolves references of one pack against its registers and a law index."""

    pack: Pack
    article_known: ArticleKnown

    def findings(self) -> Iterator[Finding]:
        """Yields every reference that leads nowhere."""
        for category, policy in self.pack.policies.items():
            yield from self._policy(f"policies/{category}.yaml", policy)
        for category, probes in self.pack.probes.items():
            for index, probe in enumerate(probes):
                where: Keys = ("probes", index)
                yield from self._articles(f"probes/{category}.yaml", (*where, "statutes"), probe.statutes)
                yield from self._offices(f"probes/{category}.yaml", (*where, "institutions"), probe.institutions)
        for index, population in enumerate(self.pack.populations.values()):
            yield from self._articles("populations.yaml", ("populations", index, "framework"), population.framework)
        yield from self._registers()
        yield from self._letters()

    def _policy(self, file: str, policy: Policy) -> Iterator[Finding]:
        for index, use in enumerate(policy.statutes):
            keys: Keys = ("statutes", index)
            if not use.articles:
                yield from self._statute(file, (*keys, "statute"), use.statute)
            yield from self._articles(file, keys, [ArticleRef(use.statute, number) for number in use.articles])
        yield from self._offices(file, ("institutions",), policy.institutions)
        yield from self._members(file, ("populations",), policy.populations, self.pack.populations, "populations.yaml")
        yield from self._members(file, ("norms",), policy.norms, self.pack.norms, "norms.yaml")
        for kind, material in policy.types.items():
            for index, sentence in enumerate(material.law):
                keys = ("types", kind, "law", index)
                yield from self._articles(file, keys, [ArticleRef(sentence.statute, sentence.article)])
                if sentence.article not in sentence.text:
                    yield Finding(file, (*keys, "text"), f"does not name {sentence.article}: write the article number")
            for index, step in enumerate(material.next):
                if step.institution:
                    yield from self._offices(file, ("types", kind, "next", index, "institution"), [step.institution])

    def _articles(self, file: str, keys: Keys, refs: Iterable[ArticleRef]) -> Iterator[Finding]:
        for ref in refs:
            statute = self.pack.statutes.get(ref.statute)
            if statute is None or statute.status != "in-force":
                yield from self._statute(file, keys, ref.statute)
                continue
            known = statute.article(ref.article)
            if known is not None and known.status == "deleted":
                yield Finding(
                    file, keys, f"{statute.name_ko} {ref.article} is deleted: name the article that replaced it"
                )
            elif known is None and not self.article_known(statute.law_id or "", ref.article):
                yield Finding(
                    file,
                    keys,
                    f"{statute.name_ko} has no {ref.article} in statutes.yaml or the law index: correct the number",
                )

    def _statute(self, file: str, keys: Keys, identifier: str) -> Iterator[Finding]:
        statute = self.pack.statutes.get(identifier)
        if statute is None:
            yield Finding(file, keys, f"statute {identifier!r} is not in statutes.yaml: correct it or add the statute")
        elif statute.status != "in-force":
            instead = ", ".join(statute.replaced_by) or "a statute in force"
            yield Finding(file, keys, f"statute {identifier} is repealed: name {instead}")

    def _offices(self, file: str, keys: Keys, identifiers: Iterable[str]) -> Iterator[Finding]:
        for identifier in identifiers:
            office = self.pack.institutions.get(identifier)
            if office is None:
                yield Finding(
                    file, keys, f"institution {identifier!r} is not in institutions.yaml: correct it or add it"
                )
            elif office.status != "active":
                instead = ", ".join(office.replaced_by) or "an active one"
                yield Finding(file, keys, f"institution {identifier} is {office.status}: name {instead}")

    def _members(self, file: str, keys: Keys, ids: Iterable[str], known: Iterable[str], home: str) -> Iterator[Finding]:
        known = set(known)
        for index, identifier in enumerate(ids):
            if identifier not in known:
                yield Finding(file, (*keys, index), f"{identifier!r} is not in {home}: correct it or add it")

    def _registers(self) -> Iterator[Finding]:
        known = {register.id: register.answers for register in self.pack.prompt.registers}
        for category, policy in self.pack.policies.items():
            if not known.get(policy.register):
                usable = ", ".join(name for name, answers in known.items() if answers)
                message = f"{policy.register!r} is no register of answers in prompt.yaml: use one of {usable}"
                yield Finding(f"policies/{category}.yaml", ("register",), message)
        for letter, group in self.pack.molds.items():
            spoken = [mold.register for mold in group.molds]
            yield from self._spoken(f"molds/{letter}.yaml", "molds", spoken, known)
        for letter, probes in self.pack.probes.items():
            asked = [probe.register for probe in probes]
            yield from self._spoken(f"probes/{letter}.yaml", "probes", asked, known)

    def _spoken(self, file: str, key: str, registers: Iterable[str], known: Iterable[str]) -> Iterator[Finding]:
        known = list(known)
        for index, register in enumerate(registers):
            if register not in known:
                message = f"{register!r} is no register of prompt.yaml: use one of {', '.join(known)}"
                yield Finding(file, (key, index, "register"), message)

    def _letters(self) -> Iterator[Finding]:
        letters = {category.id for category in self.pack.categories()}
        for letter in sorted(set(self.pack.rubrics) - letters):
            yield Finding("rubrics.yaml", (letter,), f"{letter!r} is no category of taxonomy.yaml: correct it")
        for index, name in enumerate(self.pack.institution_names):
            if name.institution not in self.pack.institutions:
                yield Finding(
                    "names.yaml",
                    ("institutions", index),
                    f"{name.institution!r} is not in institutions.yaml: correct it",
                )
