"""The messages of a conversation, and the turn that answers one."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http.response import HttpResponseBase
from django.urls import path
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.masking import masked_in
from finclaw.api.operations import TURNS, raises
from finclaw.api.schema import PAGE, page_of
from finclaw.api.serializers import BoundedList, StrictSerializer, message_text
from finclaw.api.turn_answers import EVENTS, TurnOutput, TurnView
from finclaw.brain.types import TurnRequest
from memory.content_blocks import BLOCK_TYPES, MAX_BLOCKS, TEXT, checked_blocks
from memory.models import ConversationEvent
from memory.services.sessions import messages_of, session_of


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


class MessagesView(TurnView):
    @extend_schema(operation_id="message_list", parameters=PAGE, responses=page_of(MessageOutput))
    def get(self, request: Request, session_id: UUID) -> Response:
        """The conversation's messages, in order."""
        with self.acting() as permit:
            return self.page(messages_of(session_of(permit, session_id)), MessageOutput, ordering="seq")

    @raises(*TURNS)
    @extend_schema(
        operation_id="message_send",
        request=MessageInput,
        parameters=[OpenApiParameter("stream", bool, description=EVENTS)],
        responses={(200, "application/json"): TurnOutput, (200, "text/event-stream"): OpenApiTypes.STR},
    )
    def post(self, request: Request, session_id: UUID) -> HttpResponseBase:
        """Send a message and get the answer, at once or, with ``stream``, as events: ``delta`` pieces, then ``done``
        with the stored answer, and ``learned`` where it is known soon enough what the message taught; or ``error``, and
        nothing is stored. Where the small model fails the large one answers; where that fails the answer comes from
        memory, says so, and holds ``model_unavailable`` among ``degraded``. In a stream ``interrupted`` says that the
        pieces until then are no answer and another one follows, the large model's or one from memory; it may come
        twice. Who leaves a stream before ``done`` takes the message back.

        A block of another type than text names an uploaded file by its ``media_id``. One file that was not found safe
        refuses the whole message (``media_not_safe``). What files say is quoted as theirs and never learned from; a
        model that sees is shown the images. While a file is being read ``degraded`` holds ``attachment_unread``, and
        ``image_unseen`` where an image found no room or could not be opened.
        """
        given = _message_blocks(self.valid(MessageInput))
        names = [self.user.name]
        blocks = checked_blocks(given, names, with_files=True)
        submission = self.claim(**masked_in(names, content="\n".join(block.get("text", "") for block in given)))
        return self.answer(submission, lambda: TurnRequest(session_id, blocks, submission.reply_id))


def _message_blocks(given: dict[str, Any]) -> list[dict[str, Any]]:
    if "content" in given:
        return [{"type": TEXT, "text": given["content"]}]
    return [dict(block) for block in given["content_blocks"]]


urlpatterns = [path("sessions/<uuid:session_id>/messages", MessagesView.as_view(), name="messages")]
