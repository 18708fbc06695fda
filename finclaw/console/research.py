"""Admin page of research tasks, which shows how each went but not its content."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from foundation.admin import ReadOnlyAdmin, duration_in_words, link_to, short_id
from memory.models import ResearchTask


@admin.register(ResearchTask)
class ResearchTaskAdmin(ReadOnlyAdmin):
    """A task's route, progress, duration and outcome; its question and findings are the user's alone."""

    fields = (
        "id", "user", "route", "state", "progress", "step", "shown_context", "advisors", "degraded", "result_kind",
        "result_id", "model_id", "error_code", "consent_version", "created_at", "started_at", "ended_at", "took",
        "cancel_requested_at",
    )  # fmt: skip
    readonly_fields = ("shown_context", "took")
    list_display = (
        short_id("id"), link_to("user"), "route", "state", "progress", "took", "degraded", "error_code", "created_at",
    )  # fmt: skip
    list_filter = ("state", "route", "result_kind", "error_code")
    list_select_related = ("user",)
    search_fields = ("=id", "=result_id", "user__username")
    date_hierarchy = "created_at"

    @admin.display(description=_("took"))
    def took(self, task: ResearchTask) -> str:
        """From its last start to its end; a dash for one that never started, or is running."""
        return duration_in_words(task.ended_at - task.started_at) if task.ended_at and task.started_at else "–"

    @admin.display(description=_("slices"))
    def shown_context(self, task: ResearchTask) -> str:
        """The names of the slices it was given and their tokens, never their text."""
        loaded = ", ".join(task.context.get("slices_loaded", ()))
        return f"{loaded} · {task.context.get('total_memory_tokens_estimated', 0)}" if loaded else "–"
