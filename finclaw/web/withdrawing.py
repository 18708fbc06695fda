"""What a withdrawal would do, and what it did, in sentences (seed A §10.4)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from uuid import UUID

from django.utils.formats import date_format, time_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from consent.types import WithdrawalEffects
from finclaw.web.kept import Kept, kept_under, listed, waiting_under
from foundation.personal_data import OnWithdrawal, Scope

_AT_ONCE = frozenset({OnWithdrawal.DELETE, OnWithdrawal.REVOKE})
_STAYING = frozenset({OnWithdrawal.BLOCK, OnWithdrawal.KEEP})


@dataclass(frozen=True)
class Outlook:
    """What is kept under the scopes to be withdrawn, by its fate; empty lines where there is nothing."""

    at_once: str
    waiting: int
    purged: str
    blocked: str


def outlook_of(user_id: UUID, scopes: Collection[Scope]) -> Outlook:
    """What withdrawing these scopes would do now. Act as the person."""
    kept = [one for scope in Scope if scope in scopes for one in kept_under(user_id, scope)]
    return Outlook(
        at_once=_those(kept, _AT_ONCE),
        waiting=sum(waiting_under(user_id, scope) for scope in scopes),
        purged=_those(kept, {OnWithdrawal.PURGE}),
        blocked=_those(kept, _STAYING),
    )


def told(effects: WithdrawalEffects) -> list[str]:
    """What the withdrawal really did, a sentence each; at least one."""
    return list(_sentences(effects)) or [_("Nothing was kept, so nothing had to be removed.")]


def _those(kept: Collection[Kept], fates: Collection[OnWithdrawal]) -> str:
    return listed(one for one in kept if one.on_withdrawal in fates)


def _sentences(effects: WithdrawalEffects) -> Iterator[str]:
    if rows := effects.profile_contexts_deleted:
        yield ngettext("%d set of preferences is deleted.", "%d sets of preferences are deleted.", rows) % rows
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
    if rows := effects.queued_work_cancelled:
        yield (
            ngettext(
                "%d message that waited to be learned from never will be.",
                "%d messages that waited to be learned from never will be.",
                rows,
            )
            % rows
        )
    if effects.purge_due_at is not None:
        due = localtime(effects.purge_due_at)
        yield _("What I learned is out of use now, and gone for good by %(day)s, %(hour)s.") % {
            "day": date_format(due, "DATE_FORMAT"),
            "hour": time_format(due, "H:i"),
        }
