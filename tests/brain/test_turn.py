"""The conversation turn, from the message to the receipts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count
from uuid import UUID, uuid4

import pytest
from django.test import override_settings
from pytest_django import Settings

from consent.exceptions import ProfileConsentRequired
from finclaw.brain import turn
from finclaw.brain.answers.types import PreparedTurn
from finclaw.brain.types import TurnRequest, TurnResult
from foundation.accounts.groups import remove_member
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from foundation.outbox.models import OutboxMessage, Priority
from foundation.outbox.tasks import drain
from memory.exceptions import MemoryUnavailable, ReplyPending, SessionArchived
from memory.models import ConversationEvent, Receipt, ReceiptLine, SearchEntry, Session
from memory.research import profile_context
from memory.services import item_decisions, sessions, turn_leases
from tests.support.cast import allow, allow_nothing, group_with
from tests.support.model_server import ModelServer, Refuses, Says
from tests.support.talk import age_turn, open_session, permit_of, say


def message(session_id: UUID, text: str) -> TurnRequest:
    return TurnRequest(session_id, ({"type": "text", "text": text},))


def ask(user: User, session: Session, text: str) -> TurnResult:
    return turn.reply(user, message(session.pk, text))


def opened(user: User, session: Session) -> PreparedTurn:
    """A turn for which the model has yet to speak."""
    return turn.prepare(user, message(session.pk, "Hello"))


def stored(user: User) -> tuple[int, int, int]:
    """Messages, receipts and outbox rows of the user."""
    with acting_as(user.pk):
        return ConversationEvent.objects.count(), Receipt.objects.count(), OutboxMessage.objects.count()


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    with (
        ModelServer() as server,
        override_settings(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="k", MODEL_MAX_RETRIES=0),
    ):
        yield server


def test_somebody_elses_conversation_is_not_found(alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    session = open_session(alice)
    with pytest.raises(NotFound):
        ask(charlie, session, "Hello")
    with pytest.raises(NotFound):
        turn.reply(alice, message(uuid4(), "Hello"))


def test_before_any_decision_on_consent_there_is_no_turn(alice: User) -> None:
    with pytest.raises(ProfileConsentRequired):
        turn.reply(alice, message(uuid4(), "Hello"))


def test_an_archived_conversation_takes_no_message(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    with acting_as(alice.pk):
        sessions.archive(session)
    with pytest.raises(SessionArchived):
        ask(alice, session, "Hello")


@pytest.mark.parametrize(
    ("said", "asked", "word"),
    [
        ("I prefer concise answers and I follow BTC", "What do I follow?", "BTC"),
        ("我现在不喜欢运动风了,喜欢简约的", "我喜欢什么风格?", "简约"),
    ],
)
def test_a_later_conversation_is_answered_from_memory(alice: User, said: str, asked: str, word: str) -> None:
    allow(alice)
    ask(alice, open_session(alice), said)
    drain()
    result = ask(alice, open_session(alice), asked)
    assert word in result.reply
    assert any(word in memory.text for memory in result.memories_used if memory.kind == "item")


def test_each_turn_leaves_one_retrieval_and_one_injection_receipt(alice: User) -> None:
    allow(alice)
    say(alice, open_session(alice), "I follow BTC")
    result = ask(alice, open_session(alice), "What do I follow?")
    with acting_as(alice.pk):
        receipts = {receipt.kind: receipt for receipt in Receipt.objects.filter(message_id=result.message_id)}
        assert set(receipts) == {"retrieval", "injection"}
        assert receipts["injection"].pk == result.receipt_id
        assert receipts["retrieval"].latency_ms is not None
        lines = receipts["injection"].lines.filter(status=ReceiptLine.Status.ACCEPTED)
        injected = {line.ref_id: line.context_position for line in lines}
    assert injected == {memory.id: memory.context_position for memory in result.memories_used}


def test_what_was_left_out_is_on_the_receipt_with_its_reason(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        for number in range(6):
            item_decisions.add_stated(permit, f"Project {number}: " + "shipping rates and port fees " * 40)
    result = ask(alice, open_session(alice), "What are port fees?")
    with acting_as(alice.pk):
        reasons = set(
            ReceiptLine.objects.filter(receipt_id=result.receipt_id, status="rejected").values_list(
                "decision_reason", flat=True
            )
        )
        assert "budget_exceeded" in reasons
        assert Receipt.objects.get(pk=result.receipt_id).budget_exceeded


def test_the_stated_context_counts_as_used(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        profile_context.save_profile_context(permit, {"language_preference": "zh"})
    result = ask(alice, open_session(alice), "600519?")
    [used] = [memory for memory in result.memories_used if memory.kind == "context"]
    assert used.decision_reason == "stated"
    assert "没有" in result.reply or "记得" in result.reply


def test_with_every_scope_off_one_still_talks_and_nothing_is_recalled(alice: User) -> None:
    allow_nothing(alice)
    session = open_session(alice)
    result = ask(alice, session, "I follow BTC")
    assert result.memories_used == ()
    assert stored(alice) == (2, 2, 0)


@pytest.mark.parametrize("case", ["without a scope", "temporary", "allowed"])
def test_the_offline_answer_says_whether_anything_may_be_learned(alice: User, case: str) -> None:
    allow_nothing(alice) if case == "without a scope" else allow(alice)
    reply = ask(alice, open_session(alice, remember=case != "temporary"), "I follow SOL.").reply
    assert ("Nothing is learned from this chat" in reply) == (case != "allowed")
    assert (reply == "Got it.") == (case == "allowed")


def test_a_group_turn_never_uses_a_members_private_memories(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    group = group_with(alice, [bob])
    say(alice, open_session(alice), "I follow BTC")
    result = ask(alice, open_session(alice, group_id=group.pk), "What do I follow, BTC?")
    assert result.memories_used == ()


def test_memory_failing_leaves_a_reply_without_memories(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def unavailable(*_: object) -> None:
        raise MemoryUnavailable()

    allow(alice)
    say(alice, open_session(alice), "I follow BTC")
    monkeypatch.setattr("memory.core.search_each", unavailable)
    result = ask(alice, open_session(alice), "What do I follow?")
    assert "memory_unavailable" in result.degraded
    assert result.memories_used == ()
    assert "could not look into memory" in result.reply
    assert "无法读取记忆" in ask(alice, open_session(alice), "我关注什么？").reply


def test_searches_that_together_take_too_long_leave_a_reply_without_memories(
    alice: User, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.RECALL_TIMEOUT_MS = 1_000
    allow(alice)
    say(alice, open_session(alice), "I follow BTC")
    assert ask(alice, open_session(alice), "What do I follow?").memories_used
    # Every look at the clock finds it a second on: each search ends within its time, all of them do not.
    monkeypatch.setattr("memory.retrieval.services.perf_counter", partial(next, count()))
    result = ask(alice, open_session(alice), "What do I follow?")
    assert "memory_unavailable" in result.degraded
    assert result.memories_used == ()
    assert stored(alice)[0] == 5


def test_a_correction_is_queued_as_urgent(alice: User) -> None:
    allow(alice)
    ask(alice, open_session(alice), "我现在不喜欢运动风了,喜欢简约的")
    ask(alice, open_session(alice), "Actually, not BTC, but ETH")
    with acting_as(alice.pk):
        assert set(OutboxMessage.objects.values_list("priority", flat=True)) == {Priority.URGENT}


def test_the_offline_models_own_words_are_never_found_again(alice: User) -> None:
    allow(alice)
    result = ask(alice, open_session(alice), "I follow BTC")
    drain()
    with acting_as(alice.pk):
        assert not SearchEntry.objects.filter(pk=result.message_id).exists()


def test_with_a_model_the_reply_is_the_models(alice: User, model_server: ModelServer) -> None:
    allow(alice)
    model_server.script([Says(("not json",)), Says(("Bitcoin trades around the clock.",))])
    result = ask(alice, open_session(alice), "Tell me about BTC")
    assert result.reply == "Bitcoin trades around the clock."
    assert "small_model_unavailable" in result.degraded


def test_a_failing_model_stores_the_turn_and_frees_the_conversation(alice: User, model_server: ModelServer) -> None:
    allow(alice)
    session = open_session(alice)
    model_server.script([Refuses(503)] * 2)  # the small one, to which a greeting goes, and the large one
    assert "model_unavailable" in ask(alice, session, "Hello").degraded
    model_server.script([Says(("Hello again.",))])
    assert ask(alice, session, "Hello").reply == "Hello again."


def test_two_turns_at_once_in_one_conversation_are_refused(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    first = opened(alice, session)
    with pytest.raises(ReplyPending):
        ask(alice, session, "Hello")
    list(turn.stream(first))
    assert ask(alice, session, "And now?").reply


@pytest.mark.parametrize("outcome", ["finished", "abandoned"])
def test_a_turn_past_its_patience_leaves_the_mark_of_the_next(alice: User, outcome: str) -> None:
    allow(alice)
    session = open_session(alice)
    prepared = opened(alice, session)
    age_turn(alice, prepared.context.session, turn_leases.longest_turn())
    late = turn.stream(prepared)
    next(late)
    current = opened(alice, session)
    if outcome == "finished":
        list(late)
    else:
        late.close()
    with pytest.raises(ReplyPending):
        ask(alice, session, "Hello")
    list(turn.stream(current))
    assert ask(alice, session, "And now?").reply


def test_a_stream_gives_the_pieces_and_then_the_stored_turn(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    prepared = opened(alice, session)
    *pieces, last = turn.stream(prepared)
    assert isinstance(last, TurnResult)
    assert "".join(str(piece) for piece in pieces) == last.reply
    with acting_as(alice.pk):
        assert ConversationEvent.objects.get(pk=last.message_id).text == last.reply


def test_a_stream_that_is_left_early_stores_nothing(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    stream = turn.stream(opened(alice, session))
    next(stream)
    stream.close()
    assert stored(alice) == (0, 0, 0)
    with acting_as(alice.pk):
        assert sessions.session_of(permit_of(alice), UUID(str(session.pk))).turn_started_at is None


def test_a_turn_that_cannot_be_stored_frees_its_conversation(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> TurnResult:
        raise RuntimeError("the disk is full")

    allow(alice)
    session = open_session(alice)
    prepared = opened(alice, session)
    with monkeypatch.context() as patched:
        patched.setattr(turn, "store_turn", broken)
        with pytest.raises(RuntimeError):
            list(turn.stream(prepared))
    assert ask(alice, session, "Hello").reply


def test_a_title_given_while_the_model_thinks_stays(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    prepared = opened(alice, session)
    with acting_as(alice.pk):
        sessions.rename(sessions.session_of(permit_of(alice), session.pk), "Mine")
    list(turn.stream(prepared))
    with acting_as(alice.pk):
        assert sessions.session_of(permit_of(alice), session.pk).title == "Mine"


def test_who_is_removed_while_the_model_thinks_gets_no_answer(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    group = group_with(alice, [bob])
    session = open_session(alice, group_id=group.pk)
    prepared = opened(bob, session)
    remove_member(alice, group.pk, bob.pk)
    with pytest.raises(NotFound):
        list(turn.stream(prepared))
    assert stored(bob) == (0, 0, 0)


def test_a_full_queue_drops_what_tells_nothing_and_keeps_what_does(alice: User) -> None:
    allow(alice)
    with override_settings(OUTBOX_COLD_LIMIT=0):
        ask(alice, open_session(alice), "Hello there")
        assert stored(alice)[2] == 0
        ask(alice, open_session(alice), "I follow BTC")
        assert stored(alice)[2] == 1
