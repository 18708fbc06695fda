"""Long tasks of every kind: what runs for the user, how far it is, what it has made, and how it is cancelled."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.urls import path, reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import ApiView
from finclaw.api.research_task_outputs import PartialOutput
from finclaw.api.schema import PAGE, page_of
from finclaw.brain.long_tasks.services import cancel_task, get_task_result, get_task_status, task_statuses
from finclaw.brain.long_tasks.types import CancelOutcome, CancelReceipt, TaskResult
from finclaw.models import LongTaskKind, LongTaskState, TaskStatus


class TaskStatusOutput(serializers.ModelSerializer[TaskStatus]):
    task_id = serializers.UUIDField(source="id", help_text="The id of the long task.")
    kind = serializers.ChoiceField(choices=LongTaskKind.choices)
    state = serializers.ChoiceField(choices=LongTaskState.choices)
    progress = serializers.IntegerField(help_text="Per cent.")
    step = serializers.CharField(help_text="What it is at, as a key of its kind's; empty unless it runs.")
    is_stopping = serializers.BooleanField(help_text="Whether it is cancelled before its next step.")
    is_unseen = serializers.BooleanField(help_text="Whether it ended and its user has not seen that on a page yet.")
    error_code = serializers.CharField(help_text="Why it failed; empty unless it did.")
    expires_at = serializers.DateTimeField(allow_null=True, help_text="When what it made is gone; null for never.")

    class Meta:
        model = TaskStatus
        fields = (
            "task_id", "kind", "state", "progress", "step", "is_stopping", "is_unseen", "error_code", "created_at",
            "ended_at", "expires_at",
        )  # fmt: skip


class TaskResultOutput(serializers.Serializer[Any]):
    """What a long task has made: all of it, or what there is so far."""

    task_id = serializers.UUIDField(help_text="The id of the long task.")
    kind = serializers.ChoiceField(choices=LongTaskKind.choices)
    state = serializers.ChoiceField(choices=LongTaskState.choices)
    is_whole = serializers.BooleanField(help_text="Whether nothing will be added: it is completed.")
    parts = PartialOutput(many=True, source="findings.parts", help_text="What its steps have found so far.")
    counts = serializers.DictField(
        child=serializers.IntegerField(),
        source="findings.counts",
        help_text="How much it made, by what is counted.",
    )
    url = serializers.SerializerMethodField()

    def get_url(self, result: TaskResult) -> str | None:
        """The address of what it made; null while there is none, and after that is gone."""
        if result.findings.location is None:
            return None
        name, ids = result.findings.location
        request: Request = self.context["request"]
        return request.build_absolute_uri(reverse(f"api:{name}", kwargs=dict(ids)))


class CancelReceiptOutput(serializers.Serializer[Any]):
    """What a request to cancel came to."""

    task_id = serializers.UUIDField(help_text="The id of the long task.")
    kind = serializers.ChoiceField(choices=LongTaskKind.choices)
    outcome = serializers.ChoiceField(
        choices=[outcome.value for outcome in CancelOutcome],
        help_text="`cancelled` at once, `stopping` before its next step, or `over` where it had ended.",
    )
    state = serializers.ChoiceField(choices=LongTaskState.choices, help_text="The task's, as it is now.")
    cancelled_at = serializers.DateTimeField(allow_null=True, help_text="When the task ended; null while it runs.")


class LongTasksView(ApiView):
    @extend_schema(operation_id="long_task_list", parameters=PAGE, responses=page_of(TaskStatusOutput))
    def get(self, request: Request) -> Response:
        """Your long tasks of every kind, latest first."""
        return self.page(task_statuses(self.permit), TaskStatusOutput, ordering="-created_at")


class LongTaskStatusView(ApiView):
    @extend_schema(operation_id="long_task_status", responses=TaskStatusOutput)
    def get(self, request: Request, task_id: UUID) -> Response:
        """How far one long task is."""
        return Response(TaskStatusOutput(get_task_status(self.permit, task_id)).data)


class LongTaskResultView(ApiView):
    @extend_schema(operation_id="long_task_result", responses=TaskResultOutput)
    def get(self, request: Request, task_id: UUID) -> Response:
        """What a long task has made so far; whole once it is completed."""
        result = get_task_result(self.permit, self.user, task_id)
        return Response(TaskResultOutput(result, context={"request": request}).data)


class LongTaskCancellationView(ApiView):
    @extend_schema(operation_id="long_task_cancel", request=None, responses=CancelReceiptOutput)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Cancel a long task, and answer a receipt. What it has made by then stays."""
        return self.once(200, partial(self._cancel, task_id), self._represent)

    def _cancel(self, task_id: UUID) -> dict[str, Any]:
        receipt: CancelReceipt = cancel_task(self.permit, self.user, task_id)
        return {"task": str(task_id), "outcome": receipt.outcome.value}

    def _represent(self, made: dict[str, Any]) -> Any:
        """The receipt of what was done then, with the task's state as it is now."""
        status = get_task_status(self.permit, UUID(made["task"]))
        outcome = CancelOutcome(made["outcome"])
        return CancelReceiptOutput(CancelReceipt(status.pk, status.kind, outcome, status.state, status.ended_at)).data


urlpatterns = [
    path("tasks/all", LongTasksView.as_view(), name="long_tasks"),
    path("tasks/<uuid:task_id>/status", LongTaskStatusView.as_view(), name="long_task"),
    path("tasks/<uuid:task_id>/result", LongTaskResultView.as_view(), name="long_task_result"),
    path("tasks/<uuid:task_id>/cancellation", LongTaskCancellationView.as_view(), name="long_task_cancellation"),
]
