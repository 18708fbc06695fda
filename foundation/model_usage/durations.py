"""Keeps durations as histograms of fixed bounds, which can be summed over days and models; means cannot."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

BOUNDS: Final = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 13.0, 20.0, 30.0, 60.0, 120.0)
"""Upper bounds in seconds; longer durations are counted in one more bucket at the end."""


def no_durations() -> list[int]:
    """A histogram in which nothing was counted yet."""
    return [0] * (len(BOUNDS) + 1)


def bucket_of(seconds: float) -> int:
    """The index of the bucket that a duration is counted in."""
    return bisect_left(BOUNDS, seconds)


def percentile_of(counts: Sequence[int], percent: float) -> float | None:
    """The duration that ``percent`` of those counted did not exceed, None where nothing was counted.

    Within a bucket it is interpolated as Prometheus does; for the last, which has no end, its lower bound is returned.
    """
    wanted = sum(counts) * percent / 100
    below = 0
    for number, count in enumerate(counts):
        if count and below + count >= wanted:
            start = BOUNDS[number - 1] if number else 0.0
            end = BOUNDS[number] if number < len(BOUNDS) else start
            return start + (end - start) * (wanted - below) / count
        below += count
    return None
