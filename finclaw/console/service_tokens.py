"""Admin page of the service tokens of organisations: when each was last used; revoking one is confirmed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from finclaw.provisioning import end_service_token
from foundation.accounts.models import ServiceToken, User
from foundation.admin import ReadOnlyAdmin, is_superuser, short_id
from foundation.governed_actions import Confirmation, govern_rows, row_by_row


@admin.register(ServiceToken)
class ServiceTokenAdmin(ReadOnlyAdmin):
    """Service tokens, without the token or its hash. They are issued by ``manage.py provision`` or over the API."""

    fields = ("id", "tenant", "name", "created_at", "expires_at", "last_used_at", "revoked_at")
    list_display = (
        "name", "tenant", "created_at", "last_used_at", "expires_at", "revoked_at", short_id("id"),
    )  # fmt: skip
    list_filter = (("revoked_at", admin.EmptyFieldListFilter), "tenant")
    list_select_related = ("tenant",)
    search_fields = ("=id",)
    date_hierarchy = "created_at"
    actions = ("revoke",)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Whether the operator may revoke a token."""
        return is_superuser(request)

    @admin.action(description=_("Revoke"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ServiceToken]) -> HttpResponseBase | None:
        """Confirm, then revoke: the next request with it is refused."""
        return govern_rows(
            self,
            request,
            _revocation(queryset.filter(revoked_at=None)),
            row_by_row(_revoke_as),
            note="Revoked.",
            done=ngettext_lazy("%d token is revoked.", "%d tokens are revoked."),
            nothing=_("None of the selected tokens is live."),
        )


def _revoke_as(row: ServiceToken, operator: Any) -> None:
    end_service_token(row.pk, User.objects.get(pk=operator))


def _revocation(live: QuerySet[ServiceToken]) -> Confirmation:
    return Confirmation(
        title=gettext("Revoke these tokens?"),
        sentences=[gettext("The application that uses one is refused from its next request on. It cannot be undone.")],
        action="revoke",
        button=gettext("Revoke"),
        rows=[(row, row.name) for row in live],
    )
