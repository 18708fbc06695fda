"""English days that are counted from another one: "3 days ago", "two weeks after Easter"."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from memory.rewriting.timex import calendar
from memory.rewriting.timex.en_days import simple_day
from memory.rewriting.timex.en_words import length, weekday, whole
from memory.rewriting.timex.meanings import Meaning, Read, counted, counted_from, fixed, longest
from memory.rewriting.timex.tokens import TokenStream, rule


@rule
def day(tokens: TokenStream, at: int) -> Read | None:
    """Any expression that means a day."""
    return longest(tokens, at, simple_day, counted_day)


@rule
def counted_day(tokens: TokenStream, at: int) -> Read | None:
    """ "3 days ago", "in two weeks", "two weeks from today", "three months after Easter"."""
    weeks = whole(tokens, at)
    if weeks and (several := weekday(tokens, weeks[1])):
        return _weekdays_away(tokens, several[0], min(weeks[0], 5_000), several[1])
    named = weekday(tokens, at)
    if named and tokens.word(named[1]) == ",":
        found = _counted(tokens, named[1] + 1)
        return (_weekday_near(found[0], named[0]), found[1]) if found else None
    return _counted(tokens, at)


def _weekdays_away(tokens: TokenStream, wanted: int, weeks: int, end: int) -> Read | None:
    """ "Two Sundays ago", "three Fridays from now"."""
    ago, hence = tokens.after(end, "ago"), tokens.after_any(end, ("from now", "hence"))
    if ago is not None and weeks:
        back = (tokens.now.weekday() - wanted - 1) % 7 + 1 + 7 * (weeks - 1)
        return fixed("date", calendar.on_day((tokens.now - timedelta(days=back)).date()), is_open=True), ago
    if hence is not None and weeks:
        ahead = (wanted - tokens.now.weekday() - 1) % 7 + 1 + 7 * (weeks - 1)
        return fixed("date", calendar.on_day((tokens.now + timedelta(days=ahead)).date()), is_open=True), hence
    return None


def _weekday_near(meaning: Meaning, wanted: int) -> Meaning:
    """The weekday in the week of each day of a meaning: "Friday, two weeks from now"."""
    days = (calendar.weekday_of(found.start, wanted) for found in meaning.intervals if found.start)
    return replace(meaning, intervals=tuple(days))


def _counted(tokens: TokenStream, at: int) -> Read | None:
    next_to = tokens.after_any(at, ("the day", "day"))
    if next_to is not None and tokens.word(next_to) in {"before", "after"}:
        return _from_anchor(tokens, next_to, calendar.Length(((1, "day"),)))
    is_in = tokens.word(at) == "in"
    found = length(tokens, at + is_in)
    if found is None:
        return None
    amount, end = found
    ago = tokens.after_any(end, ("ago", "back"))
    if ago is not None and not is_in and tokens.word(end) == "ago":
        return counted(tokens, amount, -1, is_open=amount.is_vague), ago
    hence = tokens.after_any(
        end, ("from now", "hence", "' s time", "’ s time", "' time", "’ time", "time from now", "in the future")
    )
    if hence is not None:
        return counted(tokens, amount, 1, is_open=amount.is_vague), hence
    if tokens.word(end) == "later" and not is_in:
        return counted(tokens, amount, 1, is_open=True), end + 1
    if is_in:
        return counted(tokens, amount, 1, is_open=True), end
    return _from_anchor(tokens, end, amount)


def _from_anchor(tokens: TokenStream, end: int, amount: calendar.Length) -> Read | None:
    sign = {"from": 1, "after": 1, "before": -1, "since": 1}.get(tokens.word(end))
    if sign is None:
        return None
    anchor = simple_day(tokens, tokens.skip(end + 1, "the")) or simple_day(tokens, end + 1)
    if anchor is None:
        return None
    meaning = anchor[0]
    if meaning.in_year or len(meaning.intervals) > 1:  # "three months after Easter": the next one
        meaning = replace(meaning, intervals=meaning.intervals[-1:], in_year=None, is_open=True)
    return counted_from(meaning, amount, sign), anchor[1]
