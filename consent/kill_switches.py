"""Throw and lift the kill switches, by which operators turn a capability off; permits say what is off for a user."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.models import AuditEvent, Capability, KillSwitch
from consent.sensitive.services import screen_text
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import in_role, on_behalf_of
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import FinClawError, ValidationFailed, require_found
from foundation.outbox.suspension import resume_suspended

MAY_THROW: Final = "consent.add_killswitch"
MAY_LIFT: Final = "consent.change_killswitch"


class SwitchNotAllowed(FinClawError):
    """The operator's role does not throw or lift kill switches."""

    code = "permission_denied"
    default_message = "You may not do this."


def throw_switch(capability: Capability, tenant: Tenant | None, reason: str, operator: User) -> KillSwitch:
    """Turn a capability off for an organisation, or with None for everybody, from the next request and job on.

    Raises ``SwitchNotAllowed``, ``SensitiveInput`` for a reason with personal data in it, and ``ValidationFailed`` for
    a missing reason or a capability that is already switched off.
    """
    _require_permission(operator, MAY_THROW)
    if not reason.strip():
        raise ValidationFailed(_("Say why, for those who find it switched off."))
    screen_text("kill_switch_reason", reason)
    with in_role(OPERATOR_ROLE):
        switch, is_new = KillSwitch.objects.get_or_create(
            capability=capability,
            tenant=tenant,
            lifted_at=None,
            defaults={"reason": reason.strip(), "thrown_by": operator.pk, "thrown_at": timezone.now()},
        )
        if not is_new:
            raise ValidationFailed(_("This is switched off already."))
    _audit(switch, "kill_switch.thrown", operator.pk)
    return switch


def lift_switch(switch_id: UUID, operator: User) -> KillSwitch:
    """Turn a capability on again, and resume the jobs that waited for it.

    Raises ``SwitchNotAllowed``, and ``NotFound`` for a switch that is not in force.
    """
    _require_permission(operator, MAY_LIFT)
    with in_role(OPERATOR_ROLE):
        switch = require_found(active_switches().select_for_update(of=("self",)).filter(pk=switch_id).first())
        switch.lifted_by, switch.lifted_at = operator.pk, timezone.now()
        switch.save(update_fields=["lifted_by", "lifted_at"])
    resume_suspended()
    _audit(switch, "kill_switch.lifted", operator.pk)
    return switch


def active_switches() -> QuerySet[KillSwitch]:
    """The switches in force, that is, not lifted yet, the latest first."""
    return KillSwitch.objects.filter(lifted_at=None).select_related("tenant").order_by("-thrown_at")


def _require_permission(operator: User, permission: str) -> None:
    if not (operator.is_staff and operator.has_perm(permission)):
        raise SwitchNotAllowed()


def _audit(switch: KillSwitch, action: str, operator: UUID) -> None:
    details = {"capability": switch.capability, "tenant": str(switch.tenant_id or "")}
    with on_behalf_of(operator):
        AuditEvent.objects.create(
            user_id=operator, actor_id=operator, action=action, subject_id=switch.pk, details=details
        )
