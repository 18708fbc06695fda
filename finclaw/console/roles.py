"""The table of operators' roles and their permissions, which a migration writes into Django's groups.

Superusers are a role without a group: Django gives them every permission.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.apps import apps
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Group, Permission
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SUPERUSER = "superuser"


@dataclass(frozen=True)
class OperatorRole:
    """A Django group of this ``name``; ``permissions`` as ``app.codename``."""

    name: str
    description: Promise
    permissions: frozenset[str]


def _view_permissions(*models: str) -> set[str]:
    return _permissions("view", models)


def _permissions(verb: str, models: Iterable[str]) -> set[str]:
    named = (label.lower().split(".") for label in models)
    return {f"{app}.{verb}_{model}" for app, model in named}


_HEALTH = {
    "finclaw.view_today", "finclaw.view_quality", "finclaw.view_historian", "finclaw.view_drift",
    "finclaw.view_model_costs",
    *_view_permissions(
        "django_q.Failure", "django_q.Schedule", "memory.AcceptanceReport", "memory.AgentExperience",
        "memory.Projection", "accounts.Tenant", "consent.Experiment", "consent.KillSwitch", "consent.LegalProfile",
        "consent.PromptVersion", "memory.TrackingEntry",
    ),
}  # fmt: skip
_SWITCHES = {*_permissions("add", ["consent.KillSwitch"]), *_permissions("change", ["consent.KillSwitch"])}
_JOBS = _view_permissions("outbox.OutboxMessage", "memory.ResearchTask")  # rows that name their user
_KNOWLEDGE = ("knowledge.AssetAlias", "knowledge.KnowledgeEntry", "knowledge.KnowledgeRelation")
_WORK = {
    *_JOBS,
    *_SWITCHES,
    *_view_permissions(
        "accounts.ServiceToken",
        "accounts.User",
        *_KNOWLEDGE,
        "personas.PersonaDocument",
    ),
    *_permissions("change", ["consent.Experiment", "outbox.OutboxMessage", "accounts.User", "accounts.Tenant"]),
    *_permissions(
        "add",
        ["consent.Experiment", "consent.PromptVersion", *_KNOWLEDGE, "personas.PersonaDocument"],
    ),
    *_permissions("change", [*_KNOWLEDGE, "personas.PersonaDocument"]),
    *_permissions("delete", ["knowledge.AssetAlias", "knowledge.KnowledgeRelation", "personas.PersonaDocument"]),
}
_PEOPLE = {
    *_JOBS,
    *_SWITCHES,
    *_view_permissions(
        "accounts.ApiToken", "accounts.ChatGroup", "accounts.User", "admin.LogEntry", "consent.AuditEvent",
        "consent.DataExport", "consent.ErasureRequest", "consent.ProfileConsent", "consent.Tombstone",
        "drift.DriftSignal", "drift.Feedback", "knowledge.KnowledgeEntry", "memory.CognitiveEvent",
        "memory.CognitiveJob", "memory.ConversationEvent",
        "memory.EntityProfile", "memory.EvolutionEvent", "memory.EvolutionProposal", "memory.MemoryItem",
        "memory.Receipt", "memory.SearchEntry", "memory.Session", "memory.ToolReceipt",
        "memory.TrainingAssetCandidate", "memory.UserContext", "personas.PersonaSignal", "personas.PersonaState",
        "personas.UserDocument",
    ),
    *_permissions(
        "change",
        [
            "consent.ErasureRequest", "consent.ProfileConsent", "consent.Tombstone", "drift.Feedback",
            "memory.EvolutionProposal", "memory.TrainingAssetCandidate",
        ],
    ),
    *_permissions("add", ["consent.DataExport", "consent.ErasureRequest"]),
}  # fmt: skip

VIEWER = OperatorRole(
    "viewer",
    _(
        "Reads counts and health: Today, memory quality, the historian, drift, what models cost. Reads nobody's name"
        " and nobody's words."
    ),
    frozenset(_HEALTH),
)
OPERATOR = OperatorRole(
    "operator",
    _(
        "Keeps the service running: retries jobs, deactivates accounts, edits organisations, their knowledge and their"
        " voice. Reads what people released to their organisation, and no other words of theirs."
    ),
    frozenset(_HEALTH | _WORK),
)
PRIVACY_OFFICER = OperatorRole(
    "privacy officer",
    _(
        "Answers for people's data: consents, erasures, exports, reviews, the audit log. May open what people wrote"
        " where the law asks for it; each look is recorded."
    ),
    frozenset(_HEALTH | _PEOPLE),
)
ROLES = (VIEWER, OPERATOR, PRIVACY_OFFICER)
SUPERUSER_DESCRIPTION = _(
    "May do everything above, and alone decides who is an operator, with which role and password, and which law holds."
)
# Pages that no role opens, only superusers.
SUPERUSERS_ONLY = frozenset({"auth.Group"})


def role_descriptions() -> list[tuple[str, Promise]]:
    """Every role with what it may do, the least powerful first."""
    return [*((role.name, role.description) for role in ROLES), (SUPERUSER, SUPERUSER_DESCRIPTION)]


def role_of(name: str) -> OperatorRole | None:
    """The role that a group of this name stands for, if any."""
    return next((role for role in ROLES if role.name == name), None)


def write_roles(database: str) -> None:
    """Make the groups match the table; for migrations, one for each change of it.

    Django creates permissions only after all migrations, so missing ones are created here.
    """
    for app in apps.get_app_configs():
        create_permissions(app, verbosity=0, using=database)
    existing = Permission.objects.using(database).select_related("content_type")
    by_name = {f"{permission.content_type.app_label}.{permission.codename}": permission for permission in existing}
    for role in ROLES:
        group, _made = Group.objects.using(database).get_or_create(name=role.name)
        group.permissions.set([by_name[name] for name in role.permissions & by_name.keys()])
