"""A next message closes the receipt of the answer before it, and counts what it says of each memory (M-25)."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
import time_machine
from django.utils import timezone

from consent.models import ErasureScope, Sources
from consent.services import withdraw_consent
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE
from foundation.ids import new_id
from foundation.outbox.tasks import drain
from memory.governance import feedback
from memory.learning.services import observe
from memory.models import ConversationEvent, EvolutionEvent, MemoryItem, Receipt, ReceiptLine, Session
from memory.retrieval.services import embed_query, search
from memory.services import history, item_decisions, receipts, sessions
from memory.types import LineDraft, NewMessage, SearchQuery
from tests.support.cast import allow, group_with
from tests.support.talk import open_session, permit_of, say

ANSWER = "You mentioned that you follow Bitcoin."


def keep(user: User, text: str = "Alice follows Bitcoin") -> MemoryItem:
    with acting_as(user.pk):
        return item_decisions.add_stated(permit_of(user), text)


def line(item: MemoryItem, *, utilized: bool | None = True, reason: str = "relevance") -> LineDraft:
    """A line of ``item``: taken where ``utilized`` says what became of it, else left out."""
    return LineDraft("item", item.pk, utilized is not None, reason, 0.5, position=1, utilized=utilized)


def answered(user: User, session: Session, *lines: LineDraft, answer: str = ANSWER) -> Receipt:
    """A turn of the user's was answered, with these lines on its receipt."""
    with acting_as(user.pk):
        permit, key = permit_of(user), new_id()
        messages = [
            NewMessage.of_text("user", "What do I follow?", user.name),
            NewMessage.of_text("assistant", answer, "FinClaw", id=key, echo=True),
        ]
        sessions.record_messages(permit, session, messages)
        return receipts.write_receipts(
            permit, session, key, [], lines, budget={}, budget_exceeded=False, degraded=[], context_hash="0" * 64
        )


def now_of(user: User, item: MemoryItem) -> MemoryItem:
    with acting_as(user.pk):
        return MemoryItem.objects.get(pk=item.pk)


def counts(user: User, item: MemoryItem) -> tuple[int, int, int, int]:
    """Judged uses, welcomed, called wrong, misses in a row."""
    row = now_of(user, item)
    return row.injection_count, row.positive_count, row.correction_count, row.miss_count


def signals(user: User, receipt: Receipt) -> dict[UUID, tuple[bool | None, str]]:
    with acting_as(user.pk):
        rows = ReceiptLine.objects.filter(receipt=receipt)
        return {row.ref_id: (row.utilized, row.user_feedback_signal) for row in rows}


def is_closed(user: User, receipt: Receipt) -> bool:
    with acting_as(user.pk):
        return Receipt.objects.get(pk=receipt.pk).closed_at is not None


@pytest.fixture
def session(alice: User) -> Session:
    allow(alice)
    return open_session(alice)


@pytest.mark.parametrize("yes", ["Exactly!", "没错"])
def test_a_yes_welcomes_what_the_answer_drew_on_and_validates_it(alice: User, session: Session, yes: str) -> None:
    with time_machine.travel(timezone.now() - timedelta(days=40)):
        used, unused = keep(alice), keep(alice, "Alice owns a vineyard")
    receipt = answered(alice, session, line(used), line(unused, utilized=False))
    say(alice, session, yes)
    assert is_closed(alice, receipt)
    assert signals(alice, receipt) == {used.pk: (True, "positive"), unused.pk: (False, "")}
    assert counts(alice, used) == (1, 1, 0, 0)
    assert counts(alice, unused) == (0, 0, 0, 1)
    assert now_of(alice, used).last_validated_at > used.last_validated_at + timedelta(days=39)
    assert now_of(alice, unused).last_validated_at == unused.last_validated_at


@pytest.mark.parametrize("no", ["That's wrong.", "你记错了"])
def test_a_denial_counts_against_what_the_answer_drew_on(alice: User, session: Session, no: str) -> None:
    used, unused = keep(alice), keep(alice, "Alice owns a vineyard")
    receipt = answered(alice, session, line(used), line(unused, utilized=False))
    say(alice, session, no)
    assert signals(alice, receipt)[used.pk] == (True, "negative")
    assert counts(alice, used) == (1, 0, 1, 0)
    assert counts(alice, unused)[2] == 0
    assert now_of(alice, used).last_validated_at == used.last_validated_at


def test_a_denial_that_names_what_is_wrong_spares_the_rest(alice: User, session: Session) -> None:
    right, wrong = keep(alice), keep(alice, "Alice owns a vineyard")
    answered(alice, session, line(right), line(wrong), answer="You follow Bitcoin and own a vineyard.")
    say(alice, session, "No, that vineyard is my brother's.")
    assert counts(alice, right)[2] == 0
    assert counts(alice, wrong)[2] == 1


def test_called_wrong_again_a_memory_is_held_back(alice: User, session: Session) -> None:
    item = keep(alice)
    for _ in range(2):
        answered(alice, session, line(item))
        say(alice, session, "That's wrong.")
    assert now_of(alice, item).state == MemoryItem.State.QUARANTINED


