"""A model server for measurements of background work: it answers as briefly as a schema allows, and fails as told."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.model_server import Exchange, Refuses, Says


def briefest(schema: Mapping[str, Any]) -> Any:
    """The briefest value of a JSON schema: empty lists and texts, the first of several choices."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    if kind == "object":
        return {name: briefest(schema["properties"][name]) for name in schema.get("required", ())}
    return {"array": [], "string": "", "boolean": False, "null": None}.get(kind, 0)


@dataclass
class StubModel:
    """Answers after ``seconds``; down after ``answers_until_down`` answers, as long as nobody sets ``is_down`` back.

    With ``most_a_second`` it answers 429 to whoever asks faster, with the time to wait; ``asked_too_soon`` counts those
    who ask before that time is over, though they could know.
    """

    seconds: float
    answers_until_down: int | None = None
    most_a_second: int = 0
    is_down: bool = False
    answered: int = 0
    asked_while_down: int = 0
    refused: int = 0
    asked_too_soon: int = 0
    in_flight: int = 0
    most_in_flight: int = 0
    _closed_until: float = 0.0
    _told_at: float = 0.0
    _recent: list[float] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def perform(self, exchange: Exchange) -> None:
        """Treat one request."""
        with self._lock:
            refusal = self._refusal(time.monotonic())
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if refusal is None:
                time.sleep(self.seconds)
                Says((json.dumps(_answer_to(exchange)),)).perform(exchange)
            else:
                refusal.perform(exchange)
        finally:
            with self._lock:
                self.in_flight -= 1

    def _refusal(self, now: float) -> Refuses | None:
        if self.answers_until_down is not None and self.answered >= self.answers_until_down:
            self.is_down, self.answers_until_down = True, None
        if self.is_down:
            self.asked_while_down += 1
            return Refuses(503)
        if self.most_a_second and not self._has_room(now):
            self.refused += 1
            return Refuses(429, {"Retry-After": str(max(1, round(self._closed_until - now)))})
        self.answered += 1
        return None

    def _has_room(self, now: float) -> bool:
        if now < self._closed_until:
            self.asked_too_soon += now > self._told_at + _HEARD_WITHIN_SECONDS
            return False
        self._recent = [moment for moment in self._recent if moment > now - 1.0]
        if len(self._recent) >= self.most_a_second:
            self._told_at, self._closed_until = now, now + _CLOSED_SECONDS
            return False
        self._recent.append(now)
        return True


_CLOSED_SECONDS = 2.0
_HEARD_WITHIN_SECONDS = 0.5  # what was under way when the refusal was sent


def _answer_to(exchange: Exchange) -> Any:
    asked = exchange.request.body.get("response_format", {}).get("json_schema", {})
    return briefest(asked.get("schema", {}))
