"""Research results: snapshots, refreshes, checkpoints; and saving a snapshot as a thread."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import path
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import ApiView
from finclaw.api.operations import STATES, located, raises
from finclaw.api.research_threads import CognitionObjectInput, CognitionObjectOutput, ThreadOutput
from finclaw.api.serializers import BoundedList, StrictSerializer
from finclaw.brain.research.services import start_thread_from_snapshot
from memory.models import Checkpoint, Snapshot, Thread
from memory.research import results
from memory.research.threads import MAX_TITLE_CHARS, thread_of, threads_beside
from memory.research.types import CognitionObject, ThreadDraft

_STATED: dict[str, Any] = {"max_length": 500, "required": False, "allow_blank": True, "default": ""}


class SourceOutput(serializers.Serializer[Any]):
    kind = serializers.CharField()
    id = serializers.CharField(allow_blank=True)


class StatementOutput(serializers.Serializer[Any]):
    """One sentence, when its content became known, and its sources."""

    text = serializers.CharField()
    dated_at = serializers.DateTimeField(allow_null=True)
    sources = SourceOutput(many=True)


class LookaheadOutput(serializers.Serializer[Any]):
    text = serializers.CharField()
    dated_at = serializers.DateTimeField()


class SectionOutput(serializers.Serializer[Any]):
    heading = serializers.CharField()
    statements = StatementOutput(many=True)


class FollowingThreadOutput(serializers.ModelSerializer[Thread]):
    thread_id = serializers.UUIDField(source="id")

    class Meta:
        model = Thread
        fields = ("thread_id", "title")


class SnapshotOutput(serializers.ModelSerializer[Snapshot]):
    """A thesis with what speaks for and against it."""

    snapshot_id = serializers.UUIDField(source="id")
    cognition_object = CognitionObjectOutput(source="*")
    evidence = StatementOutput(many=True)
    counter_thesis = StatementOutput(many=True)
    invalidators = StatementOutput(many=True)
    told = StatementOutput(many=True, help_text="What you had told before; nothing else here is of you.")
    watch_questions = serializers.ListField(child=serializers.CharField())
    open_threads = serializers.SerializerMethodField()

    class Meta:
        model = Snapshot
        fields = ("snapshot_id", "task_id", "thread_id", "open_threads", "cognition_object", "main_thesis", "evidence",
                  "counter_thesis", "invalidators", "told", "watch_questions", "data_quality_note", "model_id",
                  "as_of", "created_at")  # fmt: skip

    @extend_schema_field(FollowingThreadOutput(many=True))
    def get_open_threads(self, snapshot: Snapshot) -> list[dict[str, Any]]:
        """Your open threads that follow the same object, by whatever name: refresh one instead of keeping another."""
        return list(FollowingThreadOutput(threads_beside(self.context["permit"], snapshot), many=True).data)


class CheckpointOutput(serializers.ModelSerializer[Checkpoint]):
    checkpoint_id = serializers.UUIDField(source="id")
    conditions = StatementOutput(many=True)
    risks = StatementOutput(many=True)
    invalidators = StatementOutput(many=True)
    told = StatementOutput(many=True)

    class Meta:
        model = Checkpoint
        fields = ("checkpoint_id", "task_id", "thread_id", "decision", "conditions", "risks", "invalidators", "told",
                  "data_quality_note", "model_id", "as_of", "created_at")  # fmt: skip


class ConsentAck(StrictSerializer):
    consent_id = serializers.UUIDField()


class ThreadInput(StrictSerializer):
    """``consent_ack`` is the id of the consent that was shown. Stated fields are kept with ``save_user_context``."""

    title = serializers.CharField(max_length=MAX_TITLE_CHARS)
    save_user_context = serializers.BooleanField()
    consent_ack = ConsentAck()
    user_focus_reason = serializers.CharField(**_STATED)
    research_style = serializers.CharField(**_STATED)
    user_stated_position_context = serializers.CharField(**_STATED)
    confirm_financial = serializers.BooleanField(default=False)
    cognition_object = CognitionObjectInput(required=False)
    refresh_conditions = BoundedList(
        child=serializers.CharField(max_length=300), max_length=20, required=False, allow_null=True, default=None
    )


class SnapshotView(ApiView):
    @extend_schema(operation_id="snapshot_retrieve", responses=SnapshotOutput)
    def get(self, request: Request, snapshot_id: UUID) -> Response:
        """One snapshot."""
        snapshot = results.snapshot_of(self.permit, snapshot_id)
        return Response(SnapshotOutput(snapshot, context={"permit": self.permit}).data)


class CheckpointView(ApiView):
    @extend_schema(operation_id="checkpoint_retrieve", responses=CheckpointOutput)
    def get(self, request: Request, checkpoint_id: UUID) -> Response:
        """What to weigh before one decision."""
        return Response(CheckpointOutput(results.checkpoint_of(self.permit, checkpoint_id)).data)


class SaveAsThreadView(ApiView):
    @located("thread", "thread_id", status=201)
    @raises(*STATES)
    @extend_schema(operation_id="snapshot_save_as_thread", request=ThreadInput, responses={201: ThreadOutput})
    def post(self, request: Request, snapshot_id: UUID) -> Response:
        """Save the snapshot as a thread: its thesis is the thread's first."""
        given = self.valid(ThreadInput)
        return self.once(201, lambda: self._keep(snapshot_id, given), self._represent)

    def _keep(self, snapshot_id: UUID, given: dict[str, Any]) -> Thread:
        snapshot = results.snapshot_of(self.permit, snapshot_id)
        return start_thread_from_snapshot(
            self.permit, self.user, snapshot, thread_draft(given), given["consent_ack"]["consent_id"]
        )

    def _represent(self, key: str) -> Any:
        return ThreadOutput(thread_of(self.permit, UUID(key))).data


def thread_draft(given: dict[str, Any]) -> ThreadDraft:
    """The thread as requested; conditions that were not chosen follow from its object."""
    named = ("user_focus_reason", "research_style", "user_stated_position_context")
    conditions = given["refresh_conditions"]
    return ThreadDraft(
        title=given["title"],
        save_user_context=given["save_user_context"],
        fields={name: given[name] for name in named if given[name]},
        confirm_financial=given["confirm_financial"],
        refresh_conditions=None if conditions is None else tuple(conditions),
        cognition_object=CognitionObject(**given["cognition_object"]) if "cognition_object" in given else None,
    )


urlpatterns = [
    path("snapshots/<uuid:snapshot_id>", SnapshotView.as_view(), name="snapshot"),
    path("snapshots/<uuid:snapshot_id>/save-as-thread", SaveAsThreadView.as_view(), name="save_as_thread"),
    path("checkpoints/<uuid:checkpoint_id>", CheckpointView.as_view(), name="checkpoint"),
]
