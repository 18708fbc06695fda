"""Filters of admin lists by what a reference ``<kind>:<id>`` names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class ReferenceKindFilter(admin.SimpleListFilter):
    """Rows by the kind of their ``object_ref``; ``kinds`` maps each to its name."""

    title = _("kind")
    parameter_name = "kind"
    kinds: ClassVar[Mapping[str, str | Promise]]

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [(kind, str(name)) for kind, name in self.kinds.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(object_ref__startswith=f"{self.value()}:") if self.value() else queryset
