"""The answer of a turn, at once or as a stream, and answered again for the same Idempotency-Key."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from uuid import UUID

from django.db import IntegrityError
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.response import Response

from consent.permit import Permit
from finclaw.api import idempotency
from finclaw.api.base import NonAtomicView
from finclaw.api.idempotency import IdempotencyConflict
from finclaw.api.learned_changes import wait_for_learned
from finclaw.api.masking import MayBeMasked
from finclaw.api.models import IdempotencyKey
from finclaw.api.program_access import has_scope
from finclaw.api.serializers import QuerySerializer
from finclaw.api.streaming import Body, Pieces, event_stream
from finclaw.brain.answers.types import PreparedTurn
from finclaw.brain.turn import prepare, reply, stream
from finclaw.brain.types import Intent, TurnRequest, TurnResult, zone_of
from finclaw.brain.understanding.intent import classify
from foundation.accounts.models import User
from foundation.accounts.scopes import READ
from foundation.database.acting_program import acting_program
from foundation.ids import new_id
from foundation.language import ParsedMessage
from foundation.llm.types import ANSWER_CUT
from memory.exceptions import AnswerStands
from memory.models import ConversationEvent
from memory.research.task_lifecycle import tasks_of
from memory.services.follow_ups import FollowUpQuestion
from memory.services.reply_traces import TraceEntry, traces_of
from memory.services.sessions import FIRST_SEQ, message_before

EVENTS = (
    "Answer by ``delta``, ``done``, ``error`` events; ``learned`` follows where the message is read soon enough. Where"
    " a model fails, ``interrupted`` says why: drop the pieces before it; what follows is another answer, the large"
    " model's or one from memory. It may come twice."
)


class TurnStreamQuery(QuerySerializer):
    stream = serializers.BooleanField(default=False)


class IntentOutput(serializers.Serializer[Intent]):
    action_required = serializers.BooleanField()
    intent_type = serializers.CharField()
    confidence = serializers.FloatField()
    extracted_entities = serializers.DictField(child=serializers.ListField(child=serializers.CharField()))
    context_hints = serializers.ListField(child=serializers.CharField())


class UsedMemoryOutput(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=["item", "event", "profile", "context", "turn", "document"])
    id = serializers.CharField(source="ref")
    text = serializers.CharField()
    decision_reason = serializers.CharField(source="reason")
    context_position = serializers.IntegerField()
    provenance = serializers.CharField()
    epistemic_type = serializers.CharField()
    confidence = serializers.FloatField(allow_null=True)

    def to_representation(self, memory: Any) -> dict[str, Any]:
        """Only items have a provenance and an epistemic type."""
        shown = super().to_representation(memory)
        return shown | {name: shown[name] or None for name in ("provenance", "epistemic_type")}


class UsageOutput(serializers.Serializer[Any]):
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()


class LearningOfMessageOutput(serializers.Serializer[Any]):
    """What tells when a message is learned from."""

    job_id = serializers.UUIDField(allow_null=True)
    url = serializers.CharField()


class FollowUpOutput(serializers.Serializer[Any]):
    """A question that the assistant asks of its own accord: one that a thread of the user's leaves open."""

    question_id = serializers.UUIDField()
    thread_id = serializers.UUIDField()
    about = serializers.CharField(help_text="What the thread is about.")
    text = serializers.CharField()


class TurnOutput(MayBeMasked):
    message_id = serializers.UUIDField()
    user_message_id = serializers.UUIDField(allow_null=True)
    reply = serializers.CharField()
    intent = IntentOutput()
    skill = serializers.CharField(
        allow_null=True, help_text="What was started; its task has the id of the message that asked for it."
    )
    memories_used = UsedMemoryOutput(many=True)
    degraded = serializers.ListField(child=serializers.CharField())
    finish_reason = serializers.ChoiceField(
        choices=["stop", "length"],
        help_text="``length`` where the answer was cut at the model's limit; ``degraded`` holds ``answer_cut`` then.",
    )
    usage = UsageOutput(allow_null=True)
    receipt_id = serializers.UUIDField()
    learning = LearningOfMessageOutput(allow_null=True)
    follow_up = FollowUpOutput(allow_null=True, help_text="At most one; null where none follows.")


