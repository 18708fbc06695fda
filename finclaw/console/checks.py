"""Django system checks of the operators' pages: their roles, their base class and the second factor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.contrib import admin
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db.models import Model

from finclaw.console.roles import ROLES, SUPERUSERS_ONLY
from foundation.admin import ModelAdmin


@register(Tags.admin)
def every_page_is_named_in_the_table_of_roles(
    app_configs: Sequence[AppConfig] | None = None, **_: Any
) -> list[CheckMessage]:
    """E001: a page that no role opens and that is not marked for superusers. E002: a page without our base class, which
    restricts searches and filters.
    """
    return [message for model, page in admin.site._registry.items() for message in _check_page(model, page)]


def _check_page(model: type[Model], page: object) -> Iterator[CheckMessage]:
    meta = model._meta
    granted = frozenset[str]().union(*(role.permissions for role in ROLES))
    if f"{meta.app_label}.view_{meta.model_name}" not in granted and meta.label not in SUPERUSERS_ONLY:
        yield Error(
            f"The admin page of {meta.label} stands in no role.", hint="finclaw/console/roles.py", id="console.E001"
        )
    if not isinstance(page, ModelAdmin):
        yield Error(f"The admin page of {meta.label} is no foundation.admin.ModelAdmin.", id="console.E002")


@register(Tags.security, deploy=True)
def operators_give_a_second_factor(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """W001: the operators' pages of a reachable installation open with a password alone."""
    if settings.OPERATOR_SECOND_FACTOR or not settings.HTTPS:
        return []
    return [Warning("OPERATOR_SECOND_FACTOR is off: a password alone opens the operators' pages.", id="console.W001")]
