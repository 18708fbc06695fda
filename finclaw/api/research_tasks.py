"""Research tasks: requested, watched, cancelled, and previewed with the memory they would use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from time import sleep
from typing import Any
from uuid import UUID

from django.http.response import HttpResponseBase
from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.models import ErasureScope
from finclaw.api.base import ApiView, NonAtomicView
from finclaw.api.contexts import StatedInput
from finclaw.api.erasures import DeletionReceiptOutput, ForgettingView
from finclaw.api.masking import masked_in
from finclaw.api.operations import FORGETS, RESEARCHES, located, raises
from finclaw.api.research_task_outputs import TASK_EVENT, OneTaskOutput, TaskOutput, TaskPreviewOutput
from finclaw.api.schema import PAGE, page_of
from finclaw.api.serializers import MomentField, QuerySerializer, StrictSerializer, message_text
from finclaw.api.streaming import Progress, progress_stream
from finclaw.brain.boundary import refuse_fields
from finclaw.brain.long_tasks.services import cancel_task, start_task
from finclaw.brain.research.recommendations import recommend_routes
from finclaw.brain.research.services import preview_task
from finclaw.models import LongTaskKind
from finclaw.server.refusals import is_stopping
from foundation.compute_slot import compute_slot_released
from foundation.database.acting_user import give_back_connection
from memory.models import Route
from memory.research.task_lifecycle import task_of, tasks_of
from memory.research.types import TaskDraft

LOOK_AGAIN_SECONDS = 0.5


class TaskInput(StrictSerializer):
    """With ``as_of`` only what was known then is used; later evidence is reported and left out."""

    route = serializers.ChoiceField(choices=Route.choices)
    prompt = message_text()
    user_context_overrides = StatedInput(required=False, default=dict)
    thread_id = serializers.UUIDField(required=False, allow_null=True, default=None)
    as_of = MomentField(required=False, allow_null=True, default=None)


class TaskPreviewInput(TaskInput):
    """Without a ``route`` one is proposed by the prompt's words."""

    route = serializers.ChoiceField(choices=Route.choices, required=False)


class TaskStreamQuery(QuerySerializer):
    stream = serializers.BooleanField(default=False)


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

    @located("task", "task_id", status=202)
    @raises(*RESEARCHES)
    @extend_schema(operation_id="task_create", request=TaskInput, responses={202: TaskOutput})
    def post(self, request: Request) -> Response:
        """Start a research task; it runs in the background."""
        _refuse_acting_body(self.request.data)
        draft = _task_draft(self.valid(TaskInput))
        masked = masked_in([self.user.name], prompt=draft.prompt)
        return self.once(
            202,
            partial(start_task, self.permit, self.user, LongTaskKind.RESEARCH, {"draft": draft}),
            lambda key: self.represent(key) | masked,
        )


class TaskPreviewView(ApiView):
    @raises(*RESEARCHES)
    @extend_schema(operation_id="task_preview", request=TaskPreviewInput, responses=TaskPreviewOutput)
    def post(self, request: Request) -> Response:
        """What a task would use: its route, proposed where none is given, its slices of memory and its advisors.
        Nothing is stored.
        """
        _refuse_acting_body(self.request.data)
        seen = preview_task(self.permit, self.user, _task_draft(self.valid(TaskPreviewInput)))
        return Response(TaskPreviewOutput(seen).data)


class OneTaskView(ForgettingView, NonAtomicView):
    query_inputs = {"GET": TaskStreamQuery}

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

    @raises(*FORGETS, "kept_in_thread")
    @located("erasure", "tombstone_id", status=202)
    @extend_schema(operation_id="task_delete", responses={202: DeletionReceiptOutput})
    def delete(self, request: Request, task_id: UUID) -> Response:
        """Forget a task with what it made. One whose result a thread keeps is forgotten with the thread (409)."""
        with self.acting():
            return self.forget(ErasureScope.TASK, str(task_id))

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
            with compute_slot_released():
                sleep(LOOK_AGAIN_SECONDS)
            later = self._shown(task_id)
            yield later if later != shown else None
            shown = later


class TaskCancelView(TaskViews):
    @extend_schema(operation_id="task_cancel", request=None, responses=TaskOutput)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Cancel a task: at once if it is pending, before its next step if it is running."""
        return self.once(200, lambda: cancel_task(self.permit, self.user, task_id).task_id, self.represent)


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
    return TaskDraft(given.get("route", ""), given["prompt"], stated, given["thread_id"], given["as_of"])


urlpatterns = [
    path("tasks", TasksView.as_view(), name="tasks"),
    path("tasks/preview", TaskPreviewView.as_view(), name="task_preview"),
    path("tasks/<uuid:task_id>", OneTaskView.as_view(), name="task"),
    path("tasks/<uuid:task_id>/cancel", TaskCancelView.as_view(), name="task_cancel"),
    path("skills/recommended", RecommendationsView.as_view(), name="recommended"),
]
