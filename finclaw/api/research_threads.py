"""Research threads: questions followed over time, refreshed, with questions to watch."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.models import ErasureScope
from drift.services import delayed_reopening_check
from finclaw.api.base import ApiView
from finclaw.api.contexts import StatedInput
from finclaw.api.erasures import DeletionReceiptOutput, ForgettingView
from finclaw.api.masking import MayBeMasked, masked_in
from finclaw.api.operations import FORGETS, RESEARCHES, STATES, located, raises
from finclaw.api.schema import PAGE, page_of
from finclaw.api.serializers import BoundedList, StrictSerializer, message_text
from finclaw.brain.research import services as research
from memory.models import ObjectKind, Refresh, ResearchTask, Snapshot, Thread, WatchQuestion
from memory.research import watch_questions
from memory.research.asset_names import object_id
from memory.research.task_lifecycle import task_of
from memory.research.threads import (
    MAX_TITLE_CHARS,
    change_thread,
    refreshes_of,
    thread_of,
    threads_of,
)
from memory.research.types import CognitionObject, ThreadChange


class CognitionObjectInput(StrictSerializer):
    """What a piece of research is about, in your words; a ticker, a company's name and its Chinese one are the same."""

    kind = serializers.ChoiceField(choices=ObjectKind.choices)
    name = serializers.CharField(max_length=MAX_TITLE_CHARS)


class CognitionObjectOutput(serializers.Serializer[Any]):
    """The object under its one name. ``id`` is the same for all of its names; ``alias`` is what you called it, empty
    where that is its name.
    """

    kind = serializers.CharField(source="object_kind")
    name = serializers.CharField(source="object_name")
    id = serializers.SerializerMethodField()
    alias = serializers.CharField(source="object_alias")

    def get_id(self, research: Snapshot | Thread) -> str:
        """``<kind>:<key>``, of an asset its ticker."""
        return object_id(CognitionObject(research.object_kind, research.object_name))


class ThreadChangeInput(StrictSerializer):
    """Closing a thread is final; with ``consent_blocked`` what was stated for it is no longer used."""

    title = serializers.CharField(max_length=MAX_TITLE_CHARS, required=False)
    state = serializers.ChoiceField(choices=Thread.State.choices, required=False)
    consent_blocked = serializers.BooleanField(required=False)
    refresh_conditions = BoundedList(child=serializers.CharField(max_length=300), max_length=20, required=False)
    cognition_object = CognitionObjectInput(required=False)


class SuppliedInput(StatedInput):
    """Fields stated for the thread; ``text`` is another place for what is new."""

    text = message_text(required=False, allow_blank=True, default="")


class RefreshInput(StrictSerializer):
    """``prompt`` is what is new about the thread; without it the same material is gone over again."""

    prompt = message_text(required=False, allow_blank=True, default="")
    user_supplied_context = SuppliedInput(required=False, default=dict)
    confirm_financial = serializers.BooleanField(default=False)


class WatchQuestionOutput(serializers.ModelSerializer[WatchQuestion]):
    question_id = serializers.UUIDField(source="id")

    class Meta:
        model = WatchQuestion
        fields = ("question_id", "question", "state", "resolved_at", "reopened_at", "created_at")


class ThreadOutput(serializers.ModelSerializer[Thread]):
    thread_id = serializers.UUIDField(source="id")
    cognition_object = CognitionObjectOutput(source="*")
    refresh_conditions = serializers.ListField(child=serializers.CharField())
    watch_questions = WatchQuestionOutput(many=True)
    consent_blocked = serializers.SerializerMethodField()

    class Meta:
        model = Thread
        fields = ("thread_id", "title", "cognition_object", "current_thesis", "refresh_conditions", "watch_questions",
                  "state", "consent_blocked", "created_at", "updated_at", "closed_at")  # fmt: skip

    def get_consent_blocked(self, thread: Thread) -> bool:
        """Whether something stated for it is no longer used."""
        return any(context.consent_blocked for context in thread.contexts.all())


class ChangedOutput(serializers.Serializer[Any]):
    before = serializers.CharField(allow_blank=True)
    after = serializers.CharField(allow_blank=True)


class RefreshOutput(serializers.ModelSerializer[Refresh]):
    refresh_id = serializers.UUIDField(source="id")
    thesis_after = serializers.CharField(source="snapshot.main_thesis")
    changed_inferences = ChangedOutput(many=True)

    class Meta:
        model = Refresh
        fields = ("refresh_id", "thread_id", "task_id", "snapshot_id", "thesis_before", "thesis_after",
                  "change_summary", "changed_inferences", "as_of", "created_at")  # fmt: skip


class RefreshTaskOutput(MayBeMasked):
    task_id = serializers.UUIDField(source="id")
    state = serializers.ChoiceField(choices=ResearchTask.State.choices)


class ThreadsView(ApiView):
    @extend_schema(operation_id="thread_list", parameters=PAGE, responses=page_of(ThreadOutput))
    def get(self, request: Request) -> Response:
        """Your threads, the most recently used first."""
        threads = threads_of(self.permit).prefetch_related("watch_questions", "contexts")
        return self.page(threads, ThreadOutput, ordering="-updated_at")


