"""Filters of the operators' list of knowledge: by state, and by whom an entry holds for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from foundation.accounts.models import User
from knowledge.querysets import KnowledgeEntryQuerySet
from knowledge.types import EntryState, Platform


class StateFilter(admin.SimpleListFilter):
    """Entries that are in force, are not yet, or have ended."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[Any, Any]]:
        return EntryState.choices

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The entries in the chosen state."""
        assert isinstance(queryset, KnowledgeEntryQuerySet)
        chosen = self.value() or ""
        return queryset.in_state(EntryState(chosen), timezone.now()) if chosen in EntryState.values else queryset


class RoleFilter(admin.SimpleListFilter):
    """Entries that are meant for one role alone, or for some of which it is one."""

    title = _("for the role")
    parameter_name = field = "roles"
    choices_offered: Any = User.Role.choices

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[Any, Any]]:
        return list(self.choices_offered)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The entries that name the chosen one."""
        chosen = self.value()
        return queryset.filter(**{f"{self.field}__contains": [chosen]}) if chosen else queryset


class PlatformFilter(RoleFilter):
    """Entries that are meant for one platform alone, or for some of which it is one."""

    title = _("on the platform")
    parameter_name = field = "platforms"
    choices_offered: Any = Platform.choices
