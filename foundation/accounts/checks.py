"""Deployment checks of the proxy settings that rate limits rely on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register


@register(Tags.security, deploy=True)
def proxies_are_counted_behind_tls(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """W001: HTTPS is on, so there is a proxy, yet none is trusted: all clients would share the proxy's address."""
    if not settings.HTTPS or settings.TRUSTED_PROXIES:
        return []
    said = "HTTPS is on and TRUSTED_PROXIES is 0: all clients count as one address, and one of them stops all others."
    hint = "Set TRUSTED_PROXIES to the number of proxies in front, each of which must add to X-Forwarded-For."
    return [Warning(said, hint=hint, id="accounts.W001")]
