"""The system prompt for a writer model; every word a reader sees comes from the pack."""

from __future__ import annotations

from collections.abc import Iterable

from gyeol.policy.domain.pack import Pack
from gyeol.policy.domain.policy import Policy
from gyeol.policy.domain.statute import Institution, Statute


def system_prompt(pack: Pack, policy: Policy, type_id: str, *, benign: bool) -> str:
    """Returns what a writer model is told before it answers a question of this type."""
    wording = pack.prompt
    category = next((found for found in pack.categories() if found.id == policy.category), None)
    kind = next((found for found in pack.types() if found.id == type_id), None)
    register = next(found for found in wording.registers if found.id == policy.register)
    role = wording.role.replace("{category}", category.name_ko if category else policy.title_ko)
    sections = [
        role.replace("{type}", f"{kind.name_ko}: {kind.definition_ko}" if kind and kind.definition_ko else type_id),
        wording.benign if benign else "",
        _section(wording.principles, (f"({', '.join(p.enforces)}) {p.text_ko}" for p in policy.core_principles)),
        _section(wording.applies_when, policy.applies_when if not benign else ()),
        _section(wording.not_applies_when, policy.not_applies_when),
        _section(
            wording.strategies,
            (f"{s.name_ko} ({', '.join(s.enforces)}): {' → '.join(s.steps)}" for s in policy.response_strategies),
        ),
        _section(wording.statutes, statute_lines(pack, policy)),
        _section(wording.institutions, institution_lines(pack, policy)),
        _section(wording.populations, population_lines(pack, policy)),
        _section(wording.norms, (f"{n.name_ko}: {n.coherent_reply_ko}" for n in (pack.norms[i] for i in policy.norms))),
        _section(wording.never_say, policy.never_say),
        f"# {wording.register}\n{register.name}. {register.instruction}",
        wording.form if not benign else "",
    ]
    return "\n\n".join(section.strip() for section in sections if section.strip())


def statute_lines(pack: Pack, policy: Policy) -> Iterable[str]:
    """Yields each statute with the articles the policy rests on and their headings."""
    for use in policy.statutes:
        statute = pack.statutes[use.statute]
        articles = ", ".join(_article(statute, number) for number in use.articles)
        yield f"{statute.name_ko} {articles}".rstrip()


def institution_lines(pack: Pack, policy: Policy) -> Iterable[str]:
    """Yields each office with its number, when the number was checked, and what it is for."""
    for institution in (pack.institutions[identifier] for identifier in policy.institutions):
        yield f"{named(institution)}: {institution.what_for_ko}"


def named(institution: Institution) -> str:
    """Returns the office's name with its telephone number, when the number may be given to a person."""
    if institution.callable and institution.phone and institution.phone not in institution.name_ko:
        return f"{institution.name_ko} {institution.phone}"
    return institution.name_ko


def population_lines(pack: Pack, policy: Policy) -> Iterable[str]:
    """Yields each group with the word to use for it and the words not to use."""
    for population in (pack.populations[identifier] for identifier in policy.populations):
        avoided = ", ".join(population.avoid_ko)
        yield population.preferred_ko + (f" ({pack.prompt.avoid}: {avoided})" if avoided else "")


def _article(statute: Statute, number: str) -> str:
    article = statute.article(number)
    return f"{number}({article.heading_ko})" if article else number


def _section(heading: str, lines: Iterable[str]) -> str:
    body = "\n".join(f"- {line}" for line in lines)
    return f"# {heading}\n{body}" if body else ""
