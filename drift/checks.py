"""System check: the threshold and lexicon files of drift can be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, register
from django.core.exceptions import ImproperlyConfigured

from drift import configuration, stance_lexicon


@register()
def the_files_of_drift_can_be_read(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """E001: ``DRIFT_THRESHOLDS_FILE`` cannot be used. E002: ``DRIFT_LEXICON_FILE`` cannot."""
    found: list[CheckMessage] = []
    for number, read in ((1, configuration.configured_thresholds), (2, stance_lexicon.configured_lexicon)):
        try:
            read()
        except ImproperlyConfigured as problem:
            found.append(Error(str(problem), hint="drift/defaults/ shows what it may say.", id=f"drift.E00{number}"))
    return found
