"""The operators' pages of receipts: what was found and taken, and how tools came out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from django.contrib import admin
from django.contrib.admin.templatetags.admin_urls import admin_urlname
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from consent.models import Experiment
from foundation.admin import ReadOnlyAdmin, ReadOnlyInline, link_to, short_id
from memory.models import (
    CognitiveEvent,
    ConversationEvent,
    EntityProfile,
    MemoryItem,
    Receipt,
    ReceiptLine,
    ToolReceipt,
    UserContext,
)

LISTED_EXPERIMENTS: Final = 20


class DegradedFilter(admin.SimpleListFilter):
    """Filter for turns in which some part ran degraded: any part, or one named."""

    title = _("degraded")
    parameter_name = "degraded"
    reasons = (
        "vector_unavailable", "qdrant_unavailable", "memory_unavailable", "query_rewrite_failed", "knowledge_timeout",
        "knowledge_stores_unavailable", "knowledge_vectors_timeout", "knowledge_vectors_unavailable",
        "knowledge_graph_timeout", "knowledge_graph_unavailable",
        "budget_allocator_fallback", "model_offline", "small_model_unavailable",
        "understanding_late", "tools_unavailable", "turn_budget_spent", "answer_cut", "model_unavailable",
        "attachment_unread", "image_unseen", "model_ceiling_small_model", "model_ceiling_offline",
        "personalization_stopped",
    )  # fmt: skip

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [("no", str(_("No"))), ("yes", str(_("Yes"))), *((reason, reason) for reason in self.reasons)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Receipt]) -> QuerySet[Receipt]:
        value = self.value()
        if value is None:
            return queryset
        whole = {"no": queryset.filter(degraded=[]), "yes": queryset.exclude(degraded=[])}
        return whole[value] if value in whole else queryset.filter(degraded__contains=[value])


class ExperimentFilter(admin.SimpleListFilter):
    """Filter for answers made by a variant of an experiment: of any, or of one that is named."""

    title = _("experiment")
    parameter_name = "experiment"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        started = Experiment.objects.exclude(started_at=None).values_list("pk", "name")[:LISTED_EXPERIMENTS]
        return [("yes", str(_("Any"))), *((str(experiment), name) for experiment, name in started)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Receipt]) -> QuerySet[Receipt]:
        value = self.value()
        if value is None:
            return queryset
        in_some = queryset.filter(generation_metadata__has_key="experiments")
        return in_some if value == "yes" else in_some.filter(generation_metadata__experiments__has_key=value)


class ReceiptLineInline(ReadOnlyInline):
    """A receipt's lines: ids, reasons and numbers. The texts they refer to are behind links."""

    model = ReceiptLine
    fields = readonly_fields = (
        "rank", "kind", "what", "status", "reason", "score", "shown_signals", "context_position",
        "sanitization_result", "guardrail_hit", "utilized", "utilization_signal", "user_feedback_signal",
    )  # fmt: skip
    pages: ClassVar[dict[str, type[Model]]] = {
        "item": MemoryItem, "event": CognitiveEvent, "turn": ConversationEvent, "context": UserContext,
        "profile": EntityProfile,
    }  # fmt: skip

    @admin.display(description=_("reason"))
    def reason(self, line: ReceiptLine) -> str:
        """Why the candidate was taken, or left out."""
        if line.status == ReceiptLine.Status.REJECTED and line.decision_reason == ReceiptLine.Reason.RELEVANCE:
            return gettext("not relevant to the question")
        return line.get_decision_reason_display()

    @admin.display(description=_("score"))
    def score(self, line: ReceiptLine) -> str:
        """The score with as many places as tell two candidates apart."""
        return f"{line.candidate_score:.3f}"

    @admin.display(description=_("signals"))
    def shown_signals(self, line: ReceiptLine) -> str:
        """What the score was made of, a name and a figure each."""
        return _named_figures(line.signals)

    @admin.display(description=_("what"))
    def what(self, line: ReceiptLine) -> str:
        """The candidate's id, linked where it has a page."""
        if line.user_id is None:
            return gettext("It is forgotten.")
        page = self.pages.get(line.kind)
        if page is None:
            return str(line.ref_id)
        address = reverse(admin_urlname(page._meta, "change"), args=[line.ref_id])  # type: ignore[arg-type]
        return format_html('<a href="{}">{}</a>', address, line.ref_id)


def _named_figures(figures: Mapping[str, float]) -> str:
    """Names with their figures, with as many places as can tell two apart; a dash for none."""
    return format_html_join(", ", "{} {}", ((name, f"{value:.4g}") for name, value in figures.items())) or "–"


