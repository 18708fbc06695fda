"""Drafts, starts, grows and stops experiments: operators do so, and each act is recorded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.experiment_assignment import RunningExperiment
from consent.experiment_variants import as_json, read_variants
from consent.models import AuditEvent, Experiment
from consent.sensitive.services import screen_text
from foundation.accounts.models import User
from foundation.database.acting_user import in_role, on_behalf_of
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import FinClawError, ValidationFailed, require_found

MAY_DRAFT: Final = "consent.add_experiment"
MAY_CHANGE: Final = "consent.change_experiment"
LIVE_STATES: Final = (Experiment.State.DRAFT, Experiment.State.RUNNING)
_STARTING: Final = "SELECT pg_advisory_xact_lock(hashtextextended('consent.experiments', 0))"


class ExperimentNotAllowed(FinClawError):
    """The operator's role does not draft, start or stop experiments."""

    code = "permission_denied"
    default_message = "You may not do this."


@dataclass(frozen=True)
class ExperimentDraft:
    """An experiment as an operator wrote it down. ``layer`` is "" for that of its dimension; ``variants`` are as
    ``read_variants`` takes them.
    """

    name: str
    purpose: str
    dimension: Experiment.Dimension
    variants: object
    layer: str = ""
    layer_start: int = 0
    layer_end: int = 100
    floor: float = 0.55


@transaction.atomic
def draft_experiment(operator: User, draft: ExperimentDraft) -> Experiment:
    """Write an experiment down; it takes nobody before it is started.

    Raises ``ExperimentNotAllowed``, ``SensitiveInput`` for personal data in the name or purpose, and
    ``ValidationFailed``.
    """
    _require_permission(operator, MAY_DRAFT)
    name, purpose = draft.name.strip(), draft.purpose.strip()
    screen_text("experiment_name", name)
    screen_text("experiment_purpose", purpose)
    experiment = Experiment(
        name=name,
        purpose=purpose,
        dimension=draft.dimension,
        layer=draft.layer or draft.dimension.value,
        layer_start=draft.layer_start,
        layer_end=draft.layer_end,
        floor=draft.floor,
        variants=as_json(read_variants(draft.variants, draft.dimension)),
        created_by=operator.pk,
    )
    with in_role(OPERATOR_ROLE):
        _require_valid(experiment)
        experiment.save(force_insert=True)
    _audit(experiment, "experiment.drafted", operator.pk)
    return experiment


@transaction.atomic
def grow_experiment(experiment_id: UUID, share: Experiment.Share, operator: User) -> Experiment:
    """Start an experiment with the least share of the users, or let a running one grow to the next; it never shrinks.

    Whoever is in it keeps their variant. Raises ``ExperimentNotAllowed``, ``NotFound`` for one that has ended, and
    ``ValidationFailed`` for a share that is not the next, or another experiment in the way.
    """
    _require_permission(operator, MAY_CHANGE)
    now = timezone.now()
    with in_role(OPERATOR_ROLE):
        experiment = _locked(experiment_id)
        if share <= experiment.share:
            raise ValidationFailed(_("An experiment only grows; stop it to take it back."))
        if share != next_share(experiment):
            raise ValidationFailed(
                _("An experiment grows step by step; the next is %(share)s.") % {"share": next_share(experiment).label}
            )
        if experiment.state == Experiment.State.DRAFT:
            _require_room(experiment)
            experiment.state, experiment.started_at = Experiment.State.RUNNING, now
        experiment.share, experiment.grown_at = share, now
        experiment.save(update_fields=["state", "share", "started_at", "grown_at"])
    _audit(experiment, "experiment.grown", operator.pk)
    return experiment


def next_share(experiment: Experiment) -> Experiment.Share:
    """The step to which it grows next. It must not take everybody yet."""
    return next(share for share in Experiment.Share if share > experiment.share)


@transaction.atomic
def stop_experiment(experiment_id: UUID, operator: User) -> Experiment:
    """End an experiment: from the next request on everybody is answered as before it.

    Raises ``ExperimentNotAllowed``, and ``NotFound`` for one that has ended.
    """
    _require_permission(operator, MAY_CHANGE)
    experiment = _end(experiment_id, Experiment.State.STOPPED, operator.pk)
    _audit(experiment, "experiment.stopped", operator.pk)
    return experiment


@transaction.atomic
def roll_back(experiment_id: UUID) -> Experiment:
    """End an experiment by itself, because a variant does harm. Raises ``NotFound`` for one that has ended."""
    experiment = _end(experiment_id, Experiment.State.ROLLED_BACK, None)
    _audit(experiment, "experiment.rolled_back", None)
    return experiment


def running_experiments() -> QuerySet[Experiment]:
    """The experiments that take users now, the oldest first."""
    return Experiment.objects.filter(state=Experiment.State.RUNNING).order_by("started_at", "id")


def rolled_back_since(moment: datetime) -> QuerySet[Experiment]:
    """The experiments that ended by themselves since then, the latest first."""
    return Experiment.objects.filter(state=Experiment.State.ROLLED_BACK, ended_at__gte=moment).order_by("-ended_at")


def as_running(experiment: Experiment) -> RunningExperiment:
    """The experiment as assignment reads it."""
    return RunningExperiment.of_row(vars(experiment))


def _locked(experiment_id: UUID) -> Experiment:
    """A live experiment, locked, and with it the right to start one: two that start at once would not see each
    other.
    """
    with connection.cursor() as cursor:
        cursor.execute(_STARTING)
    live = Experiment.objects.select_for_update().filter(pk=experiment_id, state__in=LIVE_STATES)
    return require_found(live.first())


def _end(experiment_id: UUID, state: Experiment.State, operator: UUID | None) -> Experiment:
    with in_role(OPERATOR_ROLE):
        experiment = _locked(experiment_id)
        experiment.state, experiment.ended_at, experiment.ended_by = state, timezone.now(), operator
        experiment.save(update_fields=["state", "ended_at", "ended_by"])
    return experiment


def _require_valid(experiment: Experiment) -> None:
    """Raise ``ValidationFailed`` with a sentence for each field that is wrong, or for a name that is taken."""
    try:
        experiment.full_clean()
    except ValidationError as refusal:
        raise ValidationFailed(details=refusal.message_dict) from None


def _require_room(experiment: Experiment) -> None:
    """Raise ``ValidationFailed`` where a running experiment could give a user a second value for the same thing: one
    that varies the same in another layer, or one that owns a part of the same stretch.
    """
    for other in running_experiments():
        shares_stretch = experiment.layer_start < other.layer_end and other.layer_start < experiment.layer_end
        if other.layer == experiment.layer and shares_stretch:
            raise ValidationFailed(
                _("“%(name)s” is running in this part of the layer.") % {"name": other.name}, {"other": [other.name]}
            )
        if other.layer != experiment.layer and other.dimension == experiment.dimension:
            raise ValidationFailed(
                _("“%(name)s” varies the same in another layer.") % {"name": other.name}, {"other": [other.name]}
            )


def _require_permission(operator: User, permission: str) -> None:
    if not (operator.is_staff and operator.has_perm(permission)):
        raise ExperimentNotAllowed()


def _audit(experiment: Experiment, action: str, operator: UUID | None) -> None:
    """Record an act; one that nobody did is filed under the operator who drafted the experiment."""
    filed_under = operator or experiment.created_by
    details = {"dimension": experiment.dimension, "layer": experiment.layer}
    with on_behalf_of(filed_under):
        AuditEvent.objects.create(
            user_id=filed_under,
            actor_id=operator,
            action=action,
            subject_id=experiment.pk,
            counts={"share": experiment.share},
            details=details,
        )
