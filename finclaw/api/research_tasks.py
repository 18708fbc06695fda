"""Research tasks: requested, watched, cancelled, and previewed with the memory they would use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from time import sleep
from typing import Any, get_args
from uuid import UUID

from django.http.response import HttpResponseBase
from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import ApiView, NonAtomicView
from finclaw.api.contexts import StatedInput
from finclaw.api.masking import MayBeMasked, masked_in
from finclaw.api.research_objects import LookaheadOutput, SectionOutput
from finclaw.api.schema import PAGE, page_of
from finclaw.api.serializers import MomentField, QuerySerializer, StrictSerializer, message_text
from finclaw.api.streaming import Progress, progress_stream
from finclaw.api.tool_receipts import ToolReceiptOutput, show_tool_receipts
from finclaw.brain.boundary import refuse_fields
from finclaw.brain.context_slices import ContextScope
from finclaw.brain.research import services as research
from finclaw.brain.research.recommendations import recommend_routes
from finclaw.brain.research.tips import TaskHint, hint_of
from finclaw.server.refusals import is_stopping
from foundation.database.acting_user import give_back_connection
from foundation.request_line import aside
from memory.models import ResearchTask, Route
from memory.research.contexts import note_of
from memory.research.task_lifecycle import request_cancel, task_of, tasks_of
from memory.research.types import TaskDraft

LOOK_AGAIN_SECONDS = 0.5
TASK_EVENT = inline_serializer(
    "TaskEvent",
    {
        "event": serializers.ChoiceField(choices=("progress", "done", "error")),
        "data": serializers.CharField(help_text="The task as JSON; of an ``error`` the error's body."),
    },
)


class TaskInput(StrictSerializer):
    """With ``as_of`` only what was known then is used; later evidence is reported and left out."""

    route = serializers.ChoiceField(choices=Route.choices)
    prompt = message_text()
    user_context_overrides = StatedInput(required=False, default=dict)
    thread_id = serializers.UUIDField(required=False, allow_null=True, default=None)
    as_of = MomentField(required=False, allow_null=True, default=None)


class TaskPreviewInput(TaskInput):
    """Without a ``route`` one is proposed by the prompt's words."""

    route = serializers.ChoiceField(choices=Route.choices, required=False, default="")


class TaskStreamQuery(QuerySerializer):
    stream = serializers.BooleanField(default=False)


class ReadFromField(serializers.DictField):
    """By slice, where it was read: one or more of task, thread, profile, default, rows, the nearest scope first."""

    child = serializers.ListField(child=serializers.ChoiceField(choices=(*get_args(ContextScope), "default", "rows")))


class SlicesOutput(serializers.Serializer[Any]):
    loaded = serializers.ListField(child=serializers.CharField())
    skipped_missing = serializers.ListField(child=serializers.CharField())
    blocked_by_consent = serializers.ListField(child=serializers.CharField())
    read_from = ReadFromField()


class TaskPreviewOutput(serializers.Serializer[Any]):
    route = serializers.ChoiceField(choices=Route.choices)
    slices = SlicesOutput()
    advisors = serializers.ListField(child=serializers.CharField())


class TaskContextOutput(serializers.Serializer[Any]):
    """The slices of memory the task was given, and the tokens they take in a prompt, by estimate."""

    slices_loaded = serializers.ListField(child=serializers.CharField(), default=list)
    slices_skipped_missing = serializers.ListField(child=serializers.CharField(), default=list)
    slices_blocked_by_consent = serializers.ListField(child=serializers.CharField(), default=list)
    slices_read_from = ReadFromField(default=dict)
    total_memory_tokens_estimated = serializers.IntegerField(default=0)


class PartialOutput(serializers.Serializer[Any]):
    part = serializers.CharField()
    statements = serializers.ListField(child=serializers.CharField())


