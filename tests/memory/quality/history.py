"""A history made up row by row, so that every numerator and denominator is known."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import time_machine

from consent.permit import Permit
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from memory.models import EvolutionEvent, MemoryItem, Receipt, ReceiptLine, Session
from memory.services.sessions import start_session
from tests.support.cast import allow
from tests.support.talk import permit_of

NOW = datetime(2026, 6, 15, 12, 0, tzinfo=UTC)
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
WHOLE_BUDGET = {"personal_context": 100}


def item(user: User, *, age: timedelta = DAY, words: str = "", **fields: Any) -> MemoryItem:
    """An item that was written ``age`` before now, in force unless ``fields`` say otherwise."""
    made = NOW - age
    given: dict[str, Any] = {
        "memory_type": "preference", "content": words or str(new_id()), "content_hash": words or str(new_id()),
        "confidence": 0.5, "provenance": "observation", "valid_at": made, "created_at": made,
        "last_validated_at": made, "consent_version": 1,
    }  # fmt: skip
    with acting_as(user.pk):
        return MemoryItem.objects.create(user=user, **(given | fields))


def ended(age: timedelta) -> dict[str, Any]:
    """The fields of an item that stopped being true so long ago."""
    return {"state": "invalid", "invalid_at": NOW - age, "superseded_at": NOW - age}


def chain(user: User, *words: str, age: timedelta = DAY) -> None:
    """A statement that was replaced by the next, a version a minute, the last one ``age`` ago and still open."""
    key = new_id()
    for version, text in enumerate(words, 1):
        made = NOW - age - MINUTE * (len(words) - version)
        closed = {"invalid_at": made + MINUTE, "superseded_at": made + MINUTE, "state": "superseded"}
        is_open = version == len(words)
        item(
            user, age=NOW - made, words=f"{text} {key}", chain_id=key, version=version, **({} if is_open else closed)
        )  # fmt: skip


class Turns:
    """Receipts of one person's turns."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.permit: Permit = permit_of(user) if permit_of(user).has_decided else allow(user)
        with acting_as(user.pk):
            self.session: Session = start_session(self.permit, user)

    def receipt(self, kind: str, *, age: timedelta = MINUTE, **fields: Any) -> Receipt:
        """A whole receipt, ``age`` ago."""
        given: dict[str, Any] = {"policy_version": "1", "consent_version": 1, "message_id": new_id()}
        if kind == "retrieval":
            given |= {"strategy": "score", "latency_ms": 20.0, "stores_used": ["memory"]}
        else:
            given |= {"budget": WHOLE_BUDGET}
        with time_machine.travel(NOW - age, tick=False), acting_as(self.user.pk):
            return Receipt.objects.create(kind=kind, user=self.user, session=self.session, **(given | fields))

    def lines(self, receipt: Receipt, *, accepted: int = 0, rejected: int = 0, **fields: Any) -> None:
        """Candidates of a receipt, each with its five fields."""
        statuses = ["accepted"] * accepted + ["rejected"] * rejected
        with acting_as(self.user.pk):
            ReceiptLine.objects.bulk_create(
                ReceiptLine(
                    **({
                        "receipt": receipt, "user": self.user, "kind": "item", "ref_id": new_id(), "rank": rank,
                        "status": status, "decision_reason": "relevance", "candidate_score": 0.5,
                        "context_position": rank if status == "accepted" else None,
                    } | fields)
                )
                for rank, status in enumerate(statuses, 1)
            )  # fmt: skip

    def fuse(self, *, age: timedelta = MINUTE) -> UUID:
        """The negative-feedback fuse trips for an item of theirs."""
        held = item(self.user)
        with acting_as(self.user.pk):
            event = EvolutionEvent.objects.create(
                user=self.user, item=held, chain_id=held.chain_id, action="fused", actor="pipeline",
                consent_version=1, created_at=NOW - age,
            )  # fmt: skip
        return event.pk
