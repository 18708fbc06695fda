"""A sentence as ordered tokens, and which of its numbers, times and days exclude any other in their place. Pure.

"Costs $8" excludes "costs $6"; "sells 2 kg bags", "the bus leaves at four" and "room 12" leave room for others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from foundation.compiled_patterns import compile_pattern
from foundation.language import (
    CJK_RANGES,
    chinese_numeral,
    cjk_characters,
    month_number,
    straighten_apostrophes,
    weekday_number,
)
from foundation.language.tables import tables_of
from foundation.lexicon import read_lexicon
from memory.rewriting import times_en

_WORDS: Final = read_lexicon(__file__)
_EN, _ZH = _WORDS.of("en"), _WORDS.of("zh")


def _any_name(names_of: tuple[tuple[str, ...], ...]) -> str:
    return "|".join(sorted((name for names in names_of for name in names), key=len, reverse=True))


_MONTH: Final = _any_name(tables_of("en").months)
_WEEKDAY_ZH: Final = compile_pattern(_any_name(tables_of("zh").weekdays))
_SHARE: Final = _ZH.phrase("share")
_TH: Final = f"(?:{_EN.phrase('th')})"
_DENIAL: Final = "denial"
_SHORT: Final = 3
"""Letters of a word that has no plural, as "was"."""
_CONTRACTED: Final = _EN.pattern("contracted")
_WHOLE_FORMS: Final = _EN.mapping("whole_forms")
_PARTICLES: Final = frozenset(_ZH.phrase("particles"))
_TOKEN: Final = compile_pattern(
    rf"(?P<compound>{_ZH.phrase('compounds')})"
    rf"|(?P<denial>{_EN.phrase('denials')}|{_ZH.phrase('denials')})"
    rf"|(?P<weekday>\b(?:{_any_name(tables_of('en').weekdays)})\b|{_WEEKDAY_ZH.pattern})"
    rf"|(?P<date>\b(?P<day>\d{{1,2}}){_TH}?(?: of)? (?P<month_behind>{_MONTH})\b"
    rf"|\b(?P<month_before>{_MONTH}) (?P<day_behind>\d{{1,2}}){_TH}?\b)"
    rf"|\b(?P<month>{_MONTH})\b"
    rf"|(?P<ordinal>\b\d{{1,2}}{_TH}\b)"
    rf"|(?P<date_zh>{_ZH.phrase('start')}{_ZH.phrase('date')})"
    rf"|(?P<numeral>{_ZH.phrase('start')}{_ZH.phrase('numeral')})(?={_ZH.phrase('measures')})"
    rf"|(?<={_SHARE})(?P<share>{_ZH.phrase('number')})"
    rf"|(?P<digits>\d{{1,12}}(?:[:.]\d{{1,4}})?)"
    rf"|\b(?P<spelled>{_EN.phrase('numbers')})\b"
    rf"|(?P<sign>[$£€¥%])|(?P<character>[{CJK_RANGES}])|(?P<word>[^\W\d_{CJK_RANGES}]+(?:'[^\W\d_{CJK_RANGES}]+)?)"
)
_DAYS: Final = ("weekday", "date", "month", "ordinal", "date_zh")
_NUMERALS: Final = compile_pattern(rf"{_ZH.phrase('date_parts')}|[a-z]+")
_JOINT: Final = rf"(?= ?(?:$|[.,;:!?)]|(?:{_EN.phrase('joints')})\b))"
_UNITS: Final = _EN.phrase("units")
_PLURAL: Final = rf"(?!(?:{_EN.phrase('joints')})\b)(?:{_EN.phrase('plural')})\b"
_LEAD: Final = compile_pattern(rf"\b(?:{_EN.phrase('leads')}) (?:{_EN.phrase('exactly')} )?(?P<sign>[$£€¥] ?)?$")
_MEASURED: Final = compile_pattern(
    rf" ?(?:[$£€¥]|{_EN.phrase('percent')}|(?:{_UNITS})\b){_JOINT}"
    rf"| (?:(?!(?:{_UNITS}|{_EN.phrase('joints')})\b)[a-z]{{1,20}} )?{_PLURAL}"
)
_PLAIN: Final = compile_pattern(_JOINT)
_CLOCK: Final = compile_pattern(rf"(?: ?(?:{_EN.phrase('clock')})\b)?{_JOINT}")
_AT, _IS_AT, _IS, _HOURS, _DAY, _DEADLINE = (
    compile_pattern(rf"\b(?:{_EN.phrase(name)}) $") for name in ("at", "is_at", "is", "hours", "day_leads", "deadlines")
)
_ONCE, _OPEN, _POSSIBLE, _GENERAL, _CLAUSE = (
    _EN.pattern(name) for name in ("once", "open", "possible", "general", "indefinite_clause")
)
_LIMITS: Final = _WORDS.pattern("limits")
_INDEFINITE, _INDEFINITE_ZH = _EN.pattern("indefinite"), _ZH.pattern("indefinite")
_LEAD_ZH, _WEAK_ZH, _DAY_ZH = (
    compile_pattern(rf"(?:{_ZH.phrase(name)}){end}$")
    for name, end in (("leads", f"(?:{_ZH.phrase('shares')})?"), ("weak_leads", ""), ("day_leads", ""))
)
_MEASURED_ZH: Final = compile_pattern(
    rf"(?:(?P<time>{_ZH.phrase('times')})|(?P<attribute>{_ZH.phrase('attributes')})|(?P<counted>{_ZH.phrase('counted')})"
    rf"|{_ZH.phrase('measures')})(?!{_ZH.phrase('bounds')})"
    rf"(?P<inside>{_ZH.phrase('inside')})?(?P<end>(?={_ZH.phrase('end')}))?"
)
_END_ZH: Final = _ZH.pattern("end")
_ONCE_ZH, _EVERY_ZH, _POSSIBLE_ZH = (_ZH.pattern(name) for name in ("once", "every", "possible"))
_AROUND: Final = 40
"""Characters before and behind a value that are read."""


@dataclass(frozen=True, slots=True)
class ComparedToken:
    """A word, a character, a value or a denial. Only values of one ``kind`` can exclude each other."""

    text: str
    kind: str = ""
    """"denial", or of a value that excludes others of its place "time", "amount" or the form of a day; else ""."""
    span: tuple[int, int] = field(default=(0, 0), compare=False)
    """Where it stands in the text that was read."""


def is_denial(token: ComparedToken) -> bool:
    """Whether a token denies the sentence."""
    return token.kind == _DENIAL


def write_out(text: str) -> str:
    """A normalized sentence with "isn't" as "is not", straight apostrophes and single spaces."""
    whole = _CONTRACTED.sub(_whole_form, straighten_apostrophes(text))
    return " ".join(_WEEKDAY_ZH.sub(r"\g<0> ", whole).split())  # 周五四点 is not forty-five


def read_tokens(text: str) -> Iterator[ComparedToken]:
    """The tokens of a sentence that is written out, in order; numbers and days in one spelling."""
    after_number = False
    for found in _TOKEN.finditer(text):
        word = found.group()
        if found["denial"]:
            yield ComparedToken(word, _DENIAL, found.span())
        elif found["sign"] or found["compound"]:
            yield ComparedToken(word)
        elif found["character"] or found["word"]:
            is_plural = after_number and len(word) > _SHORT and word.endswith("s")
            if word not in _PARTICLES:
                yield ComparedToken(word.removesuffix("s") if is_plural else word)
        else:
            yield _read_value(found)
        after_number = bool(found["digits"] or found["spelled"])


def _whole_form(found: re.Match[str]) -> str:
    short = found[1] or found[2]
    return f"{_WHOLE_FORMS.get(short, short)} {'not' if found[1] else ''}"


def _read_value(found: re.Match[str]) -> ComparedToken:
    text, (start, end) = found.string, found.span()
    before, behind = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    for form in _DAYS:
        if found[form]:
            kind = form if _is_the_day(text, before, behind) else ""
            return ComparedToken(f"{form} {_day_number(found, form)}", kind)
    if _LIMITS.search(text):
        return ComparedToken(_number(found.group()))
    if not (found["share"] or cjk_characters(before[-1:] + behind[:1])):
        return ComparedToken(_number(found.group()), _kind_en(text, before, behind))
    is_clock = ":" in found.group() and _ONCE_ZH.search(text) and not _INDEFINITE_ZH.search(text)
    return ComparedToken(_number(found.group()), "time" if is_clock else _kind_zh(text, before, behind))


def _day_number(found: re.Match[str], form: str) -> str:
    if form == "weekday":
        return str(weekday_number(found[form]))
    if form == "month":
        return str(month_number(found[form]))
    if form == "date":
        month, day = found["month_behind"] or found["month_before"], found["day"] or found["day_behind"]
        return f"{month_number(month)}-{int(day)}"
    return "".join(str(chinese_numeral(part) or part) for part in _NUMERALS.findall(found[form]))


def _number(written: str) -> str:
    """A number in digits, without zeros that change nothing."""
    if written in times_en.NUMBERS:
        return str(times_en.NUMBERS[written])
    whole = written.rstrip("0").rstrip(".") if "." in written else written.removesuffix(":00")
    return str(chinese_numeral(whole) or whole)


def _is_the_day(text: str, before: str, behind: str) -> bool:
    if _INDEFINITE.match(text) or _INDEFINITE_ZH.search(text):
        return False
    english = _DAY.search(before) and _PLAIN.match(behind)
    return bool(english or (_DAY_ZH.search(before) and _END_ZH.match(behind.lstrip())))


def _kind_en(text: str, before: str, behind: str) -> str:
    if _CLAUSE.search(before):
        return ""
    if _is_clock_time(text, before, behind):
        return "time"
    lead = _LEAD.search(before)
    if _INDEFINITE.match(text) and not _GENERAL.search(before):
        return ""
    if not lead or (_POSSIBLE.search(text) and not _DEADLINE.search(before)):
        return ""
    return "amount" if (_PLAIN if lead["sign"] else _MEASURED).match(behind) else ""


def _is_clock_time(text: str, before: str, behind: str) -> bool:
    clock = _CLOCK.match(behind)
    if not clock or _INDEFINITE.match(text):
        return False
    happens_once = _AT.search(before) and _ONCE.search(text)
    is_open = _HOURS.search(before) and _OPEN.search(text)
    return bool(happens_once or is_open or _IS_AT.search(before) or (clock.group() and _IS.search(before)))


def _kind_zh(text: str, before: str, behind: str) -> str:
    measured = _MEASURED_ZH.match(behind)
    if not measured:
        return "amount" if _LEAD_ZH.search(before) and _END_ZH.match(behind) and before.endswith(_SHARE) else ""
    if _INDEFINITE_ZH.search(text):
        return ""
    if measured["time"]:
        return "time" if _ONCE_ZH.search(text) else ""
    if measured["inside"]:
        return "amount"
    if _POSSIBLE_ZH.search(text) or (measured["attribute"] and measured["end"] is None):
        return ""
    if _LEAD_ZH.search(before):
        return "amount"
    return "amount" if _WEAK_ZH.search(before) and _is_settled(text, behind, measured) else ""


def _is_settled(text: str, behind: str, measured: re.Match[str]) -> bool:
    """Whether 有 and its like are said of everyone, of a number of things, or of nothing more than the number."""
    counted = measured["counted"] is not None and not _PARTICLES & set(behind)
    return counted or measured["end"] is not None or _EVERY_ZH.search(text) is not None
