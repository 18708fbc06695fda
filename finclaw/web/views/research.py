"""Pages that request a piece of research and show its progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRefresh

from finclaw.brain.long_tasks.services import cancel_task, mark_seen, start_task
from finclaw.brain.long_tasks.types import CancelOutcome
from finclaw.brain.research.recommendations import first_prompt, first_question, recommend_routes, stated_language
from finclaw.brain.research.services import preview_task
from finclaw.brain.skills.permissions import permitted_skills, skill_access_of
from finclaw.models import LongTaskKind
from finclaw.web.access import MemberView, htmx_of
from finclaw.web.forms.research import AskForm, FeedbackForm
from finclaw.web.masking_notice import add_masking_notice
from finclaw.web.pagination import keyset_page
from finclaw.web.research_documents import result_document, show_preview, show_task, show_task_page
from finclaw.web.research_labels import show_recommended
from finclaw.web.statements import naive_day
from finclaw.web.threads import change_made_by
from finclaw.web.types import TemplateData
from foundation.exceptions import NotFound
from foundation.language import Language
from memory.erasure.research_targets import thread_grown_from
from memory.models import ResearchTask, Route, Thread
from memory.research.profile_context import profile_context
from memory.research.task_lifecycle import task_of, tasks_of
from memory.research.threads import thread_of, threads_of

TASKS_SHOWN: Final = 10
THREADS_OFFERED: Final = 50
FIRST: Final = "first"  # the example for somebody's first task


class AskPage(MemberView):
    """The form, a preview of what the task would use, and the tasks so far."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """The form, empty or filled from an example, a thread or an earlier task.

        A refresh without a prompt of its own is repeated from its thread's page.
        """
        if self._repeated_task and self._repeated_task.thread_id and not self._repeated_task.prompt:
            return redirect("web:thread", self._repeated_task.thread_id)
        begun = self._initial_values()
        form = AskForm(initial=begun, threads=self._threads, routes=self._routes)
        return self._render_page(form, preview=self._preview(self._bind_form(begun)) if begun.get("prompt") else None)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Start the task, or preview it."""
        form = self._bind_form(request.POST)
        if "start" not in request.POST:
            return self._render_preview(form)
        key = form.attempt(lambda: start_task(self.permit, self.user, LongTaskKind.RESEARCH, {"draft": form.draft()}))
        if key is None:
            return self._render_page(form, status=400)
        draft = form.draft()
        add_masking_notice(request, self.user, draft.prompt, draft.overrides)
        return redirect("web:task", key)

    def _render_preview(self, form: AskForm) -> HttpResponse:
        """The preview alone where htmx asked, else the whole page with it."""
        shown = self._preview(form)
        if htmx_of(self.request):
            context = {"preview": shown, "form": form, "alone": True}
            return render(self.request, "web/partials/ask_preview.html", context)
        return self._render_page(form, preview=shown)

    def _bind_form(self, given: Mapping[str, Any]) -> AskForm:
        return AskForm(given, threads=self._threads, routes=self._routes)

    def _preview(self, form: AskForm) -> TemplateData | None:
        """What the task would use; None where the form is invalid, with the errors on it."""
        seen = form.attempt(lambda: preview_task(self.permit, self.user, form.draft()))
        return show_preview(seen, form.draft().overrides) if seen else None

    def _render_page(self, form: AskForm, *, preview: TemplateData | None = None, status: int = 200) -> HttpResponse:
        page = keyset_page(self.request, tasks_of(self.permit), "created_at", TASKS_SHOWN)
        context = {
            "form": form,
            "preview": preview,
            "recommended": [
                show_recommended(recommended)
                for recommended in recommend_routes(self.permit, self.user)
                if recommended.example
            ],
            "first_question": self._first_example(first_question) if self._routes and not page.rows else "",
            "tasks": [show_task(task) for task in page.rows],
            "stopped": self.permit.stopped,
            "newer_url": page.newer_url,
            "older_url": page.older_url,
        }
        return render(self.request, "web/ask.html", context, status=status)

    @cached_property
    def _threads(self) -> list[Thread]:
        """The threads the task may be about."""
        return list(threads_of(self.permit).filter(state=Thread.State.OPEN)[:THREADS_OFFERED])

    @cached_property
    def _routes(self) -> frozenset[str]:
        """The routes the user may use."""
        return permitted_skills(skill_access_of(self.user))

    @cached_property
    def _repeated_task(self) -> ResearchTask | None:
        """The task that is to be repeated."""
        key = self.request.GET.get("again")
        return task_of(self.permit, _uuid(key)) if key else None

    def _initial_values(self) -> dict[str, Any]:
        """The form's initial values; addresses name rows and routes, never text."""
        asked = self.request.GET
        task, key = self._repeated_task, asked.get("thread")
        begun = _initial_from_task(task) if task else {}
        if key:  # a task that is repeated there looks at the thread again
            thread = {"thread": str(thread_of(self.permit, _uuid(key)).pk)}
            return begun | thread | ({"route": Route.THREAD_REFRESH} if task else {})
        return begun or self._example(asked.get("skill", ""))

    def _example(self, skill: str) -> dict[str, Any]:
        if skill == FIRST:
            return {"prompt": self._first_example(first_prompt)}
        examples = (
            recommended.example
            for recommended in recommend_routes(self.permit, self.user)
            if recommended.skill == skill
        )
        example = next(examples, "")
        latest = next(iter(self._threads), None) if skill == Route.THREAD_REFRESH else None
        about = {"thread": str(latest.pk)} if latest else {}
        return {"prompt": example, "route": skill, **about} if example else {}

    def _first_example(self, made: Callable[[Language, str], str]) -> str:
        stated = profile_context(self.permit)
        return made(stated_language(self.permit), stated.risk_prompt_preference if stated else "")


