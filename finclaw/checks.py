"""System checks that every word table (a YAML list of words in one language) can be read, and by a fit Python."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Final

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register
from django.core.exceptions import ImproperlyConfigured

from consent.checks import OWN_PACKAGES
from foundation.lexicon import WordTable

LEAST_PYTHON: Final = (3, 11, 5)
"""Before it, ``re`` fails to match some possessive quantifiers (python/cpython#106052), which our patterns use."""


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


@register()
def python_matches_possessive_quantifiers(
    app_configs: Sequence[AppConfig] | None = None, version: tuple[int, ...] = sys.version_info[:3], **_: Any
) -> list[CheckMessage]:
    """finclaw.E002: an older Python, by which orders pass the boundary guard and secrets are not found."""
    if version >= LEAST_PYTHON:
        return []
    needed, running = (".".join(map(str, numbers)) for numbers in (LEAST_PYTHON, version))
    message = f"Python {running} misreads regular expressions on which guards rely; run FinClaw with {needed} or later."
    return [Error(message, id="finclaw.E002")]
