"""What a reply remembered is read back from its receipt, whatever wrote the receipt."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.urls import reverse

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import ReceiptLine
from memory.services.receipts import write_receipts
from memory.services.reply_traces import texts_of_lines, traces_of
from memory.services.sessions import record_messages
from memory.types import LineDraft, NewMessage
from tests.support.cast import allow
from tests.support.talk import open_session
from tests.web.support import memory_of, signed_in


@pytest.fixture
def told(alice: User) -> tuple[str, ReceiptLine]:
    """The address of a conversation whose answer was given an item, and something that nothing here can read."""
    permit = allow(alice)
    item = memory_of(alice, "Alice follows BTC")
    session = open_session(alice)
    with acting_as(alice.pk):
        [answer] = record_messages(permit, session, [NewMessage.of_text("assistant", "BTC.", "FinClaw")])
        lines = [
            LineDraft(kind, key, accepted=True, reason="relevance", score=0.5, position=position)
            for position, (kind, key) in enumerate([("item", item.pk), ("portrait", uuid4())], start=1)
        ]
        write_receipts(
            permit, session, answer.pk, (), lines, budget={}, budget_exceeded=False, degraded=(), context_hash=""
        )
        line = ReceiptLine.objects.select_related("receipt").get(kind="portrait", receipt__kind="injection")
    return reverse("web:chat_session", args=[session.pk]), line


def test_a_kind_that_nothing_here_reads_is_shown_plainly(alice: User, told: tuple[str, ReceiptLine]) -> None:
    address, line = told
    with acting_as(alice.pk):
        [trace] = traces_of(allow(alice), [line.receipt.message_id]).values()
    known, unknown = trace.memories

    assert known.text == "Alice follows BTC"
    assert (unknown.kind, unknown.ref, unknown.context_position) == ("portrait", str(line.ref_id), 2)
    assert "portrait" in unknown.text
    page = signed_in(alice).get(address)
    assert page.status_code == 200
    assert unknown.text in page.content.decode()


def test_it_has_no_words_that_could_be_quoted(alice: User, told: tuple[str, ReceiptLine]) -> None:
    _, line = told
    with acting_as(alice.pk):
        assert texts_of_lines(allow(alice), [line]) == {}
