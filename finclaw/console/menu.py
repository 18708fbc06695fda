"""The admin's menu, grouped by task and not by table."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Words = str | Promise


@dataclass(frozen=True)
class Entry:
    """A list, or with ``query`` the part of a list that one task is about, under a name of its own."""

    model: str
    name: Words = ""
    query: str = ""


@dataclass(frozen=True)
class Group:
    label: str
    name: Words
    entries: tuple[Entry, ...]


GROUPS: tuple[Group, ...] = (
    Group(
        "today",
        _("Today"),
        (
            Entry("outbox.OutboxMessage", _("Dead letters"), "?state__exact=failed"),
            Entry("django_q.Failure", _("Failed runs")),
            Entry("consent.Tombstone", _("Erasures that wait for an operator"), "?state__exact=escalated"),
            Entry("consent.DataExport", _("Exports that failed"), "?state__exact=failed"),
            Entry("memory.CognitiveJob", _("Historian jobs that failed"), "?job=failed"),
            Entry("memory.ResearchTask", _("Research that failed"), "?state__exact=failed"),
        ),
    ),
    Group(
        "review",
        _("Review"),
        (
            Entry("memory.MemoryItem", _("Memories not sure of"), "?state__exact=quarantined"),
            Entry("memory.CognitiveEvent", _("Events with something unresolved"), "?open=yes"),
            Entry("memory.EvolutionProposal", _("Proposals to review"), "?state__exact=agreed"),
            Entry("drift.DriftSignal", _("Drift worth a look"), "?triggers_alert__exact=1"),
            Entry(
                "memory.TrainingAssetCandidate",
                _("Training candidates to review"),
                "?status__exact=pending&withdrawal_status__exact=none",
            ),
        ),
    ),
    Group(
        "people",
        _("People"),
        (
            Entry("accounts.User"),
            Entry("accounts.ChatGroup"),
            Entry("consent.ProfileConsent"),
            Entry("consent.Tombstone"),
            Entry("consent.DataExport"),
            Entry("memory.UserContext", _("Stated preferences")),
            Entry("personas.UserDocument"),
            Entry("personas.PersonaState"),
            Entry("personas.PersonaSignal"),
            Entry("memory.Session"),
            Entry("memory.ConversationEvent"),
            Entry("memory.MemoryItem"),
            Entry("memory.EvolutionEvent"),
            Entry("memory.CognitiveEvent"),
            Entry("memory.EntityProfile"),
            Entry("accounts.ApiToken"),
        ),
    ),
    Group(
        "knowledge",
        _("Knowledge"),
        (
            Entry("knowledge.KnowledgeEntry"),
            Entry("knowledge.AssetAlias"),
            Entry("personas.PersonaDocument"),
            Entry("memory.EvolutionProposal"),
            Entry("memory.AgentExperience"),
        ),
    ),
    Group(
        "system",
        _("System"),
        (
            Entry("outbox.OutboxMessage"),
            Entry("django_q.Schedule", _("Schedules")),
            Entry("memory.Receipt"),
            Entry("memory.AcceptanceReport", _("Release reports")),
            Entry("memory.ResearchTask", _("Research")),
            Entry("memory.TrainingAssetCandidate"),
            Entry("drift.DriftSignal", _("Drift log")),
            Entry("memory.CognitiveJob", _("Historian jobs")),
            Entry("memory.SearchEntry", _("Search entries")),
            Entry("accounts.Tenant"),
            Entry("consent.LegalProfile"),
            Entry("auth.Group", _("Operator groups")),
            Entry("consent.AuditEvent", _("Acts upon people's data")),
            Entry("admin.LogEntry", _("What operators did")),
        ),
    ),
)
