"""The example proxies wait as long as a turn can last before its first byte."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import override_settings

from memory.services.turn_leases import longest_turn
from tests.deploy.proxies import EXAMPLES


@pytest.mark.parametrize(
    ("name", "stated"), [("nginx.conf", r"proxy_read_timeout (\d+)s"), ("haproxy.cfg", r"timeout server (\d+)s")]
)
def test_a_proxy_waits_for_a_small_model_that_fails_and_the_large_one_after_it(name: str, stated: str) -> None:
    [seconds] = re.findall(stated, (EXAMPLES / name).read_text())

    with override_settings(MODEL_TIMEOUT_SECONDS=60, MODEL_CALLS_TOOLS=False):  # as installed
        assert timedelta(seconds=int(seconds)) >= longest_turn()
