"""A worker, a turn or an import in the middle of its work while its person erases: nothing is written afterwards."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test import override_settings
from prometheus_client import REGISTRY

from consent.models import ErasureScope, Sources, Tombstone
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.embeddings import configured_embedder
from foundation.exceptions import NotFound
from foundation.outbox import services as outbox
from foundation.outbox.job_run import run
from foundation.outbox.leases import claim
from foundation.outbox.tasks import drain
from memory import tasks
from memory.historian import services as historian
from memory.importing.imported_people import username_of
from memory.importing.services import ConversationImporter
from memory.importing.types import ImportedTurn, SessionPart
from memory.importing.validation import BadRecord
from memory.indexing import services as indexing
from memory.indexing.embedding import EMBED_TOPIC
from memory.indexing.reembedding import REEMBED_TOPIC
from memory.learning.services import observe
from memory.models import CognitiveJob, ConversationEvent, SearchEntry, Session
from memory.services import summaries
from memory.types import EndInput
from tests.support.beside import NEEDLE, PATIENCE, SCOPES, Beside, forget_needle, require_gone
from tests.support.model_server import ModelServer, Says
from tests.support.needles import dump
from tests.support.talk import memories, permit_of, say

pytestmark = pytest.mark.django_db(transaction=True)


def _stopping_before(beside: Beside, function: Callable[..., Any]) -> Callable[..., Any]:
    def stopping(*args: Any, **kwargs: Any) -> Any:
        beside.stop()
        return function(*args, **kwargs)

    return stopping


def _work_one() -> None:
    message = claim()
    assert message is not None
    run(message)


@contextmanager
def _stopped_at(
    monkeypatch: pytest.MonkeyPatch, place: object, name: str, work: Callable[[], object]
) -> Iterator[Beside]:
    beside = Beside(work)
    with monkeypatch.context() as patch:
        patch.setattr(place, name, _stopping_before(beside, getattr(place, name)))
        beside.start()
        yield beside
        beside.go_on()


def _queue_message(alice: User, session: Session, text: str) -> None:
    with acting_as(alice.pk):
        observe(permit_of(alice), say(alice, session, text, learn=False))


def _queue_end(alice: User, session: Session) -> None:
    with acting_as(alice.pk):
        first = ConversationEvent.objects.filter(session=session).order_by("seq")[0]
        told = EndInput("r", new_info=f"Alice asked for {NEEDLE}.", message_ids=(first.pk,))
        historian.end(permit_of(alice), alice, session, told)


@pytest.mark.parametrize("completed", [False, True], ids=["while it is pending", "after it is complete"])
@pytest.mark.parametrize("scope", SCOPES)
def test_a_message_being_learned_from_teaches_nothing(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch, scope: ErasureScope, completed: bool
) -> None:
    # What surrounds the erased lends its words: a message of another content is as good a leak as one of the same.
    _queue_message(alice, session, "I follow BTC." if scope == ErasureScope.ITEM else f"I follow {NEEDLE}.")
    with _stopped_at(monkeypatch, indexing, "embed", _work_one):
        tombstone = forget_needle(alice, scope, session)
        if completed:
            drain()
    require_gone(tombstone)


@pytest.mark.parametrize("completed", [False, True], ids=["while it is pending", "after it is complete"])
@pytest.mark.parametrize("scope", SCOPES)
def test_an_end_being_written_becomes_no_event(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch, scope: ErasureScope, completed: bool
) -> None:
    _queue_end(alice, session)
    with _stopped_at(monkeypatch, indexing, "embed", _work_one):
        tombstone = forget_needle(alice, scope, session)
        if completed:
            drain()
    require_gone(tombstone)


@pytest.mark.parametrize("sources", Sources)
def test_kept_messages_being_learned_from_teach_nothing_either(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch, sources: Sources
) -> None:
    with acting_as(alice.pk):
        first = ConversationEvent.objects.filter(session=session).order_by("seq")[0]
        observe(permit_of(alice), [first])  # the same message, being looked at once more
    with _stopped_at(monkeypatch, indexing, "embed", _work_one):
        forget_needle(alice, ErasureScope.ITEM, session, sources)
        drain()
    drain()
    assert memories(alice) == []
    with acting_as(alice.pk):
        assert not SearchEntry.objects.filter(pk=first.pk).exists()
        assert not any(NEEDLE in terms for terms in SearchEntry.objects.values_list("terms", flat=True))


@pytest.mark.parametrize("topic", [EMBED_TOPIC, REEMBED_TOPIC])
@pytest.mark.parametrize("scope", SCOPES)
def test_vectors_of_what_was_erased_meanwhile_are_dropped(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch, scope: ErasureScope, topic: str
) -> None:
    with acting_as(alice.pk):
        keys = [str(key) for key in SearchEntry.objects.values_list("pk", flat=True)]
        SearchEntry.objects.update(model_id="another")
        outbox.enqueue(topic, user_id=alice.pk, payload={"entries": keys})
    with _stopped_at(monkeypatch, configured_embedder(), "embed_passages", _work_one):
        tombstone = forget_needle(alice, scope, session)
        drain()
    require_gone(tombstone)


_BLOCKED = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()
"""


def _wait_until_blocked() -> None:
    """Until some other connection waits for a lock."""
    pause = threading.Event()
    for _ in range(int(PATIENCE / 0.02)):
        with connection.cursor() as cursor:
            cursor.execute(_BLOCKED)
            if cursor.fetchone()[0]:
                return
        pause.wait(0.02)
    raise AssertionError("nobody waits")


