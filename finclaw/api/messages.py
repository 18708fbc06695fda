"""The messages of a conversation, and the turn that answers one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import IntegrityError
from django.http.response import HttpResponseBase
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.permit import Permit
from finclaw.api import idempotency
from finclaw.api.base import NonAtomicView
from finclaw.api.learned_changes import wait_for_learned
from finclaw.api.masking import MayBeMasked, masked_in
from finclaw.api.models import IdempotencyKey
from finclaw.api.schema import PAGE, page_of
from finclaw.api.serializers import BoundedList, QuerySerializer, StrictSerializer, message_text
from finclaw.api.streaming import Body, Pieces, event_stream
from finclaw.brain.answers.types import PreparedTurn
from finclaw.brain.turn import prepare, reply, stream
from finclaw.brain.types import Intent, TurnRequest, TurnResult
from finclaw.brain.understanding.intent import classify
from foundation.accounts.models import User
from foundation.ids import new_id
from foundation.language import ParsedMessage
from foundation.llm.types import ANSWER_CUT
from memory.content_blocks import BLOCK_TYPES, MAX_BLOCKS, TEXT, checked_blocks
from memory.models import ConversationEvent
from memory.research.task_lifecycle import tasks_of
from memory.services.reply_traces import traces_of
from memory.services.sessions import message_before, messages_of, session_of

EVENTS = (
    "Answer by ``delta``, ``done``, ``error`` events; ``learned`` follows where the message is read soon enough. Where"
    " the model fails, ``interrupted`` says why: drop the pieces before it, the answer from memory follows."
)


class BlockInput(StrictSerializer):
    type = serializers.ChoiceField(choices=sorted(BLOCK_TYPES))
    text = message_text(required=False, allow_blank=True)
    media_id = serializers.UUIDField(required=False)
    text_fallback = message_text(required=False, allow_blank=True)


class MessageInput(StrictSerializer):
    """``content``, or ``content_blocks``: not both."""

    content = message_text(required=False, allow_blank=True)
    content_blocks = BoundedList(child=BlockInput(), required=False, max_length=MAX_BLOCKS)

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if len(given) != 1:
            raise serializers.ValidationError(_("Give either content or content_blocks."))
        return given


class MessageStreamQuery(QuerySerializer):
    stream = serializers.BooleanField(default=False)


class MessageOutput(serializers.ModelSerializer[ConversationEvent]):
    message_id = serializers.UUIDField(source="id")
    content = serializers.CharField(source="text")
    content_blocks = serializers.ListField(
        child=serializers.DictField(),
        source="content",
        help_text="A block of type ``redacted`` stands where sentences were forgotten; it has no words.",
    )

    class Meta:
        model = ConversationEvent
        fields = ("message_id", "session_id", "user_id", "seq", "role", "speaker", "content", "content_blocks",
                  "occurred_at", "created_at")  # fmt: skip


class IntentOutput(serializers.Serializer[Intent]):
    action_required = serializers.BooleanField()
    intent_type = serializers.CharField()
    confidence = serializers.FloatField()
    extracted_entities = serializers.DictField(child=serializers.ListField(child=serializers.CharField()))
    context_hints = serializers.ListField(child=serializers.CharField())


class UsedMemoryOutput(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=["item", "event", "profile", "context", "turn"])
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


class TurnOutput(MayBeMasked):
    message_id = serializers.UUIDField()
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


@dataclass(frozen=True)
class TurnSubmission:
    """A turn to be answered, what was masked in it, and the row of its Idempotency-Key, if any."""

    turn: TurnRequest
    masked: dict[str, Any]
    key: IdempotencyKey | None


class MessagesView(NonAtomicView):
    query_input = MessageStreamQuery

    @extend_schema(operation_id="message_list", parameters=PAGE, responses=page_of(MessageOutput))
    def get(self, request: Request, session_id: UUID) -> Response:
        """The conversation's messages, in order."""
        with self.acting() as permit:
            return self.page(messages_of(session_of(permit, session_id)), MessageOutput, ordering="seq")

    @extend_schema(
        operation_id="message_send",
        request=MessageInput,
        parameters=[OpenApiParameter("stream", bool, description=EVENTS)],
        responses={(200, "application/json"): TurnOutput, (200, "text/event-stream"): OpenApiTypes.STR},
    )
    def post(self, request: Request, session_id: UUID) -> HttpResponseBase:
        """Send a message and get the answer, at once or, with ``stream``, as events: ``delta`` pieces, then ``done``
        with the stored answer, and ``learned`` where it is known soon enough what the message taught; or ``error``, and
        nothing is stored. Where the language model fails the answer comes from memory, says so, and holds
        ``model_unavailable`` among ``degraded``: in a stream ``interrupted`` comes before it, and the pieces until then
        are no answer. Who leaves a stream before ``done`` takes the message back.
        """
        streaming = self.query["stream"]
        submission = self._read_submission(session_id, _message_blocks(self.valid(MessageInput)))
        if self._is_answered(submission):
            return self._replay(submission, streaming=streaming)
        if streaming:
            pieces = self._pieces(submission, prepare(self.user, submission.turn))
            return event_stream(request, pieces, wait_for_learned(self.acting, submission.turn.message_id))
        try:
            return Response(self._represent(submission, reply(self.user, submission.turn)))
        except IntegrityError:
            # A concurrent request with the same key stored its answer in between.
            if not self._is_answered(submission):
                raise
            return self._replay(submission, streaming=False)

    def _pieces(self, submission: TurnSubmission, turn: PreparedTurn) -> Pieces:
        with closing(stream(turn)) as pieces:
            for piece in pieces:
                yield self._represent(submission, piece) if isinstance(piece, TurnResult) else piece

    def _read_submission(self, session_id: UUID, given: Sequence[dict[str, Any]]) -> TurnSubmission:
        """The turn, with the reply id its key names: under that id it is stored at most once."""
        names = [self.user.name]
        blocks = checked_blocks(given, names)
        masked = masked_in(names, content="\n".join(block["text"] for block in given))
        with self.acting():
            claimed = idempotency.claim(self.user, self.request, status=200, reference={"message": str(new_id())})
        if claimed is None:
            return TurnSubmission(TurnRequest(session_id, blocks), masked, None)
        return TurnSubmission(
            TurnRequest(session_id, blocks, UUID(claimed[0].reference["message"])), masked, claimed[0]
        )

    def _is_answered(self, submission: TurnSubmission) -> bool:
        if submission.key is None:
            return False
        with self.acting():
            return ConversationEvent.objects.filter(pk=submission.turn.message_id).exists()

    def _replay(self, submission: TurnSubmission, *, streaming: bool) -> HttpResponseBase:
        body = self._represent(submission)
        return event_stream(self.request, _replay_pieces(body)) if streaming else Response(body)

    def _represent(self, submission: TurnSubmission, result: TurnResult | None = None) -> dict[str, Any]:
        """The stored reply with its receipt; intent and usage stand in the key's row alone, as numbers and a type."""
        with self.acting() as permit:
            if result is not None and submission.key is not None:
                _store_result(submission.key, result)
            message = ConversationEvent.objects.get(pk=submission.turn.message_id)
            trace = traces_of(permit, [message.pk])[message.pk]
            question = message_before(message)
            skill = _started_task_id(permit, question)
            known = submission.key.reference if submission.key else {}
            intent = result.intent if result else _stored_intent(question, self.user, known)
        stored = {
            "message_id": message.pk,
            "reply": message.text,
            "intent": intent,
            "skill": skill,
            "memories_used": trace.memories,
            "degraded": trace.degraded,
            "finish_reason": "length" if ANSWER_CUT in trace.degraded else "stop",
            "usage": asdict(result.usage) if result else known.get("usage"),
            "receipt_id": trace.receipt_id,
        }
        return dict(TurnOutput(stored | submission.masked).data)