@dataclass(frozen=True)
class TurnSubmission:
    """A turn to be answered: the id of its reply, the row of its Idempotency-Key, if any, and what was masked."""

    reply_id: UUID
    key: IdempotencyKey | None
    masked: dict[str, Any] = field(default_factory=dict)


class TurnView(NonAtomicView):
    """Answers a turn; under its Idempotency-Key it is stored at most once."""

    query_input: type[QuerySerializer] = TurnStreamQuery
    question: ConversationEvent | None = None
    """The message that was answered, once its turn is stored."""

    def claim(self, **masked: Any) -> TurnSubmission:
        """The turn of this request, with the reply id that its Idempotency-Key names."""
        if not idempotency.has_key(self.request):
            return TurnSubmission(new_id(), None, masked)
        with self.acting():
            key, _ = idempotency.claim(self.user, self.request, status=200, reference={"message": str(new_id())})
        return TurnSubmission(UUID(key.reference["message"]), key, masked)

    def answer(self, submission: TurnSubmission, asked: Callable[[], TurnRequest]) -> HttpResponseBase:
        """The answer to what is ``asked``, or the stored one, at once or piece by piece as the query says."""
        if self._is_answered(submission):
            return self.replay(submission)
        turn_request = asked()
        if self.streams:
            pieces = self._pieces(submission, prepare(self.user, turn_request))
            learned = wait_for_learned(self.acting, lambda: self.question) if self.shows_memories else ()
            return self.stream_answer(pieces, learned)
        try:
            return self.whole_answer(self._represent(submission, reply(self.user, turn_request)))
        except (IntegrityError, AnswerStands):
            # A concurrent request with the same key stored its answer in between.
            if not self._is_answered(submission):
                raise
            return self.replay(submission)

    @property
    def streams(self) -> bool:
        """Whether the answer is wanted piece by piece."""
        return bool(self.query["stream"])

    @property
    def shows_memories(self) -> bool:
        """Whether memories are shown beside the answer: a program that may only converse has the answer alone."""
        return has_scope(self.request, READ)

    def represent(self, shown: dict[str, Any]) -> dict[str, Any]:
        """The body of an answer with these fields."""
        return dict(TurnOutput(shown).data)

    def whole_answer(self, body: Body) -> HttpResponseBase:
        """The response that gives this body at once."""
        return Response(body)

    def stream_answer(self, pieces: Pieces, learned: Iterable[Body | None] = ()) -> HttpResponseBase:
        """The response that gives the pieces of an answer, the body last, and then what its message taught."""
        return event_stream(self.request, pieces, learned)

    def replay(self, submission: TurnSubmission) -> HttpResponseBase:
        """The stored answer again."""
        body = self._represent(submission)
        answer = self.stream_answer(_replay_pieces(body)) if self.streams else self.whole_answer(body)
        return idempotency.mark(answer, is_replayed=True)

    def _pieces(self, submission: TurnSubmission, turn: PreparedTurn) -> Pieces:
        with closing(stream(turn)) as pieces:
            for piece in pieces:
                yield self._represent(submission, piece) if isinstance(piece, TurnResult) else piece

    def _is_answered(self, submission: TurnSubmission) -> bool:
        if submission.key is None:
            return False
        with self.acting():
            return ConversationEvent.objects.filter(pk=submission.reply_id).exists()

    def _represent(self, submission: TurnSubmission, result: TurnResult | None = None) -> dict[str, Any]:
        """The stored reply with its receipt; intent and usage stand in the key's row alone, as numbers and a type."""
        shown = self._stored_turn(submission) if result is None else self._new_turn(submission, result)
        if not self.shows_memories:
            shown = shown | {"memories_used": (), "follow_up": None}
        finish_reason = "length" if ANSWER_CUT in shown["degraded"] else "stop"
        return self.represent(shown | {"finish_reason": finish_reason} | submission.masked)

    def _new_turn(self, submission: TurnSubmission, result: TurnResult) -> dict[str, Any]:
        """A turn that was just stored: only the memories it was given are read back, as consent opens them now."""
        self.question = result.question
        given: tuple[TraceEntry, ...] = ()
        follow_up: FollowUpQuestion | None = None
        is_shown = (bool(result.memories_used) or result.is_followed_up) and self.shows_memories
        if submission.key is not None or is_shown:
            with self.acting() as permit:
                if submission.key is not None:
                    _store_result(submission.key, result)
                if is_shown:
                    trace = traces_of(permit, [result.message_id])[result.message_id]
                    given, follow_up = trace.memories, trace.follow_up
        return {
            "message_id": result.message_id,
            "reply": result.reply,
            "intent": result.intent,
            "skill": result.skill,
            "memories_used": given,
            "degraded": result.degraded,
            "usage": asdict(result.usage),
            "receipt_id": result.receipt_id,
            "tool_calls": result.tool_calls,
            "user_message_id": result.question.pk,
            "learning": _learning_of(result.question, result.learning_job_id),
            "follow_up": follow_up,
        }

    def _stored_turn(self, submission: TurnSubmission) -> dict[str, Any]:
        with self.acting() as permit:
            message = ConversationEvent.objects.get(pk=submission.reply_id)
            trace = traces_of(permit, [message.pk])[message.pk]
            question = message_before(message)
            skill = _started_task_id(permit, question)
            known = submission.key.reference if submission.key else {}
            if known.get("asked_tools"):
                raise IdempotencyConflict(_("What this answer asked tools for was not kept. Choose a new key."))
            intent = _stored_intent(question, self.user, known)
        return {
            "message_id": message.pk,
            "reply": message.text,
            "intent": intent,
            "skill": skill,
            "memories_used": trace.memories,
            "degraded": trace.degraded,
            "usage": known.get("usage"),
            "receipt_id": trace.receipt_id,
            "user_message_id": question and question.pk,
            "learning": question and _learning_of(question, known.get("learning_job")),
            "follow_up": None if acting_program().is_confined else trace.follow_up,
        }


