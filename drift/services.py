"""Stores users' feedback, and logs reversals in their feedback, theses and questions ("drift").

Feedback needs a consent record. The drift log needs ``save_to_profile``, and is written only from what came in since
that scope was last granted. Nothing here changes a profile.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.memory_telemetry import report_deleted_rows
from consent.permit import Permit
from consent.sensitive.services import screen_text
from consent.services import hold_permit, permit_for, renewed_permit, scope_held_since
from drift import detectors, stance_lexicon
from drift.configuration import DriftThresholds, thresholds_for
from drift.feedback_histories import feedback_rows, question_history, rated_feedback, thesis_history
from drift.feedback_objects import feedback_object
from drift.models import DriftSignal, Feedback
from drift.signal_log import record_signals
from drift.types import RatedFeedback
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from foundation.exceptions import ValidationFailed, require_found
from foundation.outbox.jobs import Job
from foundation.personal_data import ConsentScope
from memory.models import Refresh, Thread, WatchQuestion
from memory.research.asset_names import names_of_object
from memory.research.types import CognitionObject
from memory.research.watch_questions import DelayedLook

REOPENED_TOPIC = "drift.reopened"
MAX_COMMENT_CHARS: Final = 1_000


def give_feedback(permit: Permit, user: User, object_ref: str, rating: str, comment: str = "") -> Feedback:
    """Store a user's feedback on an object of theirs, and log any reversal in it.

    Raises ``ProfileConsentRequired`` for somebody who never decided, ``ValidationFailed``, ``SensitiveInput``,
    ``NotFound`` for an object that is not theirs to see, and what ``hold_permit`` raises.
    """
    permit.require_decision()
    _validate_feedback(rating, comment)
    words = screen_text("comment", comment, [user.name]).text
    with transaction.atomic():
        hold_permit(permit)
        named = feedback_object(permit, object_ref)
        feedback = Feedback.objects.create(
            user_id=permit.user_id,
            object_ref=named.ref,
            object_kind=named.cognition_object.kind if named.cognition_object else "",
            object_name=named.cognition_object.name if named.cognition_object else "",
            rating=rating,
            comment=words,
            keywords=[keyword.as_json() for keyword in stance_lexicon.configured_lexicon().keywords_in(words)],
            consent_version=permit.version,
        )
        if permit.allows(ConsentScope.SAVE_TO_PROFILE):
            _record_reversals(permit, feedback, thresholds_for(user))
    return feedback


def feedback_of(permit: Permit, feedback_id: UUID) -> Feedback:
    """One feedback of the user's. Raises ``NotFound``."""
    return require_found(all_feedback_of(permit).filter(pk=feedback_id).first())


def all_feedback_of(permit: Permit) -> QuerySet[Feedback]:
    """The user's feedback, the latest first."""
    return Feedback.objects.filter(user_id=permit.user_id).order_by("-created_at", "-id")


def delete_feedback(permit: Permit, feedback_id: UUID) -> None:
    """Delete one feedback of the user's, with the reversals that were observed in it. Raises ``NotFound``."""
    with transaction.atomic():
        renewed_permit(permit)  # no other feedback is compared with it meanwhile
        feedback = feedback_of(permit, feedback_id)
        with in_role(ERASER_ROLE):  # the log is append-only
            signals = _signals_observed_in(feedback).delete()[0]
        feedback.delete()
        report_deleted_rows(permit.user_id, {DriftSignal._meta.label: signals})


def record_thesis_reversal(permit: Permit, thread: Thread, refresh: Refresh) -> DriftSignal | None:
    """Log a thesis that a refresh reversed. Call in the transaction that stores the refresh."""
    current = renewed_permit(permit)
    if not current.allows(ConsentScope.SAVE_TO_PROFILE):
        return None
    thresholds = thresholds_for(_user_with_tenant(permit.user_id))
    signal = detectors.thesis_reversal(thesis_history(thread, refresh, _profile_held_since(current)), thresholds)
    return next(iter(record_signals(current, [signal] if signal else [], thresholds)), None)


def delayed_reopening_check(user: User) -> DelayedLook:
    """The delay and topic of the check on a reopened question: an hour later by default."""
    return DelayedLook(REOPENED_TOPIC, thresholds_for(user).reopened_delay)


def check_reopened(job: Job) -> None:
    """Handle the delayed check of a reopened question; payload ``{"question": id}``.

    Only this reopening is logged: each earlier one had a check of its own.
    """
    with job.completing():
        questions = WatchQuestion.objects.select_related("thread")
        question = questions.filter(pk=job.payload["question"], user_id=job.user_id).first()
        if question is not None:
            _record_reopening(question, job)


def _validate_feedback(rating: str, comment: str) -> None:
    if rating not in Feedback.Rating.values:
        raise ValidationFailed(
            details={"rating": [_("One of %(values)s.") % {"values": ", ".join(Feedback.Rating.values)}]}
        )
    if len(comment) > MAX_COMMENT_CHARS:
        raise ValidationFailed(details={"comment": [_("At most %(limit)d characters.") % {"limit": MAX_COMMENT_CHARS}]})


def _record_reversals(permit: Permit, feedback: Feedback, thresholds: DriftThresholds) -> None:
    """Log the reversals that this feedback completes; earlier ones were logged with earlier feedback."""
    found = detectors.feedback_signals(_feedback_history(permit, feedback), thresholds)
    record_signals(permit, [signal for signal in found if signal.current.at == feedback.created_at], thresholds)


def _feedback_history(permit: Permit, feedback: Feedback) -> list[RatedFeedback]:
    """The user's feedback on the same object, and on others about the same topic, up to this one."""
    same = Q(object_ref=feedback.object_ref)
    if feedback.object_name:
        about = CognitionObject(feedback.object_kind, feedback.object_name)
        same |= Q(object_kind=about.kind, object_name__in=names_of_object(about))
    rows = Feedback.objects.filter(same, user_id=permit.user_id, consent_version__gte=_profile_held_since(permit))
    return [rated_feedback(row) for row in feedback_rows(rows)]


def _signals_observed_in(feedback: Feedback) -> QuerySet[DriftSignal]:
    side = {"captured_at": feedback.created_at.isoformat(), "captured_in_object_ref": feedback.object_ref}
    either = Q(prior_signal__contains=side) | Q(current_signal__contains=side)
    of_feedback = (DriftSignal.Kind.GRADE_REVERSAL, DriftSignal.Kind.FEEDBACK_CONFLICT)
    return DriftSignal.with_erased.filter(either, user_id=feedback.user_id, signal_kind__in=of_feedback)


def _record_reopening(question: WatchQuestion, job: Job) -> None:
    user = _user_with_tenant(job.user_id)
    permit = renewed_permit(permit_for(user))
    if not permit.allows(ConsentScope.SAVE_TO_PROFILE):
        return
    thresholds = thresholds_for(user)
    life = question_history(question)
    until_asked = [
        update.at for update in life.updates if update.state == "reopened" and update.at <= job.message.created_at
    ]
    found = detectors.reopenings(life, timezone.now(), thresholds)
    record_signals(permit, [signal for signal in found if signal.current.at in until_asked[-1:]], thresholds)


def _profile_held_since(permit: Permit) -> int:
    return scope_held_since(permit.user_id, ConsentScope.SAVE_TO_PROFILE)


def _user_with_tenant(user_id: UUID) -> User:
    return User.objects.select_related("tenant").get(pk=user_id)