@pytest.mark.parametrize("scope", [ErasureScope.SESSION, ErasureScope.MEMORIES, ErasureScope.ACCOUNT])
def test_who_asks_while_a_worker_writes_waits_and_erases_what_it_wrote(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch, scope: ErasureScope
) -> None:
    _queue_message(alice, session, f"I follow {NEEDLE}.")
    asked: list[Tombstone] = []
    asking = Beside(lambda: asked.append(forget_needle(alice, scope, session)))
    with _stopped_at(monkeypatch, tasks, "job_result", _work_one):  # everything is written, nothing committed
        asking.begin()
        _wait_until_blocked()
        assert not asking.ended.is_set()
    asking.go_on()
    assert asking.error is None
    require_gone(asked[0])


PART = SessionPart(
    "trip",
    ("Maya",),
    "monday",
    (ImportedTurn("1", "Maya", "user", ({"type": "text", "text": f"I prefer {NEEDLE}."},)),),
)


@pytest.mark.parametrize("scope", [ErasureScope.SESSION, ErasureScope.MEMORIES, ErasureScope.ACCOUNT])
def test_an_import_in_its_middle_indexes_nothing_of_what_was_erased(
    monkeypatch: pytest.MonkeyPatch, scope: ErasureScope
) -> None:
    with _stopped_at(monkeypatch, indexing, "embed", lambda: ConversationImporter().add(PART)) as beside:
        maya = User.objects.get(username=username_of("trip", "Maya"))
        with acting_as(maya.pk):
            session = Session.objects.get()
        tombstone = forget_needle(maya, scope, session)
        drain()
    assert beside.error is None or isinstance(beside.error, BadRecord)
    require_gone(tombstone)


def test_an_import_waits_for_an_erasure_to_end_rather_than_bring_it_back() -> None:
    ConversationImporter().add(PART)
    drain()
    maya = User.objects.get(username=username_of("trip", "Maya"))
    with acting_as(maya.pk):
        session = Session.objects.get()
    tombstone = forget_needle(maya, ErasureScope.ITEM, session)
    with pytest.raises(BadRecord, match="being erased"):
        ConversationImporter().add(PART)
    drain()
    assert ConversationImporter().add(PART).known == 1  # its place is kept, its words are not
    require_gone(tombstone)


@pytest.mark.parametrize("completed", [False, True], ids=["while it is pending", "after it is complete"])
def test_an_end_repeated_after_its_event_was_erased_writes_nothing_anew(
    alice: User, session: Session, completed: bool
) -> None:
    told = EndInput("r", new_info="Alice bought a zqvineyardzq.")
    with acting_as(alice.pk):
        historian.end(permit_of(alice), alice, session, told)
    drain()
    with acting_as(alice.pk):
        forget(alice, ErasureScope.EVENT, "r:1", Sources.REDACT, source="api")
    if completed:
        drain()
    with acting_as(alice.pk):
        receipt = historian.end(permit_of(alice), alice, session, told)
        assert not CognitiveJob.objects.exists()
    assert receipt.event_id == "r:1"
    drain()
    assert "zqvineyardzq" not in dump()


def test_an_end_of_a_conversation_erased_meanwhile_is_not_found(alice: User, session: Session) -> None:
    forget_needle(alice, ErasureScope.SESSION, session)
    with acting_as(alice.pk), pytest.raises(NotFound):
        historian.end(permit_of(alice), alice, session, EndInput("r", new_info="Something."))


def test_what_met_the_fence_is_counted(alice: User, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = partial(REGISTRY.get_sample_value, "evolution_blocked_by_erasure_total")
    _queue_message(alice, session, f"I follow {NEEDLE}.")
    before = blocked() or 0.0
    with _stopped_at(monkeypatch, indexing, "embed", _work_one):
        forget_needle(alice, ErasureScope.SESSION, session)
    assert blocked() == before + 1


@pytest.mark.parametrize("completed", [False, True], ids=["while it is pending", "after it is complete"])
@pytest.mark.parametrize("by_model", [False, True], ids=["extractive", "by a model"])
@pytest.mark.parametrize("scope", SCOPES)
def test_a_summary_being_made_of_what_was_erased_is_not_written(
    alice: User,
    session: Session,
    monkeypatch: pytest.MonkeyPatch,
    scope: ErasureScope,
    by_model: bool,
    completed: bool,
) -> None:
    with acting_as(alice.pk):
        summaries.summarize_later(permit_of(alice), session, 2, 2)
    server = ModelServer(default=Says((f"Alice: answers about {NEEDLE}.",)))
    with server, override_settings(**_served(server) if by_model else {}):
        with _stopped_at(monkeypatch, summaries, "_append_block", _work_one):
            tombstone = forget_needle(alice, scope, session)
            if completed:
                drain()
        require_gone(tombstone)


def _served(server: ModelServer) -> dict[str, Any]:
    return {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "k", "MODEL_LARGE": "m", "MODEL_MAX_RETRIES": 0}


def test_a_summary_being_stored_is_among_what_an_erasure_takes(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    with acting_as(alice.pk):
        summaries.summarize_later(permit_of(alice), session, 2, 2)
    asked: list[Tombstone] = []
    asking = Beside(lambda: asked.append(forget_needle(alice, ErasureScope.ITEM, session)))
    with _stopped_at(monkeypatch, summaries, "with_block", _work_one):  # the row is locked, the words were there
        asking.begin()
        _wait_until_blocked()
        assert not asking.ended.is_set()
    asking.go_on()
    assert asking.error is None
    require_gone(asked[0])