def _replay_pieces(body: Body) -> Pieces:
    yield body["reply"]
    yield body


def _message_blocks(given: dict[str, Any]) -> list[dict[str, Any]]:
    if "content" in given:
        return [{"type": TEXT, "text": given["content"]}]
    return [dict(block) for block in given["content_blocks"]]


def _store_result(key: IdempotencyKey, result: TurnResult) -> None:
    key.reference |= {
        "usage": asdict(result.usage),
        "intent": {"intent_type": result.intent.intent_type, "confidence": result.intent.confidence,
                   "action_required": result.intent.action_required},
    }  # fmt: skip
    key.save(update_fields=["reference"])


def _started_task_id(permit: Permit, question: ConversationEvent | None) -> str | None:
    """The id of the task that a message asked for; the two are the same."""
    found = tasks_of(permit).filter(pk=question.pk).first() if question else None
    return found.route if found else None


def _stored_intent(question: ConversationEvent | None, user: User, known: dict[str, Any]) -> Intent:
    """The stored type and numbers; what quotes the message is read from it again, by rules and the clock of then."""
    if question is None:
        read = classify(ParsedMessage(""))
    else:
        zone = ZoneInfo(question.session.time_zone or user.time_zone)
        read = classify(ParsedMessage(question.text), timezone.make_naive(question.created_at, zone))
    return replace(read, **known.get("intent", {}))


urlpatterns = [path("sessions/<uuid:session_id>/messages", MessagesView.as_view(), name="messages")]
