"""Groups: what is withdrawn is gone from everybody's search, and who leaves keeps what they said as theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from django.db import ProgrammingError, connection, transaction
from django.test import override_settings
from numpy.typing import NDArray

from consent.services import withdraw_consent
from foundation.accounts.groups import remove_member
from foundation.accounts.models import ChatGroup, User
from foundation.database.acting_user import acting_as
from foundation.embeddings import configured_embedder
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.outbox.leases import claim
from foundation.outbox.models import OutboxMessage, Priority
from foundation.outbox.tasks import drain
from memory import tasks
from memory.historian.event_writer import write_events
from memory.historian.services import END_TOPIC, end
from memory.indexing import services as indexing
from memory.indexing.documents import turn_documents
from memory.indexing.embedding import EMBED_TOPIC, embed_entries, embed_later
from memory.indexing.services import rebuild_shared_terms
from memory.learning.services import OBSERVE_TOPIC, observe
from memory.models import CognitiveEvent, CognitiveJob, ConversationEvent, MemoryItem, SearchEntry, Session
from memory.services import items
from memory.services.sessions import record_messages
from memory.types import EndInput, NewMessage
from tests.support.cast import allow, group_with
from tests.support.model_server import ModelServer
from tests.support.talk import memories, open_session, permit_of, say


@pytest.fixture
def desk(alice: User, bob: User) -> ChatGroup:
    allow(alice)
    allow(bob)
    return group_with(alice, [bob])


@pytest.fixture
def talk(alice: User, desk: ChatGroup) -> Session:
    return open_session(alice, group_id=desk.pk)


def revoke(user: User) -> None:
    with acting_as(user.pk):
        consent = permit_of(user).consent_id
        assert consent is not None
        withdraw_consent(user, consent, source="api")


def words_of(user: User) -> str:
    with acting_as(user.pk):
        return " ".join(SearchEntry.objects.filter(user=user).values_list("terms", flat=True))


def test_a_withdrawn_speakers_words_leave_the_entries_of_others_and_enter_no_new_one(
    alice: User, bob: User, talk: Session
) -> None:
    say(alice, talk, "My zanzibar position is large.")
    say(bob, talk, "Interesting weather today.")
    assert "zanzibar" in words_of(bob)
    revoke(alice)
    drain()
    assert "zanzibar" not in words_of(bob)
    say(bob, talk, "Another remark about rain.")
    assert "rain" in words_of(bob)
    assert "zanzibar" not in words_of(bob)


def test_who_withdraws_after_leaving_takes_their_words_out_of_the_entries_of_others(
    alice: User, bob: User, desk: ChatGroup, talk: Session
) -> None:
    say(alice, talk, "My zanzibar position is large.")
    say(bob, talk, "Interesting weather today.")
    remove_member(alice, desk.pk, alice.pk)
    assert "zanzibar" in words_of(bob)
    revoke(alice)
    drain()
    assert "zanzibar" not in words_of(bob)
    assert "weather" in words_of(bob)


def test_words_taken_back_while_a_neighbour_is_being_indexed_do_not_come_back(
    alice: User, bob: User, talk: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(alice, talk, "My zanzibar position is large.")
    events = say(bob, talk, "Another remark about rain.", learn=False)
    with acting_as(bob.pk):
        observe(permit_of(bob), events)
    claimed = claim()
    assert claimed is not None
    embed = indexing.embed

    def interrupted(texts: Sequence[str]) -> object:
        revoke(alice)
        drain()
        return embed(texts)

    monkeypatch.setattr(indexing, "embed", interrupted)
    tasks.observe(Job(claimed))
    assert "rain" in words_of(bob)
    assert "zanzibar" not in words_of(bob)


def test_rebuilding_lends_nobody_what_is_its_persons_alone(
    alice: User, bob: User, desk: ChatGroup, talk: Session
) -> None:
    events = say(bob, talk, "My zanzibar position is large.", learn=False)
    with acting_as(bob.pk):
        observe(permit_of(bob), events)
    remove_member(bob, desk.pk, bob.pk)
    drain()
    say(alice, talk, "Interesting weather today.")
    with transaction.atomic():
        assert rebuild_shared_terms({talk.pk}) == 2
    assert "zanzibar" in words_of(bob)
    assert "weather" in words_of(alice)
    assert "zanzibar" not in words_of(alice)


def test_an_end_from_before_a_withdrawal_makes_no_event_although_granted_again(alice: User) -> None:
    permit = allow(alice)
    session = open_session(alice)
    with acting_as(alice.pk):
        end(permit, alice, session, EndInput("r1", new_info="I bought BTC"))
    claimed = claim()
    assert claimed is not None
    revoke(alice)
    allow(alice)
    write_events(Job(claimed))
    drain()
    with acting_as(alice.pk):
        assert not CognitiveEvent.objects.exists()
        assert not CognitiveJob.objects.exists()


def test_the_same_end_after_a_new_grant_is_written(alice: User) -> None:
    permit = allow(alice)
    session = open_session(alice)
    request = EndInput("r1", new_info="I bought BTC")
    with acting_as(alice.pk):
        end(permit, alice, session, request)
    revoke(alice)
    drain()
    again = allow(alice)
    with acting_as(alice.pk):
        assert end(again, alice, session, request).queued
    drain()
    with acting_as(alice.pk):
        assert CognitiveEvent.objects.count() == 1


def test_nothing_is_embedded_after_a_withdrawal(alice: User) -> None:
    allow(alice)
    [event] = say(alice, open_session(alice), "My zanzibar position is large.", learn=False)
    with acting_as(alice.pk):
        embed_later(turn_documents([event], [event.pk]))
    claimed = claim()
    assert claimed is not None
    revoke(alice)
    embed_entries(Job(claimed))
    with acting_as(alice.pk):
        assert not SearchEntry.objects.exists()


@pytest.fixture
def embedding_server() -> Iterator[ModelServer]:
    with ModelServer() as server, override_settings(EMBEDDINGS_BASE_URL=server.base_url, EMBEDDINGS_MODEL="tiny"):
        yield server


def embed_all(user: User) -> Job:
    """A claimed job that embeds all that is the user's in search."""
    with acting_as(user.pk):
        entries = [str(key) for key in SearchEntry.objects.values_list("pk", flat=True)]
        assert entries
        outbox.enqueue(EMBED_TOPIC, user_id=user.pk, payload={"entries": entries}, priority=Priority.URGENT)
    claimed = claim()
    assert claimed is not None
    return Job(claimed)


