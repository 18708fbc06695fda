"""A sentence as ordered tokens, and which of its numbers, times and days exclude any other in their place. Pure.

"Costs $8" excludes "costs $6"; "sells 2 kg bags", "the bus leaves at four" and "room 12" leave room for others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from foundation.compiled_patterns import compile_pattern
from foundation.language import (
    CJK_RANGES,
    chinese_numeral,
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
_START: Final = _ZH.phrase("start")
_TH: Final = f"(?:{_EN.phrase('th')})"
_MEASURE_ZH: Final = "|".join(_ZH.phrase(name) for name in ("times", "attributes", "measures"))
_TOKEN: Final = compile_pattern(
    rf"(?P<compound>{_ZH.phrase('compounds')})"
    rf"|(?P<denial>{_WORDS.phrase('denials')})"
    rf"|(?P<weekday>\b(?:{_any_name(tables_of('en').weekdays)})\b|{_WEEKDAY_ZH.pattern})"
    rf"|(?P<date>\b(?P<day>\d{{1,2}}){_TH}?(?: of)? (?P<month_behind>{_MONTH})\b"
    rf"|\b(?P<month_before>{_MONTH}) (?P<day_behind>\d{{1,2}}){_TH}?\b)"
    rf"|\b(?P<month>{_MONTH})\b"
    rf"|(?P<ordinal>\b\d{{1,2}}{_TH}\b)"
    rf"|(?P<date_zh>{_START}{_ZH.phrase('date')})"
    rf"|(?P<number>{_START}{_ZH.phrase('numeral')}(?={_MEASURE_ZH})|(?<={_ZH.phrase('share')}){_ZH.phrase('number')}"
    rf"|\d{{1,12}}(?:[:.]\d{{1,4}})?|\b(?:{_EN.phrase('numbers')})\b)"
    rf"|(?P<sign>[$£€¥%])|(?P<character>[{CJK_RANGES}])|(?P<word>[^\W\d_{CJK_RANGES}]+(?:'[^\W\d_{CJK_RANGES}]+)?)"
)
_DAYS: Final = ("weekday", "date", "month", "ordinal", "date_zh")
_DATE_PARTS: Final = compile_pattern(rf"{_ZH.phrase('date_parts')}|[a-z]+")
_NUMBER_RULES, _DAY_RULES = _WORDS.rules("number_rules"), _WORDS.rules("day_rules")
_NAMED: Final = {
    name: _WORDS.pattern(name)
    for rule in (*_NUMBER_RULES, *_DAY_RULES)
    for name in (*rule.get("needs", ()), *rule.get("unless", ()))
}
"""What the rules say must, or must not, stand in a sentence, by name."""
_LIMITS: Final = _WORDS.pattern("limits")
_CONTRACTED: Final = _EN.pattern("contracted")
_WHOLE_FORMS: Final = _EN.mapping("whole_forms")
_PARTICLES: Final = frozenset(_ZH.phrase("particles"))
_DENIAL: Final = "denial"
_SHORT: Final = 3
"""Letters of a word that has no plural, as "was"."""
_AROUND: Final = 40
"""Characters before and behind a value that the rules read."""


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
        after_number = bool(found["number"])


def _whole_form(found: re.Match[str]) -> str:
    short = found[1] or found[2]
    return f"{_WHOLE_FORMS.get(short, short)} {'not' if found[1] else ''}"


def _read_value(found: re.Match[str]) -> ComparedToken:
    form = next((form for form in _DAYS if found[form]), None)
    if form is not None:
        return ComparedToken(f"{form} {_day_number(found, form)}", form if _kind_of(found, "#", _DAY_RULES) else "")
    kind = "" if _LIMITS.search(found.string) else _kind_of(found, "@" if ":" in found.group() else "#", _NUMBER_RULES)
    return ComparedToken(_number(found.group()), kind)


def _kind_of(found: re.Match[str], mark: str, rules: Sequence[Mapping[str, Any]]) -> str:
    """The kind that the first rule for a value gives it, which is read as ``mark`` among the words around it; or ""."""
    text, (start, end) = found.string, found.span()
    marked = text[max(0, start - _AROUND) : start] + mark + text[end : end + _AROUND]
    for rule in rules:
        if (
            rule["pattern"].search(marked)
            and all(_NAMED[name].search(text) for name in rule.get("needs", ()))
            and not any(_NAMED[name].search(text) for name in rule.get("unless", ()))
        ):
            return str(rule["kind"])
    return ""


def _day_number(found: re.Match[str], form: str) -> str:
    if form == "weekday":
        return str(weekday_number(found[form]))
    if form == "month":
        return str(month_number(found[form]))
    if form == "date":
        month, day = found["month_behind"] or found["month_before"], found["day"] or found["day_behind"]
        return f"{month_number(month)}-{int(day)}"
    return "".join(str(chinese_numeral(part) or part) for part in _DATE_PARTS.findall(found[form]))


def _number(written: str) -> str:
    """A number in digits, without zeros that change nothing."""
    if written in times_en.NUMBERS:
        return str(times_en.NUMBERS[written])
    whole = written.rstrip("0").rstrip(".") if "." in written else written.removesuffix(":00")
    return str(chinese_numeral(whole) or whole)
