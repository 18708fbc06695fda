"""What is made of a forgotten statement beyond chats: research, signs, remarks, groups. Its neighbour stays in each."""

from __future__ import annotations

from uuid import UUID

import pytest

from consent.erasure.services import erasure_of
from consent.models import AuditEvent, ErasureScope, Sources, Tombstone
from drift.models import Feedback
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import ConversationEvent, EvolutionEvent, Receipt, ReceiptLine, Session
from memory.research.types import ResearchStatement, StatementSource
from memory.services import sessions
from memory.types import NewMessage
from personas.models import PersonaSignal
from tests.drift.support import rate
from tests.memory.portraits.support import bullets, tell
from tests.support.cast import A_MONDAY, allow, group_with
from tests.support.needles import dump
from tests.support.research import reread, snapshot_made
from tests.support.talk import memories, open_session, permit_of, say

pytestmark = pytest.mark.django_db(transaction=True)
GOES, STAYS = "I work as a nurse at Zqneedle Hospital.", "I have a cat called Misoqz."
NEEDLE, NEIGHBOUR = "Zqneedle", "Misoqz"


@pytest.fixture
def said(alice: User) -> ConversationEvent:
    allow(alice)
    return say(alice, open_session(alice), f"{GOES} {STAYS}")[0]


def memory_with(user: User, word: str) -> UUID:
    return next(item.pk for item in memories(user) if word in item.content)


def forgotten(user: User) -> Tombstone:
    with acting_as(user.pk):
        asked = forget(user, ErasureScope.ITEM, str(memory_with(user, NEEDLE)), Sources.REDACT, source="api")
    drain()
    with acting_as(user.pk):
        done = erasure_of(user.pk, asked.pk)
    assert done.state == "completed", [step.reason for step in done.steps.all()]
    return done


def test_a_research_note_keeps_the_statement_of_the_other_sentence(alice: User, said: ConversationEvent) -> None:
    kept = ResearchStatement("Has a cat called Misoqz.", None, (StatementSource("message", str(said.pk)),))
    gone = ResearchStatement("Works at Zqneedle Hospital.", None, (StatementSource("message", str(said.pk)),))
    learned = ResearchStatement("A nurse.", None, (StatementSource("item", str(memory_with(alice, NEEDLE))),))
    beside = ResearchStatement("Cats cost money.", None, (StatementSource("item", str(memory_with(alice, NEIGHBOUR))),))
    snapshot = snapshot_made(alice, evidence=(kept, gone, learned, beside))
    forgotten(alice)
    assert [one["text"] for one in reread(alice, snapshot).evidence] == [kept.text, beside.text]
    assert NEEDLE not in dump()


def test_a_remark_on_the_message_goes_where_it_tells_it(alice: User, said: ConversationEvent) -> None:
    reply = answer(alice, said.session, f"You are a nurse at Zqneedle Hospital. {NEIGHBOUR} is your cat.")
    rate(alice, f"message:{reply.pk}", "thumbs_down", comment="I left Zqneedle Hospital.")
    rate(alice, f"message:{reply.pk}", "thumbs_up", comment="Right about the cat.")
    forgotten(alice)
    with acting_as(alice.pk):
        assert [row.comment for row in Feedback.objects.all()] == ["Right about the cat."]
    assert NEEDLE not in dump()


def test_a_sign_of_another_message_stays(alice: User, said: ConversationEvent) -> None:
    [other] = say(alice, said.session, "The weather is fine.")
    with acting_as(alice.pk):
        for message in (said, other):
            PersonaSignal.objects.create(
                session=said.session, user=alice, message_id=message.pk, slot="length", value="short", language="en",
                said_at=A_MONDAY, consent_version=1,
            )  # fmt: skip
    forgotten(alice)
    with acting_as(alice.pk):
        assert list(PersonaSignal.objects.values_list("message_id", flat=True)) == [other.pk]


def test_receipts_changes_and_the_audit_hold_no_word_and_stay_for_the_others(
    alice: User, said: ConversationEvent
) -> None:
    reply = answer(alice, said.session, "The weather is fine.", memory_with(alice, NEEDLE))
    neighbour = memory_with(alice, NEIGHBOUR)
    done = forgotten(alice)
    with acting_as(alice.pk):
        assert Receipt.objects.filter(message_id=reply.pk).exists()
        assert EvolutionEvent.objects.filter(item_id=neighbour).exists()
        assert AuditEvent.objects.filter(subject_id=done.pk).count() == 2
    assert NEEDLE not in str(done.certificate) + str(done.targets)
    assert NEEDLE not in dump()


def test_in_a_group_others_keep_what_does_not_quote_it(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    desk = group_with(alice, [bob])
    shared, private = open_session(alice, group_id=desk.pk), open_session(bob)
    (said,) = say(alice, shared, f"{GOES} {STAYS}")
    tell(alice, shared, f"{GOES} {STAYS}", message=said.pk)
    quoting = answer(bob, private, "Alice works at Zqneedle Hospital.", said.pk, kind="turn")
    speaking = answer(bob, private, "The weather is fine.", said.pk, kind="turn")
    forgotten(alice)
    with acting_as(bob.pk):
        assert ConversationEvent.objects.get(pk=said.pk).text == STAYS
        assert ConversationEvent.objects.get(pk=quoting.pk).text == ""
        assert ConversationEvent.objects.get(pk=speaking.pk).text == "The weather is fine."
    assert any(NEIGHBOUR in line for line in bullets(bob, desk))
    assert NEEDLE not in dump()


def answer(user: User, session: Session, text: str, *given: UUID, kind: str = "item") -> ConversationEvent:
    """A reply before which these rows stood."""
    with acting_as(user.pk):
        permit = permit_of(user)
        reply = sessions.record_messages(permit, session, [NewMessage.of_text("assistant", text, "FinClaw")])[-1]
        receipt = Receipt.objects.create(
            kind=Receipt.Kind.INJECTION, user=user, session=session, message_id=reply.pk, policy_version="1",
            consent_version=permit.version,
        )  # fmt: skip
        for key in given:
            ReceiptLine.objects.create(
                receipt=receipt, user=user, kind=kind, ref_id=key, status="accepted", rank=1,
                decision_reason="relevance", candidate_score=1.0,
            )  # fmt: skip
    return reply
