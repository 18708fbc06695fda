"""Pages of long tasks: all of them with their progress, cancelling one, and the news on top of every page."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from finclaw.brain.long_tasks.services import cancel_task, mark_seen, task_statuses
from finclaw.brain.long_tasks.types import CancelOutcome
from finclaw.web.access import MemberView
from finclaw.web.long_tasks import show_long_task
from finclaw.web.pagination import keyset_page


class LongTasksPage(MemberView):
    """What runs in the background for the user, and what ran."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """One page of tasks, the latest first; htmx asks for those that run again. What ended counts as seen."""
        page = keyset_page(request, task_statuses(self.permit), "created_at")
        for status in page.rows:
            if status.is_unseen:
                mark_seen(self.permit, status.pk)
        context = {
            "tasks": [show_long_task(status) for status in page.rows],
            "newer_url": page.newer_url,
            "older_url": page.older_url,
        }
        return render(request, "web/long_tasks.html", context)


class LongTaskCancel(MemberView):
    """Cancels a long task of any kind."""

    http_method_names = ("post", "options")

    def post(self, request: HttpRequest, task_id: UUID) -> HttpResponse:
        """Cancel it at once, or before its next step."""
        receipt = cancel_task(self.permit, self.user, task_id)
        said = {
            CancelOutcome.CANCELLED: _("Cancelled."),
            CancelOutcome.STOPPING: _("I stop before the next step."),
            CancelOutcome.OVER: _("It was over already."),
        }
        level = messages.SUCCESS if receipt.outcome == CancelOutcome.CANCELLED else messages.INFO
        return self.redirect_saying(said[receipt.outcome], "web:long_tasks", level=level)


class TaskNews(MemberView):
    """The news of long tasks on top of every page."""

    http_method_names = ("get", "post", "options")

    def get(self, request: HttpRequest) -> HttpResponse:
        """The news alone, for htmx, which asks again while a task runs."""
        return render(request, "components/task_news.html")

    def post(self, request: HttpRequest) -> HttpResponse:
        """Note that the user has seen how all of them ended."""
        mark_seen(self.permit)
        return redirect("web:long_tasks")
