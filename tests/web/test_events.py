"""Events: listed, read, put right and taken back, and forgotten from the list."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from finclaw.web.pagination import PAGE_SIZE
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from foundation.personal_data import ConsentScope
from memory.models import CognitiveEvent
from tests.support.cast import allow, group_with
from tests.support.talk import open_session
from tests.web.support import chat_of, event_of, signed_in

BICYCLE = "2 March 2026: Alice bought a bicycle."
CAR = "2 March 2026: Alice bought a car."


def address_of(event: CognitiveEvent) -> str:
    return reverse("web:event", args=[event.event_id])


def texts_of(user: User) -> set[str]:
    """The words of every event of this person, whatever its perspective."""
    with acting_as(user.pk):
        return set(CognitiveEvent.objects.filter(user=user).values_list("canonical_text", flat=True))


def change(user: User, event: CognitiveEvent, **fields: Any) -> None:
    with acting_as(user.pk):
        CognitiveEvent.objects.filter(pk=event.pk).update(**fields)


def group_event_of(alice: User, bob: User) -> CognitiveEvent:
    """An event of Alice's in a group with Bob."""
    group = group_with(alice, [bob])
    event = event_of(alice, open_session(alice, group_id=group.pk), "g:1", BICYCLE)
    change(alice, event, group=group, perspective="group")
    return event


def found(browser: Client, query: str = "") -> list[str]:
    return [event["text"] for event in browser.get(reverse("web:events") + query).context["events"]]


def test_nobody_else_corrects_an_event(alice: User, bob: User, charlie: User) -> None:
    for person in (alice, bob, charlie):
        allow(person)
    event = group_event_of(alice, bob)
    assert signed_in(charlie).post(address_of(event), {"text": CAR}).status_code == 404
    assert signed_in(bob).post(address_of(event), {"text": CAR}).status_code == 404
    assert signed_in(bob).post(address_of(event), {}).status_code == 404
    assert texts_of(alice) == {BICYCLE}


@pytest.mark.parametrize("text", ["", "   ", "a\x00b", "字" * 2_001])
def test_a_correction_that_cannot_be_changes_nothing(alice: User, text: str) -> None:
    allow(alice)
    event = event_of(alice, chat_of(alice), "r:1", BICYCLE)
    answer = signed_in(alice).post(address_of(event), {"text": text})
    assert answer.status_code == 400
    assert answer.context["correct_form"].errors["text"]
    assert texts_of(alice) == {BICYCLE}


def test_what_must_not_be_kept_is_refused_in_a_correction(alice: User) -> None:
    allow(alice)
    event = event_of(alice, chat_of(alice), "r:1", BICYCLE)
    answer = signed_in(alice).post(address_of(event), {"text": "Alice's card is 4111 1111 1111 1111, CVV 123"})
    assert answer.status_code == 422
    assert texts_of(alice) == {BICYCLE}


def test_an_address_in_a_correction_is_masked(alice: User) -> None:
    allow(alice)
    event = event_of(alice, chat_of(alice), "r:1", BICYCLE)
    assert signed_in(alice).post(address_of(event), {"text": "Alice wrote to bob@example.org."}).status_code == 200
    (kept,) = texts_of(alice)
    assert kept.startswith("Alice wrote to [redacted:")


def test_without_consent_there_is_no_event_to_correct(alice: User) -> None:
    allow(alice, ConsentScope.SAVE_TO_PROFILE)
    event = event_of(alice, chat_of(alice), "r:1", BICYCLE)
    assert signed_in(alice).post(address_of(event), {"text": CAR}).status_code == 404


@pytest.mark.parametrize("words", [CAR, "2026年3月2日：Alice 买了一辆 <b>Tesla</b>。"])
def test_a_correction_holds_in_every_perspective_is_found_and_can_be_undone(alice: User, words: str) -> None:
    allow(alice)
    session = chat_of(alice)
    event = event_of(alice, session, "a/b:1", BICYCLE)
    with acting_as(alice.pk):
        fields = {field.attname: getattr(event, field.attname) for field in event._meta.concrete_fields}
        of_group = {"id": new_id(), "perspective": "group", "group_id": group_with(alice).pk}
        CognitiveEvent.objects.create(**(fields | of_group))
    browser = signed_in(alice)
    page = browser.post(address_of(event), {"text": words})
    assert page.status_code == 200
    assert page.context["text_before"] == BICYCLE
    assert "<b>Tesla</b>" not in page.content.decode()
    assert texts_of(alice) == {words}
    assert found(browser, "?q=Tesla" if "Tesla" in words else "?q=car") == [words]
    undone = browser.post(address_of(event), {"text": page.context["text_before"], "undo": "yes"})
    assert "Undone." in undone.content.decode()
    assert texts_of(alice) == {BICYCLE}


def test_what_could_not_be_made_out_is_said_until_it_is_corrected(alice: User) -> None:
    allow(alice)
    event = event_of(alice, chat_of(alice), "r:1", "2026年3月2日：Alice 和 她 去了 that place。")
    change(alice, event, unresolved=["她", "that place"])
    browser = signed_in(alice)
    assert "Not all of it is clear" in browser.get(reverse("web:events")).content.decode()
    page = browser.get(address_of(event)).content.decode()
    assert "What I could not make out" in page
    assert "<bdi>“她”</bdi>" in page
    assert "<bdi>“that place”</bdi>" in page
    corrected = browser.post(address_of(event), {"text": "2026年3月2日：Alice 和 Bob 去了大理。"}).content.decode()
    assert "What I could not make out" not in corrected
    assert "you, in your own words" in corrected


def test_the_list_offers_what_is_ones_own_to_correct_and_forget(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    event = group_event_of(alice, bob)
    forget = reverse("web:forget_event", args=[event.event_id])
    shown_to_bob = signed_in(bob).get(reverse("web:events")).content.decode()
    assert "told by Alice" in shown_to_bob
    assert "Research desk" in shown_to_bob
    assert forget not in shown_to_bob
    change(alice, event, perspective="sender")
    shown_to_alice = signed_in(alice).get(reverse("web:events")).content.decode()
    assert forget in shown_to_alice
    assert address_of(event) + "#correct" in shown_to_alice


def test_older_events_are_a_page_away(alice: User) -> None:
    allow(alice)
    session = chat_of(alice)
    for number in range(PAGE_SIZE + 1):
        event_of(alice, session, f"r:{number}", f"2 March 2026: event {number}.")
    browser = signed_in(alice)
    first = browser.get(reverse("web:events")).context
    assert len(first["events"]) == PAGE_SIZE
    assert len(found(browser, first["older_url"])) == 1


def test_an_empty_list_says_why_and_what_to_do(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob, ConsentScope.SAVE_TO_PROFILE)
    assert "No events yet" in signed_in(alice).get(reverse("web:events")).content.decode()
    assert "Nothing found" in signed_in(alice).get(reverse("web:events") + "?q=bicycle").content.decode()
    assert "Remembering is off" in signed_in(bob).get(reverse("web:events")).content.decode()
