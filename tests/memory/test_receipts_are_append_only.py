"""What an answer was made of cannot be written anew; how it was taken is filled in later."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.ids import new_id
from memory.models import Receipt, ReceiptLine, Session
from memory.services.item_decisions import add_stated
from memory.services.receipts import write_receipts
from memory.types import LineDraft
from tests.support.cast import allow
from tests.support.talk import open_session, permit_of


@pytest.fixture
def session(alice: User) -> Session:
    """A conversation of Alice's with a receipt of one memory."""
    allow(alice)
    session = open_session(alice)
    with acting_as(alice.pk):
        item = add_stated(permit_of(alice), "Alice follows Bitcoin")
        line = LineDraft("item", item.pk, True, "relevance", 0.5, position=1)
        write_receipts(
            permit_of(alice), session, new_id(), [], [line], budget={}, budget_exceeded=False, degraded=[],
            context_hash="0" * 64,
        )  # fmt: skip
    return session


@pytest.mark.parametrize(
    ("model", "changed"),
    [
        (ReceiptLine, {"status": "rejected"}),
        (ReceiptLine, {"decision_reason": "stated"}),
        (ReceiptLine, {"ref_id": new_id()}),
        (Receipt, {"degraded": ["vector_unavailable"]}),
        (Receipt, {"policy_version": "0"}),
    ],
)
def test_the_application_does_not_change_what_was_recorded(
    alice: User, session: Session, model: Any, changed: dict[str, object]
) -> None:
    with acting_as(alice.pk), pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        model.objects.update(**changed)


@pytest.mark.parametrize("model", [ReceiptLine, Receipt])
def test_nor_does_it_delete_any(alice: User, session: Session, model: Any) -> None:
    with acting_as(alice.pk), pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        model.objects.all().delete()
    with in_role(OPERATOR_ROLE):
        assert Receipt.objects.count() == 2


def test_how_an_answer_was_taken_is_filled_in_for_ones_own_alone(alice: User, bob: User, session: Session) -> None:
    with acting_as(bob.pk):
        assert ReceiptLine.objects.update(utilized=True) == 0
    with acting_as(alice.pk):
        assert ReceiptLine.objects.update(utilized=True, user_feedback_signal="positive") == 2
        assert Receipt.objects.update(closed_at=timezone.now()) == 2
