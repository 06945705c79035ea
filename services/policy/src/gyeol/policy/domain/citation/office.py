"""Offices and their telephone numbers in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from gyeol.chassis.josa import josa
from gyeol.policy.domain.citation.folding import squeezed
from gyeol.policy.domain.citation.verdict import Finding, Verdict
from gyeol.policy.domain.law import name_key
from gyeol.policy.domain.pack import Pack
from gyeol.policy.domain.statute import Institution


@dataclass(frozen=True)
class OfficeMention:
    """An office, its number or both at a place of the folded text."""

    start: int
    end: int
    institution: str
    """Name of the office; empty when none is known."""
    finding: Finding


@dataclass(frozen=True)
class _Claim:
    """What a name or a number stands for."""

    office: Institution
    until: str = ""
    """ISO date on which it stopped being right; empty: it still is."""


_PHONE: Final = re.compile(
    r"(?<![\d\-./])(?:0\d{1,2}-\d{3,4}-\d{4}|1[5-9]\d{2}-\d{4}|1\d{2,3})(?![\d\-/]|\.\d|\s*(?:명|원|년|개|건|회|쪽|조|호|항|일|월|위|%|시간|분|주|세|살|배|동|층|km|kg|차|번째|여))"
)
_LONG: Final = 8
_CUE_BEFORE: Final = re.compile(
    r"(?:전화|번호|상담|신고|콜센터|센터|콜|☎|☏|📞|국번\s?없이|문의|연락|핫라인|긴급|tel\.?|TEL\.?|지역번호)[^\d.!?\n]{0,14}$"
)
_CUE_AFTER: Final = re.compile(
    r"[)」'\"]?\s*(?:번(?:으로|에|을|이나|과|로)?(?![가-힣])|\(?국번|(?:으로|로|에)\s?(?:전화|연락|신고|문의|상담|알리|도움|걸|바로|먼저|물어)|에서\s?(?:상담|도움|안내))"
)
_BETWEEN: Final = re.compile(
    r"[」'\")\]]*\s*(?:\(?\s*(?:☎|☏|📞|전화(?:번호)?|국번\s?없이|번호는?|대표번호|상담전화)?\s*[:：]?\s*)[(「'\"]?\s*"
)
_FOLLOWED: Final = re.compile(
    r"(?:은|는|이|가|을|를|의|과|와|도|만|로|으로|에|나|인|란|장|측|쪽|엔)(?![가-힣])"
    r"|에(?:서|는|도|만|게|요|도)|(?:으로|로)(?:는|도|부)|이(?:나|란|라|며|고|지|었|에|랑)|입니|예요|까지|부터|보다|처럼|만으|위원|장관|장은|장이|장에|장을|장의|과는|와는|\d"
)
_GONE: Final = re.compile(
    r"[」'\")]*(?:[은는이가을를도의]\s*)?(?:20\d\d년\s*)?(?:\d+월\s*(?:\d+일)?\s*)?(?:에\s*|부터\s*|이미\s*)?(?:폐지|없어|사라|바뀌|바뀐|개편|통합되)"
)
_FORMER: Final = re.compile(r"(?<![가-힣])(?:구|옛|종전의?|예전의?|과거의?|폐지된|없어진)\s*[「'\"(]*$")
_PHONE_FORM: Final = re.compile(r"^(?:0\d{1,2}-\d{3,4}-\d{4}|1[5-9]\d{2}-\d{4}|1\d{2,3})$")
_SHORTEST: Final = 3
"""Syllables of a name that is found without its number."""
_LINE: Final = re.compile(r"(?:전화|콜|상담|신고)$")
"""Names of telephone lines: another number after such a name is wrong, after an office's it may be another desk's."""
_PREFIXED: Final = 3
"""Stale names of so many syllables are also found at the end of a longer word: 서울중앙지방검찰청."""


class Offices:
    """Finds the offices of a pack, their old names, and telephone numbers."""

    def __init__(self, pack: Pack) -> None:
        self._names: dict[str, _Claim] = {}
        self._phones: dict[str, _Claim] = {}
        named = (
            (entry.name, _Claim(pack.institutions[entry.institution], entry.until)) for entry in pack.institution_names
        )
        for name, claim in (*named, *_own_names(pack), *_stale_names(pack)):
            if _PHONE_FORM.match(name):
                self._phones.setdefault(name, claim)
            else:
                self._names.setdefault(name_key(name), claim)
        for office in pack.institutions.values():
            if office.phone and office.status == "active":
                held = self._phones.get(office.phone)
                if held is None or (
                    not held.until and office.phone in office.name_ko and office.phone not in held.office.name_ko
                ):
                    self._phones[office.phone] = _Claim(office)

    @cached_property
    def _lengths(self) -> dict[str, list[int]]:
        lengths: dict[str, set[int]] = {}
        for key in self._names:
            lengths.setdefault(key[-1], set()).add(len(key))
        return {last: sorted(found, reverse=True) for last, found in lengths.items()}

    def mentions(self, text: str, on: str) -> list[OfficeMention]:
        """Returns every office and number in a folded text, in order."""
        names = sorted(self._named(text), key=lambda found: found[0])
        phones = [(match.start(), match.end(), match.group()) for match in _PHONE.finditer(text)]
        found: list[OfficeMention] = []
        for start, end, claim in names:
            phone = next((p for p in phones if _BETWEEN.fullmatch(text, end, p[0]) and p[0] >= end), None)
            if phone:
                phones.remove(phone)
            if self._historical(text, start, end):
                continue
            finding = self._named_finding(claim, text[start:end], on)
            if phone and finding.verdict is Verdict.VERIFIED:
                finding = self._called_finding(claim.office, text[start:end], phone[2], on)
            found.append(OfficeMention(start, phone[1] if phone else end, claim.office.name_ko, finding))
        for start, end, number in phones:
            if any(mention.start <= start < mention.end for mention in found):
                continue
            if (mention := self._number(text, start, end, number, on)) is not None:
                found.append(mention)
        return sorted(found, key=lambda mention: mention.start)

    def _named(self, text: str) -> Iterator[tuple[int, int, _Claim]]:
        flat = squeezed(text)
        taken = len(flat.text)
        for end in range(len(flat.text), 0, -1):
            if end > taken:
                continue
            for length in self._lengths.get(flat.text[end - 1].casefold(), ()):
                claim = self._names.get(flat.text[end - length : end].casefold()) if length <= end else None
                if claim is None:
                    continue
                first, last = flat.origin[end - length], flat.origin[end - 1] + 1
                begin = self._begin(text, first, claim, length)
                if begin is None or (text[last : last + 1].isalnum() and not _FOLLOWED.match(text, last)):
                    continue
                taken = end - length
                yield begin, last, claim
                break

    def _begin(self, text: str, first: int, claim: _Claim, length: int) -> int | None:
        """Returns where the word begins; None when the name is only the tail of another word."""
        begin = first
        while begin > 0 and "가" <= text[begin - 1] <= "힣":
            begin -= 1
        if begin == first:
            return None if first and text[first - 1].isalnum() else first
        return (
            begin if claim.until and length >= _PREFIXED and text[begin:first] not in {"기후에너지", "중앙"} else None
        )

    def _historical(self, text: str, start: int, end: int) -> bool:
        return bool(_FORMER.search(text[max(0, start - 10) : start]) or _GONE.match(text, end))

    def _named_finding(self, claim: _Claim, name: str, on: str) -> Finding:
        office = claim.office
        if (claim.until and on >= claim.until) or office.status != "active":
            reason = f"지금은 ‘{name}’{josa(name, '을', '를')} 쓰지 않습니다.{_note(office)}"
            return Finding(
                Verdict.NOT_IN_FORCE, reason, suggestion=_called(office) if office.status == "active" else ""
            )
        return Finding(Verdict.VERIFIED, f"{office.what_for_ko}.")

    def _called_finding(self, office: Institution, name: str, number: str, on: str) -> Finding:
        held = self._phones.get(number)
        if held is not None and held.office.id == office.id and held.until and on >= held.until:
            return self._named_finding(held, number, on)
        if number == office.phone:
            return self._phone_finding(office, on)
        if _LINE.search(name) and office.callable:
            owner = f" {held.office.name_ko} 번호이고," if held else ""
            reason = f"{number}{josa(number, '은', '는')}{owner} 이곳의 번호가 아닙니다."
            return Finding(Verdict.NOT_FOUND, reason, suggestion=_called(office))
        return Finding(Verdict.UNCHECKED, "이 기관의 번호로 확인되지 않았습니다.", suggestion=_called(office))

    def _phone_finding(self, office: Institution, on: str) -> Finding:
        if not office.phone_verified:
            return Finding(Verdict.UNCHECKED, "아직 확인되지 않은 번호입니다.")
        if on > office.review_by:
            return Finding(Verdict.UNCHECKED, f"{office.review_by}까지 다시 확인해야 했던 번호입니다.")
        return Finding(Verdict.VERIFIED, f"{office.name_ko}. {office.what_for_ko}.")

    def _number(self, text: str, start: int, end: int, number: str, on: str) -> OfficeMention | None:
        claim = self._phones.get(number)
        cued = _CUE_BEFORE.search(text[max(0, start - 24) : start]) or _CUE_AFTER.match(text, end)
        if not cued and len(number) < _LONG:
            return None
        if claim is None:
            return OfficeMention(start, end, "", Finding(Verdict.UNCHECKED, "확인된 기관의 번호가 아닙니다."))
        if claim.until and on >= claim.until:
            return OfficeMention(start, end, claim.office.name_ko, self._named_finding(claim, number, on))
        return OfficeMention(start, end, claim.office.name_ko, self._phone_finding(claim.office, on))


def _own_names(pack: Pack) -> Iterator[tuple[str, _Claim]]:
    """An office's name, without its number, which is looked at by itself, and without remarks in brackets."""
    for office in pack.institutions.values():
        bare = re.sub(r"\([^()]*\)", "", office.name_ko)
        bare = bare.partition(office.phone)[0] if office.phone else bare
        if not office.phone or office.phone not in office.name_ko:
            yield office.name_ko, _Claim(office)
        if len(name_key(bare)) >= _SHORTEST:
            yield bare.strip(), _Claim(office)


def _stale_names(pack: Pack) -> Iterator[tuple[str, _Claim]]:
    for office in pack.institutions.values():
        yield from ((name, _Claim(office, until="0001-01-01")) for name in office.stale_names)
        yield from (
            (match.group(), _Claim(office, until="0001-01-01"))
            for name in office.stale_names
            for match in _PHONE.finditer(name)
        )


def _called(office: Institution) -> str:
    if office.callable and office.phone and office.phone not in office.name_ko:
        return f"{office.name_ko} {office.phone}"
    return office.name_ko


def _note(office: Institution) -> str:
    return f" {office.note_ko.rstrip('.')}." if office.note_ko else ""
