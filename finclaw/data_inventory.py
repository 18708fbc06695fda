"""Counts a user's stored rows by the models' ``PersonalData`` declarations, and says the counts in plain words."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from consent.declarations import PersonalModel, personal_models
from consent.erasure.plan import ErasurePlan
from foundation.accounts.models import User
from foundation.outbox.models import OutboxMessage
from foundation.personal_data import ConsentScope, OnWithdrawal

# Plain names of tables; for all others ``verbose_name`` is used.
_WORDS: dict[str, Promise] = {
    "memory.CognitiveJob": ngettext_lazy("%d time I looked back on a chat", "%d times I looked back on a chat"),
    "memory.SearchEntry": ngettext_lazy("%d entry in your search index", "%d entries in your search index"),
    "memory.UserContext": ngettext_lazy("%d set of preferences", "%d sets of preferences"),
    "memory.Receipt": ngettext_lazy("%d note on why I used something", "%d notes on why I used something"),
    "memory.ReceiptLine": ngettext_lazy("%d thing I considered for an answer", "%d things I considered for answers"),
    "memory.ToolReceipt": ngettext_lazy("%d note on how a tool ran", "%d notes on how tools ran"),
    "memory.EvolutionProposal": ngettext_lazy(
        "%d proposal to share something without your name", "%d proposals to share something without your name"
    ),
    "memory.Thread": ngettext_lazy("%d thread of research", "%d threads of research"),
    "memory.ResearchTask": ngettext_lazy("%d piece of research you asked for", "%d pieces of research you asked for"),
    "memory.TaskContext": ngettext_lazy(
        "%d note on what a piece of research went by", "%d notes on what pieces of research went by"
    ),
    "memory.ThreadContext": ngettext_lazy(
        "%d note on your context, kept with a thread", "%d notes on your context, kept with threads"
    ),
    "memory.Snapshot": ngettext_lazy("%d snapshot", "%d snapshots"),
    "memory.Refresh": ngettext_lazy("%d look at a thread again", "%d looks at a thread again"),
    "memory.WatchQuestion": ngettext_lazy("%d question to watch", "%d questions to watch"),
    "memory.Checkpoint": ngettext_lazy("%d check before a decision", "%d checks before a decision"),
    "memory.TrainingAssetCandidate": ngettext_lazy(
        "%d piece of research noted as a possible example", "%d pieces of research noted as possible examples"
    ),
    "drift.Feedback": ngettext_lazy("%d opinion on what I gave you", "%d opinions on what I gave you"),
    "knowledge.KnowledgeEntry": ngettext_lazy(
        "%d thing shared without your name", "%d things shared without your name"
    ),
    "personas.UserDocument": ngettext_lazy(
        "%d text on how you want to be spoken to", "%d texts on how you want to be spoken to"
    ),
    "personas.PersonaSignal": ngettext_lazy(
        "%d sign of how you like to be answered", "%d signs of how you like to be answered"
    ),
    "consent.DataExport": ngettext_lazy("%d copy of your data you asked for", "%d copies of your data you asked for"),
    "accounts.ApiToken": ngettext_lazy("%d access key of a program", "%d access keys of programs"),
    "accounts.ConnectedProgram": ngettext_lazy("%d connected program", "%d connected programs"),
    "accounts.RecoveryCode": ngettext_lazy("%d recovery code", "%d recovery codes"),
    "accounts.Membership": ngettext_lazy("%d membership in a group", "%d memberships in groups"),
    "accounts.GroupInvitation": ngettext_lazy("%d invitation to a group", "%d invitations to groups"),
    "accounts.BrowserSession": ngettext_lazy("%d signed-in browser", "%d signed-in browsers"),
}

# Fields by which several rows count as one: the versions of a memory, the perspectives of an event.
_ONE_THING = {"memory.MemoryItem": ("chain_id",), "memory.CognitiveEvent": ("event_id", "part")}

# Rows with these values are not counted: a portrait without lines has no content.
_EMPTY: dict[str, dict[str, Any]] = {"memory.EntityProfile": {"lines": []}}

# In the export but on no page: users who read it might adapt to it.
NEVER_SHOWN = frozenset({"drift.DriftSignal"})


@dataclass(frozen=True)
class InventoryEntry:
    """The rows of one kind, and what withdrawing their scope does to them. ``text`` states their number."""

    text: str
    number: int
    on_withdrawal: OnWithdrawal


def entries_under_scope(user_id: UUID, scope: ConsentScope) -> list[InventoryEntry]:
    """What is stored under one consent scope; empty kinds are left out. Call acting for the user."""
    return _count_models(user_id, (model for model in personal_models() if model.declaration.scope == scope))


def list_emptied_tables(plan: ErasurePlan) -> list[str]:
    """Counts of what an erasure deletes from the tables that it empties, for kinds that users know about. Call acting
    for the user.
    """
    labels = {table.label for table in plan.tables}
    going = (model for model in personal_models() if model.label in labels and _is_shown(model))
    return [entry.text for entry in _count_models(plan.user_id, going)]


def jobs_waiting_under(user_id: UUID, scopes: Collection[ConsentScope]) -> dict[str, int]:
    """Pending jobs of these scopes, which would not run without them, by topic. Call acting for the user."""
    waiting = OutboxMessage.objects.filter(user_id=user_id, scope__in=scopes, state=OutboxMessage.State.PENDING)
    return dict(waiting.order_by().values_list("topic").annotate(Count("pk")))


def list_entries(kept: Iterable[InventoryEntry]) -> str:
    """All kinds in one line; empty for none."""
    return _(", ").join(entry.text for entry in kept)


def count_in_words(personal: PersonalModel, number: int) -> str:
    """A number of one kind, in words."""
    if personal.label in _WORDS:
        return str(_WORDS[personal.label] % number)
    names = personal.model._meta
    things = names.verbose_name if number == 1 else names.verbose_name_plural
    return _("%(number)d %(things)s") % {"number": number, "things": things}


def row_counts_in_words(plan: ErasurePlan) -> list[str]:
    """The number of rows of each kind that an erasure names, for kinds that users know about."""
    rows, emptied = plan.targets.delete, {table.label for table in plan.tables}
    return [
        count_in_words(model, len(rows[model.label]))
        for model in personal_models()
        if model.label in rows and model.label not in emptied and _is_shown(model)
    ]


def _is_shown(personal: PersonalModel) -> bool:
    """Whether users know about the kind; auxiliary rows are deleted with the rows they serve, and not mentioned."""
    is_told = bool(personal.declaration.export) and personal.model is not User and personal.label not in NEVER_SHOWN
    return is_told or personal.label in _WORDS


def _count_models(user_id: UUID, models: Iterable[PersonalModel]) -> list[InventoryEntry]:
    """Counts of each kind; history rows are not counted besides the rows whose versions they keep."""
    shown = (model for model in models if not model.is_history and model.label not in NEVER_SHOWN)
    known_first = sorted(shown, key=lambda model: model.label in _WORDS)
    counts = ((model, _count_rows(model, user_id)) for model in known_first)
    return [
        InventoryEntry(count_in_words(model, number), number, model.declaration.on_withdrawal)
        for model, number in counts
        if number
    ]


def _count_rows(personal: PersonalModel, user_id: UUID) -> int:
    rows = personal.rows_of(user_id).exclude(**_EMPTY.get(personal.label, {}))
    named_by = _ONE_THING.get(personal.label)
    return rows.order_by().values(*named_by).distinct().count() if named_by else rows.count()
