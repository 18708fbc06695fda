"""What a message taught: requested by its id, or sent at the end of the answer's stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from time import monotonic, sleep
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.urls import path, reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.permit import Permit
from finclaw.api.base import ApiView
from finclaw.api.streaming import Body
from foundation.compute_slot import compute_slot_released
from foundation.database.acting_user import give_back_connection
from memory.learning.learned_changes import LearnedChange
from memory.learning.message_learning import MessageLearning, is_being_read, may_teach, message_learning, own_message
from memory.models import ConversationEvent

_FIRST_LOOK_SECONDS: Final = 0.15
_LATER_LOOKS: Final = 1.6
"""By how much each wait is longer than the one before."""


class LearnedChangeOutput(serializers.Serializer[LearnedChange]):
    event = serializers.ChoiceField(
        choices=["noted", "changed", "asked", "retracted", "preference"],
        help_text="``asked`` waits for …/confirm or …/reject of the memory; with a ``former_content``, which it "
        "perhaps replaces, for …/settle.",
    )
    memory_id = serializers.UUIDField()
    content = serializers.CharField()
    former_content = serializers.CharField(allow_null=True, help_text="What stood there before, while it is kept.")
    certainty = serializers.FloatField(help_text="From 0 to 1.")
    standing = serializers.ChoiceField(
        choices=["in_force", "waiting", "left_out", "undone", "past"],
        help_text="What has become of it: ``left_out`` after a no, ``past`` since something newer was said.",
    )
    undo = serializers.SerializerMethodField(help_text="Where to POST to take it back; null where that is over.")

    def get_undo(self, change: LearnedChange) -> str | None:
        """The address of the matching undo."""
        if change.undo is None:
            return None
        name = "api:undo" if change.undo.change_id else "api:take_back"
        return reverse(name, args=[change.memory_id])


class LearnedOutput(serializers.Serializer[Any]):
    message_id = serializers.UUIDField(help_text="Your message.")
    status = serializers.ChoiceField(
        choices=["pending", "done", "none"],
        help_text="``pending`` while it is still read; ``none`` where nothing is ever learned from it.",
    )
    learned = LearnedChangeOutput(many=True)


class LearnedView(ApiView):
    @extend_schema(operation_id="message_learned", responses=LearnedOutput)
    def get(self, request: Request, message_id: UUID) -> Response:
        """What one of your messages taught, in the order it was learned; by its id, or by that of the answer to it."""
        message = own_message(self.permit, message_id)
        return Response(learned_body(message.pk, message_learning(self.permit, message)))


def learned_body(message_id: UUID, learning: MessageLearning) -> Body:
    """The body of the answer."""
    return dict(LearnedOutput({"message_id": message_id, "status": learning.status, "learned": learning.changes}).data)


def wait_for_learned(
    acting: Callable[[], AbstractContextManager[Permit]], answered: Callable[[], ConversationEvent | None]
) -> Iterator[Body | None]:
    """What the ``answered`` message taught, once it is read; None after each look that came too early.

    Ends without a result where nothing is learned from the message, or it takes longer than ``LEARNED_WAIT_SECONDS``.
    Holds neither a transaction nor a connection between two looks.
    """
    message = answered()
    if message is None or not message.learnable:
        return
    patience_ends = monotonic() + settings.LEARNED_WAIT_SECONDS
    wait = _FIRST_LOOK_SECONDS
    while True:
        with acting() as permit:
            if not may_teach(permit, message):
                return
            learning = None if is_being_read(permit, message) else message_learning(permit, message)
        if learning is not None:
            yield learned_body(message.pk, learning)
            return
        if monotonic() + wait > patience_ends:
            return
        yield None
        give_back_connection()
        with compute_slot_released():
            sleep(wait)
        wait *= _LATER_LOOKS


urlpatterns = [path("messages/<uuid:message_id>/learned", LearnedView.as_view(), name="message_learned")]
