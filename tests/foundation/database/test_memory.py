"""The embedded server keeps pages in a quarter of the memory there is, within bounds."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from foundation.database.cache_size import available_bytes, cache_megabytes

GIGABYTE = 1024**3


@pytest.mark.parametrize(
    ("memory", "megabytes"),
    [(256 * 1024**2, 128), (GIGABYTE, 256), (8 * GIGABYTE, 2048), (64 * GIGABYTE, 4096)],
)
def test_the_cache_is_a_quarter_of_the_memory_within_bounds(memory: int, megabytes: int) -> None:
    assert cache_megabytes(memory) == megabytes


def test_a_container_is_held_to_its_limit(tmp_path: Path) -> None:
    limit = tmp_path / "memory.max"
    limit.write_text(f"{64 * 1024**2}\n")
    assert available_bytes(limit) == 64 * 1024**2


@pytest.mark.parametrize("written", ["max\n", f"{2**62}\n", None])
def test_without_a_limit_the_machine_counts(tmp_path: Path, written: str | None) -> None:
    limit = tmp_path / "memory.max"
    if written:
        limit.write_text(written)
    assert available_bytes(limit) == psutil.virtual_memory().total
