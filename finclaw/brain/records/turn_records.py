"""What a finished turn stores: its messages, its receipt lines, and which memories the reply used. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from finclaw.brain.answers.types import RuleAnswer
from finclaw.brain.context_slices import stated_fields
from finclaw.brain.recall.window import Window, summary_tokens
from finclaw.brain.types import (
    Assembly,
    CandidateDecision,
    Intent,
    ProgramRequest,
    PromptCandidate,
    TurnRequest,
    UsedMemory,
)
from foundation.language import (
    split_sentences,
)
from foundation.llm import Reply
from foundation.llm.offline_model import MODEL_OFFLINE
from foundation.outbox.models import Priority
from foundation.sanitization.types import SanitizationResult
from memory.content_blocks import stored_block
from memory.mentions import Terms, core_terms, refers_to_memory, speaks_of
from memory.models import Receipt, UserContext
from memory.services.awaited_tools import AwaitedRound
from memory.services.summaries import SHOWN
from memory.types import ASSISTANT, LineDraft, NewMessage

_TELLS_NOTHING: Final = frozenset({"small_talk", "knowledge_question", "memory_check"})
Utilization = Literal["keyword_match", "reference_phrase", "none"]
_MOST_TERMS_SHARE = 0.5  # of a memory's terms; the question's words count too where the reply says that it remembers


def turn_messages(
    request: TurnRequest, speaker: str, answer: Reply, rule_answer: RuleAnswer | None, *, in_group: bool
) -> list[NewMessage]:
    """The two messages of a turn as they are stored; the user's carries the id of the research task it asked for. Of a
    message that is answered anew, the answer alone.
    """
    task = rule_answer.draft.id if rule_answer is not None and rule_answer.draft is not None else None
    unlearned = rule_answer is not None and (rule_answer.is_refusal or rule_answer.teaches_nothing)
    said = tuple(map(stored_block, request.blocks))
    asked = NewMessage(role="user", blocks=said, speaker=speaker, id=task, echo=unlearned)
    # An echo is neither learned from nor found again. Rule-made answers add nothing, the offline model only quotes, and
    # a group's reply may quote another member: indexed for search, such words would outlive their erasure.
    echo = rule_answer is not None or MODEL_OFFLINE in answer.degraded or in_group or bool(answer.tool_calls)
    given_way = request.repeats.answer if request.repeats else None
    answered = NewMessage.of_text(
        "assistant", _words_of(answer), ASSISTANT, id=request.message_id, echo=echo, replaces=given_way
    )
    return [answered] if given_way else [asked, answered]


def _words_of(answer: Reply) -> str:
    """What is stored of an answer: its words, or the names of the tools it waits for, which say nothing of anybody."""
    return answer.text or " ".join(f"{call.name}()" for call in answer.tool_calls)


def awaited_rounds(program: ProgramRequest, answer: Reply) -> list[AwaitedRound]:
    """The pending tool calls of an answer, with the rounds before them; empty if the answer is complete, or the program
    sends them again itself.
    """
    if program.resends_tool_calls or not answer.tool_calls:
        return []
    answered = [AwaitedRound(asked.text, asked.calls, asked.answers) for asked in program.rounds]
    return [*answered, AwaitedRound(answer.text, tuple(answer.tool_calls))]


def receipt_budget(assembly: Assembly, window: Window) -> dict[str, int]:
    """Tokens given to each slot, plus the share of summaries: an erasure checks whether any stood in the prompt."""
    return assembly.budget | {SHOWN: summary_tokens(window.summaries)}


def unsearched_reason(rule_answer: RuleAnswer | None) -> str:
    """Why a turn did not search memory; "" for one that the model answers, which does."""
    if rule_answer is None:
        return ""
    return Receipt.Unsearched.BOUNDARY if rule_answer.is_refusal else Receipt.Unsearched.ANSWERED_BY_RULE


def learning_priority(intent: Intent) -> Priority:
    """How soon the message is learned from: corrections first; small talk is the first to be dropped by a full
    queue.
    """
    if intent.intent_type == "correction":
        return Priority.URGENT
    return Priority.LOW if intent.intent_type in _TELLS_NOTHING else Priority.NORMAL


def judge_utilizations(assembly: Assembly, question: str, reply: str, speaker: str) -> dict[UUID, Utilization]:
    """How the reply used each accepted candidate, by candidate id.

    Words that also stand in the question prove nothing, since an answer repeats them without any memory; they count
    where the reply refers to what it was told before. The name of ``speaker`` never counts.
    """
    name = core_terms(speaker)
    heard = _ReplyTerms(core_terms(reply), core_terms(question), refers_to_memory(reply), " ".join(reply.split()))
    return {
        decision.candidate.id: heard.judge(decision.candidate.text, name)
        for decision in assembly.decisions
        if decision.accepted
    }


def mark_all_quoted(assembly: Assembly) -> dict[UUID, Utilization]:
    """The utilizations of a rule-made answer, which quotes every memory in its assembly."""
    return {decision.candidate.id: "keyword_match" for decision in assembly.decisions if decision.accepted}


def is_utilized(found: Mapping[UUID, Utilization], candidate_id: UUID) -> bool | None:
    """Whether the reply used the candidate; None for a candidate that was not in the prompt."""
    return found[candidate_id] != "none" if candidate_id in found else None


def is_quoted(text: str, reply: str) -> bool:
    """Whether the reply quotes a whole sentence of the text, in quotation marks and ignoring white space."""
    if "“" not in reply:
        return False
    return any(f"“{' '.join(sentence.split())}”" in reply for sentence in (text, *split_sentences(text)))


@dataclass(frozen=True)
class _ReplyTerms:
    reply: Terms
    question: Terms
    refers: bool
    words: str

    def judge(self, text: str, speaker: Terms) -> Utilization:
        """How the reply used a memory with this text; a verbatim quotation counts whatever its words."""
        memory = core_terms(text) - speaker
        if speaks_of(self.reply - self.question, memory - self.question):
            return "keyword_match"
        if self.refers and memory and len(self.reply & memory) >= _MOST_TERMS_SHARE * len(memory):
            return "reference_phrase"
        return "reference_phrase" if is_quoted(text, self.words) else "none"


def used_memories(assembly: Assembly, context: UserContext | None) -> tuple[UsedMemory, ...]:
    """The memories in the prompt in their positions; the stated context counts as one and stands last."""
    taken = [_used_memory(decision) for decision in assembly.decisions if decision.accepted]
    return tuple(sorted([*taken, *_used_context(assembly, context)], key=lambda memory: memory.context_position))


def receipt_lines(
    assembly: Assembly, context: UserContext | None, utilizations: Mapping[UUID, Utilization]
) -> list[LineDraft]:
    """One receipt line for each candidate, taken or left out, by rank; the stated context last. ``utilizations`` say
    how the reply used what was taken.
    """
    from_context = [
        LineDraft(used.kind, used.id, True, used.decision_reason, 1.0, position=used.context_position)
        for used in _used_context(assembly, context)
    ]
    return [*(_receipt_line(decision, utilizations) for decision in assembly.decisions), *from_context]


def _used_memory(decision: CandidateDecision) -> UsedMemory:
    candidate = decision.candidate
    return UsedMemory(
        kind=candidate.kind,
        id=candidate.id,
        text=candidate.text,
        decision_reason=decision.reason,
        context_position=decision.position or 0,
        provenance=candidate.provenance,
        epistemic_type=candidate.epistemic_type,
        confidence=candidate.confidence,
        occurred_at=candidate.occurred_at,
    )


def _receipt_line(decision: CandidateDecision, utilizations: Mapping[UUID, Utilization]) -> LineDraft:
    key = decision.candidate.id
    return LineDraft(
        kind=decision.candidate.kind,
        ref_id=key,
        accepted=decision.accepted,
        reason=decision.reason,
        score=decision.candidate.score,
        signals=_signals_of(decision.candidate),
        position=decision.position,
        guardrail=decision.candidate.guardrail,
        sanitization=decision.candidate.sanitization,
        utilized=is_utilized(utilizations, key),
        utilization=utilizations.get(key, ""),
    )


def _signals_of(candidate: PromptCandidate) -> dict[str, float]:
    """The signals behind a candidate's rank; for a blocked one also whether it was relevant to the message.

    The reason of any other candidate tells that already.
    """
    if candidate.sanitization != SanitizationResult.BLOCKED:
        return candidate.signals
    return candidate.signals | {"relevant": float(candidate.relevant)}


def _used_context(assembly: Assembly, context: UserContext | None) -> list[UsedMemory]:
    values = stated_fields(context)
    if context is None or not values:
        return []
    position = sum(decision.accepted for decision in assembly.decisions) + 1
    text = "\n".join(f"{name}: {value}" for name, value in values.items())
    return [UsedMemory("context", context.pk, text, "stated", position, None, None, None, context.updated_at)]
