"""The conversation turn, to be read like a recipe (B-1).

permit → understand → recall → assemble → model, with no transaction and no connection held → one atomic block
with the messages, the receipts and the outbox rows. Streaming and not share ``prepare`` and ``finish``.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from uuid import UUID

from consent.exceptions import ErasureInProgress
from consent.permit import Permit
from consent.services import permit_for
from finclaw.brain.assembler import assemble
from finclaw.brain.explanation import receipt_lines, stated, used_memories
from finclaw.brain.intent import understand
from finclaw.brain.prompt import PromptParts, build_prompt
from finclaw.brain.recall import Recalled, recall
from finclaw.brain.types import Assembly, Intent, TurnRequest, TurnResult
from finclaw.brain.window import active_window, follow
from foundation.accounts.models import User
from foundation.accounts.services import lock_user
from foundation.database.acting import acting_as, give_back_connection
from foundation.llm import Prompt, Reply, configured_model, model_id_for
from foundation.outbox.models import Priority
from foundation.text import estimate_tokens
from memory.evolution.services import observe
from memory.models import Session
from memory.retrieval.services import embed_query
from memory.services import receipts, sessions
from memory.services.events import are_there
from memory.types import NewMessage

ASSISTANT = "FinClaw"
MODEL_OFFLINE = "model_offline"
_TELLS_NOTHING = frozenset({"small_talk", "knowledge_question", "memory_check"})
Delta = str


@dataclass(frozen=True)
class PreparedTurn:
    """Everything decided before the model speaks."""

    user: User
    session: Session
    request: TurnRequest
    prompt: Prompt
    intent: Intent
    assembly: Assembly
    recalled: Recalled
    degraded: tuple[str, ...]
    shown: tuple[UUID, ...]  # the messages of the conversation that stand in the prompt
    erasures: int  # how many the person had asked for when it began


def reply(user: User, request: TurnRequest) -> TurnResult:
    """Answer a message at once. Raises what ``prepare`` raises, and ``ModelUnavailable``; then nothing is stored."""
    turn = prepare(user, request)
    return _guarded(turn, lambda: finish(turn, configured_model().call(turn.prompt, model_id_for("large"))))


def stream(turn: PreparedTurn) -> Generator[Delta | TurnResult, None, None]:
    """Answer piece by piece; the last thing given is the stored turn. A broken stream stores nothing.

    Runs after the request's transaction has ended, so it opens its own and holds none while it yields.
    """
    answer = configured_model().stream(turn.prompt, model_id_for("large"))
    finished = False
    try:
        whole = yield from answer
        result = finish(turn, whole)
        finished = True
        yield result
    finally:
        if not finished:
            _abandon(turn)


def prepare(user: User, request: TurnRequest) -> PreparedTurn:
    """Everything before the model speaks. To be called outside any transaction.

    Raises ``ProfileConsentRequired``, ``NotFound``, ``SessionArchived`` or ``ReplyPending``.
    """
    with acting_as(user.pk):
        permit = _permit(user)
        session = sessions.session_of(permit, request.session_id)
        sessions.begin_turn(session)
    try:
        return _prepared(user, session, request, permit.erasures)
    except BaseException:
        _release(user, session)
        raise


def _prepared(user: User, session: Session, request: TurnRequest, erasures: int) -> PreparedTurn:
    model = configured_model()
    intent, degraded = understand(request.text, model)
    query = embed_query(request.text)
    with acting_as(user.pk):
        # The consent is read again: a withdrawal while the small model thought counts.
        recalled = recall(_permit(user), session, query, user.name)
        recent = active_window(session)
    assembly = assemble(recalled.candidates, intent)
    prompt = build_prompt(
        PromptParts(
            message=request.text,
            intent=intent,
            memories=assembly.injected,
            context=stated(recalled.context),
            entity_slots=session.entity_slots,
            summaries=session.summary_blocks,
            recent=recent.messages,
        )
    )
    give_back_connection()
    degraded += recalled.degraded
    return PreparedTurn(user, session, request, prompt, intent, assembly, recalled, degraded, recent.ids, erasures)


def finish(turn: PreparedTurn, answer: Reply) -> TurnResult:
    """Store both messages, the receipts and the work that follows, all or nothing.

    Raises ``ErasureInProgress`` where something that stood in the prompt was asked to be forgotten meanwhile.
    """
    message_id = turn.request.message_id
    degraded = tuple(dict.fromkeys(turn.degraded + answer.degraded))
    with acting_as(turn.user.pk):
        _hold(turn)
        permit = _permit(turn.user)
        events = sessions.record_messages(permit, turn.session, _messages(turn, answer, message_id))
        _require_unerased(turn, permit)
        follow(turn.session, turn.intent, turn.request.text)
        receipt = receipts.write_receipts(
            permit, turn.session, message_id, turn.recalled.searches,
            receipt_lines(turn.assembly, turn.recalled.context),
            budget=_budget(turn), budget_exceeded=turn.assembly.budget_exceeded, degraded=degraded,
        )  # fmt: skip
        observe(permit, events, priority=_priority(turn.intent))
    return TurnResult(
        message_id=message_id,
        reply=answer.text,
        intent=turn.intent,
        skill=None,
        memories_used=used_memories(turn.assembly, turn.recalled.context),
        degraded=degraded,
        usage=answer.usage,
        receipt_id=receipt.pk,
    )


def _hold(turn: PreparedTurn) -> None:
    """Whoever asks for an erasure comes before this reply, which then sees it, or finds the reply stored."""
    lock_user(turn.user.pk)
    if turn.session.group_id is not None:
        sessions.lock_replies(turn.session.group_id)


def _require_unerased(turn: PreparedTurn, permit: Permit) -> None:
    """The answer may quote whatever stood in its prompt: one's own, and in a group what others said."""
    taken = [decision.candidate for decision in turn.assembly.decisions if decision.accepted]
    quotable = sessions.keep_their_words(turn.shown) and are_there([one.id for one in taken if one.kind == "event"])
    if not quotable or permit.erasures != turn.erasures:
        raise ErasureInProgress("What this answer was made of is being erased. Nothing was saved; ask again.")


