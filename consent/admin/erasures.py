"""Admin page of erasures: their progress, legal term and proof, and the retry of escalated ones."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from consent.admin.person_rows import PersonRowsAdmin
from consent.erasure import services
from consent.erasure_deadlines import open_erasures, urgency_of
from consent.legal_terms import Urgency, is_term_calendar_known
from consent.models import LegalProfile, Tombstone
from consent.models.erasure_states import ErasureState
from foundation.admin import duration_in_words, short_id
from foundation.database.acting_user import on_behalf_of
from foundation.governed_actions import Confirmation, govern_rows, row_by_row


class UrgencyFilter(admin.SimpleListFilter):
    """Filters open erasures by urgency."""

    title = _("urgency")
    parameter_name = "urgency"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [(level.value, str(level.label)) for level in Urgency]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Tombstone]) -> QuerySet[Tombstone]:
        if self.value() is None:
            return queryset
        wanted = [erasure.tombstone.pk for erasure in open_erasures(timezone.now()) if erasure.urgency == self.value()]
        return queryset.filter(pk__in=wanted)


@admin.register(Tombstone)
class TombstoneAdmin(PersonRowsAdmin):
    """Erasures and their legal terms. One governed action: an escalated erasure may be retried."""

    fields = (
        "id", "person", "scope", "target_id", "sources", "source", "item_count", "state", "clock", "last_minute",
        "counting", "requested_at", "completed_at", "steps", "rows_deleted", "proof",
    )  # fmt: skip
    readonly_fields = ("person", "clock", "last_minute", "counting", "steps", "rows_deleted", "proof")
    list_display = (
        "state", "clock", "last_minute", "person", "scope", "item_count", "requested_at", "legal_profile",
        short_id("id"),
    )  # fmt: skip
    list_filter = ("state", "scope", UrgencyFilter, "legal_profile")
    search_fields = ("=id", "=user_id", "username")
    date_hierarchy = "requested_at"
    actions = ("retry",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tombstone]:
        profile = LegalProfile.objects.filter(code=OuterRef("legal_profile"))
        thresholds = {name: Subquery(profile.values(name)) for name in ("warn_pct", "critical_pct")}
        # ``targets`` may be a long list of ids, and operators must not see the hash of the certificate's link.
        hidden = ("targets", "link_hash", "certificate", "signature")
        shown: QuerySet[Tombstone] = super().get_queryset(request).annotate(**thresholds).defer(*hidden)
        return shown

    @admin.display(description=_("term"), ordering="due_at")
    def clock(self, tombstone: Tombstone) -> SafeString:
        """The time left of the term, or how it ended."""
        level, words = _term_status(tombstone)
        return format_html('<span class="term term-{}">{}</span>', level, words)

    @admin.display(description=_("due by"), ordering="due_at")
    def last_minute(self, tombstone: Tombstone) -> datetime:
        """The last day of the term: ``due_at`` is the midnight after it."""
        return tombstone.last_minute

    @admin.display(description=_("counted in"))
    def counting(self, tombstone: Tombstone) -> str:
        """Which days the term counts, and whether their calendar is known."""
        profile = LegalProfile.objects.filter(code=tombstone.legal_profile).first()
        if profile is None:
            return tombstone.legal_profile
        counted = f"{profile.deletion_sla_days} {profile.get_sla_type_display()} · {profile}"
        if is_term_calendar_known(profile, tombstone.requested_at.date(), tombstone.due_at.date()):
            return counted
        return counted + " · " + gettext("its holidays are not all announced yet: there, weekends alone are left out")

    @admin.display(description=_("steps"))
    def steps(self, tombstone: Tombstone) -> SafeString:
        """Every state it entered, the first on top."""
        lines = [
            (f"{step.at:%Y-%m-%d %H:%M:%S}", step.get_state_display(), f" · {step.reason}" if step.reason else "")
            for step in tombstone.steps.order_by("step")
        ]
        return format_html("<ol>{}</ol>", format_html_join("", "<li>{} · {}{}</li>", lines))

    @admin.display(description=_("rows deleted"))
    def rows_deleted(self, tombstone: Tombstone) -> str | SafeString:
        return _counts_list(tombstone.deleted)

    @admin.display(description=_("verification"))
    def proof(self, tombstone: Tombstone) -> str | SafeString:
        """The places that the probe searched, and the rows it found."""
        if tombstone.verification is None:
            return gettext("not verified yet")
        found = gettext("%d found afterwards.") % tombstone.verification["residual"]
        return format_html("<p>{}</p>{}", found, _counts_list(tombstone.verification["checked"]))

    def has_retry_permission(self, request: HttpRequest) -> bool:
        """Whether the operator may retry erasures; nobody edits their fields."""
        return request.user.has_perm("consent.change_tombstone")

    @admin.action(description=_("Try the selected escalated erasures again"), permissions=["retry"])
    def retry(self, request: HttpRequest, queryset: QuerySet[Tombstone]) -> HttpResponseBase | None:
        """Confirm, then queue the escalated erasures among the selected again, audited under the operator's name."""
        return govern_rows(
            self,
            request,
            _retry_confirmation(list(queryset.filter(state=ErasureState.ESCALATED))),
            row_by_row(_retry_as_operator),
            note="Sent on.",
            done=ngettext_lazy("%d erasure is on its way again.", "%d erasures are on their way again."),
            nothing=_("None of the selected erasures waits for an operator."),
        )


