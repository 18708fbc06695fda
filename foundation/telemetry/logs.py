"""Configures structured logs with a request id, without user text, user ids in clear or query strings."""

from __future__ import annotations

import sys
from typing import Any

import structlog
from structlog.contextvars import merge_contextvars
from structlog.types import EventDict, Processor, WrappedLogger

from foundation.telemetry.spans import recording_ids


def _without_exception_text(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Keep an exception's class and where it was raised; its text may quote what a user wrote."""
    info = event.pop("exc_info", None)
    if info is True:  # structlog's own ``exception``: the one being handled
        info = sys.exception()
    error = info[1] if isinstance(info, tuple) else info
    if isinstance(error, BaseException):
        event["error"] = type(error).__name__
        frame = error.__traceback__
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
        if frame is not None:
            event["at"] = f"{frame.tb_frame.f_code.co_qualname}:{frame.tb_lineno}"
    return event


def _without_path(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Name the route in place of a request's path, in lines of Django's: a path holds ids of people, or their words."""
    request = getattr(event.get("_record"), "request", None)
    path = getattr(request, "path", "")
    if len(path) > 1 and isinstance(event.get("event"), str):
        match = getattr(request, "resolver_match", None)
        route = match.route if match else "unmatched"
        escaped = path.encode("unicode_escape").decode("ascii")  # as Django writes what it was given
        event["event"] = event["event"].replace(escaped, route).replace(path, route)
    return event


def _with_trace(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Add the ids of the recording span to a log line."""
    event.update(recording_ids())
    return event


SHARED: list[Processor] = [
    merge_contextvars,
    _with_trace,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    _without_exception_text,
    _without_path,
]


def logging_settings(*, json: bool, level: str) -> dict[str, Any]:
    """Django's LOGGING: one handler on stderr, readable lines or JSON."""
    renderer: Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False) if json else structlog.dev.ConsoleRenderer(colors=False)
    )
    structlog.configure(
        processors=[*SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
                "foreign_pre_chain": SHARED,
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": level, "propagate": True},
            "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
            "django.request": {"level": "ERROR"},
            "django-q": {"level": "WARNING"},
            "httpx": {"level": "WARNING"},
            "httpx2": {"level": "WARNING"},
            "openai": {"level": "WARNING"},
            "psycopg.pool": {"level": "ERROR"},  # it tells of every try of a database that is away
        },
    }
