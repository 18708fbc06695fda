"""The representations of research tasks: what they use, how far they are, and what they made."""

from __future__ import annotations

from typing import Any, get_args

from drf_spectacular.utils import extend_schema_field, inline_serializer
from rest_framework import serializers

from finclaw.api.masking import MayBeMasked
from finclaw.api.research_objects import LookaheadOutput, SectionOutput
from finclaw.api.tool_receipts import ToolReceiptOutput, show_tool_receipts
from finclaw.brain.context_slices import ContextScope
from finclaw.brain.research.tips import TaskHint, hint_of
from memory.models import ResearchTask, Route
from memory.research.contexts import note_of

TASK_EVENT = inline_serializer(
    "TaskEvent",
    {
        "event": serializers.ChoiceField(choices=("progress", "done", "error")),
        "data": serializers.CharField(help_text="The task as JSON; of an ``error`` the error's body."),
    },
)


class ReadFromField(serializers.DictField):
    """By slice, where it was read: one or more of task, thread, profile, default, rows, the nearest scope first."""

    child = serializers.ListField(child=serializers.ChoiceField(choices=(*get_args(ContextScope), "default", "rows")))


class SlicesOutput(serializers.Serializer[Any]):
    loaded = serializers.ListField(child=serializers.CharField(), source="loaded_names")
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
    """A task with what only its own address tells."""

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
