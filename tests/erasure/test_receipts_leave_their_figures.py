"""A receipt outlives what it explains: its figures stay for the indicators, and say neither whose nor of what."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from consent.models import ErasureScope
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE
from foundation.ids import new_id
from memory.erasure.expiry import delete_expired
from memory.governance.feedback import close_unanswered
from memory.models import ConversationEvent, Receipt, ReceiptLine, Session
from memory.quality.indicators import TimeWindow, measure
from memory.quality.quality_indicators import COMPLETENESS
from memory.services.item_decisions import add_stated
from memory.services.receipts import write_receipts
from memory.services.sessions import record_messages, start_session
from memory.types import LineDraft, NewMessage
from tests.support.cast import allow
from tests.support.erasures import forgotten
from tests.support.talk import permit_of

NOW = timezone.now()
NO_EXPERIMENT = UUID(int=1)
LATELY = TimeWindow(NOW - timedelta(days=2), NOW + timedelta(hours=1))
FIGURES = {"kind": "injection", "degraded": ["vector_unavailable"], "budget": {"memories": 40}, "policy_version": "3"}


def _answered(user: User, **session: Any) -> Session:
    """A conversation of the user's, with a reply and the receipts that explain it."""
    permit = allow(user)
    with acting_as(user.pk):
        conversation = start_session(permit, user, **session)
        (reply,) = record_messages(permit, conversation, [NewMessage.of_text("assistant", "You follow Bitcoin.", "")])
        item = add_stated(permit_of(user), f"{user.name} follows Bitcoin")
        line = LineDraft("item", item.pk, True, "relevance", 0.5, position=1)
        write_receipts(
            permit_of(user), conversation, reply.pk, [], [line],
            budget={"memories": 40}, budget_exceeded=False, degraded=["vector_unavailable"], context_hash="c" * 64,
            generation_metadata={"experiments": {str(NO_EXPERIMENT): "control"}, "trace_id": "f" * 32},
        )  # fmt: skip
    return conversation


def _receipts(**filters: Any) -> list[Any]:
    with in_role(OPERATOR_ROLE):
        return list(Receipt.objects.filter(**filters).order_by("kind", "pk").values())


def _lines(**filters: Any) -> list[Any]:
    with in_role(OPERATOR_ROLE):
        return list(ReceiptLine.objects.filter(**filters).order_by("pk").values())


def _assert_stripped(before: list[Any]) -> None:
    """The receipts are there, with their figures, and refer to nothing."""
    after = _receipts(pk__in=[row["id"] for row in before])
    assert len(after) == len(before) == 2
    assert {name: after[0][name] for name in FIGURES} == FIGURES
    for old, row in zip(before, after, strict=True):
        assert (row["user_id"], row["session_id"], row["context_hash"]) == (None, None, "")
        assert row["generation_metadata"] == {}
        assert row["message_id"] != old["message_id"]
        assert row["created_at"] == old["created_at"]
    lines = _lines(receipt__in=[row["id"] for row in before])
    assert [(line["user_id"], line["ref_id"].int, line["candidate_score"]) for line in lines] == [(None, 0, 0.5)] * 2


def test_erasing_a_conversation_strips_its_receipts_and_says_so(alice: User, bob: User) -> None:
    session, _bobs = _answered(alice), _answered(bob)
    before, others = _receipts(user_id=alice.pk), [_receipts(user_id=bob.pk), _lines(user_id=bob.pk)]
    done = forgotten(alice, ErasureScope.SESSION, str(session.pk))
    _assert_stripped(before)
    assert [_receipts(user_id=bob.pk), _lines(user_id=bob.pk)] == others
    assert done.certificate is not None
    kept = {(entry["place"], entry["rows"], entry["reason"]) for entry in done.certificate["kept"]}
    assert {("memory.Receipt", 2, "figures"), ("memory.ReceiptLine", 2, "figures")} <= kept


def test_a_receipt_of_another_conversation_stays_as_it_is(alice: User) -> None:
    session, other = _answered(alice), _answered(alice)
    before = _receipts(session_id=other.pk)
    forgotten(alice, ErasureScope.SESSION, str(session.pk))
    assert _receipts(session_id=other.pk) == before


def test_erasing_the_account_leaves_figures_of_nobody(alice: User) -> None:
    _answered(alice)
    before = _receipts(user_id=alice.pk)
    done = forgotten(alice, ErasureScope.ACCOUNT)
    _assert_stripped(before)
    assert done.state == "completed"
    assert done.certificate is not None
    assert {entry["reason"] for entry in done.certificate["kept"]} == {"proof", "figures"}


def test_a_temporary_conversation_leaves_figures_once_it_is_over(alice: User) -> None:
    session = _answered(alice, remember=False)
    before = _receipts(session_id=session.pk)
    with acting_as(alice.pk), in_role(ERASER_ROLE):
        Session.objects.filter(pk=session.pk).update(expires_at=timezone.now() - timedelta(minutes=1))
    delete_expired()
    with in_role(OPERATOR_ROLE):
        assert not ConversationEvent.objects.exists()
        assert not Session.objects.exists()
    _assert_stripped(before)


def test_they_count_in_the_indicators_and_are_closed_by_nobody(alice: User) -> None:
    session = _answered(alice)
    with acting_as(alice.pk), in_role(ERASER_ROLE):
        Receipt.objects.update(created_at=timezone.now() - timedelta(hours=26))
    (counted,) = measure(COMPLETENESS, [LATELY])
    forgotten(alice, ErasureScope.SESSION, str(session.pk))
    assert counted.denominator == 2
    assert measure(COMPLETENESS, [LATELY]) == [counted]
    close_unanswered()
    assert {row["closed_at"] for row in _receipts(kind="injection")} == {None}


def test_the_application_neither_strips_receipts_nor_reads_stripped_ones(alice: User) -> None:
    session = _answered(alice)
    with acting_as(alice.pk), pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        Receipt.objects.update(user=None, message_id=new_id())
    forgotten(alice, ErasureScope.SESSION, str(session.pk))
    with acting_as(alice.pk):
        assert (Receipt.objects.count(), ReceiptLine.objects.count()) == (0, 0)
