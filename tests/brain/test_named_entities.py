"""Without a model a message's entities are read by tables and rules: more than tickers, nothing that was not said, and
never the name of a private person.

``entities.tsv`` was written beside the tables, ``entities_held_out.tsv`` by other voices afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from consent.services import permit_for
from finclaw.brain.recall.organisation_context import organisation_context
from finclaw.brain.understanding.named_entities import find_mentions, named_entities
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from foundation.language import normalize
from foundation.personal_data import ConsentScope
from memory.models import Session
from tests.support.cast import allow, group_with
from tests.support.organisation import employ
from tests.support.speaking import ask
from tests.support.talk import open_session

NOW: Final = datetime(2026, 11, 27, 15, tzinfo=UTC).replace(tzinfo=None)


@dataclass(frozen=True)
class Labelled:
    """A sentence with what it names, by slot; ``private`` are names that belong in none."""

    language: str
    text: str
    named: frozenset[tuple[str, str]]
    private: tuple[str, ...] = ()


def _read(file: str) -> Iterator[Labelled]:
    for line in Path(__file__).with_name(file).read_text("utf-8").splitlines():
        language, _, text, *labels = line.split("\t")
        slots = dict(label.split("=") for label in labels if label)
        private = tuple(filter(None, slots.pop("private", "").split("|")))
        named = frozenset((slot, name) for slot, names in slots.items() for name in names.split("|"))
        yield Labelled(language, text, named, private)


OPEN: Final = tuple(_read("entities.tsv"))
HELD_OUT: Final = tuple(_read("entities_held_out.tsv"))


def _found(text: str) -> set[tuple[str, str]]:
    return {(mention.slot, text[mention.start : mention.end]) for mention in find_mentions(text, NOW)}


def _agree(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether they are of the same slot, and one holds the other: "until Tuesday" and "Tuesday" are one time."""
    left, right = normalize(one[1]), normalize(other[1])
    return one[0] == other[0] and (left in right or right in left)


def _measure(lines: tuple[Labelled, ...], language: str) -> tuple[float, float]:
    """Recall and precision."""
    counted: Counter[str] = Counter()
    for line in lines:
        if line.language == language:
            found = _found(line.text)
            counted["named"] += len(line.named)
            counted["recalled"] += sum(any(_agree(one, other) for other in found) for one in line.named)
            counted["found"] += len(found)
            counted["right"] += sum(any(_agree(one, other) for other in line.named) for one in found)
    return counted["recalled"] / counted["named"], counted["right"] / counted["found"]


@pytest.mark.parametrize(
    ("lines", "language", "recall", "precision"),
    [
        pytest.param(OPEN, "en", 0.95, 0.97, id="open-en"),
        pytest.param(OPEN, "zh", 0.95, 0.97, id="open-zh"),
        pytest.param(HELD_OUT, "en", 0.8, 0.93, id="held-out-en"),
        pytest.param(HELD_OUT, "zh", 0.67, 0.97, id="held-out-zh"),
    ],
)
def test_entities_are_read_in_both_languages(
    lines: tuple[Labelled, ...], language: str, recall: float, precision: float
) -> None:
    measured = _measure(lines, language)
    assert measured[0] >= recall, measured
    assert measured[1] >= precision, measured


def test_no_private_name_enters_a_slot() -> None:
    named = [line for line in (*OPEN, *HELD_OUT) if line.private]
    assert len(named) > 10
    for line in named:
        kept = str(named_entities(line.text, NOW))
        assert not [name for name in line.private if name in kept], line.text


def test_a_sentence_that_names_nothing_fills_no_slot() -> None:
    assert named_entities("May I ask something else?", NOW) == {}
    assert named_entities("好的，谢谢", NOW) == {}


def test_an_asset_stands_there_under_its_one_name_and_a_time_under_its_date() -> None:
    text = "PLTR beat in October 2025, and Palantir's gross margin rose last month"
    assert named_entities(text, NOW) == {
        "tickers": ["PLTR"], "assets": ["Palantir"], "times": ["October 2025", "October 2026"],
        "metrics": ["gross margin"],
    }  # fmt: skip
    assert named_entities("周五见", NOW)["times"] == ["周五（2026年11月27日说）"]


@pytest.mark.django_db(transaction=True)
def test_a_conversation_remembers_what_was_named_in_it(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    ask(alice, session, "I moved from Leeds to Lisbon. Nothing else.")
    ask(alice, session, "What is the gross margin of Nvidia?")

    with acting_as(alice.pk):
        slots = Session.objects.get(pk=session.pk).entity_slots
    assert slots == {"places": ["Leeds", "Lisbon"], "metrics": ["gross margin"], "assets": ["Nvidia"]}


@pytest.mark.django_db
def test_a_prompt_knows_the_organisation_of_who_consented_to_a_profile(alice: User) -> None:

    allow(alice)
    session = open_session(alice)
    employ(Tenant.objects.create(name="Krugerrand Ltd", org_tier="regional_agent"), alice)
    group = open_session(alice, group_id=group_with(alice).pk)

    with acting_as(alice.pk):
        told = organisation_context(permit_for(alice), alice, session).as_slots()
        among_others = organisation_context(permit_for(alice), alice, group).as_slots()
    allow(alice, ConsentScope.MEMORY_LEARNING)
    with acting_as(alice.pk):
        withheld = organisation_context(permit_for(alice), alice, session).as_slots()

    assert told == {"organisation": ["Krugerrand Ltd"], "org_tier": ["regional_agent"], "role": [alice.role]}
    assert list(among_others) == ["group"]
    assert withheld == {}