def models_of(user: User) -> set[str]:
    """The models that embedded what is the user's in search; the empty one for what none has."""
    with acting_as(user.pk):
        return set(SearchEntry.objects.values_list("model_id", flat=True))


def learn_of_every_kind(user: User) -> None:
    """Turns, items, an event and a portrait in search, without vectors."""
    session = open_session(user)
    say(user, session, "I follow BTC")
    with acting_as(user.pk):
        end(permit_of(user), user, session, EndInput("r1", new_info="I bought BTC"))
    drain()
    with acting_as(user.pk):
        assert set(SearchEntry.objects.values_list("kind", flat=True)) == {"turn", "item", "event", "profile"}
        SearchEntry.objects.update(vector=None, model_id="")


def test_what_was_stored_before_a_withdrawal_is_not_embedded_although_granted_again(
    alice: User, embedding_server: ModelServer
) -> None:
    allow(alice)
    with override_settings(EMBEDDINGS_BASE_URL=""):
        learn_of_every_kind(alice)
    job = embed_all(alice)
    revoke(alice)
    allow(alice)
    embed_entries(job)
    assert embedding_server.requests == []
    assert models_of(alice) == {""}


def test_what_is_embedded_during_a_withdrawal_gets_no_vector(
    alice: User, embedding_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(alice)
    with override_settings(EMBEDDINGS_BASE_URL=""):
        learn_of_every_kind(alice)
    job = embed_all(alice)
    embedder = configured_embedder()
    ask = embedder.embed_passages

    def interrupted(texts: Sequence[str]) -> NDArray[np.float32]:
        revoke(alice)
        allow(alice)
        return ask(texts)

    monkeypatch.setattr(embedder, "embed_passages", interrupted)
    embed_entries(job)
    assert len(embedding_server.requests) == 1
    assert models_of(alice) == {""}


def test_what_was_stored_under_the_consent_that_holds_is_embedded_whatever_it_is(
    alice: User, embedding_server: ModelServer
) -> None:
    allow(alice)
    with override_settings(EMBEDDINGS_BASE_URL=""):
        learn_of_every_kind(alice)
    embed_entries(embed_all(alice))
    assert models_of(alice) == {"tiny"}


def test_who_left_a_group_can_still_confirm_what_they_taught_there(bob: User, desk: ChatGroup, talk: Session) -> None:
    say(bob, talk, "I live in Berlin.")
    [item] = memories(bob)
    assert item.group_id == desk.pk
    remove_member(bob, desk.pk, bob.pk)
    with acting_as(bob.pk):
        confirmed = items.confirm(permit_of(bob), item.pk)
    assert (confirmed.group_id, confirmed.version) == (None, 2)


def test_work_queued_before_leaving_is_done_for_its_person_alone(
    alice: User, bob: User, desk: ChatGroup, talk: Session
) -> None:
    events = say(bob, talk, "I live in Berlin.", learn=False)
    with acting_as(bob.pk):
        permit = permit_of(bob)
        observe(permit, events)
        end(permit, bob, talk, EndInput("r1", new_info="I live in Berlin."))
    remove_member(bob, desk.pk, bob.pk)
    drain()
    with acting_as(bob.pk):
        queued = OutboxMessage.objects.filter(topic__in=[OBSERVE_TOPIC, END_TOPIC])
        assert set(queued.values_list("state", flat=True)) == {"done"}
        assert [item.content for item in MemoryItem.objects.all()] == ["Lives in Berlin"]
        assert CognitiveEvent.objects.get().perspective == "sender"
        assert set(SearchEntry.objects.values_list("group_id", flat=True)) == {None}
    with acting_as(alice.pk):
        assert not SearchEntry.objects.filter(user=bob).exists()


def test_the_group_goes_to_its_eldest_member_when_its_owner_leaves(alice: User, bob: User, desk: ChatGroup) -> None:
    remove_member(alice, desk.pk, alice.pk)
    assert desk.memberships.get(user=bob).is_owner


def test_one_persons_yes_answers_no_question_put_to_another(alice: User, bob: User, talk: Session) -> None:
    with acting_as(alice.pk):
        asked = [
            NewMessage.of_text("user", "Hello", "Alice"),
            NewMessage.of_text("assistant", "Do you live in Berlin?", "FinClaw"),
        ]
        observe(permit_of(alice), record_messages(permit_of(alice), talk, asked))
    drain()
    say(bob, talk, "Yes.")
    assert memories(bob) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE memory_session SET user_id = %(bob)s",
        "UPDATE memory_session SET group_id = NULL",
        "UPDATE memory_session SET remember = false",
        "UPDATE memory_searchentry SET user_id = %(bob)s",
    ],
)
def test_a_member_cannot_take_anothers_rows_over(bob: User, talk: Session, statement: str) -> None:
    with (
        acting_as(bob.pk),
        pytest.raises(ProgrammingError, match="permission denied"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement, {"bob": bob.pk})


def test_a_message_of_a_person_who_left_stays_readable_to_them(bob: User, desk: ChatGroup, talk: Session) -> None:
    say(bob, talk, "I live in Berlin.")
    remove_member(bob, desk.pk, bob.pk)
    with acting_as(bob.pk):
        assert [event.text for event in ConversationEvent.objects.all()] == ["I live in Berlin."]