def _replay_pieces(body: Body) -> Pieces:
    yield from (body["reply"], body)


def _store_result(key: IdempotencyKey, result: TurnResult) -> None:
    key.reference |= {
        "usage": asdict(result.usage),
        "learning_job": result.learning_job_id and str(result.learning_job_id),
        "intent": {"intent_type": result.intent.intent_type, "confidence": result.intent.confidence,
                   "action_required": result.intent.action_required},
    }  # fmt: skip
    if result.tool_calls:
        key.reference["asked_tools"] = True
    key.save(update_fields=["reference"])


def _learning_of(question: ConversationEvent, job_id: UUID | str | None) -> dict[str, Any] | None:
    """What tells when the message is learned from; None where nothing is ever learned from it."""
    if not question.learnable:
        return None
    return {"job_id": job_id, "url": reverse("api:message_learned", args=[question.pk])}


def _started_task_id(permit: Permit, question: ConversationEvent | None) -> str | None:
    """The id of the task that a message asked for; the two are the same."""
    found = tasks_of(permit).filter(pk=question.pk).first() if question else None
    return found.route if found else None


def _stored_intent(question: ConversationEvent | None, user: User, known: dict[str, Any]) -> Intent:
    """The stored type and numbers; what quotes the message is read from it again, by rules and the clock of then."""
    if question is None:
        read = classify(ParsedMessage(""))
    else:
        spoken_at = timezone.make_naive(question.created_at, zone_of(question.session, user))
        goes_on = question.seq > FIRST_SEQ and question.session.group_id is None  # as the turn saw it
        read = classify(ParsedMessage(question.text), spoken_at, has_history=goes_on)
    return replace(read, **known.get("intent", {}))