@admin.register(Receipt)
class ReceiptAdmin(ReadOnlyAdmin):
    """Receipts of turns: what was found and taken, what ran degraded, how the user reacted."""

    inlines = (ReceiptLineInline,)
    list_display = (
        short_id("id"), "kind", link_to("user"), link_to("session"), "strategy", "took", "ran_degraded",
        "budget_exceeded", "closed_at", "created_at",
    )  # fmt: skip
    fields = readonly_fields = (
        "id", "kind", "user", "session", "message_id", "intent_type", "strategy", "took", "stores",
        "unsearched_because", "answered_by", "prompt_version", "variants", "ran_degraded", "shown_thresholds",
        "shown_budget", "budget_exceeded", "policy_version", "details_schema_version", "context_hash",
        "consent_version", "closed_at", "created_at",
        "tools",
    )  # fmt: skip
    list_filter = (
        "kind", DegradedFilter, "budget_exceeded", "strategy", "unsearched_because", "policy_version", ExperimentFilter,
        ("closed_at", admin.EmptyFieldListFilter),
    )  # fmt: skip
    list_select_related = ("user", "session")
    search_fields = ("=id", "=message_id", "user__username")
    date_hierarchy = "created_at"

    @admin.display(description=_("took"), ordering="latency_ms")
    def took(self, receipt: Receipt) -> str:
        """The time of its searches; a dash where there was none."""
        return "–" if receipt.latency_ms is None else f"{receipt.latency_ms:.1f} ms"

    @admin.display(description=_("stores used"))
    def stores(self, receipt: Receipt) -> str:
        """The names of what was searched."""
        return ", ".join(receipt.stores_used) or "–"

    @admin.display(description=_("degraded"))
    def ran_degraded(self, receipt: Receipt) -> str:
        """The codes of the parts that ran degraded."""
        return ", ".join(receipt.degraded) or "–"

    @admin.display(description=_("variants"))
    def variants(self, receipt: Receipt) -> str:
        """The user's variant in each experiment, linked to it; a dash for none."""
        named = receipt.generation_metadata.get("experiments", {})
        page = admin_urlname(Experiment._meta, "change")  # type: ignore[arg-type]
        lines = ((reverse(page, args=[experiment]), experiment, variant) for experiment, variant in named.items())
        return format_html_join(", ", '<a href="{}">{}</a>: {}', lines) or "–"

    @admin.display(description=_("thresholds"))
    def shown_thresholds(self, receipt: Receipt) -> str:
        """The thresholds below which no candidate fits, each with its name."""
        return _named_figures(receipt.thresholds)

    @admin.display(description=_("tools"))
    def tools(self, receipt: Receipt) -> str:
        """The tools that the model called for the reply, linked to their receipts; a dash for none."""
        ran = ToolReceipt.objects.filter(user=receipt.user, run_id=receipt.message_id) if receipt.user else ()
        names = format_html_join(", ", "<code>{}</code> ({})", ((row.tool, row.get_outcome_display()) for row in ran))
        page = reverse(admin_urlname(ToolReceipt._meta, "changelist"))  # type: ignore[arg-type]
        return format_html('<a href="{}?q={}">{}</a>', page, receipt.message_id, names) if names else "–"

    @admin.display(description=_("budget"))
    def shown_budget(self, receipt: Receipt) -> str:
        """Tokens of each slot of the prompt."""
        return _named_figures(receipt.budget)


@admin.register(ToolReceipt)
class ToolReceiptAdmin(ReadOnlyAdmin):
    """How tools, skills and steps of research came out: names, codes and numbers."""

    list_display = (
        short_id("id"), "kind", "name", link_to("user"), "outcome", "error_code", "took", "created_at",
    )  # fmt: skip
    fields = readonly_fields = (
        "id", "kind", "name", "user", "session", "run_id", "outcome", "error_code", "took", "shown_counts",
        "consent_version", "created_at",
    )  # fmt: skip
    list_filter = ("kind", "outcome", "error_code")
    list_select_related = ("user",)
    search_fields = ("=id", "=run_id", "=tool", "=skill", "user__username")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-id")

    @admin.display(description=_("tool"), ordering="tool")
    def name(self, receipt: ToolReceipt) -> str:
        """The code of the tool or skill; for a step, preceded by its skill's code."""
        return format_html("<code>{}</code>", ".".join(filter(None, (receipt.skill, receipt.tool))))

    @admin.display(description=_("took"), ordering="duration_ms")
    def took(self, receipt: ToolReceipt) -> str:
        """How long it ran."""
        return f"{receipt.duration_ms:.1f} ms"

    @admin.display(description=_("counts"))
    def shown_counts(self, receipt: ToolReceipt) -> str:
        """What the tool found or made, a name and a figure each."""
        return format_html("<code>{}</code>", _named_figures(receipt.counts))
