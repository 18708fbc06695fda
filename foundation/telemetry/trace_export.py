"""Export of spans by OTLP, where the extra ``tracing`` is installed and OpenTelemetry's variable names a collector."""

from __future__ import annotations

from importlib.util import find_spec

from django.conf import settings
from opentelemetry import trace

SERVICE = "finclaw"
_EXPORTER = "opentelemetry.exporter.otlp.proto.http"


def is_requested() -> bool:
    """Whether the settings name a collector."""
    return bool(settings.OTEL_EXPORTER_OTLP_ENDPOINT)


def is_installed() -> bool:
    """Whether the extra ``tracing`` is."""
    try:
        return find_spec("opentelemetry.sdk") is not None and find_spec(_EXPORTER) is not None
    except ModuleNotFoundError:  # of a parent package
        return False


def start_export() -> None:
    """Record spans from now on and export them in batches; do nothing where it is not asked for or not installed.

    Where to, with what headers and how many of them is for the SDK to read: OpenTelemetry's standard variables. Its
    sender is a thread, which the SDK starts anew in each process that is forked off this one.
    """
    if not (is_requested() and is_installed()):
        return
    # A third of a second of import that an installation without tracing never pays.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": SERVICE}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
