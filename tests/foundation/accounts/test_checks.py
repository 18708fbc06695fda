"""A deployment behind TLS that trusts no proxy is told so before it runs."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.core.checks import run_checks


@pytest.mark.parametrize(
    ("https", "proxies", "warned"), [(True, 0, True), (True, 1, False), (False, 0, False), (False, 2, False)]
)
def test_behind_tls_the_proxies_must_be_counted(
    monkeypatch: pytest.MonkeyPatch, https: bool, proxies: int, warned: bool
) -> None:
    monkeypatch.setattr(settings, "HTTPS", https)
    monkeypatch.setattr(settings, "TRUSTED_PROXIES", proxies)
    found = {message.id for message in run_checks(include_deployment_checks=True)}
    assert ("accounts.W001" in found) == warned
