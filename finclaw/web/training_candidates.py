"""Template data of research that is set aside as possible training examples."""

from __future__ import annotations

from collections.abc import Collection

from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from finclaw.web.types import TemplateData
from memory.models import Refresh, Snapshot, TrainingAssetCandidate
from memory.research.training_candidates import ResearchObject, objects_named

_DECISION_CHARS = 120


def show_candidates(candidates: Collection[TrainingAssetCandidate]) -> list[TemplateData]:
    """Candidates as a list, each under the name of the research it was made of."""
    objects = objects_named(candidates)
    return [_show_candidate(candidate, objects.get(candidate.object_ref)) for candidate in candidates]


def _show_candidate(candidate: TrainingAssetCandidate, made: ResearchObject | None) -> TemplateData:
    revoked = candidate.withdrawal_status == TrainingAssetCandidate.Withdrawal.REVOKED
    return {
        "candidate_id": candidate.pk,
        "title": _title_of(made) if made else _("Its words were forgotten."),
        "address": _address_of(made) if made else "",
        "made_at": candidate.created_at,
        "revoked": revoked,
        "state": _("Taken back") if revoked else candidate.get_status_display(),
    }


def _title_of(made: ResearchObject) -> str:
    if isinstance(made, Snapshot):
        return _("Snapshot: %(name)s") % {"name": made.object_name}
    if isinstance(made, Refresh):
        return _("A later look at: %(name)s") % {"name": made.thread.title}
    return _("Before a decision: %(name)s") % {"name": Truncator(made.decision).chars(_DECISION_CHARS)}


def _address_of(made: ResearchObject) -> str:
    if isinstance(made, Refresh):
        return reverse("web:snapshot", args=[made.snapshot_id])
    return reverse("web:snapshot" if isinstance(made, Snapshot) else "web:checkpoint", args=[made.pk])
