"""Handles erasures that operators do for a person who asked: one operator requests it, another one approves it.

Both decide by the same preview of counts; nobody reads the words to be erased. An undecided request expires.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.erasure.plan import ErasurePlan
from consent.models import AuditEvent, ErasureRequest, ErasureScope, Sources, Tombstone
from consent.models.erasure_requests import PENDING_FOR
from consent.sensitive.services import screen_text
from consent.services import permit_for
from finclaw.data_inventory import list_emptied_tables, row_counts_in_words
from finclaw.erasure import forget, plan_erasure
from finclaw.erasure_scopes import SCOPES
from foundation.accounts.models import User
from foundation.accounts.services import lock_user
from foundation.database.acting_user import in_role, on_behalf_of
from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE
from foundation.exceptions import FinClawError, NotFound, ValidationFailed, require_found
from memory.models import CognitiveEvent

State = ErasureRequest.State
MAY_ASK: Final = "consent.add_erasurerequest"
MAY_DECIDE: Final = "consent.change_erasurerequest"
# Not offered for imports, which ``import_undo`` erases in batches of conversations.
OFFERED_SCOPES: Final = tuple(scope for scope in ErasureScope if scope != ErasureScope.IMPORT)


class OperatorMayNot(FinClawError):
    """An operator requests or decides an erasure without being allowed to."""

    code = "permission_denied"
    default_message = "You may not do this."


@dataclass(frozen=True)
class ErasureWish:
    """What a person asked for: ``target_id`` is the row's id as operators see it, None for scopes that name none."""

    person: User
    scope: ErasureScope
    target_id: UUID | None
    sources: Sources
    reference: str


@dataclass(frozen=True)
class RequestPreview:
    """What a request would erase now, in counts. ``stamp`` is a hash of the counts, to notice a change of them."""

    lines: tuple[str, ...]

    @property
    def stamp(self) -> str:
        return hashlib.sha256("\n".join(self.lines).encode()).hexdigest()[:16]


def ask_for_erasure(wish: ErasureWish, operator: User) -> ErasureRequest:
    """Record what a person asked to have erased, for a second operator to approve.

    Raises ``OperatorMayNot``, ``NotFound`` for a row that is not the person's, ``SensitiveInput`` for a reference with
    personal data in it, and ``ValidationFailed`` if the same request is already pending.
    """
    _require_operator(operator, MAY_ASK, wish.person.pk)
    screen_text("reference", wish.reference)
    now = timezone.now()
    request = ErasureRequest(
        user_id=wish.person.pk,
        scope=wish.scope,
        target_id=wish.target_id,
        sources=wish.sources,
        reference=wish.reference,
        asked_by=operator.pk,
        asked_at=now,
        expires_at=now + PENDING_FOR,
    )
    request.clean_fields()
    with on_behalf_of(wish.person.pk):
        lock_user(wish.person.pk)
        _expire_requests(
            ErasureRequest.objects.filter(user_id=wish.person.pk, state=State.PENDING, expires_at__lte=now)
        )
        _plan(wish)
        _require_none_pending(wish)
        request.save(force_insert=True)
        _audit(request, "erasure.asked_for_person", operator.pk)
    return request


def preview_request(wish: ErasureWish) -> RequestPreview:
    """What the erasure would take now. Raises as ``plan_erasure``."""
    with on_behalf_of(wish.person.pk):
        plan = _plan(wish)
        account = [_("The account itself")] if plan.is_account else []
        return RequestPreview((*list_emptied_tables(plan), *row_counts_in_words(plan), *account))


def wish_of(request: ErasureRequest) -> ErasureWish:
    """What a request asks for. Raises ``NotFound`` once the person's account is gone."""
    person = require_found(User.objects.filter(pk=request.user_id).first())
    scope, sources = ErasureScope(request.scope), Sources(request.sources)
    return ErasureWish(person, scope, request.target_id, sources, request.reference)


def approve_request(request_id: UUID, operator: User) -> Tombstone:
    """Carry out a request that another operator made; returns the accepted erasure.

    Raises ``OperatorMayNot`` for the operator who made the request and for the person themselves, ``NotFound`` for a
    request that is not pending, and whatever ``forget`` raises.
    """
    wish = wish_of(_find(request_id))
    with on_behalf_of(wish.person.pk):
        lock_user(wish.person.pk)
        request = _lock_pending(request_id)
        _require_operator(operator, MAY_DECIDE, request.user_id)
        if request.asked_by == operator.pk:
            raise OperatorMayNot(_("You asked for this erasure yourself. Somebody else must approve it."))
        tombstone = forget(wish.person, wish.scope, _target(wish), wish.sources, source="operator")
        _decide(request, State.APPROVED, operator.pk, tombstone)
        _audit(request, "erasure.approved", operator.pk)
    return tombstone


