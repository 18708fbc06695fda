"""The embedded server's shared buffers, by the memory of the machine or container."""

from __future__ import annotations

from pathlib import Path

import psutil

_CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
_MEGABYTE = 1024 * 1024
_SMALLEST_CACHE = 128  # megabytes; PostgreSQL's default
_LARGEST_CACHE = 4096  # holds a million messages; starting the server takes a moment longer for each gigabyte


def available_bytes(container_limit: Path = _CONTAINER_LIMIT) -> int:
    """The machine's memory, or what its container may use of it (cgroup v2, where ``max`` is no limit)."""
    total = psutil.virtual_memory().total
    try:
        limit = container_limit.read_text(encoding="ascii").strip()
    except OSError:
        return total
    return min(total, int(limit)) if limit.isdigit() else total


def cache_megabytes(memory: int) -> int:
    """``shared_buffers`` for so many bytes of memory: a quarter, as PostgreSQL's manual advises.

    It takes room only as it fills. One person's messages lie scattered among everybody's: among a million, searching
    ten thousand of them takes three fifths of the time once their pages are kept here, and not by the system.
    """
    return max(_SMALLEST_CACHE, min(memory // 4 // _MEGABYTE, _LARGEST_CACHE))
