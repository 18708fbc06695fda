"""The build fails for a model that holds personal data and does not say how (C-15)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig, apps
from django.core.checks import CheckMessage, Error, register
from django.core.exceptions import FieldDoesNotExist
from django.db import models

from consent.declarations import declaration_of

OWN_PACKAGES = ("finclaw", "memory", "consent", "foundation", "drift", "personas", "knowledge")
# Tables of the organisation's, not of a person's.
EXEMPT = frozenset({"accounts.Tenant", "accounts.ChatGroup"})


@register()
def every_personal_model_declares_itself(
    app_configs: Sequence[AppConfig] | None = None, **_: Any
) -> list[CheckMessage]:
    """E001: no declaration. E002: the declared owner is not a field."""
    messages: list[CheckMessage] = []
    for model in apps.get_models():
        if model._meta.app_config.name.split(".")[0] in OWN_PACKAGES and model._meta.label not in EXEMPT:
            messages += _check(model)
    return messages


def _check(model: type[models.Model]) -> list[CheckMessage]:
    declaration = declaration_of(model)
    if declaration is None:
        return [_error(model, "has no PersonalData declaration", "consent.E001")] if _looks_personal(model) else []
    try:
        model._meta.get_field(declaration.owner.removesuffix("_id"))
    except FieldDoesNotExist:
        return [_error(model, "declares an owner that is not one of its fields", "consent.E002")]
    return []


def _looks_personal(model: type[models.Model]) -> bool:
    fields = {field.name for field in model._meta.get_fields()}
    has_text = any(isinstance(field, models.TextField | models.JSONField) for field in model._meta.get_fields())
    return bool(fields & {"user", "group", "owner", "sender"}) or has_text


def _error(model: type[models.Model], sentence: str, check_id: str) -> Error:
    return Error(f"{model._meta.label} {sentence}.", obj=model, id=check_id)
