"""The same words, and nearly the same, stand in one open memory (M-13)."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction
from rest_framework.test import APIClient

from consent.services import grant_consent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from memory.models import MemoryItem
from memory.services import item_decisions, item_queries
from memory.services.versions import content_hash
from tests.memory.evolution.support import actions, believed, changes, draft, recallable
from tests.support.api import post, signed_in
from tests.support.cast import allow
from tests.support.items import add_item
from tests.support.talk import memories, open_session, permit_of, say


@pytest.fixture
def client(alice: User) -> APIClient:
    allow(alice)
    return signed_in(alice)


def _state(client: APIClient, text: str) -> dict[str, str]:
    answer = post(client, "/api/memories", {"text": text, "infer": False})
    assert answer.status_code == 201, answer.content
    result: dict[str, str] = answer.json()["results"][0]
    return result


@pytest.mark.parametrize(
    ("text", "again"),
    [("I stay in Zanzibar.", "i  stay in ＺＡＮＺＩＢＡＲ."), ("我的別墅在北京", "我的别墅在北京")],
)
def test_the_same_words_stated_again_are_the_memory_there_is(client: APIClient, text: str, again: str) -> None:
    first, second = _state(client, text), _state(client, again)
    assert (first["event"], second["event"]) == ("ADD", "NONE")
    assert second["memory_id"] == first["memory_id"]


def test_the_same_words_twice_in_one_request_are_kept_once(client: APIClient) -> None:
    said = [{"role": "user", "content": "My villa stands in Zanzibar."}] * 2
    answer = post(client, "/api/memories", {"messages": said, "infer": False}).json()
    assert [one["event"] for one in answer["results"]] == ["ADD", "NONE"]


def test_what_was_mentioned_and_is_now_stated_is_confirmed(alice: User, client: APIClient) -> None:
    with acting_as(alice.pk):
        add_item(permit_of(alice), draft("Lives in Berlin"))
    stated = _state(client, "Lives in Berlin")
    assert stated["event"] == "UPDATE"
    [_, confirmed] = memories(alice)
    assert (str(confirmed.pk), confirmed.confidence) == (stated["memory_id"], 0.9)


def test_two_people_may_say_the_same(client: APIClient, bob: User) -> None:
    allow(bob)
    first, second = _state(client, "I own a vineyard."), _state(signed_in(bob), "I own a vineyard.")
    assert second["event"] == "ADD"
    assert first["memory_id"] != second["memory_id"]


def test_a_correction_to_what_another_memory_says_merges_into_it(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        boat = add_item(permit, draft("Owns a boat"))
        ship = add_item(permit, draft("Owns a ship"))
        merged = item_decisions.correct(permit, ship.pk, "owns a boat")
        assert merged.pk == boat.pk
        assert item_queries.item_of(permit, ship.pk).superseded_by_id == boat.pk
        assert actions(permit, boat) == ["added", "merged"]
    assert believed(alice) == recallable(alice) == {"Owns a boat"}


def test_the_database_itself_refuses_a_second_open_memory_of_the_same_words(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        add_item(permit, draft("Owns a boat"))
        other = add_item(permit, draft("Owns a ship"))
        twin = content_hash(alice.pk, "Owns a boat")
        with pytest.raises(IntegrityError), transaction.atomic():
            MemoryItem.objects.filter(pk=other.pk).update(content_hash=twin)


def test_what_waits_for_its_purge_is_not_in_the_way_of_what_is_told_anew(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        old = item_decisions.add_stated(permit, "I own a vineyard.")
        grant_consent(alice, (), source="api")
        grant_consent(
            alice, tuple(ConsentScope), source="api"
        )  # the purge of what was withdrawn is queued and has not run
        new = item_decisions.add_stated(permit_of(alice), "I own a vineyard.")
    assert new.pk != old.pk
    assert new.consent_version > old.consent_version


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("I like hiking in the hills", "I like hiking in hills"),
        ("I live in Berlin, Germany", "I live in Berlin"),
    ],
)
def test_nearly_the_same_words_add_nothing(alice: User, first: str, again: str) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, first)
    say(alice, session, again)
    assert len(memories(alice)) == 1, [item.content for item in memories(alice)]
    assert [change.action for change in changes(alice)] == ["added", "confirmed"]  # said again, and no more than that


@pytest.mark.parametrize(
    ("first", "other"),
    [("I follow 600519.SH", "I follow 600518.SH"), ("I like tea", "I like coffee"), ("我喜欢茶", "我喜欢咖啡"),
     ("I follow BTC", "I follow ETH")],
)  # fmt: skip
def test_what_only_sounds_alike_stands_side_by_side(alice: User, first: str, other: str) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, first)
    say(alice, session, other)
    assert len(memories(alice, state="active")) == 2
