"""Sentences on what withdrawing a consent scope would do to one user's rows."""

from __future__ import annotations

from uuid import UUID

from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from consent.declarations import PersonalModel, models_withdrawn_with
from foundation.outbox.models import OutboxMessage
from foundation.personal_data import ConsentScope, OnWithdrawal

SENTENCES: dict[OnWithdrawal, Promise] = {
    OnWithdrawal.DELETE: _("%(what)s: %(rows)d, deleted at once."),
    OnWithdrawal.BLOCK: _("%(what)s: %(rows)d, kept for the person to read and used no more."),
    OnWithdrawal.REVOKE: _("%(what)s: %(rows)d, revoked at once."),
    OnWithdrawal.PURGE: _("%(what)s: %(rows)d, used no more from now on and deleted within 48 hours."),
}


def withdrawal_effects(user_id: UUID, scope: ConsentScope) -> list[str]:
    """One sentence for each table that would change, and one for work that waits. Call in the operators' role."""
    tables = [
        _sentence(action, personal, rows)
        for action in SENTENCES
        for personal in models_withdrawn_with(scope, action)
        if not hasattr(personal.model, "instance_type")  # no history models: their rows are not counted separately
        and (rows := personal.model._default_manager.filter(**{personal.declaration.owner: user_id}).count())
    ]
    waiting = OutboxMessage.objects.filter(user_id=user_id, scope=scope, state=OutboxMessage.State.PENDING).count()
    work = [gettext("Work that waits: %d, cancelled.") % waiting] if waiting else []
    return tables + work or [gettext("Nothing is kept under it yet, and nothing will be.")]


def _sentence(action: OnWithdrawal, personal: PersonalModel, rows: int) -> str:
    what = capfirst(str(personal.model._meta.verbose_name_plural))
    return str(SENTENCES[action]) % {"what": what, "rows": rows}