def decline_request(request_id: UUID, operator: User) -> None:
    """Decline a request, or take back one's own. Raises ``OperatorMayNot`` and ``NotFound``."""
    with on_behalf_of(_find(request_id).user_id):
        request = _lock_pending(request_id)
        _require_operator(operator, MAY_DECIDE, request.user_id)
        _decide(request, State.DECLINED, operator.pk)
        _audit(request, "erasure.declined", operator.pk)


def pending_requests() -> list[ErasureRequest]:
    """The requests that wait for a second operator, the oldest first."""
    with in_role(OPERATOR_ROLE):
        return list(undecided_requests().order_by("asked_at"))


def undecided_requests() -> QuerySet[ErasureRequest]:
    """The requests that wait for a second operator and did not expire. Read in the operators' role."""
    return ErasureRequest.objects.filter(state=State.PENDING, expires_at__gt=timezone.now())


def expire_requests() -> None:
    """Every hour: close the requests that nobody decided in time."""
    with in_role(OPERATOR_ROLE):
        people = set(_overdue().values_list("user_id", flat=True))
    for user_id in people:
        with on_behalf_of(user_id):
            _expire_requests(_overdue().filter(user_id=user_id))


def _overdue() -> QuerySet[ErasureRequest]:
    return ErasureRequest.objects.filter(state=State.PENDING, expires_at__lte=timezone.now())


def _expire_requests(overdue: QuerySet[ErasureRequest]) -> None:
    for request in overdue:
        _decide(request, State.EXPIRED, None)
        _audit(request, "erasure.request_expired", None)


def _plan(wish: ErasureWish) -> ErasurePlan:
    return plan_erasure(permit_for(wish.person), wish.scope, _target(wish), wish.sources)


def _target(wish: ErasureWish) -> str:
    """The target as ``plan_erasure`` expects it. Raises ``NotFound`` where an id is missing or must not be given."""
    if wish.scope not in OFFERED_SCOPES or (SCOPES[wish.scope].identifier is None) != (wish.target_id is None):
        raise NotFound()
    if wish.scope != ErasureScope.EVENT:
        return str(wish.target_id or "")
    events = CognitiveEvent.objects.filter(user=wish.person, pk__in=[wish.target_id])
    return require_found(events.first()).event_id


def _require_operator(operator: User, permission: str, person: UUID) -> None:
    if not (operator.is_staff and operator.has_perm(permission)):
        raise OperatorMayNot()
    if operator.pk == person:
        raise OperatorMayNot(_("This is about yourself. Erase it on your own pages."))


def _require_none_pending(wish: ErasureWish) -> None:
    same = {"user_id": wish.person.pk, "scope": wish.scope, "target_id": wish.target_id}
    if ErasureRequest.objects.filter(state=State.PENDING, **same).exists():
        raise ValidationFailed(_("This waits for a second person already."))


def _find(request_id: UUID) -> ErasureRequest:
    with in_role(OPERATOR_ROLE):
        return require_found(ErasureRequest.objects.filter(pk=request_id).first())


def _lock_pending(request_id: UUID) -> ErasureRequest:
    """The request, locked. Raises ``NotFound`` unless it waits."""
    with in_role(ERASER_ROLE):
        request = ErasureRequest.objects.select_for_update().filter(pk=request_id, state=State.PENDING).first()
    if request is None or request.expires_at <= timezone.now():
        raise NotFound(_("This request waits no longer: it was decided, or its time is over."))
    return request


def _decide(request: ErasureRequest, state: str, by: UUID | None, tombstone: Tombstone | None = None) -> None:
    request.state, request.decided_by, request.tombstone = state, by, tombstone
    request.decided_at = timezone.now()
    with in_role(ERASER_ROLE):
        request.save(update_fields=["state", "decided_by", "decided_at", "tombstone"])


def _audit(request: ErasureRequest, action: str, actor: UUID | None) -> None:
    details = {"scope": request.scope, "reference": request.reference}
    AuditEvent.objects.create(
        user_id=request.user_id, actor_id=actor, action=action, subject_id=request.pk, details=details
    )
