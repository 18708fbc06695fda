"""Counts what the current thresholds would find in all feedback, to tune them. Writes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db.models import Max

from consent.models import ProfileConsent
from drift import detectors
from drift.configuration import DriftThresholds, thresholds_for
from drift.feedback_histories import feedback_rows, rated_feedback
from drift.models import Feedback
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.personal_data import ConsentScope

CHUNK_ROWS = 5_000
_USER, _VERSION = 0, 1


@dataclass
class FeedbackScan:
    """Result of a scan: users and feedback read, signals found by kind."""

    people: int = 0
    feedback: int = 0
    signals: Counter[str] = field(default_factory=Counter)


def scan_feedback() -> FeedbackScan:
    """Run the feedback detectors over all users, one at a time in memory. Writes nothing.

    Reads only users who allow the drift log now, and only feedback given since they have allowed it.
    """
    scan = FeedbackScan()
    with in_role(OPERATOR_ROLE):
        allowed = _allowed_since()
        thresholds = _thresholds_of_people(set(allowed))
        for person, rows in groupby(_all_feedback(), key=itemgetter(_USER)):
            if person in allowed:
                _scan_person(scan, rows, allowed[person], thresholds[person])
    return scan


def _all_feedback() -> Iterator[tuple[Any, ...]]:
    rows = feedback_rows(Feedback.objects.all(), "user_id", "consent_version")
    return rows.iterator(chunk_size=CHUNK_ROWS)


def _scan_person(
    scan: FeedbackScan, rows: Iterator[tuple[Any, ...]], since_version: int, thresholds: DriftThresholds
) -> None:
    history = [rated_feedback(row[2:]) for row in rows if row[_VERSION] >= since_version]
    scan.people += 1
    scan.feedback += len(history)
    scan.signals.update(signal.kind for signal in detectors.feedback_signals(history, thresholds))


def _allowed_since() -> dict[UUID, int]:
    """The users who allow the drift log now, with the consent version since which they have."""
    holding = ProfileConsent.objects.filter(save_to_profile=True, revoked_at=None).values_list("user_id", flat=True)
    without = ProfileConsent.versions_without(ConsentScope.SAVE_TO_PROFILE).order_by()
    last_without = dict(without.values_list("user_id").annotate(Max("version")))
    return {person: last_without.get(person, 0) + 1 for person in holding}


def _thresholds_of_people(people: set[UUID]) -> dict[UUID, DriftThresholds]:
    found = User.objects.filter(pk__in=people).select_related("tenant")
    return {person.pk: thresholds_for(person) for person in found}
