"""Every pattern of ours is found, and none that is new or changed runs away."""

from __future__ import annotations

import re

from tests.patterns.probing import find_runaways
from tests.patterns.pumps import derive_pumps
from tests.patterns.recording import Pattern, record
from tests.patterns.register import entry_of, read_register

HOW = "write the register anew with: python -m tests.patterns --changed"


def runaways(*sources: str, methods: tuple[str, ...] = ("search",), bound: int = 8_000) -> tuple[str, ...]:
    planted = [Pattern("planted.py", 1, source, re.compile(source).flags, methods, bound) for source in sources]
    return tuple(one.pattern.source for one in find_runaways(planted))


def test_a_new_pattern_is_pumped_and_the_register_names_all_patterns_and_no_others() -> None:
    patterns, proven = record().patterns, read_register()
    new = [pattern for pattern in patterns if entry_of(pattern) not in proven]
    assert not [str(runaway) for runaway in find_runaways(new)]
    assert not [pattern.place for pattern in new], HOW
    assert not proven - {entry_of(pattern) for pattern in patterns}, HOW


def test_exponential_patterns_are_found() -> None:
    exponential = (
        r"(?:a+)+b",
        r"^(?:嗯|嗯嗯)+不",
        r"^(?:(?:嗯+|哦+|不|不对)[,，]*)+(?=我)",
        r"^\s*(?:(?:是的?|对|对对+)[\s,]*)+$",
        r"^(?:now|at night|(?:really|mostly|mostly)\s+)*I",
        r"(a|b|ab)*c",
    )
    assert runaways(*exponential, methods=("match", "fullmatch")) == exponential


def test_quadratic_patterns_are_found() -> None:
    searched = (r"\s*,\s*and", r"[?？]\W*$", r"\d+(?:[,.]\d+)*元", r"said[^\"]*\"", r"(?>嗯|哦)+(?=我)")
    assert runaways(*searched, methods=("search",)) == searched
    assert runaways(r"\s+$", methods=("sub",))
    assert runaways(r"Q[1-4]\s*(?:of)?\s*(?:FY)?\s*\d", methods=("match",))


def test_patterns_that_are_linear_are_not_accused() -> None:
    linear = (
        r"(?:(?<!\s)\s++)?,\s++and",
        r"^(?>嗯|哦)+(?=我)",
        r"[?？]\W{0,40}$",
        r"\bthe (?:big )?\w+",
        r"(?<!\d)\d++元",
    )
    assert not runaways(*linear, methods=("search", "sub"))


def test_an_exponential_pattern_is_found_where_texts_are_short() -> None:
    assert runaways(r"^(?:刚[刚才]?|已经)*买", bound=80)


def test_one_that_runs_away_does_not_hide_the_others() -> None:
    assert runaways(r"(?:a+)+b", r"c", r"(?:d+)+e") == (r"(?:a+)+b", r"(?:d+)+e")


def test_a_pump_has_what_leads_to_a_repeat_its_body_and_an_end() -> None:
    pumps = derive_pumps(r"I meant (?:to )*be", 0)
    assert any(p.prefix == "I meant " and p.bodies == ("to ",) and p.end == "\0" for p in pumps)
    assert all(len(pump.inflate(500)) <= 520 for pump in pumps)
