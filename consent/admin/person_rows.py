"""Base of admin pages whose rows outlive the account and name the user by UUID only."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from foundation.accounts.models import User
from foundation.admin import ReadOnlyAdmin, shortened_id


def username_of(field: str) -> Subquery:
    """The user name behind the UUID in ``field``; NULL once the account is gone."""
    return Subquery(User.objects.filter(pk=OuterRef(field)).values("username"))


class PersonRowsAdmin(ReadOnlyAdmin):
    """A read-only page that shows and searches the user name while the account exists."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        named: QuerySet[Any] = super().get_queryset(request).annotate(username=username_of("user_id"))
        return named

    @admin.display(description=_("user"), ordering="username")
    def person(self, row: Any) -> str:
        """A link to the user, or their UUID once the account is gone."""
        if row.username is None:
            return shortened_id(row.user_id)
        address = reverse("admin:accounts_user_change", args=[row.user_id])
        return format_html('<a href="{}">{}</a>', address, row.username)
