"""What was traced: finished spans, kept in memory as an exporter would get them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from foundation.telemetry import spans


class Traced:
    """The spans that have ended so far."""

    def __init__(self, exporter: InMemorySpanExporter) -> None:
        self._exporter = exporter

    def __iter__(self) -> Iterator[ReadableSpan]:
        return iter(self._exporter.get_finished_spans())

    def named(self, name: str) -> list[ReadableSpan]:
        """Those of one name, the first ended first."""
        return [one for one in self if one.name == name]

    def told(self, name: str) -> Mapping[str, Any]:
        """The attributes of the one span of this name."""
        (one,) = self.named(name)
        return one.attributes or {}

    def parent_of(self, one: ReadableSpan) -> str:
        """The name of the span above, "" for a root or a caller's."""
        above = one.parent and one.parent.span_id
        return next((other.name for other in self if other.context and other.context.span_id == above), "")

    def everything(self) -> str:
        """All that would leave the process."""
        return "\n".join(one.to_json() for one in self)

    def forget(self) -> None:
        """Begin anew."""
        self._exporter.clear()


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> Traced:
    """An SDK that records, for one test."""
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(spans, "_tracer", provider.get_tracer("finclaw"))
    return Traced(exporter)