class TaskPage(MemberView):
    """One task: its progress, then its result."""

    def get(self, request: HttpRequest, task_id: UUID) -> HttpResponse:
        """The page; htmx asks for it again while the task runs."""
        task = task_of(self.permit, task_id)
        if task.is_unseen:
            mark_seen(self.permit, task.pk)
        if task.is_over and htmx_of(request):
            return HttpResponseClientRefresh()  # what runs degraded is shown at the top of the page
        context = {
            "task": show_task_page(self.permit, task),
            "document": result_document(self.permit, task),
            "degraded": task.degraded,
            "kept_in": thread_grown_from(self.permit, task),
            "can_be_kept": task.result_kind == ResearchTask.ResultKind.SNAPSHOT,
            "refresh": change_made_by(self.permit, task),
            "feedback": FeedbackForm(),
            "kind": "report",
            "target": task.pk,
        }
        return render(request, "web/task.html", context)


class TaskCancel(MemberView):
    """Cancels a task."""

    def post(self, request: HttpRequest, task_id: UUID) -> HttpResponse:
        """Cancel it: at once if it is pending, before its next step if it is running."""
        outcome = cancel_task(self.permit, self.user, task_id).outcome
        if outcome == CancelOutcome.CANCELLED:
            messages.success(request, _("Cancelled. What you asked is still below."))
        elif outcome == CancelOutcome.STOPPING:
            messages.info(request, _("I stop before the next step."))
        return redirect("web:task", task_id)


def _initial_from_task(task: ResearchTask) -> dict[str, Any]:
    """The form values of an earlier task, as far as they are stored: its own fields are deleted when it ends."""
    day = naive_day(task.as_of)
    return {
        "prompt": task.prompt,
        "route": task.route,
        "thread": str(task.thread_id or ""),
        "as_of": day.date() if day else None,
        **task.overrides,
    }


def _uuid(value: str) -> UUID:
    try:
        return UUID(value)
    except ValueError:
        raise NotFound() from None
