"""Template data of the feedback that a user gave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.urls import reverse
from django.utils.translation import gettext as _

from drift.models import Feedback
from finclaw.web.types import TemplateData
from foundation.language import language_of
from memory.research.asset_names import canonical_name
from memory.research.types import CognitionObject

# The pages of objects by kind; other kinds have no page that their reference could link to.
_PAGES: Final[Mapping[str, str]] = {
    Feedback.Kind.SNAPSHOT: "web:snapshot",
    Feedback.Kind.THREAD: "web:thread",
    Feedback.Kind.CHECKPOINT: "web:checkpoint",
    Feedback.Kind.REPORT: "web:task",
    Feedback.Kind.MEMORY: "web:memory",
    Feedback.Kind.EVENT: "web:event",
}


def show_feedback(feedback: Feedback) -> TemplateData:
    """One feedback in a list, under the name of what it is on."""
    kind, key = feedback.kind, feedback.object_ref.partition(":")[2]
    return {
        "feedback_id": feedback.pk,
        "title": _title_of(str(kind.label), _shown_name(feedback)),
        "address": reverse(_PAGES[kind], args=[key]) if kind in _PAGES else "",
        "rating": feedback.get_rating_display(),
        "comment": feedback.comment,
        "given_at": feedback.created_at,
        "seen_at": feedback.seen_at,
        "note": feedback.note,
    }


def _shown_name(feedback: Feedback) -> str:
    about = CognitionObject(feedback.object_kind, feedback.object_name)
    return canonical_name(about, language_of(about.name)) if about.name else ""


def _title_of(kind: str, about: str) -> str:
    return _("%(kind)s: %(about)s") % {"kind": kind, "about": about} if about else kind
