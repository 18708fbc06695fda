"""System checks that every model with personal data declares how the data is stored, withdrawn, kept and erased."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig, apps
from django.core.checks import CheckMessage, Error, register
from django.db import models

from consent.declarations import declaration_of
from foundation.personal_data import OnWithdrawal, PersonalData

OWN_PACKAGES = ("finclaw", "memory", "consent", "foundation", "drift", "personas", "knowledge", "media")
# Tables whose rows belong to an organisation or to everybody, not to one person.
EXEMPT = frozenset(
    {
        "accounts.Tenant",
        "accounts.ChatGroup",
        "consent.Experiment",
        "consent.KillSwitch",
        "consent.LegalProfile",
        "consent.PromptVersion",
        "memory.AcceptanceReport",
        "memory.AgentExperience",
        "model_usage.ModelUsage",
        "personas.PersonaDocument",
        "personas.HistoricalPersonaDocument",
    }
)


@register()
def every_personal_model_declares_itself(
    app_configs: Sequence[AppConfig] | None = None, **_: Any
) -> list[CheckMessage]:
    """E001: no declaration. E002: the declared owner is not a field. E003: rows are stored under a consent scope, but
    do not say under which version of the consent. E004: a field that one of the declared rules needs is missing.
    E005: no reason is declared for leaving rows in an erasure.
    """
    messages: list[CheckMessage] = []
    for model in apps.get_models():
        if model._meta.app_config.name.split(".")[0] in OWN_PACKAGES and model._meta.label not in EXEMPT:
            messages += _check_model(model)
    return messages


def _check_model(model: type[models.Model]) -> list[CheckMessage]:
    declaration = declaration_of(model)
    if declaration is None:
        return [_error(model, "has no PersonalData declaration", "consent.E001")] if _looks_personal(model) else []
    fields = {field.attname for field in model._meta.concrete_fields}
    if declaration.owner not in fields:
        return [_error(model, "declares an owner that is not one of its fields", "consent.E002")]
    messages: list[CheckMessage] = []
    if declaration.scope is not None and not _has_consent_version(fields, declaration):
        messages.append(_error(model, "has no consent_version, nor stands for rows that do", "consent.E003"))
    missing = sorted(_required_fields(declaration) - fields)
    if declaration.kept_for is None:
        messages.append(_error(model, "does not say why an erasure that leaves its rows does so", "consent.E005"))
    if missing:
        messages.append(_error(model, f"needs {', '.join(missing)} for what it declares", "consent.E004"))
    return messages


def _has_consent_version(fields: set[str], declaration: PersonalData) -> bool:
    if "consent_version" in fields:
        return True
    stood_for = [apps.get_model(label) for label in declaration.stands_for]
    return bool(stood_for) and all(
        "consent_version" in {field.attname for field in model._meta.concrete_fields} for model in stood_for
    )


def _required_fields(declaration: PersonalData) -> set[str]:
    """The fields that withdrawal and retention work with."""
    by_action = {
        OnWithdrawal.BLOCK: {"consent_blocked"},
        OnWithdrawal.REVOKE: {"withdrawal_status"},
        OnWithdrawal.PURGE: {declaration.clock},
    }
    kept_for = set() if declaration.retention is None else {declaration.clock}
    marked = {"training_excluded"} if declaration.excludable else set()
    return by_action.get(declaration.on_withdrawal, set()) | kept_for | marked


def _looks_personal(model: type[models.Model]) -> bool:
    fields = {field.name for field in model._meta.get_fields()}
    has_text = any(isinstance(field, models.TextField | models.JSONField) for field in model._meta.get_fields())
    return bool(fields & {"user", "group", "owner", "sender"}) or has_text


def _error(model: type[models.Model], sentence: str, check_id: str) -> Error:
    return Error(f"{model._meta.label} {sentence}.", obj=model, id=check_id)
