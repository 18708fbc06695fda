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


def _show_candidate(candidate: TrainingAssetCandidate, research: ResearchObject | None) -> TemplateData:
    revoked = candidate.withdrawal_status == TrainingAssetCandidate.Withdrawal.REVOKED
    return {
        "candidate_id": candidate.pk,
        "title": _title_of(research) if research else _("Its words were forgotten."),
        "address": _address_of(research) if research else "",
        "made_at": candidate.created_at,
        "revoked": revoked,
        "state": _("Taken back") if revoked else candidate.get_status_display(),
    }


def _title_of(research: ResearchObject) -> str:
    if isinstance(research, Snapshot):
        return _("Snapshot: %(name)s") % {"name": research.object_name}
    if isinstance(research, Refresh):
        return _("A later look at: %(name)s") % {"name": research.thread.title}
    return _("Before a decision: %(name)s") % {"name": Truncator(research.decision).chars(_DECISION_CHARS)}


def _address_of(research: ResearchObject) -> str:
    if isinstance(research, Refresh):
        return reverse("web:snapshot", args=[research.snapshot_id])
    return reverse("web:snapshot" if isinstance(research, Snapshot) else "web:checkpoint", args=[research.pk])
