"""``manage.py compile_catalogues``: make of the ``.po`` files what gettext reads."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from finclaw.catalogues import compile_catalogue, translated_languages


class Command(BaseCommand):
    """Needs no gettext tools, and leaves alone what is newer than its source."""

    help = "Compile the translation catalogues (.po to .mo)."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        for language in translated_languages():
            compile_catalogue(language)
