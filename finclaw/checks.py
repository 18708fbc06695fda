"""System check that every word table (a YAML list of words in one language) can be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register
from django.core.exceptions import ImproperlyConfigured

from consent.checks import OWN_PACKAGES
from foundation.lexicon import WordTable


@register()
def every_word_table_can_be_read(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """finclaw.E001: a word table is not YAML, has invalid content, or refers to an entry that does not exist."""
    messages: list[CheckMessage] = []
    for package in OWN_PACKAGES:
        for path in sorted((settings.BASE_DIR / package).rglob("data/*.[a-z][a-z].yaml")):
            try:
                WordTable(path).check()
            except ImproperlyConfigured as error:
                messages.append(Error(str(error), obj=str(path.relative_to(settings.BASE_DIR)), id="finclaw.E001"))
    return messages
