"""Summaries hold nobody's words longer than the messages do, nor do replies that were made beside one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.test import override_settings

from consent.models import ErasureScope, Sources
from finclaw.brain import turn
from finclaw.brain.types import TurnRequest
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE
from foundation.outbox.tasks import drain
from memory.models import ConversationEvent, Receipt, Session
from memory.services import sessions, summaries
from memory.types import NewMessage
from tests.support.beside import NEEDLE
from tests.support.cast import allow, group_with
from tests.support.model_server import ModelServer, Says
from tests.support.needles import dump
from tests.support.talk import memories, open_session, permit_of, say

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people(alice: User, bob: User) -> tuple[User, User]:
    allow(alice)
    allow(bob)
    return alice, bob


def _summarise(user: User, session: Session, upto: int) -> Session:
    with acting_as(user.pk):
        summaries.summarize_later(permit_of(user), session, upto, upto)
    drain()
    return _reread(session)


def _reread(session: Session) -> Session:
    with in_role(OPERATOR_ROLE):
        return Session.objects.get(pk=session.pk)


def _forget_memory(user: User) -> None:
    memory = next(item for item in memories(user) if NEEDLE in item.content)
    with acting_as(user.pk):
        forget(user, ErasureScope.ITEM, str(memory.pk), Sources.REDACT, source="api")
    drain()


@contextmanager
def _model(text: str) -> Iterator[None]:
    """A model that always says this."""
    settings = {"OPENAI_API_KEY": "k", "MODEL_LARGE": "m", "MODEL_MAX_RETRIES": 0}
    with ModelServer(default=Says((text,))) as served, override_settings(OPENAI_BASE_URL=served.base_url, **settings):
        yield


def _reply_of_a_model(user: User, session: Session, text: str) -> None:
    with _model(text):
        turn.reply(user, TurnRequest(session.pk, ({"type": "text", "text": "And now?"},)))
    drain()


def test_a_reply_made_beside_a_summary_goes_however_far_back_the_words_were_said(people: tuple[User, User]) -> None:
    alice, _ = people
    session = open_session(alice)
    say(alice, session, f"I prefer answers about {NEEDLE}.")
    say(alice, session, *["The weather is fine."] * sessions.RECENT_MESSAGES, learn=False)
    assert NEEDLE in str(_summarise(alice, session, 20).summary_blocks)
    _reply_of_a_model(alice, session, f"You spoke of {NEEDLE}.")
    assert f"spoke of {NEEDLE}" in dump()
    _forget_memory(alice)
    assert NEEDLE not in dump()


def test_a_reply_as_far_from_the_words_and_without_a_summary_stays(people: tuple[User, User]) -> None:
    alice, _ = people
    session = open_session(alice)
    say(alice, session, f"I prefer answers about {NEEDLE}.")
    say(alice, session, *["The weather is fine."] * (sessions.RECENT_MESSAGES + 1), learn=False)
    with acting_as(alice.pk):
        answer = NewMessage.of_text("assistant", "Answers differ.", "FinClaw", echo=True)
        sessions.record_messages(permit_of(alice), session, [answer])
    _forget_memory(alice)
    with acting_as(alice.pk):
        assert "Answers differ." in [event.text for event in ConversationEvent.objects.filter(role="assistant")]


def test_the_summary_of_a_conversation_where_another_was_answered_with_ones_words_goes_too(
    people: tuple[User, User],
) -> None:
    alice, bob = people
    desk = group_with(alice, [bob])
    shared, elsewhere = open_session(alice, group_id=desk.pk), open_session(bob, group_id=desk.pk)
    [said] = say(alice, shared, f"I prefer answers about {NEEDLE}.")
    _answer_with(bob, elsewhere, said, f"Alice prefers answers about {NEEDLE}.")
    with _model(f"FinClaw: Alice prefers answers about {NEEDLE}."):
        assert NEEDLE in str(_summarise(bob, elsewhere, 2).summary_blocks)
    _forget_memory(alice)
    assert NEEDLE not in dump()
    assert _reread(elsewhere).summarized_seq == 0
    assert "What does Alice like?" in str(_summarise(bob, elsewhere, 2).summary_blocks)


def _answer_with(user: User, session: Session, source: ConversationEvent, text: str) -> None:
    """A turn whose prompt held the source, and its receipt, which says so."""
    with acting_as(user.pk):
        permit = permit_of(user)
        asked = NewMessage.of_text("user", "What does Alice like?", user.name)
        answered = NewMessage.of_text("assistant", text, "FinClaw", echo=True)
        reply = sessions.record_messages(permit, session, [asked, answered])[-1]
        receipt = Receipt.objects.create(
            kind=Receipt.Kind.INJECTION, user=user, session=session, message_id=reply.pk, policy_version="1",
            consent_version=permit.version,
        )  # fmt: skip
        receipt.lines.create(
            user=user, kind="event", ref_id=source.pk, status="accepted", rank=1, decision_reason="relevance",
            candidate_score=1.0,
        )  # fmt: skip


@pytest.mark.parametrize("scope", [ErasureScope.ACCOUNT, ErasureScope.MEMORIES, ErasureScope.SESSION])
def test_a_groups_summary_is_made_anew_of_what_others_said(people: tuple[User, User], scope: ErasureScope) -> None:
    alice, bob = people
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    say(alice, session, f"I prefer answers about {NEEDLE}.")
    say(bob, session, "I follow copper.")
    _summarise(bob, session, 2)
    target = str(session.pk) if scope == ErasureScope.SESSION else ""
    with acting_as(alice.pk):
        forget(alice, scope, target, Sources.REDACT, source="api")
    with in_role(OPERATOR_ROLE):  # one that Alice began is hidden while her account goes
        rows = Session.objects.filter(pk=session.pk).values_list("summary_blocks", "summarized_seq")
        assert list(rows) == ([] if scope == ErasureScope.ACCOUNT else [([], 0)])
    drain()
    assert NEEDLE not in dump()
    [block] = _summarise(bob, session, 2).summary_blocks
    assert (block["text"], block["from_seq"], block["to_seq"]) == ("Bob: “I follow copper.”", 1, 2)


def test_the_eraser_alone_empties_the_summaries_of_others(people: tuple[User, User]) -> None:
    alice, bob = people
    session = open_session(alice)
    say(alice, session, "I follow copper.")
    _summarise(alice, session, 1)
    with acting_as(bob.pk), in_role(ERASER_ROLE):
        assert not Session.with_erased.filter(pk=session.pk).update(summary_blocks=[])
