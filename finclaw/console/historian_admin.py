"""Admin pages of the historian's tables: jobs with their outcome, events, portraits."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import admin
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from foundation.admin import ReadOnlyAdmin, duration_in_words, link_to, short_id
from foundation.outbox.models import OutboxMessage
from memory.historian.services import END_TOPIC
from memory.models import CognitiveEvent, CognitiveJob, EntityProfile


class UnresolvedFilter(admin.SimpleListFilter):
    """Events with an unresolved time, place or person."""

    title = _("something unresolved")
    parameter_name = "open"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [("yes", str(_("Yes"))), ("no", str(_("No")))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[CognitiveEvent]) -> QuerySet[CognitiveEvent]:
        if self.value() == "yes":
            return queryset.exclude(unresolved=[])
        return queryset.filter(unresolved=[]) if self.value() == "no" else queryset


class JobStateFilter(admin.SimpleListFilter):
    """Jobs by the state of their outbox row, which is deleted a week after it is done."""

    title = _("state")
    parameter_name = "job"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [(value, str(label)) for value, label in OutboxMessage.State.choices]

    def queryset(self, request: HttpRequest, queryset: QuerySet[CognitiveJob]) -> QuerySet[CognitiveJob]:
        wanted = self.value()
        return queryset.filter(pk__in=_queued_ends().filter(state=wanted).values("pk")) if wanted else queryset


@admin.register(CognitiveEvent)
class CognitiveEventAdmin(ReadOnlyAdmin):
    shows_personal_text = True
    list_display = (
        short_id("id"), "event_id", link_to("user"), "perspective", "request_type", "unresolved_count", "rewritten_by",
        "timestamp_utc", "created_at",
    )  # fmt: skip
    list_filter = (UnresolvedFilter, "perspective", "request_type", "rewritten_by")
    list_select_related = ("user",)
    search_fields = ("=id", "=event_id", "user__username")
    date_hierarchy = "timestamp_utc"

    @admin.display(description=_("unresolved"))
    def unresolved_count(self, event: CognitiveEvent) -> int:
        """The number of unresolved expressions; their text stands on the event's own page only."""
        return len(event.unresolved)


@admin.register(CognitiveJob)
class CognitiveJobAdmin(ReadOnlyAdmin):
    """Ends handed to the historian, with their outcome. Dead letters are retried on the page of jobs."""

    shows_personal_text = True
    list_display = (
        short_id("id"), link_to("user"), link_to("session"), "event_id", "state", "attempts", "took", "created_at",
    )  # fmt: skip
    list_filter = (JobStateFilter,)
    list_select_related = ("user", "session")
    search_fields = ("=id", "=request_id", "user__username")
    date_hierarchy = "created_at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[CognitiveJob]:
        """Adds the state of each job's outbox row, which has the same id."""
        queued = _queued_ends().filter(pk=OuterRef("pk"))
        rows: QuerySet[CognitiveJob] = super().get_queryset(request)
        return rows.annotate(
            queued_state=Subquery(queued.values("state")),
            queued_attempts=Subquery(queued.values("attempts")),
            queued_took=Subquery(queued.annotate(took=F("finished_at") - F("created_at")).values("took")),
        )

    @admin.display(description=pgettext_lazy("table", "event id"))
    def event_id(self, job: CognitiveJob) -> str:
        """The event that it writes or wrote."""
        return job.event_id

    @admin.display(description=_("state"), ordering="queued_state")
    def state(self, job: CognitiveJob) -> str:
        """A dash once the outbox row is deleted."""
        value: str | None = job.queued_state  # type: ignore[attr-defined]
        return str(OutboxMessage.State(value).label) if value else "–"

    @admin.display(description=_("attempts"), ordering="queued_attempts")
    def attempts(self, job: CognitiveJob) -> str:
        """How often a worker took it up."""
        value: int | None = job.queued_attempts  # type: ignore[attr-defined]
        return "–" if value is None else str(value)

    @admin.display(description=_("took"), ordering="queued_took")
    def took(self, job: CognitiveJob) -> str:
        """From the end to its event."""
        span: timedelta | None = job.queued_took  # type: ignore[attr-defined]
        return duration_in_words(span) or "–"


@admin.register(EntityProfile)
class EntityProfileAdmin(ReadOnlyAdmin):
    """Portraits of users, and members' parts of group portraits. Their text stands on the row's own page only."""

    shows_personal_text = True
    list_display = (
        short_id("id"), link_to("user"), "entity_type", link_to("group"), "revision", "change", "source_event_id",
        "updated_at",
    )  # fmt: skip
    list_filter = ("entity_type", "change")
    list_select_related = ("user", "group")
    search_fields = ("=id", "=entity_id", "=source_event_id", "user__username")
    date_hierarchy = "updated_at"
    exclude = ("lines",)  # the body holds the same text


def _queued_ends() -> QuerySet[OutboxMessage]:
    return OutboxMessage.objects.filter(topic=END_TOPIC).order_by()
