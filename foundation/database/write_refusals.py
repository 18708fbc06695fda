"""Recognizes that PostgreSQL takes no writes: its disk is full, or the watchdog made it read-only before that."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import Error, transaction

DISK_FULL = "53100"
READ_ONLY = "25006"


def refuses_writes(error: BaseException) -> bool:
    """Whether the error says that nothing can be written now, while everything can be read."""
    return isinstance(error, Error) and getattr(error.__cause__, "sqlstate", None) in {DISK_FULL, READ_ONLY}


@contextmanager
def best_effort_write() -> Iterator[None]:
    """Try an unimportant write, and drop it silently where the database takes no writes."""
    try:
        with transaction.atomic():
            yield
    except Error as error:
        if not refuses_writes(error):
            raise


def free_bytes() -> int:
    """What is free on the disk of the data folder, where the embedded database keeps its files."""
    return shutil.disk_usage(settings.DATA_DIR).free
