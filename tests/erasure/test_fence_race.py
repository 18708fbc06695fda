"""A worker, a turn or an import in the middle of its work while its person erases: nothing is written afterwards."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from django.db import connection, connections
from prometheus_client import REGISTRY

from consent.exceptions import ErasureInProgress
from consent.models import ErasureScope, Sources, Tombstone
from finclaw.brain import turn
from finclaw.brain.types import TurnRequest
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.exceptions import NotFound
from foundation.llm import Prompt, Reply, configured_model
from foundation.outbox import services as outbox
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain, run
from memory import tasks
from memory.evolution.services import observe
from memory.historian import services as historian
from memory.importing.cast import username_of
from memory.importing.services import Importer
from memory.importing.types import SessionPart, Turn
from memory.importing.validation import BadRecord
from memory.indexing import embedding
from memory.indexing import services as indexing
from memory.models import CognitiveJob, ConversationEvent, SearchEntry, Session
from memory.types import EndInput
from tests.support.cast import allow, make_person
from tests.support.needles import dump
from tests.support.talk import memories, open_session, permit_of, say

pytestmark = pytest.mark.django_db(transaction=True)
NEEDLE = "zqneedlezq"
PATIENCE = 30.0  # seconds until a test that hangs fails
SCOPES = (ErasureScope.ITEM, ErasureScope.SESSION, ErasureScope.MEMORIES, ErasureScope.ACCOUNT)


class Beside:
    """Work in a thread with a connection of its own, which stops where it calls ``stop`` until it may go on."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work
        self._stopped, self._may_go = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.error: BaseException | None = None
        self.ended = threading.Event()

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as error:  # noqa: BLE001  the test looks at it
            self.error = error
        finally:
            connections.close_all()
            self.ended.set()
            self._stopped.set()

    def stop(self) -> None:
        """Called by the work: the first time it waits; whoever else comes by goes on."""
        if threading.current_thread() is self._thread and not self._stopped.is_set():
            self._stopped.set()
            assert self._may_go.wait(PATIENCE)

    def start(self) -> None:
        self._thread.start()
        assert self._stopped.wait(PATIENCE)
        assert not self.ended.is_set(), self.error

    def go_on(self) -> None:
        self._may_go.set()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()


def _stopping_before(beside: Beside, function: Callable[..., Any]) -> Callable[..., Any]:
    def stopping(*args: Any, **kwargs: Any) -> Any:
        beside.stop()
        return function(*args, **kwargs)

    return stopping


def _work_one() -> None:
    message = outbox.claim()
    assert message is not None
    run(message)


def _forget(user: User, scope: ErasureScope, session: Session, sources: Sources = Sources.REDACT) -> Tombstone:
    target = {ErasureScope.SESSION: str(session.pk)}.get(scope, "")
    if scope == ErasureScope.ITEM:
        target = str(next(item.pk for item in memories(user) if NEEDLE in item.content))
    with acting_as(user.pk):
        return forget(user, scope, target, sources, source="api")


def _require_gone(tombstone: Tombstone) -> None:
    """Whatever is still queued is done; then the erasure is complete, no job waits or failed, and no word is left."""
    drain()
    with in_role(OPERATOR_ROLE):
        row = Tombstone.objects.get(pk=tombstone.pk)
        reasons = list(row.steps.exclude(reason="").values_list("reason", flat=True))
    assert (row.state, reasons) == ("completed", [])
    with in_role(WORKER_ROLE):
        states = set(OutboxMessage.objects.values_list("state", flat=True))
    assert states <= {OutboxMessage.State.DONE, OutboxMessage.State.CANCELLED}
    assert NEEDLE not in dump()


@pytest.fixture
def alice() -> User:
    person = make_person("alice")
    allow(person)
    return person


@pytest.fixture
def session(alice: User) -> Session:
    """A conversation in which the needle was learned already."""
    session = open_session(alice)
    say(alice, session, f"I prefer answers about {NEEDLE}.", "The weather is fine.")
    return session


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
        tombstone = _forget(alice, scope, session)
        if completed:
            drain()
    _require_gone(tombstone)


@pytest.mark.parametrize("completed", [False, True], ids=["while it is pending", "after it is complete"])
@pytest.mark.parametrize("scope", SCOPES)
def test_an_end_being_written_becomes_no_event(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch, scope: ErasureScope, completed: bool
) -> None:
    _queue_end(alice, session)
    with _stopped_at(monkeypatch, indexing, "embed", _work_one):
        tombstone = _forget(alice, scope, session)
        if completed:
            drain()
    _require_gone(tombstone)


@pytest.mark.parametrize("sources", Sources)
def test_kept_messages_being_learned_from_teach_nothing_either(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch, sources: Sources
) -> None:
    with acting_as(alice.pk):
        first = ConversationEvent.objects.filter(session=session).order_by("seq")[0]
        observe(permit_of(alice), [first])  # the same message, being looked at once more
    with _stopped_at(monkeypatch, indexing, "embed", _work_one):
        _forget(alice, ErasureScope.ITEM, session, sources)
        drain()
    drain()
    assert memories(alice) == []
    with acting_as(alice.pk):
        assert not SearchEntry.objects.filter(pk=first.pk).exists()
        assert not any(NEEDLE in terms for terms in SearchEntry.objects.values_list("terms", flat=True))