class ThreadView(ForgettingView):
    @extend_schema(operation_id="thread_retrieve", responses=ThreadOutput)
    def get(self, request: Request, thread_id: UUID) -> Response:
        """One thread as it stands."""
        return Response(ThreadOutput(thread_of(self.permit, thread_id)).data)

    @raises(*STATES, "thread_closed")
    @extend_schema(operation_id="thread_update", request=ThreadChangeInput, responses=ThreadOutput)
    def patch(self, request: Request, thread_id: UUID) -> Response:
        """Change a thread. Rename or close it, set its refresh conditions, correct its object, or forget what was
        stated for it.
        """
        given = self.valid(ThreadChangeInput)
        if "cognition_object" in given:
            given["cognition_object"] = CognitionObject(**given["cognition_object"])
        if "refresh_conditions" in given:
            given["refresh_conditions"] = tuple(given["refresh_conditions"])
        return self.once(
            200,
            lambda: change_thread(self.permit, thread_of(self.permit, thread_id), ThreadChange(**given)),
            lambda _: ThreadOutput(thread_of(self.permit, thread_id)).data,
        )

    @raises(*FORGETS)
    @located("erasure", "tombstone_id", status=202)
    @extend_schema(operation_id="thread_delete", responses={202: DeletionReceiptOutput})
    def delete(self, request: Request, thread_id: UUID) -> Response:
        """Forget the thread with its research and what was stated for it."""
        return self.forget(ErasureScope.THREAD, str(thread_id))


class ThreadRefreshView(ApiView):
    @located("task", "task_id", status=202)
    @raises(*RESEARCHES)
    @extend_schema(operation_id="thread_refresh", request=RefreshInput, responses={202: RefreshTaskOutput})
    def post(self, request: Request, thread_id: UUID) -> Response:
        """Refresh it in the background, with what is new."""
        given = self.valid(RefreshInput)
        supplied = dict(given["user_supplied_context"])
        said = "\n".join(filter(None, (given["prompt"], supplied.pop("text", ""))))
        stated = {name: value for name, value in supplied.items() if value}
        masked = masked_in([self.user.name], prompt=said)

        def refresh() -> ResearchTask:
            thread, confirmed = thread_of(self.permit, thread_id), given["confirm_financial"]
            return research.create_refresh_task(
                self.permit, self.user, thread, said, stated, confirm_financial=confirmed
            )

        return self.once(202, refresh, lambda key: RefreshTaskOutput(task_of(self.permit, UUID(key))).data | masked)


class ThreadRefreshesView(ApiView):
    @extend_schema(operation_id="thread_refreshes", parameters=PAGE, responses=page_of(RefreshOutput))
    def get(self, request: Request, thread_id: UUID) -> Response:
        """Its refreshes, latest first."""
        refreshes = refreshes_of(self.permit, thread_of(self.permit, thread_id))
        return self.page(refreshes, RefreshOutput, ordering="-created_at")


class QuestionResolveView(ApiView):
    @raises("consent_outdated", "erasure_in_progress", "thread_closed")
    @extend_schema(operation_id="watch_question_resolve", request=None, responses=WatchQuestionOutput)
    def post(self, request: Request, thread_id: UUID, question_id: UUID) -> Response:
        """Mark a watch question as resolved."""
        return self.once(
            200,
            lambda: watch_questions.resolve_question(self.permit, thread_of(self.permit, thread_id), question_id),
            lambda _: _show_question(self, thread_id, question_id),
        )


class QuestionReopenView(ApiView):
    @raises("consent_outdated", "erasure_in_progress", "thread_closed")
    @extend_schema(operation_id="watch_question_reopen", request=None, responses=WatchQuestionOutput)
    def post(self, request: Request, thread_id: UUID, question_id: UUID) -> Response:
        """Reopen a resolved watch question."""

        def reopen() -> None:
            thread = thread_of(self.permit, thread_id)
            watch_questions.reopen_question(self.permit, thread, question_id, delayed_reopening_check(self.user))

        return self.once(200, reopen, lambda _: _show_question(self, thread_id, question_id))


def _show_question(view: ApiView, thread_id: UUID, question_id: UUID) -> Any:
    thread = thread_of(view.permit, thread_id)
    return WatchQuestionOutput(watch_questions.questions_of(view.permit, thread).get(pk=question_id)).data


urlpatterns = [
    path("threads", ThreadsView.as_view(), name="threads"),
    path("threads/<uuid:thread_id>", ThreadView.as_view(), name="thread"),
    path("threads/<uuid:thread_id>/refresh", ThreadRefreshView.as_view(), name="thread_refresh"),
    path("threads/<uuid:thread_id>/refreshes", ThreadRefreshesView.as_view(), name="thread_refreshes"),
    path(
        "threads/<uuid:thread_id>/watch-questions/<uuid:question_id>/resolve",
        QuestionResolveView.as_view(),
        name="watch_question_resolve",
    ),
    path(
        "threads/<uuid:thread_id>/watch-questions/<uuid:question_id>/reopen",
        QuestionReopenView.as_view(),
        name="watch_question_reopen",
    ),
]