class ResultOutput(serializers.Serializer[Any]):
    """What a task made. Snapshots and checkpoints have their own addresses, refreshes are among their thread's; a
    report is included whole.
    """

    kind = serializers.ChoiceField(choices=ResearchTask.ResultKind.choices)
    id = serializers.UUIDField(help_text="The object's; a report has its task's.")
    thread_id = serializers.UUIDField(allow_null=True)
    title = serializers.CharField(required=False)
    sections = SectionOutput(many=True, required=False)
    data_quality_note = serializers.CharField(required=False)


class TaskOutput(MayBeMasked):
    task_id = serializers.UUIDField(source="id")
    route = serializers.ChoiceField(choices=Route.choices)
    prompt = serializers.CharField(source="question", help_text="Its thread's title where nothing was said.")
    thread_id = serializers.UUIDField(allow_null=True)
    as_of = serializers.DateTimeField(allow_null=True)
    state = serializers.ChoiceField(choices=ResearchTask.State.choices)
    progress = serializers.IntegerField(help_text="Per cent.")
    step = serializers.CharField(help_text="What it is at: a part of the research.")
    result = serializers.SerializerMethodField()
    advisors = serializers.ListField(child=serializers.CharField())
    lookahead_warnings = LookaheadOutput(many=True)
    tip = serializers.SerializerMethodField()
    degraded = serializers.ListField(child=serializers.CharField())
    error_code = serializers.CharField(help_text="Why it failed; empty unless it did.")
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The fields, with the contract's names that a serializer reserves for itself."""
        more = {
            "partial": PartialOutput(many=True, help_text="What its steps have found so far."),
            "context": TaskContextOutput(),
        }
        return super().get_fields() | more

    @extend_schema_field(serializers.ChoiceField(choices=get_args(TaskHint), allow_null=True))
    def get_tip(self, task: ResearchTask) -> TaskHint | None:
        """A tip: preferences were never set (at most once a day), or consent is withdrawn and nothing was personal."""
        return hint_of(task)

    @extend_schema_field(ResultOutput(allow_null=True))
    def get_result(self, task: ResearchTask) -> dict[str, Any] | None:
        """The result; null until there is one."""
        return _show_result(task)


class NoteOutput(serializers.Serializer[Any]):
    text = serializers.CharField()
    expires_at = serializers.DateTimeField()


class OneTaskOutput(TaskOutput):
    """``context["permit"]`` is the user's."""

    note = serializers.SerializerMethodField()
    steps = serializers.SerializerMethodField()

    @extend_schema_field(NoteOutput(allow_null=True))
    def get_note(self, task: ResearchTask) -> dict[str, Any] | None:
        """What it means for you, kept for 24 hours; null where there is nothing to say, and afterwards."""
        kept = note_of(self.context["permit"], task)
        return dict(NoteOutput({"text": "\n".join(kept.lines), "expires_at": kept.expires_at}).data) if kept else None

    @extend_schema_field(ToolReceiptOutput(many=True))
    def get_steps(self, task: ResearchTask) -> list[dict[str, Any]]:
        """How each step ran, in order, of every attempt; empty while it runs."""
        return show_tool_receipts(self.context["permit"], task.pk)


def _show_result(task: ResearchTask) -> dict[str, Any] | None:
    if not task.result_kind:
        return None
    shown = {"kind": task.result_kind, "id": task.result_id or task.pk, "thread_id": task.thread_id}
    return dict(ResultOutput(shown | task.report).data)


class TaskViews(ApiView):
    """The common part of the views of tasks."""

    def represent(self, key: str) -> Any:
        """The task that a write made or changed, as it is now."""
        return TaskOutput(task_of(self.permit, UUID(key))).data


class TasksView(TaskViews):
    @extend_schema(operation_id="task_list", parameters=PAGE, responses=page_of(TaskOutput))
    def get(self, request: Request) -> Response:
        """Your research tasks, latest first."""
        return self.page(tasks_of(self.permit), TaskOutput, ordering="-created_at")

    @extend_schema(operation_id="task_create", request=TaskInput, responses={202: TaskOutput})
    def post(self, request: Request) -> Response:
        """Start a research task; it runs in the background."""
        _refuse_acting_body(self.request.data)
        draft = _task_draft(self.valid(TaskInput))
        masked = masked_in([self.user.name], prompt=draft.prompt)
        return self.once(
            202,
            partial(research.create_research_task, self.permit, self.user, draft),
            lambda key: self.represent(key) | masked,
        )