@pytest.mark.parametrize("scope", SCOPES)
def test_vectors_of_what_was_erased_meanwhile_are_dropped(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch, scope: ErasureScope
) -> None:
    with acting_as(alice.pk):
        keys = [str(key) for key in SearchEntry.objects.values_list("pk", flat=True)]
        outbox.enqueue(embedding.EMBED_TOPIC, user_id=alice.pk, payload={"entries": keys})
    with _stopped_at(monkeypatch, embedding, "configured_embedder", _work_one):
        tombstone = _forget(alice, scope, session)
        drain()
    _require_gone(tombstone)


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
    asking = Beside(lambda: asked.append(_forget(alice, scope, session)))
    with _stopped_at(monkeypatch, tasks, "result_of", _work_one):  # everything is written, nothing committed
        asking._thread.start()
        _wait_until_blocked()
        assert not asking.ended.is_set()
    asking.go_on()
    assert asking.error is None
    _require_gone(asked[0])


class Quoting:
    """A model that thinks long and quotes what stands in its prompt."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._model = configured_model()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def call(self, prompt: Prompt, *args: Any, **kwargs: Any) -> Reply:
        reply = self._model.call(prompt, *args, **kwargs)
        self._stop()
        shown = prompt.system + prompt.closing + "".join(message.content for message in prompt.messages)
        return replace(reply, text=f"You spoke of {NEEDLE}.") if NEEDLE in shown else reply


def _asking(alice: User, session: Session, monkeypatch: pytest.MonkeyPatch, text: str) -> Beside:
    request = TurnRequest(session.pk, ({"type": "text", "text": text},))
    beside = Beside(lambda: turn.reply(alice, request))
    monkeypatch.setattr(turn, "configured_model", lambda: Quoting(beside.stop))
    beside.start()
    return beside


@pytest.mark.parametrize("completed", [False, True], ids=["while it is pending", "after it is complete"])
@pytest.mark.parametrize("elsewhere", [False, True], ids=["in the conversation", "in another"])
@pytest.mark.parametrize("scope", SCOPES)
def test_an_answer_made_of_what_was_erased_meanwhile_is_not_stored(
    alice: User,
    session: Session,
    monkeypatch: pytest.MonkeyPatch,
    scope: ErasureScope,
    elsewhere: bool,
    completed: bool,
) -> None:
    where = open_session(alice) if elsewhere else session
    beside = _asking(alice, where, monkeypatch, "What answers do I prefer?")
    tombstone = _forget(alice, scope, session)
    if completed:
        drain()
    beside.go_on()
    assert isinstance(beside.error, ErasureInProgress | NotFound)
    _require_gone(tombstone)


def test_an_answer_stored_before_the_wish_is_among_what_it_erases(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = _asking(alice, session, monkeypatch, "What answers do I prefer?")
    beside.go_on()
    assert beside.error is None
    assert dump().count(f"spoke of {NEEDLE}") == 1
    _require_gone(_forget(alice, ErasureScope.ITEM, session))


PART = SessionPart(
    "trip", ("Maya",), "monday", (Turn("1", "Maya", "user", ({"type": "text", "text": f"I prefer {NEEDLE}."},)),)
)


@pytest.mark.parametrize("scope", [ErasureScope.SESSION, ErasureScope.MEMORIES, ErasureScope.ACCOUNT])
def test_an_import_in_its_middle_indexes_nothing_of_what_was_erased(
    monkeypatch: pytest.MonkeyPatch, scope: ErasureScope
) -> None:
    with _stopped_at(monkeypatch, indexing, "embed", lambda: Importer().add(PART)) as beside:
        maya = User.objects.get(username=username_of("trip", "Maya"))
        with acting_as(maya.pk):
            session = Session.objects.get()
        tombstone = _forget(maya, scope, session)
        drain()
    assert beside.error is None or isinstance(beside.error, BadRecord)
    _require_gone(tombstone)


def test_an_import_waits_for_an_erasure_to_end_rather_than_bring_it_back() -> None:
    Importer().add(PART)
    drain()
    maya = User.objects.get(username=username_of("trip", "Maya"))
    with acting_as(maya.pk):
        session = Session.objects.get()
    tombstone = _forget(maya, ErasureScope.ITEM, session)
    with pytest.raises(BadRecord, match="being erased"):
        Importer().add(PART)
    drain()
    assert Importer().add(PART).known == 1  # its place is kept, its words are not
    _require_gone(tombstone)


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
    _forget(alice, ErasureScope.SESSION, session)
    with acting_as(alice.pk), pytest.raises(NotFound):
        historian.end(permit_of(alice), alice, session, EndInput("r", new_info="Something."))


def test_what_met_the_fence_is_counted(alice: User, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = partial(REGISTRY.get_sample_value, "evolution_blocked_by_erasure_total")
    _queue_message(alice, session, f"I follow {NEEDLE}.")
    before = blocked() or 0.0
    with _stopped_at(monkeypatch, indexing, "embed", _work_one):
        _forget(alice, ErasureScope.SESSION, session)
    assert blocked() == before + 1
