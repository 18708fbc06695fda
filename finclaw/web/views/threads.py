"""Pages of research threads: read, refresh, answer watch questions, close."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from drift.services import delayed_reopening_check
from finclaw.brain.research.services import create_refresh_task
from finclaw.web.access import MemberView
from finclaw.web.forms.research import FeedbackForm, ThreadForm, ThreadRefreshForm, object_values
from finclaw.web.masking_notice import add_masking_notice
from finclaw.web.pagination import keyset_page
from finclaw.web.past_invalidators import past_conditions
from finclaw.web.research_documents import show_task, snapshot_document
from finclaw.web.threads import draw_theses, show_question, show_refresh, show_stated, show_thread
from foundation.exceptions import NotFound
from foundation.personal_data import ConsentScope
from memory.models import Thread as ThreadRow
from memory.research import watch_questions
from memory.research.contexts import contexts_of_thread
from memory.research.results import snapshots_of
from memory.research.task_lifecycle import UNFINISHED, tasks_of
from memory.research.threads import change_thread, close_thread, refreshes_of, theses_of, thread_of, threads_of
from memory.research.types import ThreadChange

REFRESHES_SHOWN: Final = 10


class ThreadsPage(MemberView):
    """The list of threads."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """The most recently used first."""
        page = keyset_page(request, threads_of(self.permit), "updated_at")
        context = {
            "threads": [show_thread(thread) for thread in page.rows],
            "newer_url": page.newer_url,
            "older_url": page.older_url,
        }
        return render(request, "web/threads.html", context)


class ThreadPageBase(MemberView):
    """What the pages of one thread share."""

    def page(self, thread: ThreadRow, *, status: int = 200, **forms: Any) -> HttpResponse:
        """Everything ``web/thread.html`` shows; ``forms`` are invalid ones to show with their errors."""
        latest = snapshots_of(self.permit).filter(thread=thread).first()
        refreshes = keyset_page(self.request, refreshes_of(self.permit, thread), "created_at", REFRESHES_SHOWN)
        former = past_conditions(self.permit, latest)
        stated = show_stated(contexts_of_thread(self.permit, thread))
        running = tasks_of(self.permit).filter(thread=thread, state__in=UNFINISHED).first()
        context = {
            "thread": show_thread(thread),
            "timeline": draw_theses(thread, theses_of(thread), timezone.localtime()),
            "document": snapshot_document(self.permit, latest) if latest else None,
            "questions": [
                show_question(question, former) for question in watch_questions.questions_of(self.permit, thread)
            ],
            "refreshes": [show_refresh(row) for row in refreshes.rows],
            "newer_url": refreshes.newer_url,
            "older_url": refreshes.older_url,
            "running": show_task(running) if running else None,
            "stated": stated,
            "stopped": self.permit.stopped,
            "stated_in_use": not all(line["is_blocked"] for line in stated),
            "can_keep_context": self.permit.allows(ConsentScope.SAVE_TO_THREAD),
            "refresh_form": ThreadRefreshForm(),
            "thread_form": ThreadForm(initial=_initial_values(thread)),
            "feedback": FeedbackForm(),
            "kind": "thread",
            "target": thread.pk,
        }
        return render(self.request, "web/thread.html", context | forms, status=status)


class ThreadPage(ThreadPageBase):
    """One thread."""

    def get(self, request: HttpRequest, thread_id: UUID) -> HttpResponse:
        return self.page(thread_of(self.permit, thread_id))

    def post(self, request: HttpRequest, thread_id: UUID) -> HttpResponse:
        """Save its title, what it is about, and its refresh conditions."""
        thread = thread_of(self.permit, thread_id)
        form = ThreadForm(request.POST)
        if form.attempt(lambda: change_thread(self.permit, thread, form.change())) is None:
            return self.page(thread_of(self.permit, thread_id), thread_form=form, status=400)
        return self.redirect_saying(_("Saved."), "web:thread", thread_id)


class ThreadRefresh(ThreadPageBase):
    """Starts a refresh of a thread."""

    def post(self, request: HttpRequest, thread_id: UUID) -> HttpResponse:
        """Queue the refresh and redirect to its progress."""
        thread = thread_of(self.permit, thread_id)
        form = ThreadRefreshForm(request.POST)
        task = form.attempt(
            lambda: create_refresh_task(
                self.permit,
                self.user,
                thread,
                form.cleaned_data["said"],
                form.stated(),
                confirm_financial=form.cleaned_data["confirm_financial"],
            )
        )
        if task is None:
            return self.page(thread, refresh_form=form, status=400)
        add_masking_notice(request, self.user, form.cleaned_data["said"], form.stated())
        return redirect("web:task", task.pk)


class QuestionAnswer(MemberView):
    """Resolves or reopens a watch question."""

    def post(self, request: HttpRequest, thread_id: UUID, question_id: UUID, answer: str) -> HttpResponse:
        """Resolve or reopen it at once; each undoes the other."""
        thread = thread_of(self.permit, thread_id)
        if answer == "resolve":
            watch_questions.resolve_question(self.permit, thread, question_id)
        elif answer == "reopen":
            watch_questions.reopen_question(self.permit, thread, question_id, delayed_reopening_check(self.user))
        else:
            raise NotFound()
        return redirect("web:thread", thread_id)


class ThreadClose(MemberView):
    """Closes a thread."""

    def get(self, request: HttpRequest, thread_id: UUID) -> HttpResponse:
        """Ask for confirmation."""
        context = {"thread": show_thread(thread_of(self.permit, thread_id))}
        return render(request, "web/thread_close.html", context)

    def post(self, request: HttpRequest, thread_id: UUID) -> HttpResponse:
        """Close the thread: it can be read, and never refreshed again."""
        close_thread(self.permit, thread_of(self.permit, thread_id))
        return self.redirect_saying(_("Closed. You can still read it."), "web:thread", thread_id)


class ThreadPreferences(MemberView):
    """Stops using what was stated for a thread."""

    def get(self, request: HttpRequest, thread_id: UUID) -> HttpResponse:
        """Ask for confirmation, listing what was stated."""
        thread = thread_of(self.permit, thread_id)
        stated = show_stated(contexts_of_thread(self.permit, thread))
        return render(request, "web/thread_preferences.html", {"thread": show_thread(thread), "stated": stated})

    def post(self, request: HttpRequest, thread_id: UUID) -> HttpResponse:
        """Stop using it. It stays readable; forgetting the thread removes it."""
        change_thread(self.permit, thread_of(self.permit, thread_id), ThreadChange(consent_blocked=True))
        return self.redirect_saying(_("Done. I use none of it from now on."), "web:thread", thread_id)


def _initial_values(thread: ThreadRow) -> dict[str, str]:
    return {
        "title": thread.title,
        "refresh_conditions": "\n".join(thread.refresh_conditions),
        **object_values(thread),
    }
