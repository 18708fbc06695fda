"""A spare waits until it is needed, and ends with its supervisor."""

from __future__ import annotations

import subprocess
import sys

import pytest
from django.conf import settings

WAITS = "from finclaw.standby import wait_until_needed; wait_until_needed(); print('serves', end='')"


@pytest.mark.parametrize(
    ("environment", "told", "printed"),
    [({"FINCLAW_SPARE": "1"}, b"\n", b"serves"), ({"FINCLAW_SPARE": "1"}, b"", b""), ({}, b"", b"serves")],
    ids=["needed", "its supervisor ended", "no spare"],
)
def test_a_spare_serves_once_it_is_told_to(environment: dict[str, str], told: bytes, printed: bytes) -> None:
    finished = subprocess.run(
        [sys.executable, "-c", WAITS],
        input=told,
        env=environment,
        cwd=settings.BASE_DIR,
        stdout=subprocess.PIPE,
        check=True,
    )
    assert finished.stdout == printed
