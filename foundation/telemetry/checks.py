"""System check: where tracing is configured, its packages must be installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Warning, register

from foundation.telemetry import trace_export


@register()
def a_collector_is_named_only_with_the_extra(
    app_configs: Sequence[AppConfig] | None = None, **_: Any
) -> list[CheckMessage]:
    """W001: a collector for traces is named, and what would speak to it is not installed: nothing is traced."""
    if not trace_export.is_requested() or trace_export.is_installed():
        return []
    hint = "Run `make tracing`, or unset OTEL_EXPORTER_OTLP_ENDPOINT."
    said = "OTEL_EXPORTER_OTLP_ENDPOINT is set, but the extra `tracing` is not installed: no traces are sent."
    return [Warning(said, hint=hint, id="telemetry.W001")]
