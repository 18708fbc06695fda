"""Describes what a withdrawal of consent would do, and what it did, in sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy

from consent.types import WithdrawalEffects
from drift.services import REOPENED_TOPIC
from finclaw.data_inventory import InventoryEntry, entries_under_scope, jobs_waiting_under, list_entries
from finclaw.web import dates
from foundation.personal_data import ConsentScope, OnWithdrawal
from memory.historian.services import END_TOPIC
from memory.learning.model_amendment import AMEND_TOPIC
from memory.learning.services import OBSERVE_TOPIC
from memory.models import ResearchTask
from memory.portraits.tasks import PORTRAIT_TOPIC
from memory.services.portrait_rebuilds import REMAKE_TOPIC

_AT_ONCE = frozenset({OnWithdrawal.DELETE, OnWithdrawal.REVOKE})
_STAYING = frozenset({OnWithdrawal.BLOCK, OnWithdrawal.KEEP})
# Queued work in plain words; users are not told of other kinds.
_WORK: dict[str, Promise] = {
    OBSERVE_TOPIC: ngettext_lazy(
        "%d message that waited to be learned from", "%d messages that waited to be learned from"
    ),
    AMEND_TOPIC: ngettext_lazy("%d closer look at what you said", "%d closer looks at what you said"),
    END_TOPIC: ngettext_lazy("%d look back on a chat", "%d looks back on chats"),
    PORTRAIT_TOPIC: ngettext_lazy("%d portrait that waited to be drawn", "%d portraits that waited to be drawn"),
    REOPENED_TOPIC: ngettext_lazy("%d look at a question you opened again", "%d looks at questions you opened again"),
}
_UNSAID = frozenset({REMAKE_TOPIC})  # not mentioned: such jobs only follow from others in the list
_ANY_WORK = ngettext_lazy("%d task in the background", "%d tasks in the background")


@dataclass(frozen=True)
class WithdrawalOutlook:
    """What is stored under the scopes to be withdrawn, by what happens to it; an empty string means nothing."""

    at_once: str
    waiting: str
    purged: str
    staying: str
    research: list[str]  # what happens to research, one sentence each


def preview_withdrawal(user_id: UUID, scopes: Collection[ConsentScope]) -> WithdrawalOutlook:
    """What withdrawing these scopes would do now. Call acting for the user."""
    kept = [entry for scope in ConsentScope if scope in scopes for entry in entries_under_scope(user_id, scope)]
    return WithdrawalOutlook(
        at_once=_describe_entries(kept, _AT_ONCE),
        waiting=_describe_jobs(jobs_waiting_under(user_id, scopes)),
        purged=_describe_entries(kept, {OnWithdrawal.PURGE}),
        staying=_describe_entries(kept, _STAYING),
        research=_describe_research(user_id, scopes),
    )


def describe_effects(effects: WithdrawalEffects) -> list[str]:
    """What the withdrawal did, one sentence each; at least one."""
    return list(_effect_sentences(effects)) or [_("Nothing was kept, so there was nothing to forget.")]


def _describe_jobs(topics: Mapping[str, int]) -> str:
    """Queued work in one line, by kind; empty for none. Kinds without a name for users are counted together."""
    named = [str(_WORK[topic] % number) for topic, number in topics.items() if topic in _WORK]
    others = sum(number for topic, number in topics.items() if topic not in _WORK and topic not in _UNSAID)
    return _(", ").join([*named, *([str(_ANY_WORK % others)] if others else [])])


def _describe_research(user_id: UUID, scopes: Collection[ConsentScope]) -> list[str]:
    """What stays of research and what goes; nothing for a user without research."""
    if not ResearchTask.objects.filter(user_id=user_id).exists():
        return []
    sentences = {
        ConsentScope.MEMORY_LEARNING: _(
            "Your research stays. Lines based on my memories are removed, and so is a thesis that relied on them."
        ),
        ConsentScope.SAVE_TO_PROFILE: _(
            "Your research stays as it was written, with what it took from your preferences. You can forget a piece"
            " of it, or a thread, on its own page."
        ),
    }
    return [sentences[scope] for scope in ConsentScope if scope in scopes and scope in sentences]


def _describe_entries(kept: Collection[InventoryEntry], fates: Collection[OnWithdrawal]) -> str:
    return list_entries(entry for entry in kept if entry.on_withdrawal in fates)


def _effect_sentences(effects: WithdrawalEffects) -> Iterator[str]:
    if rows := effects.profile_contexts_deleted:
        yield ngettext("%d set of preferences is forgotten.", "%d sets of preferences are forgotten.", rows) % rows
    if rows := effects.thread_contexts_blocked:
        yield (
            ngettext(
                "%d note stays with your research for you to read, and is used no more.",
                "%d notes stay with your research for you to read, and are used no more.",
                rows,
            )
            % rows
        )
    if rows := effects.training_candidates_revoked:
        yield ngettext("%d example is taken back.", "%d examples are taken back.", rows) % rows
    if work := _describe_jobs(effects.cancelled):
        yield _("Called off: %(work)s.") % {"work": work}
    if effects.purge_due_at is not None:
        due = localtime(effects.purge_due_at)
        yield _("What you no longer allow is not used from now on, and is deleted for good by %(day)s, %(hour)s.") % {
            "day": dates.day(due),
            "hour": dates.clock(due),
        }
