"""The peak resident memory of a process."""

from __future__ import annotations

import resource


def peak_mb() -> float:
    """The most resident memory this process has held so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # kilobytes on Linux
