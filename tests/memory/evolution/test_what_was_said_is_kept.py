"""A memory keeps what was said, and two statements of one message stay two."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from foundation.accounts.models import User
from tests.memory.evolution.support import believed
from tests.support.cast import allow
from tests.support.talk import open_session, say

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I collect vinyl records", ["Collects vinyl records"]),
        ("I've been told that's odd, but I collect stamps and coins.", ["Collects stamps", "Collects coins"]),
        ("I love jazz and collect vinyl records.", ["Likes jazz", "Collects vinyl records"]),
        ("I collect vinyl records, and I love vinyl records.", ["Collects vinyl records", "Likes vinyl records"]),
        ("I like to bake and write.", ["Likes to bake", "Likes write"]),
    ],
)
def test_each_statement_is_a_memory_in_its_own_words(alice: User, text: str, kept: list[str]) -> None:
    allow(alice)

    say(alice, open_session(alice), text)

    assert believed(alice) == set(kept)


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (["I like jazz. I like jazz piano."], {"Likes jazz", "Likes jazz piano"}),
        (["I like jazz.", "I like jazz piano."], {"Likes jazz piano"}),
    ],
    ids=["in one message both", "later the more exact"],
)
def test_of_two_near_likings_one_takes_the_place_only_later(
    alice: User, settings: Settings, messages: list[str], kept: set[str]
) -> None:
    settings.LEARNING_NEAR_DUPLICATE = 0.3
    allow(alice)
    session = open_session(alice)

    for text in messages:
        say(alice, session, text)

    assert believed(alice) == kept


@pytest.mark.parametrize("text", ["I don't collect stamps any more.", "I've stopped collecting stamps."])
def test_who_stops_collecting_collects_no_longer(alice: User, text: str) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I collect stamps.")

    say(alice, session, text)

    assert believed(alice) == set()