def test_going_on_about_a_memory_shows_that_it_was_used(alice: User, session: Session) -> None:
    named, other = keep(alice), keep(alice, "Alice owns a vineyard")
    receipt = answered(alice, session, line(named, utilized=False), line(other, utilized=False), answer="加密货币。")
    say(alice, session, "And how volatile is Bitcoin?")
    assert signals(alice, receipt) == {named.pk: (True, "follow_up"), other.pk: (False, "")}
    assert counts(alice, named) == (0, 0, 0, 0)
    assert counts(alice, other) == (0, 0, 0, 1)


@pytest.mark.parametrize(("message", "signal"), [("Translate hello into French", "topic_change"), ("谢谢", "silence")])
def test_what_nobody_passed_a_verdict_on_is_neutral(alice: User, session: Session, message: str, signal: str) -> None:
    item = keep(alice)
    receipt = answered(alice, session, line(item))
    say(alice, session, message)
    assert signals(alice, receipt)[item.pk] == (True, signal)
    assert counts(alice, item) == (0, 0, 0, 0)
    assert now_of(alice, item).last_validated_at == item.last_validated_at


def test_misses_are_counted_in_a_row_and_for_what_missed_alone(alice: User, session: Session) -> None:
    unfit = keep(alice)
    no_room, standing = keep(alice, "Alice owns a vineyard"), keep(alice, "Alice prefers concise answers")
    for _ in range(3):
        answered(
            alice, session, line(unfit, utilized=None), line(no_room, utilized=None, reason="budget_exceeded"),
            line(standing, utilized=False, reason="confidence"),
        )  # fmt: skip
        say(alice, session, "Translate hello into French")
    assert [counts(alice, item)[3] for item in (unfit, no_room, standing)] == [3, 0, 0]
    answered(alice, session, line(unfit))
    say(alice, session, "Translate hello into French")
    assert counts(alice, unfit)[3] == 0


def test_the_same_message_observed_again_counts_once(alice: User, session: Session) -> None:
    item = keep(alice)
    answered(alice, session, line(item))
    [message] = say(alice, session, "Exactly!")
    with acting_as(alice.pk):
        feedback.close_answered(permit_of(alice), message)
    assert counts(alice, item) == (1, 1, 0, 0)


