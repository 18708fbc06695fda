"""Admin page of feedback: the queue in which operators read it, and mark it as seen."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from uuid import UUID

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.services import screen_text
from drift.feedback_review import MAX_NOTE_CHARS, mark_seen
from drift.models import Feedback
from finclaw.console.reference_filters import ReferenceKindFilter
from foundation.admin import ReadOnlyAdmin, link_to, short_id
from foundation.database.acting_user import on_behalf_of
from foundation.governed_actions import Confirmation, govern_rows, row_by_row
from memory.models.research import ObjectKind


class FeedbackKindFilter(ReferenceKindFilter):
    """Feedback by the kind of object it is on."""

    kinds = {kind.value: kind.label for kind in Feedback.Kind}


class FeedbackAgeFilter(admin.SimpleListFilter):
    """Feedback that was given longer ago than some days."""

    title = _("age")
    parameter_name = "older"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [("1", gettext("over a day")), ("7", gettext("over a week")), ("30", gettext("over a month"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Feedback]) -> QuerySet[Feedback]:
        days = self.value()
        if days not in {value for value, _name in self.lookup_choices}:
            return queryset
        return queryset.filter(created_at__lt=timezone.now() - timedelta(days=int(days)))


@admin.register(Feedback)
class FeedbackAdmin(ReadOnlyAdmin):
    """The queue: its list names what feedback is on, its rating and age; the comment stands on its own page."""

    shows_personal_text = True
    fields = (
        "id", "user", "object_ref", "object_kind_in_words", "object_name", "rating", "comment", "consent_version",
        "created_at", "seen_at", "seen_by", "note",
    )  # fmt: skip
    list_display = (
        short_id("id"), link_to("user"), "shown_kind", "rating", "has_comment", "created_at", "seen_at",
    )  # fmt: skip
    list_filter = (("seen_at", admin.EmptyFieldListFilter), FeedbackKindFilter, "rating", FeedbackAgeFilter)
    list_select_related = ("user",)
    search_fields = ("=id", "=object_ref", "user__username")
    date_hierarchy = "created_at"
    ordering = ("created_at", "id")  # what has waited longest comes first
    actions = ("see",)

    @admin.display(description=_("kind of object"))
    def object_kind_in_words(self, feedback: Feedback) -> str:
        """The kind of what the research is about."""
        return str(ObjectKind(feedback.object_kind).label) if feedback.object_kind else ""

    @admin.display(description=_("on"))
    def shown_kind(self, feedback: Feedback) -> str:
        """The kind of object it is on."""
        return str(feedback.kind.label)

    @admin.display(description=_("comment"), boolean=True)
    def has_comment(self, feedback: Feedback) -> bool:
        """Whether there is more to read than the rating."""
        return bool(feedback.comment)

    def has_review_permission(self, request: HttpRequest) -> bool:
        """Whoever may change feedback may mark it as seen; nobody edits what was said."""
        return request.user.has_perm("drift.change_feedback")

    @admin.action(description=_("Mark as seen"), permissions=["review"])
    def see(self, request: HttpRequest, queryset: QuerySet[Feedback]) -> HttpResponseBase | None:
        """Confirm, with a note if there is one to write, then mark as seen, audited under the operator's name."""
        try:
            note = screen_text("feedback_note", request.POST.get("note", "").strip()[:MAX_NOTE_CHARS]).text
        except SensitiveInput as refusal:
            self.message_user(request, refusal.message, messages.ERROR)
            return None
        return govern_rows(
            self,
            request,
            _confirmation(queryset),
            row_by_row(partial(_mark_seen, note)),
            note="Marked as seen.",
            done=ngettext_lazy("%d piece of feedback is marked as seen.", "%d pieces of feedback are marked as seen."),
            nothing=_("None of the selected feedback waits to be seen."),
        )


def _confirmation(feedback: QuerySet[Feedback]) -> Confirmation:
    waiting = feedback.filter(seen_at=None)
    return Confirmation(
        title=gettext("Mark these as seen?"),
        sentences=[gettext("Nothing else follows from it. The audit log records your name.")],
        action="see",
        button=gettext("Mark as seen"),
        rows=[(row, " · ".join(filter(None, (row.get_rating_display(), row.comment)))) for row in waiting],
        note_label=gettext("A note, which the user can read"),
    )


def _mark_seen(note: str, feedback: Feedback, actor: UUID) -> bool:
    with on_behalf_of(feedback.user_id):
        return mark_seen(feedback.user_id, feedback.pk, note, actor)
