from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext, ngettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from foundation.admin import ReadOnlyAdmin, link_to, short_id
from foundation.governed_actions import Confirmation, govern_rows
from foundation.outbox.models import OutboxMessage
from foundation.outbox.services import retry_failed


@admin.register(OutboxMessage)
class OutboxMessageAdmin(ReadOnlyAdmin):
    """Background work. One governed action: dead letters may be tried again."""

    list_display = (
        short_id("id"), "topic", link_to("user"), "state", "priority", "attempts", "error_class", "error_sqlstate",
        "created_at", "finished_at",
    )  # fmt: skip
    list_filter = ("state", "topic", "priority", "error_class")
    list_select_related = ("user",)
    search_fields = ("=id", "user__username", "topic")
    date_hierarchy = "created_at"
    actions = ("retry",)

    def has_retry_permission(self, request: HttpRequest) -> bool:
        """Whether an operator may have jobs tried again: whoever may change jobs. Nobody edits their fields."""
        return request.user.has_perm("outbox.change_outboxmessage")

    @admin.action(description=_("Try the selected dead letters again"), permissions=["retry"])
    def retry(self, request: HttpRequest, queryset: QuerySet[OutboxMessage]) -> HttpResponseBase | None:
        """Ask once, then give the dead letters among the selection a fresh set of attempts, and log who did."""
        return govern_rows(
            self,
            request,
            _retry_confirmation(list(queryset.filter(state=OutboxMessage.State.FAILED))),
            _retry_all,
            note="Retried.",
            done=ngettext_lazy("%d job waits to be tried again.", "%d jobs wait to be tried again."),
            nothing=_("None of the selected jobs is a dead letter."),
        )


def _retry_all(jobs: Sequence[OutboxMessage], _operator: UUID) -> Sequence[OutboxMessage]:
    retry_failed([job.pk for job in jobs])
    return jobs


def _retry_confirmation(dead: list[OutboxMessage]) -> Confirmation:
    sentence = ngettext(
        "This job used up its attempts. It gets a fresh set and is run as soon as a worker is free; the attempt is"
        " noted in the audit log under your name.",
        "These %(count)d jobs used up their attempts. They get a fresh set and are run as soon as a worker is free; the"
        " attempt is noted in the audit log under your name.",
        len(dead),
    )
    return Confirmation(
        title=gettext("Try these jobs again?"),
        sentences=[sentence % {"count": len(dead)}],
        action="retry",
        button=gettext("Try again"),
        rows=[(job, job.error_class) for job in dead],
    )
