"""A dozen pieces of realistic material, each sentence with where it belongs: how much of it is sorted right by rule."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from finclaw.brain.material.brief import ResearchBrief
from finclaw.brain.material.citations import names_source
from finclaw.brain.material.polarity import speaks_for
from finclaw.brain.material.reading import MaterialReading, read_material
from finclaw.brain.material.route_proposal import propose_route
from finclaw.brain.material.subject import find_object
from finclaw.brain.research.parts import PARTS
from finclaw.brain.research.routes import ROUTES
from memory.models import Route
from memory.research.types import CognitionObject, ResearchStatement

ROWS = list(csv.DictReader(Path(__file__).with_name("material.tsv").open(encoding="utf-8"), delimiter="\t"))
SORTED_RIGHT = 0.9
"""The share of sentences that must stand in all of their parts, in no other, and on their side."""
KNOWN = {"source": 0.95, "date": 0.98}
"""The shares of which it must be seen whether they name a source, and of which day they are."""
ASKED = {
    "en1": ("snapshot", "asset", "Nvidia"),
    "en2": ("evidence_audit", "theme", "AI capex"),
    "en3": ("risk_challenge", "asset", "Tesla"),
    "en4": ("event_impact_reader", "event", "Fed"),
    "en5": ("pre_execution", "theme", "gold"),
    "en6": ("snapshot", "theme", "copper"),
    "zh1": ("narrative_mapper", "theme", "人民币汇率"),
    "zh2": ("snapshot", "asset", "茅台"),
    "zh3": ("risk_challenge", "asset", "宁德时代"),
    "zh4": ("event_impact_reader", "event", "关税"),
    "zh5": ("pre_execution", "asset", "沪深300"),
    "zh6": ("snapshot", "asset", "美团"),
}


@dataclass(frozen=True)
class Sorted:
    """Where one sentence stands."""

    parts: str
    direction: str
    source: str
    date: str


def material(name: str) -> str:
    """One piece of material as somebody would paste it."""
    return "\n".join(row["sentence"] for row in ROWS if row["material"] == name)


def _sorted(found: MaterialReading, sentence: str) -> Sorted:
    def among(statements: tuple[ResearchStatement, ...]) -> bool:
        return sentence in [one.text for one in statements]

    kinds = {"evidence": found.evidence, "market": found.market, "condition": found.conditions}
    parts = [name for name, statements in kinds.items() if among(statements)]
    parts += ["question"] if sentence in found.questions else []
    parts += ["view"] if sentence == found.stance else []
    parts += ["asked"] if sentence == found.request and "question" not in parts else []
    is_against = among(found.opposing)
    is_for = speaks_for(sentence) and bool({"evidence", "market"}.intersection(parts))
    dates = [one.dated_at for one in (*found.evidence, *found.market, *found.opposing) if one.text == sentence]
    return Sorted(
        parts=",".join(sorted(parts)) or "aside",
        direction="-" if is_against else "+" if is_for else "0",
        source="y" if names_source(sentence) else "-",
        date=dates[0].date().isoformat() if dates and dates[0] else "-",
    )


def measured() -> Iterator[tuple[dict[str, str], Sorted]]:
    """Every sentence with where it was put."""
    for name in ASKED:
        found = read_material(ResearchBrief(material(name), "zh" if name.startswith("zh") else "en"))
        for row in (row for row in ROWS if row["material"] == name):
            yield row, _sorted(found, row["sentence"])


def test_nine_in_ten_sentences_stand_where_they_belong() -> None:
    wrong = [
        (row["sentence"], put)
        for row, put in measured()
        if (put.parts, put.direction) != (row["parts"], row["direction"])
    ]

    assert 1 - len(wrong) / len(ROWS) >= SORTED_RIGHT, wrong


def test_what_names_its_source_and_its_day_is_seen_to() -> None:
    unlike = {name: [row["sentence"] for row, put in measured() if getattr(put, name) != row[name]] for name in KNOWN}

    assert all(1 - len(unlike[name]) / len(ROWS) >= share for name, share in KNOWN.items()), unlike


@pytest.mark.parametrize("name", ASKED)
def test_the_sentence_that_asks_decides_route_and_object(name: str) -> None:
    route, kind, called = ASKED[name]
    about = find_object(material(name))

    assert propose_route(material(name)) == route
    assert (about.kind, called in about.name) == (kind, True), about


@pytest.mark.parametrize(
    ("prompt", "kind", "name"),
    [
        ("NVDA rate decision", "event", "NVDA rate decision"),
        ("I hold AAPL. Is it cheap?", "asset", "AAPL"),
        ("Challenge my thesis:\nI think Nvidia keeps its lead.", "asset", "Nvidia"),
        ("What are the risks?\nReuters reported that Tesla fell.\nI think Nvidia rises.", "asset", "Nvidia"),
        ("According to Goldman Sachs, analyze the dollar.", "theme", "dollar"),
        ("按照高盛的数据分析人民币汇率", "theme", "人民币汇率"),
        ("Take a look at AI capex.\nMicrosoft spent 80 billion.", "theme", "AI capex"),
        ("分析一下黄金", "theme", "黄金"),
    ],
)
def test_a_source_is_no_object_and_a_question_rests_on_what_is_said_before_it(
    prompt: str, kind: str, name: str
) -> None:
    assert find_object(prompt) == CognitionObject(kind, name)


@pytest.mark.parametrize("name", ["en3", "zh3"])
def test_a_challenge_shows_what_the_material_holds_against_it(name: str) -> None:
    found = read_material(ResearchBrief(material(name), "en"))

    assert all(PARTS[part].offline(found) for part in ROUTES[Route.RISK_CHALLENGE].parts)


@pytest.mark.parametrize("name", ["en5", "zh5"])
def test_what_is_to_be_settled_first_holds_neither_the_request_nor_what_would_end_the_view(name: str) -> None:
    found = read_material(ResearchBrief(material(name), "en"))
    first = [one.text for one in PARTS["conditions"].offline(found)]

    assert found.request not in first
    assert set(found.questions) < set(first)
