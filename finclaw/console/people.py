"""The page of people, with what operators may do for one beyond the account's own fields."""

from __future__ import annotations

from uuid import UUID

from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from consent.export.services import request_export
from consent.models import AuditEvent
from foundation.accounts.admin import UserAdmin
from foundation.accounts.models import User
from foundation.admin import Question, ask, is_confirmed
from foundation.database.acting import on_behalf_of

admin.site.unregister(User)


@admin.register(User)
class PersonAdmin(UserAdmin):
    """One governed action: an export on request. Its archive waits for its person, who alone can download it."""

    actions = ("export",)

    def has_export_permission(self, request: HttpRequest) -> bool:
        """Those who may add exports may ask for one; nobody here reads it."""
        return request.user.has_perm("consent.add_dataexport")

    @admin.action(description=_("Export on request"), permissions=["export"])
    def export(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponseBase | None:
        """Ask once, then have an archive built for each person of the selection, audited under the operator's name."""
        people = list(queryset)
        if not is_confirmed(request):
            return ask(self, request, _question(people))
        actor = request.user.pk
        assert actor is not None  # the admin lets nobody anonymous in
        for person in people:
            _export_for(person, actor)
        LogEntry.objects.log_actions(actor, people, CHANGE, "Export asked for.")
        sentence = ngettext("%d export is being built.", "%d exports are being built.", len(people))
        self.message_user(request, sentence % len(people), messages.SUCCESS)
        return None


def _export_for(person: User, actor: UUID) -> None:
    with on_behalf_of(person.pk):
        export = request_export(person, source="operator")
        AuditEvent.objects.create(
            user_id=person.pk, actor_id=actor, action="export.requested_by_operator", subject_id=export.pk
        )


def _question(people: list[User]) -> Question:
    return Question(
        title=gettext("Build an export?"),
        sentences=[
            gettext(
                "Do this when the person asked for it. Everything kept about them is put into one archive, in the"
                " background. It waits on their own Privacy page: you cannot open it here. The audit notes your name."
            )
        ],
        action="export",
        button=gettext("Build the export"),
        rows=[(person, "") for person in people],
    )
