"""What operators are told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import structlog
from structlog.typing import EventDict

from personas.services import telemetry


@contextmanager
def persona_telemetry() -> Iterator[list[EventDict]]:
    """The events of personas meanwhile. A logger that was used before keeps the configuration it had then."""
    with mock.patch.object(telemetry, "log", structlog.get_logger()), structlog.testing.capture_logs() as lines:
        yield lines
