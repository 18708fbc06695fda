"""The admin page of users, with the actions an operator may take for one, and what ends their programs' access."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from consent.models import AuditEvent
from consent.services import permit_for
from finclaw.brain.long_tasks.services import start_task
from finclaw.console import audit
from finclaw.models import LongTaskKind
from foundation.accounts.admin import UserAdmin
from foundation.accounts.models import User
from foundation.accounts.services import revoke_access
from foundation.database.acting_user import on_behalf_of
from foundation.governed_actions import Confirmation, govern_rows, row_by_row

admin.site.unregister(User)


@admin.register(User)
class PersonAdmin(UserAdmin):
    """One governed action: an export on request, which only the user can download.

    Every change of an account is recorded, and a change of its permissions ends its tokens and browser sessions.
    """

    actions = ("export",)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        form.before = _permissions_of(obj.pk) if change else {}
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        _record_change(request, form, change)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        """A new password for another operator; ends their access."""
        response = super().user_change_password(request, id, form_url)
        if request.method == "POST" and isinstance(response, HttpResponseRedirect):
            audit.record_password(request, unquote(id))
        return response

    def has_export_permission(self, request: HttpRequest) -> bool:
        """Whoever may add exports may request one; nobody here reads it."""
        return request.user.has_perm("consent.add_dataexport")

    @admin.action(description=_("Export on request"), permissions=["export"])
    def export(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponseBase | None:
        """Confirm, then build an archive for each selected user, audited under the operator's name."""
        done = ngettext_lazy("%d export is being built.", "%d exports are being built.")
        return govern_rows(
            self, request, _confirmation(queryset), row_by_row(_export_for), note="Export asked for.", done=done
        )


def _permissions_of(user_id: UUID) -> dict[str, Any]:
    """An account's permissions as stored, by field name."""
    user = User.objects.get(pk=user_id)
    return {
        "is_active": user.is_active,
        "is_staff": user.is_staff,
        "is_superuser": user.is_superuser,
        "role": user.role,
        "tenant": str(user.tenant_id or ""),
        "groups": sorted(user.groups.values_list("name", flat=True)),
        "user_permissions": sorted(user.user_permissions.values_list("codename", flat=True)),
    }


def _record_change(request: HttpRequest, form: Any, change: bool) -> None:
    user: User = form.instance
    if not (form.changed_data or not change):
        return
    after = _permissions_of(user.pk)
    changed = {name: [form.before.get(name), value] for name, value in after.items() if form.before.get(name) != value}
    others = sorted(name for name in form.changed_data if name not in after and "password" not in name)
    action = audit.ACCOUNT_CHANGED if change else audit.ACCOUNT_ADDED
    details = changed | ({"fields": others} if others else {})
    audit.record_event(request, action, about=user.pk, subject=user.pk, details=details)
    if change and changed:
        revoke_access(user)


def _export_for(person: User, actor: UUID) -> None:
    with on_behalf_of(person.pk):
        export_id = start_task(permit_for(person), person, LongTaskKind.EXPORT, {"source": "operator"})
        AuditEvent.objects.create(
            user_id=person.pk, actor_id=actor, action="export.requested_by_operator", subject_id=export_id
        )


def _confirmation(people: QuerySet[User]) -> Confirmation:
    return Confirmation(
        title=gettext("Build an export?"),
        sentences=[
            gettext(
                "Do this when the person asked for it. Everything kept about them is put into one archive, in the"
                " background. It waits on their own Privacy page: you cannot open it here. The audit log records your"
                " name."
            )
        ],
        action="export",
        button=gettext("Build the export"),
        rows=[(person, "") for person in people],
    )
