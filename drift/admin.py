from __future__ import annotations

from collections.abc import Mapping

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from drift.models import DriftSignal
from foundation.admin import ReadOnlyAdmin, link_to


@admin.register(DriftSignal)
class DriftSignalAdmin(ReadOnlyAdmin):
    """The drift log: kind, object, and the rating or word before and after. What the object is about is not shown."""

    fields = (
        "drift_id", "user", "signal_kind", "triggers_alert", "object_ref", "prior", "current", "schema_version",
        "consent_version", "created_at",
    )  # fmt: skip
    readonly_fields = ("prior", "current")
    list_display = ("drift_id", link_to("user"), "signal_kind", "triggers_alert", "turned", "created_at")
    list_filter = ("signal_kind", "triggers_alert", "created_at")
    list_select_related = ("user",)
    search_fields = ("=id", "=drift_id", "=object_ref", "user__username")
    date_hierarchy = "created_at"

    @admin.display(description=_("turned"))
    def turned(self, signal: DriftSignal) -> str:
        """The value before and the value after."""
        return f"{signal.prior_signal['value']} → {signal.current_signal['value']}"

    @admin.display(description=_("before"))
    def prior(self, signal: DriftSignal) -> str:
        """The earlier side: a rating, a lexicon word or a state, with its date."""
        return _side_in_words(signal.prior_signal)

    @admin.display(description=_("then"))
    def current(self, signal: DriftSignal) -> str:
        """As ``prior``."""
        return _side_in_words(signal.current_signal)


def _side_in_words(side: Mapping[str, str]) -> str:
    return f"{side['value']} · {side['captured_at'][:10]}"