def _retry_as_operator(tombstone: Tombstone, actor: UUID) -> None:
    with on_behalf_of(tombstone.user_id):
        services.retry_escalated(tombstone.pk, tombstone.user_id, actor)


def _retry_confirmation(escalated: list[Tombstone]) -> Confirmation:
    sentence = ngettext(
        "This erasure did not come through by itself. It is queued again and erases the same rows as before: nothing is"
        " deleted that its person did not ask for. The audit notes that you sent it on.",
        "These %(count)d erasures did not come through by themselves. They are queued again and erase the same rows as"
        " before: nothing is deleted that their people did not ask for. The audit notes that you sent them on.",
        len(escalated),
    )
    return Confirmation(
        title=gettext("Try these erasures again?"),
        sentences=[sentence % {"count": len(escalated)}],
        action="retry",
        button=gettext("Try again"),
        rows=[(tombstone, _last_reason(tombstone)) for tombstone in escalated],
    )


def _last_reason(tombstone: Tombstone) -> str:
    step = tombstone.steps.order_by("-step").first()
    return step.reason if step else ""


def _profile_thresholds(tombstone: Any) -> LegalProfile | None:
    """The thresholds of the erasure's legal profile, as annotated by the list's query."""
    if tombstone.warn_pct is None:
        return None
    return LegalProfile(warn_pct=tombstone.warn_pct, critical_pct=tombstone.critical_pct)


def _term_status(tombstone: Tombstone) -> tuple[str, str]:
    done, due = tombstone.completed_at, tombstone.due_at
    if done is not None:
        took = duration_in_words(done - tombstone.requested_at)
        late = done > due
        return ("late", gettext("done in %s, late") % took) if late else ("done", gettext("done in %s") % took)
    now = timezone.now()
    level = urgency_of(tombstone, now, _profile_thresholds(tombstone))
    if level == Urgency.OVERDUE:
        return level.value, gettext("overdue by %s") % duration_in_words(max(now - due, timedelta(0)))
    return level.value, gettext("%(left)s left, %(level)s") % {
        "left": duration_in_words(due - now),
        "level": level.label,
    }


def _counts_list(counts: dict[str, int]) -> str | SafeString:
    if not counts:
        return "–"
    return format_html("<ul>{}</ul>", format_html_join("", "<li>{}: {}</li>", sorted(counts.items())))