def _permit(user: User) -> Permit:
    permit = permit_for(user)
    permit.require_decision()
    return permit


def _guarded(turn: PreparedTurn, work: Callable[[], TurnResult]) -> TurnResult:
    try:
        return work()
    except BaseException:
        _abandon(turn)
        raise


def _abandon(turn: PreparedTurn) -> None:
    _release(turn.user, turn.session)


def _release(user: User, session: Session) -> None:
    with acting_as(user.pk):
        sessions.end_turn(session)


def _messages(turn: PreparedTurn, answer: Reply, message_id: UUID) -> list[NewMessage]:
    asked = NewMessage(role="user", blocks=turn.request.blocks, speaker=turn.user.name)
    # The offline model only quotes, and in a group a reply may quote another member: kept for search, their words
    # would outlive them.
    echo = MODEL_OFFLINE in answer.degraded or turn.session.group_id is not None
    answered = NewMessage.of_text("assistant", answer.text, ASSISTANT, id=message_id, echo=echo)
    return [asked, answered]


def _budget(turn: PreparedTurn) -> dict[str, int]:
    return turn.assembly.budget | {
        "system_prompt": estimate_tokens(turn.prompt.system),
        "active_window": sum(estimate_tokens(message.content) for message in turn.prompt.messages[:-1]),
        "user_input": estimate_tokens(turn.request.text),
    }


def _priority(intent: Intent) -> Priority:
    """A correction takes the fast path (seed B §2.3.0.1 A); what tells nothing is what a full queue drops (B-8)."""
    if intent.intent_type == "correction":
        return Priority.URGENT
    return Priority.LOW if intent.intent_type in _TELLS_NOTHING else Priority.NORMAL