class TaskPreviewView(ApiView):
    @extend_schema(operation_id="task_preview", request=TaskPreviewInput, responses=TaskPreviewOutput)
    def post(self, request: Request) -> Response:
        """What a task would use: its route, proposed where none is given, its slices of memory and its advisors.
        Nothing is stored.
        """
        _refuse_acting_body(self.request.data)
        seen = research.preview_task(self.permit, self.user, _task_draft(self.valid(TaskPreviewInput)))
        return Response(TaskPreviewOutput(seen).data)


class OneTaskView(NonAtomicView):
    query_input = TaskStreamQuery

    @extend_schema(
        operation_id="task_retrieve",
        parameters=[OpenApiParameter("stream", bool, description="Answer by ``progress`` events until it is over.")],
        responses={(200, "application/json"): OneTaskOutput, (200, "text/event-stream"): TASK_EVENT},
    )
    def get(self, request: Request, task_id: UUID) -> HttpResponseBase:
        """One research task with its progress; with ``stream`` as it goes on. A stream that ends without ``done`` or
        ``error`` met a restart: ask again.
        """
        now = self._shown(task_id)
        return progress_stream(request, self._until_over(task_id, now)) if self.query["stream"] else Response(now)

    def _shown(self, task_id: UUID) -> Progress:
        with self.acting() as permit:
            return dict(OneTaskOutput(task_of(permit, task_id), context={"permit": permit}).data)

    def _until_over(self, task_id: UUID, shown: Progress) -> Iterator[Progress | None]:
        """The task as it is now and whenever it changes, None while it does not. Ends where this process is to stop.

        Holds neither a transaction nor a connection between two looks.
        """
        yield shown
        while shown["ended_at"] is None and not is_stopping(self.request.META):
            give_back_connection()
            with aside():
                sleep(LOOK_AGAIN_SECONDS)
            later = self._shown(task_id)
            yield later if later != shown else None
            shown = later


class TaskCancelView(TaskViews):
    @extend_schema(operation_id="task_cancel", request=None, responses=TaskOutput)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Cancel a task: at once if it is pending, before its next step if it is running."""
        return self.once(200, lambda: request_cancel(self.permit, task_id), self.represent)


class RecommendedOutput(serializers.Serializer[Any]):
    skill = serializers.ChoiceField(choices=Route.choices)
    reason = serializers.CharField()
    example = serializers.CharField()


class RecommendationsOutput(serializers.Serializer[Any]):
    results = RecommendedOutput(many=True)


class RecommendationsView(ApiView):
    @extend_schema(operation_id="skills_recommended", responses=RecommendationsOutput)
    def get(self, request: Request) -> Response:
        """What you could research next, routes close to your threads first."""
        return Response(RecommendationsOutput({"results": recommend_routes(self.permit, self.user)}).data)


def _refuse_acting_body(body: Any) -> None:
    """Refuse a checkpoint's body with forbidden fields, also those that no field of ours would read."""
    if isinstance(body, Mapping) and body.get("route") == Route.PRE_EXECUTION:
        refuse_fields(body)


def _task_draft(given: dict[str, Any]) -> TaskDraft:
    stated = {name: value or "" for name, value in given["user_context_overrides"].items()}
    return TaskDraft(given["route"], given["prompt"], stated, given["thread_id"], given["as_of"])


urlpatterns = [
    path("tasks", TasksView.as_view(), name="tasks"),
    path("tasks/preview", TaskPreviewView.as_view(), name="task_preview"),
    path("tasks/<uuid:task_id>", OneTaskView.as_view(), name="task"),
    path("tasks/<uuid:task_id>/cancel", TaskCancelView.as_view(), name="task_cancel"),
    path("skills/recommended", RecommendationsView.as_view(), name="recommended"),
]
