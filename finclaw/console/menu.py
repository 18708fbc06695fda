"""The admin's menu, grouped by task and not by table."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Words = str | Promise


@dataclass(frozen=True)
class MenuEntry:
    """A list, or with ``query`` a part of one, under a name of its own."""

    model: str
    name: Words = ""
    query: str = ""


@dataclass(frozen=True)
class MenuGroup:
    label: str
    name: Words
    entries: tuple[MenuEntry, ...]


GROUPS: tuple[MenuGroup, ...] = (
    MenuGroup(
        "today",
        _("Today"),
        (
            MenuEntry("outbox.OutboxMessage", _("Dead letters"), "?state__exact=failed"),
            MenuEntry("django_q.Failure", _("Failed runs")),
            MenuEntry("consent.Tombstone", _("Erasures that wait for an operator"), "?state__exact=escalated"),
            MenuEntry("consent.ErasureRequest", _("Erasures to approve"), "?state__exact=pending"),
            MenuEntry("consent.DataExport", _("Exports that failed"), "?state__exact=failed"),
            MenuEntry("memory.CognitiveJob", _("Historian jobs that failed"), "?job=failed"),
            MenuEntry("memory.ResearchTask", _("Research that failed"), "?state__exact=failed"),
        ),
    ),
    MenuGroup(
        "review",
        _("Review"),
        (
            MenuEntry("memory.MemoryItem", _("Memories not sure of"), "?state__exact=quarantined"),
            MenuEntry("memory.CognitiveEvent", _("Events with something unresolved"), "?open=yes"),
            MenuEntry("memory.EvolutionProposal", _("Proposals to review"), "?state__exact=agreed"),
            MenuEntry("drift.DriftSignal", _("Drift worth a look"), "?triggers_alert__exact=1"),
            MenuEntry("drift.Feedback", _("Feedback to read"), "?seen_at__isempty=1"),
            MenuEntry(
                "memory.TrainingAssetCandidate",
                _("Training candidates to review"),
                "?status__exact=pending&withdrawal_status__exact=none",
            ),
        ),
    ),
    MenuGroup(
        "people",
        _("People"),
        (
            MenuEntry("accounts.User"),
            MenuEntry("accounts.ChatGroup"),
            MenuEntry("consent.ProfileConsent"),
            MenuEntry("consent.Tombstone"),
            MenuEntry("consent.ErasureRequest"),
            MenuEntry("consent.DataExport"),
            MenuEntry("memory.UserContext", _("Stated preferences")),
            MenuEntry("personas.UserDocument"),
            MenuEntry("personas.PersonaState"),
            MenuEntry("personas.PersonaSignal"),
            MenuEntry("memory.Session"),
            MenuEntry("memory.ConversationEvent"),
            MenuEntry("memory.MemoryItem"),
            MenuEntry("memory.EvolutionEvent"),
            MenuEntry("memory.CognitiveEvent"),
            MenuEntry("memory.EntityProfile"),
            MenuEntry("accounts.ApiToken"),
        ),
    ),
    MenuGroup(
        "knowledge",
        _("Knowledge"),
        (
            MenuEntry("knowledge.KnowledgeEntry"),
            MenuEntry("knowledge.KnowledgeRelation"),
            MenuEntry("knowledge.AssetAlias"),
            MenuEntry("personas.PersonaDocument"),
            MenuEntry("memory.EvolutionProposal"),
            MenuEntry("memory.AgentExperience"),
        ),
    ),
    MenuGroup(
        "system",
        _("System"),
        (
            MenuEntry("consent.KillSwitch"),
            MenuEntry("consent.Experiment"),
            MenuEntry("consent.PromptVersion"),
            MenuEntry("accounts.ServiceToken"),
            MenuEntry("outbox.OutboxMessage"),
            MenuEntry("django_q.Schedule", _("Schedules")),
            MenuEntry("memory.Receipt"),
            MenuEntry("memory.ToolReceipt"),
            MenuEntry("memory.AcceptanceReport", _("Release reports")),
            MenuEntry("memory.TrackingEntry"),
            MenuEntry("memory.ResearchTask", _("Research")),
            MenuEntry("memory.TrainingAssetCandidate"),
            MenuEntry("drift.DriftSignal", _("Drift log")),
            MenuEntry("drift.Feedback"),
            MenuEntry("memory.CognitiveJob", _("Historian jobs")),
            MenuEntry("memory.SearchEntry", _("Search entries")),
            MenuEntry("memory.Projection", _("Vector store")),
            MenuEntry("accounts.Tenant"),
            MenuEntry("consent.LegalProfile"),
            MenuEntry("auth.Group", _("Operator groups")),
            MenuEntry("consent.AuditEvent", _("Acts upon people's data")),
            MenuEntry("admin.LogEntry", _("What operators did")),
        ),
    ),
)
