"""What the law index says about a citation on a day."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from gyeol.chassis.josa import josa
from gyeol.policy.domain.citation.subject import Subject
from gyeol.policy.domain.citation.title import Designation, Entry, Titles
from gyeol.policy.domain.law import DELETED, ArticleSpan, LawIndex, name_key
from gyeol.policy.domain.pack import Pack
from gyeol.policy.domain.statute import Statute


class Verdict(enum.Enum):
    VERIFIED = "Verified"
    """The law and the article exist and are in force on the day."""
    NOT_IN_FORCE = "NotInForce"
    """They exist, but not on the day: repealed, deleted, struck down, renamed or not yet in force."""
    NOT_FOUND = "NotFound"
    UNCHECKED = "Unchecked"
    """It could not be looked up. Never counts as verified."""


@dataclass(frozen=True)
class Finding:
    """A verdict with its reason, for a person."""

    verdict: Verdict
    reason: str
    law: str = ""
    """Title of the law, or the name as written when there is none."""
    law_id: str = ""
    suggestion: str = ""
    """What to write instead; empty when nothing better is known."""
    heading: str = ""
    since: str = ""
    """ISO date from which the article is in force, when known."""


class Resolver:
    """Looks citations up in a pack and a law index."""

    def __init__(self, pack: Pack, laws: LawIndex, titles: Titles) -> None:
        self._pack = pack
        self._laws = laws
        self._titles = titles

    def finding(self, subject: Subject, article: str, on: str, part: str = "") -> Finding:
        """Returns the verdict on an article or a part of it (or, without one, on the law) on an ISO day."""
        if subject.designation is not None:
            found = self._designated(subject.designation, article, on)
            return _struck(found, subject.designation.entry.statute, article, part, on)
        if subject.unknown:
            return self._unknown(subject.unknown, article)
        return Finding(Verdict.UNCHECKED, subject.outside, subject.named)

    def _unknown(self, name: str, article: str) -> Finding:
        nearest = self._nearest(name)
        suggestion = f"{nearest} {article}".rstrip() if nearest else ""
        return Finding(
            Verdict.NOT_FOUND, f"‘{name}’{josa(name, '이라는', '라는')} 법은 없습니다.", name, suggestion=suggestion
        )

    def _designated(self, designation: Designation, article: str, on: str) -> Finding:
        entry = designation.entry
        law_id = entry.law.id if entry.law else (entry.statute.law_id or "" if entry.statute else "")
        titled = f"{entry.name} {article}".rstrip()
        if gone := self._gone(entry, on):
            return gone
        if designation.until and on >= designation.until:
            reason = f"지금은 이 이름을 쓰지 않습니다. ‘{entry.name}’{josa(entry.name, '으로', '로')} 바뀌었습니다."
            # Not its article: a law that takes another's place counts its articles anew.
            return Finding(Verdict.NOT_IN_FORCE, reason, entry.name, law_id, entry.name)
        if not article:
            found = Finding(Verdict.VERIFIED, "시행 중인 법입니다.", entry.name, law_id)
        else:
            found = self._article(entry, article, on)
        if found.verdict is Verdict.VERIFIED and not designation.exact:
            return Finding(
                found.verdict, found.reason, found.law, found.law_id, titled, heading=found.heading, since=found.since
            )
        return found

    def _gone(self, entry: Entry, on: str) -> Finding | None:
        law_id = entry.law.id if entry.law else ""
        repealed = (entry.statute.repealed_on if entry.statute else "") or (entry.law.repealed_on if entry.law else "")
        if repealed and on >= repealed:
            replaced = entry.statute.replaced_by if entry.statute else ()
            instead = ", ".join(self._pack.statutes[identifier].name_ko for identifier in replaced)
            return Finding(Verdict.NOT_IN_FORCE, f"{repealed}에 폐지된 법입니다.", entry.name, law_id, instead)
        since = entry.statute.since if entry.statute else ""
        since = since or (entry.law.since if entry.law else (entry.statute.effective or "" if entry.statute else ""))
        if since and on < since:
            return Finding(Verdict.NOT_IN_FORCE, f"{since}부터 시행되는 법입니다.", entry.name, law_id, since=since)
        return None

    def _article(self, entry: Entry, article: str, on: str) -> Finding:
        law_id = entry.law.id if entry.law else ((entry.statute.law_id or "") if entry.statute else "")
        noted = entry.statute.article(article) if entry.statute else None

        def found(verdict: Verdict, reason: str, heading: str = "", since: str = "", suggestion: str = "") -> Finding:
            return Finding(verdict, reason, entry.name, law_id, suggestion, heading, since)

        if noted and noted.status == "deleted":
            return found(Verdict.NOT_IN_FORCE, f"삭제된 조문입니다.{_note(noted.note_ko)}")
        if noted and noted.in_force_from > on:
            reason = f"{noted.in_force_from}부터 시행되는 조문입니다."
            return found(Verdict.NOT_IN_FORCE, reason, noted.heading_ko, noted.in_force_from)
        if entry.law and on < entry.law.held_from:
            return found(Verdict.UNCHECKED, f"{on}의 조문은 색인에 없습니다. 색인은 {entry.law.held_from}부터 압니다.")
        spans = self._laws.articles(law_id) if law_id else None
        if spans is None or article not in spans:
            if noted and noted.verified:
                return found(Verdict.VERIFIED, f"{noted.heading_ko}.{_note(noted.note_ko)}", noted.heading_ko)
            if spans is None:
                return found(Verdict.UNCHECKED, "이 법의 조문은 색인에 없습니다.")
            return found(Verdict.NOT_FOUND, f"{entry.name}에는 {article}{josa(article, '이', '가')} 없습니다.")
        span = next((span for span in spans[article] if span.covers(on)), None)
        if span is None:
            return self._outside(spans[article], on, found)
        if span.heading == DELETED:
            return found(Verdict.NOT_IN_FORCE, "삭제된 조문입니다.")
        later = (
            f" 최근 공포된 조문의 시행일은 {entry.law.effective}입니다."
            if entry.law and entry.law.effective > on
            else ""
        )
        reason = f"{span.heading or '시행 중인 조문입니다'}.{_note(noted.note_ko if noted else '')}{later}"
        return found(Verdict.VERIFIED, reason, span.heading, span.since)

    @staticmethod
    def _outside(spans: tuple[ArticleSpan, ...], on: str, found: Callable[..., Finding]) -> Finding:
        later = min((span.since for span in spans if span.since > on), default="")
        ended = max((span.until for span in spans if span.until and span.until <= on), default="")
        if later and not ended:
            return found(Verdict.NOT_IN_FORCE, f"{later}부터 시행되는 조문입니다.", spans[0].heading, later)
        return found(Verdict.NOT_IN_FORCE, f"{ended}에 없어진 조문입니다.")

    def _nearest(self, name: str) -> str:
        from rapidfuzz import fuzz, process  # here: most texts name no unknown law

        acts: Mapping[str, str] = self._titles.acts
        best = process.extractOne(name_key(name), acts.keys(), scorer=fuzz.ratio, score_cutoff=72)
        return acts[best[0]] if best else ""


def _struck(found: Finding, statute: Statute | None, article: str, part: str, on: str) -> Finding:
    """What a court took out of force is not verified by the words that still stand in the code.

    A citation that names more than the void part, or a part that is void in some cases only, cannot be decided.
    """
    noted = statute.article(article) if statute and article else None
    if noted is None or found.verdict is not Verdict.VERIFIED:
        return found
    for void in noted.void:
        if on < void.since:
            continue
        if part.startswith(void.part) and not void.partly:
            return replace(found, verdict=Verdict.NOT_IN_FORCE, reason=void.reason_ko, suggestion="")
        if part.startswith(void.part) or void.part.startswith(part):
            reason = f"어느 부분인지 적어야 알 수 있습니다. {void.reason_ko}"
            return replace(found, verdict=Verdict.UNCHECKED, reason=reason, suggestion="")
    return found


def _note(note: str) -> str:
    """A note that is a sentence says more than the heading; one that is not repeats it."""
    return f" {note.rstrip('.')}." if note.rstrip(".").endswith("다") else ""