def test_in_a_group_nobody_answers_for_somebody_else(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    item = keep(alice)
    receipt = answered(alice, session, line(item))
    with acting_as(bob.pk):
        theirs = sessions.session_of(permit_of(bob), session.pk)
    say(bob, theirs, "Exactly!")
    assert not is_closed(alice, receipt)
    assert counts(alice, item) == (0, 0, 0, 0)


def test_after_a_withdrawal_nothing_is_counted(alice: User, session: Session) -> None:
    receipt = answered(alice, session, line(keep(alice)))
    events = say(alice, session, "Exactly!", learn=False)
    with acting_as(alice.pk):
        permit = permit_of(alice)
        observe(permit, events)
        withdraw_consent(alice, permit.consent_id, source="api")  # type: ignore[arg-type]
    drain()
    assert not is_closed(alice, receipt)
    assert set(signals(alice, receipt).values()) == {(True, "")}


def test_what_was_forgotten_or_replaced_meanwhile_is_left_alone(alice: User, session: Session) -> None:
    gone, replaced, kept = keep(alice), keep(alice, "Alice owns a vineyard"), keep(alice, "Alice follows Ether")
    receipt = answered(alice, session, line(gone), line(replaced), line(kept))
    with acting_as(alice.pk):
        forget(alice, ErasureScope.ITEM, str(gone.pk), Sources.KEEP, source="api")
        item_decisions.correct(permit_of(alice), replaced.pk, "Alice owns an orchard")
    say(alice, session, "Exactly!")
    assert is_closed(alice, receipt)
    assert counts(alice, replaced) == (0, 0, 0, 0)
    assert counts(alice, kept) == (1, 1, 0, 0)


def test_a_receipt_that_went_with_its_message_is_no_obstacle(alice: User, session: Session) -> None:
    item = keep(alice)
    receipt = answered(alice, session, line(item))
    with acting_as(alice.pk), in_role(ERASER_ROLE):
        Receipt.objects.filter(pk=receipt.pk).delete()
    [message] = say(alice, session, "Exactly!")
    assert counts(alice, item) == (0, 0, 0, 0)
    with acting_as(alice.pk):
        assert ConversationEvent.objects.filter(pk=message.pk).exists()


def test_an_answer_that_nobody_answers_is_closed_in_silence_after_a_day(alice: User, session: Session) -> None:
    used, unfit = keep(alice), keep(alice, "Alice owns a vineyard")
    receipt = answered(alice, session, line(used), line(unfit, utilized=None))
    assert feedback.close_unanswered() == 0
    with time_machine.travel(timezone.now() + timedelta(days=1, minutes=1)):
        assert feedback.close_unanswered() == 1
        assert feedback.close_unanswered() == 0
    assert is_closed(alice, receipt)
    assert signals(alice, receipt)[used.pk] == (True, "silence")
    assert [counts(alice, item) for item in (used, unfit)] == [(0, 0, 0, 0), (0, 0, 0, 1)]


def test_a_temporary_conversation_teaches_nothing_of_its_memories_either(alice: User) -> None:
    allow(alice)
    session, item = open_session(alice, remember=False), keep(alice)
    receipt = answered(alice, session, line(item, utilized=False))
    say(alice, session, "Exactly!")
    assert not is_closed(alice, receipt)
    with time_machine.travel(timezone.now() + timedelta(days=1, minutes=1)):
        feedback.close_unanswered()
    assert is_closed(alice, receipt)
    assert counts(alice, item) == (0, 0, 0, 0)


def test_the_correction_itself_is_learned_after_it_was_counted(alice: User, session: Session) -> None:
    say(alice, session, "I live in Berlin")
    drain()
    [item] = [one for one in _open(alice) if "Berlin" in one.content]
    answered(alice, session, line(item), answer="You mentioned that you live in Berlin.")
    say(alice, session, "No, I live in Hamburg")
    assert counts(alice, item)[2] == 1
    assert any("Hamburg" in one.content for one in _open(alice))


def _open(user: User) -> list[MemoryItem]:
    with acting_as(user.pk):
        return list(MemoryItem.objects.filter(superseded_at=None))


def _confidence(user: User, item: MemoryItem) -> float:
    return now_of(user, item).confidence


def _nudges(user: User) -> list[str]:
    with acting_as(user.pk):
        return [change.rule for change in EvolutionEvent.objects.filter(action="nudged")]


@pytest.mark.parametrize("yes", ["对，就是这种风格", "Exactly!"])
def test_praise_makes_what_the_answer_drew_on_a_little_surer_within_its_cap(
    alice: User, session: Session, yes: str
) -> None:
    [told] = [item for item in _learned(alice, session, "I follow Bitcoin.") if item.provenance == "observation"]
    confidences = [told.confidence]
    for _ in range(8):
        answered(alice, session, line(told))
        say(alice, session, yes)
        confidences.append(_confidence(alice, told))
    assert confidences[1] == pytest.approx(confidences[0] + 0.02)
    assert confidences == sorted(confidences)
    assert confidences[-1] == 0.6  # as sure as a mention may be
    assert set(_nudges(alice)) == {"reaction.positive"}


@pytest.mark.parametrize(
    ("message", "step"), [("That's wrong.", -0.05), ("我说过了", -0.03), ("I already told you", -0.03)]
)
def test_a_denial_and_a_repetition_make_it_a_little_less_sure(
    alice: User, session: Session, message: str, step: float
) -> None:
    used, unused = keep(alice), keep(alice, "Alice owns a vineyard")
    before = used.confidence
    answered(alice, session, line(used), line(unused, utilized=False))
    say(alice, session, message)
    assert _confidence(alice, used) == pytest.approx(before + step)
    assert _confidence(alice, unused) == unused.confidence


def test_what_is_said_again_is_not_what_was_wrong(alice: User, session: Session) -> None:
    right, other = keep(alice), keep(alice, "Alice owns a vineyard")
    answered(alice, session, line(right), line(other), answer="You follow Bitcoin and own a vineyard.")
    say(alice, session, "As I said, I follow Bitcoin.")
    assert _confidence(alice, right) == right.confidence
    assert _confidence(alice, other) < other.confidence


def test_a_nudge_is_told_but_is_no_change_that_an_undo_would_take_back(alice: User, session: Session) -> None:
    item = keep(alice)
    with acting_as(alice.pk):
        newer = item_decisions.correct(permit_of(alice), item.pk, "Alice follows Ether")
    answered(alice, session, line(newer))
    say(alice, session, "Not right, no.", "That's wrong.")
    assert _nudges(alice)
    with acting_as(alice.pk):
        history.undo(permit_of(alice), newer.pk)
    assert now_of(alice, item).superseded_at is None


def test_what_answers_do_not_draw_on_is_counted_and_ranks_lower(alice: User, session: Session) -> None:
    unused, used = keep(alice, "Alice follows Bitcoin"), keep(alice, "Alice follows Bitcoin mining")
    for _ in range(3):
        answered(alice, session, line(unused, utilized=False), line(used))
        say(alice, session, "Translate hello into French")
    assert [now_of(alice, item).unused_count for item in (unused, used)] == [3, 0]
    with acting_as(alice.pk):
        found = search(permit_of(alice), SearchQuery("Bitcoin", ("item",)), embed_query("Bitcoin")).hits
    assert {hit.id: hit.signals["frequency"] for hit in found} == {unused.pk: 0.9, used.pk: 1.0}
    answered(alice, session, line(unused))
    say(alice, session, "Translate hello into French")
    assert now_of(alice, unused).unused_count == 0


def _learned(user: User, session: Session, text: str) -> list[MemoryItem]:
    say(user, session, text)
    return _open(user)
