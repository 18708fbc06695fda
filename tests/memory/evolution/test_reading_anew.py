"""Messages that were learned from before sentences were judged are read anew in the background."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from consent.services import withdraw_consent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import WORKER_ROLE
from foundation.deadlines import DeadlineExceeded
from foundation.embeddings import EmbeddingUnavailable
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.evolution.free_statements import reread_statements
from memory.evolution.slots import GATE_ANEW
from memory.evolution.types import StatementCandidate, Utterance
from memory.learning import reread_jobs
from memory.learning.reread_jobs import queue_waiting, rereading_progress
from memory.models import ConversationEvent, MemoryItem, SearchEntry
from memory.services import item_decisions, item_queries, items
from tests.memory.evolution.support import believed, changes, draft, recallable
from tests.support.cast import allow
from tests.support.items import add_item
from tests.support.judging import judge_as, judgement
from tests.support.talk import memories, open_session, permit_of, say
from tests.web.support import signed_in

pytestmark = pytest.mark.django_db
REUNION, KNEE = "the reunion is off, they said", "my knee sounds like gravel"
LEARNED = {"Their knee sounds like gravel", "The reunion is off, they said"}


@pytest.fixture
def said(alice: User, monkeypatch: pytest.MonkeyPatch) -> list[ConversationEvent]:
    """What Alice said to the release before: rules alone read it."""
    allow(alice)
    judge_as(monkeypatch, {})
    events = say(alice, open_session(alice), "I live in Berlin", REUNION, KNEE, "thanks!")
    with acting_as(alice.pk):
        SearchEntry.objects.filter(kind="turn").update(to_be_read=True)
    judge_as(monkeypatch, {"Berlin": judgement(), "reunion": judgement(), "knee": judgement()})
    return events


def _read() -> None:
    queue_waiting()
    drain()


def test_what_is_said_now_is_read_already(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    judge_as(monkeypatch, {})
    say(alice, open_session(alice), KNEE)

    assert rereading_progress().messages == 0
    assert queue_waiting() == 0


def test_old_memories_stand_and_what_was_missed_is_added(alice: User, said: list[ConversationEvent]) -> None:
    [home] = memories(alice)

    _read()

    assert believed(alice) == recallable(alice) == {home.content, *LEARNED}
    [kept] = [item for item in memories(alice) if item.pk == home.pk]
    assert (kept.version, kept.state, kept.content) == (1, "active", home.content)
    knee = next(item for item in memories(alice) if "knee" in item.content)
    assert knee.provenance_detail["message_ids"] == [str(said[2].pk)]
    assert knee.valid_at == said[2].occurred_at
    assert rereading_progress().messages == 0


def test_it_goes_on_where_it_was_cut_off(
    alice: User, said: list[ConversationEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reread_jobs, "BATCH", 1)
    monkeypatch.setattr(reread_jobs, "LISTED", 2)
    read, cut = reread_jobs._reread, [1]

    def once(*args: object) -> None:
        if cut and len(memories(alice)) > 1:
            cut.clear()
            raise ConnectionError
        read(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(reread_jobs, "_reread", once)
    _read()
    assert rereading_progress().messages > 0

    with in_role(WORKER_ROLE):
        reread_jobs.BACKLOG.jobs().update(available_at=timezone.now())
    drain()

    assert believed(alice) >= LEARNED
    assert rereading_progress().messages == 0
    assert len(memories(alice)) == 3


def test_twice_adds_nothing(alice: User, said: list[ConversationEvent]) -> None:
    _read()
    with acting_as(alice.pk):
        SearchEntry.objects.filter(kind="turn").update(to_be_read=True)
    _read()

    assert len(memories(alice)) == 3


def test_without_consent_nothing_is_read(alice: User, said: list[ConversationEvent]) -> None:
    with acting_as(alice.pk):
        permit = permit_of(alice)
        assert permit.consent_id is not None
        withdraw_consent(alice, permit.consent_id, (ConsentScope.MEMORY_LEARNING,), source="command")
    _read()
    allow(alice)
    _read()

    assert not any("knee" in item.content for item in memories(alice))


def test_words_that_were_taken_back_are_not_read(alice: User, said: list[ConversationEvent]) -> None:
    queue_waiting()
    with acting_as(alice.pk):
        SearchEntry.objects.filter(pk=said[2].pk).delete()  # as erasing does, and withholding
    drain()

    assert believed(alice) & LEARNED == {"The reunion is off, they said"}


def test_nobody_reads_for_somebody_else(alice: User, charlie: User, said: list[ConversationEvent]) -> None:
    allow(charlie)
    _read()

    assert memories(charlie) == []


def test_while_sentences_cannot_be_embedded_they_wait(
    alice: User, said: list[ConversationEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rereading_progress().messages

    def unavailable(utterance: Utterance) -> list[StatementCandidate]:
        raise EmbeddingUnavailable()

    with monkeypatch.context() as patched:
        patched.setattr(reread_jobs, "reread_statements", unavailable)
        _read()
    assert rereading_progress().messages == before
    _read()
    assert rereading_progress().messages == 0


def test_a_message_that_takes_too_long_holds_up_no_other(
    alice: User, said: list[ConversationEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    anew = reread_statements

    def slow(utterance: Utterance) -> list[StatementCandidate]:
        if "reunion" in utterance.text:
            raise DeadlineExceeded()
        return anew(utterance)

    monkeypatch.setattr(reread_jobs, "reread_statements", slow)
    _read()

    assert believed(alice) & LEARNED == {"Their knee sounds like gravel"}
    assert rereading_progress().messages == 0


def test_all_of_it_can_be_taken_back_but_what_was_confirmed(alice: User, said: list[ConversationEvent]) -> None:
    _read()
    knee = next(item for item in memories(alice) if "knee" in item.content)
    with acting_as(alice.pk):
        items.confirm(permit_of(alice), knee.pk)

    out = StringIO()
    call_command("reread", "--undo", stdout=out)

    assert "Withdrawn: 1 memories." in out.getvalue()
    assert {"Their knee sounds like gravel"} == believed(alice) & LEARNED
    assert len(believed(alice)) == 2
    assert changes(alice)[-1].rule == reread_jobs.UNDO_RULE


def test_each_of_it_waits_or_is_shown_like_any_other(
    alice: User, said: list[ConversationEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge_as(monkeypatch, {"knee": judgement("ask")})
    _read()

    browser: Client = signed_in(alice)
    (shown,) = browser.get(reverse("web:unsure")).context["unsure"]
    assert shown["text"] == "Their knee sounds like gravel"
    assert shown["sources"][0]["quote"] == KNEE
    page = browser.get(reverse("web:memory", args=[shown["memory_id"]])).content.decode()
    assert "It sounded like something about you, so I ask you before I use it" in page
    browser.post(reverse("web:memory_accept", args=[shown["memory_id"]]))
    assert MemoryItem.State.ACTIVE in {item.state for item in memories(alice) if "knee" in item.content}


def test_what_its_person_accepted_is_not_taken_back(
    alice: User, said: list[ConversationEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge_as(monkeypatch, {"knee": judgement("ask")})
    _read()
    with acting_as(alice.pk):
        [knee] = item_queries.review_queue(permit_of(alice))
        items.accept(permit_of(alice), knee.pk)
    call_command("reread", "--undo", stdout=StringIO())

    assert believed(alice) >= {knee.content}


def test_the_messages_of_what_is_taken_back_stay_found(alice: User, said: list[ConversationEvent]) -> None:
    _read()
    call_command("reread", "--undo", stdout=StringIO())

    with acting_as(alice.pk):
        assert SearchEntry.objects.filter(pk__in=[event.pk for event in said], live=True).count() == len(said)


def test_what_stands_again_already_hinders_nobody_elses_undo(alice: User, said: list[ConversationEvent]) -> None:
    _read()
    with acting_as(alice.pk):
        permit = permit_of(alice)
        [knee] = (item for item in memories(alice) if "knee" in item.content)
        anew = draft(content="The knee is fine", detail={"rule": GATE_ANEW, "change": "supersede"})
        items.supersede(permit, knee, anew)
        add_item(permit, draft(content=knee.content, attributes=knee.attributes))
    call_command("reread", "--undo", stdout=StringIO())

    assert "The knee is fine" not in believed(alice)


def test_what_was_corrected_since_is_not_read_again(alice: User, said: list[ConversationEvent]) -> None:
    detail = {"rule": "model.structured", "message_ids": [str(said[2].pk)]}
    with acting_as(alice.pk):
        item = add_item(permit_of(alice), draft(content="Knee sounds like gravel", detail=detail))
        item_decisions.correct(permit_of(alice), item.pk, "Elbow sounds like gravel")
    _read()

    assert not any("knee" in text for text in believed(alice))
