"""Events that were a chat's transcript are written anew in the background, as far as their messages are still there."""

from __future__ import annotations

from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import override_settings

from consent.models import ErasureScope, Sources
from consent.services import grant_consent
from finclaw.erasure import forget
from foundation.accounts.models import ChatGroup, User
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from foundation.outbox.tasks import drain
from memory.historian import end_events, event_backlog, events
from memory.historian.event_backlog import queue_due_events, rewriting_progress
from memory.models import CognitiveEvent, SearchEntry
from tests.support.cast import allow, group_with
from tests.support.needles import dump
from tests.support.talk import memories, open_session, permit_of, say
from tests.web.support import event_of

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
TRANSCRIPT = "2 March 2026: FinClaw discussed with Alice: Hello. Alice sold BYD on 1 March 2026. Not sure."


def old_event(user: User, *texts: str, group: ChatGroup | None = None, **fields: object) -> CognitiveEvent:
    """An event as it was written before: a transcript, at the moment of the end."""
    session = open_session(user, group_id=group.pk if group else None)
    said = say(user, session, *texts, at=AT)
    event = event_of(user, session, f"chat-{session.pk}-1:1", TRANSCRIPT)
    changed = {
        "request_id": f"chat-{session.pk}-1", "message_ids": [one.pk for one in said], "rewriting": "waits",
        "group": group, "new_info": TRANSCRIPT,
    }  # fmt: skip
    with acting_as(user.pk):
        CognitiveEvent.objects.filter(pk=event.pk).update(**(changed | fields))
        return CognitiveEvent.objects.get(pk=event.pk)


def all_of(user: User) -> list[CognitiveEvent]:
    with acting_as(user.pk):
        return list(CognitiveEvent.objects.order_by("event_id", "perspective", "part"))


def remake_now() -> int:
    people = queue_due_events()
    drain()
    return people


def test_an_event_is_replaced_by_its_parts_and_keeps_its_place(alice: User) -> None:
    allow(alice)
    old = old_event(alice, "Hello!", "I sold BYD yesterday. Not sure.", "I follow copper.")
    assert remake_now() == 1
    sold, copper = all_of(alice)
    assert (sold.pk, sold.part, sold.new_info) == (old.pk, 0, "Alice sold BYD on 1 March 2026.")
    assert (copper.part, copper.new_info) == (1, "Alice follows copper.")
    assert {one.timestamp_utc for one in (sold, copper)} == {AT}
    with acting_as(alice.pk):
        assert SearchEntry.objects.filter(kind="event").count() == 2
        assert {one.rewriting for one in CognitiveEvent.objects.all()} == {""}
    assert remake_now() == 0


def test_in_a_group_both_perspectives_are(alice: User, bob: User) -> None:
    for person in (alice, bob):
        allow(person)
    group = group_with(alice, [bob])
    old = old_event(alice, "I follow copper.", "I have diabetes and take insulin.", group=group)
    with acting_as(alice.pk):
        fields = {field.attname: getattr(old, field.attname) for field in CognitiveEvent._meta.concrete_fields}
        CognitiveEvent.objects.create(**(fields | {"id": new_id(), "perspective": "group"}))
    remake_now()
    with acting_as(bob.pk):
        assert [event.new_info for event in events.events_of(permit_of(bob))] == ["Alice follows copper."]
    assert {event.rewriting for event in all_of(alice)} == {""}


@pytest.mark.parametrize(
    "case", ["corrected", "without messages", "without one of its messages", "of a program that is not known"]
)
def test_what_cannot_be_written_anew_is_kept_and_marked(alice: User, case: str) -> None:
    allow(alice)
    cases: dict[str, dict[str, Any]] = {
        "corrected": {"rewritten_by": "person"},
        "without messages": {"message_ids": []},
        "without one of its messages": {"message_ids": [new_id()]},
        "of a program that is not known": {"request_id": "r1"},
    }
    old_event(alice, "I sold BYD yesterday.", "I follow copper.", **cases[case])
    remake_now()
    [event] = all_of(alice)
    assert (event.canonical_text, event.rewriting) == (TRANSCRIPT, "kept")
    assert rewriting_progress().kept == 1
    assert remake_now() == 0


def test_an_event_of_which_nothing_is_told_any_more_goes(alice: User) -> None:
    allow(alice)
    old_event(alice, "Hello!", "Thank you.")
    remake_now()
    assert all_of(alice) == []
    with acting_as(alice.pk):
        assert not SearchEntry.objects.filter(kind="event").exists()


def test_it_goes_on_where_it_was_interrupted(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    monkeypatch.setattr(event_backlog, "BATCH", 1)
    monkeypatch.setattr(event_backlog, "LISTED", 2)
    for number in range(5):
        old_event(alice, f"I bought {number + 2} shares of BYD yesterday.")
    remake_now()
    assert len(all_of(alice)) == 5
    assert {event.rewriting for event in all_of(alice)} == {""}
    assert rewriting_progress().jobs == 0


def test_without_consent_or_cognitive_memory_nothing_is_begun(alice: User) -> None:
    allow(alice)
    old_event(alice, "I follow copper.")
    with override_settings(COGNITIVE_ENABLED=False):
        assert queue_due_events() == 0
    with acting_as(alice.pk):
        grant_consent(alice, (), source="api")
    assert queue_due_events() == 0


def test_what_is_forgotten_meanwhile_does_not_come_back(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    old = old_event(alice, "I follow zqcopperzq.")
    write = end_events.write_parts

    def forgotten(*arguments: object, **more: object) -> object:
        with acting_as(alice.pk):
            forget(alice, ErasureScope.EVENT, old.event_id, Sources.REDACT, source="api")
        return write(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(event_backlog, "write_parts", forgotten)
    remake_now()
    assert all_of(alice) == []


def test_of_a_message_that_loses_a_sentence_meanwhile_nothing_is_written_anew(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(alice)
    old = old_event(alice, "I follow zqcopperzq. I sold BYD yesterday.")
    with acting_as(alice.pk):
        sources = [{"message": str(old.message_ids[0]), "quote": "I sold BYD yesterday."}]
        CognitiveEvent.objects.filter(pk=old.pk).update(sources=sources)
    write = end_events.write_parts

    def forgotten(*arguments: object, **more: object) -> object:
        memory = next(item for item in memories(alice) if "zqcopperzq" in item.content)
        with acting_as(alice.pk):
            forget(alice, ErasureScope.ITEM, str(memory.pk), Sources.REDACT, source="api")
        drain()
        return write(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(event_backlog, "write_parts", forgotten)
    remake_now()
    assert [(event.canonical_text, event.rewriting) for event in all_of(alice)] == [(TRANSCRIPT, "kept")]
    assert "zqcopperzq" not in dump()


def test_the_command_says_how_far_it_has_come(alice: User) -> None:
    allow(alice)
    old_event(alice, "I follow copper.")
    said = StringIO()
    call_command("rewrite_events", "--status", stdout=said)
    assert said.getvalue().startswith("1 events wait to be written anew, 0 stay as they were; 0 jobs")
    call_command("rewrite_events", stdout=said)
    assert "Queued: 1 people." in said.getvalue()
