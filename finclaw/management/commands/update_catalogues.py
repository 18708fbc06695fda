"""``manage.py update_catalogues``: bring the ``.po`` files to the strings of the sources."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from finclaw.catalogues import compile_catalogue, translated_languages, untranslated, update_catalogue


class Command(BaseCommand):
    """Adds what is new, drops what is gone, and says what waits for a translation."""

    help = "Update the translation catalogues from the strings in the source code, and compile them."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        for language in translated_languages():
            catalogue = update_catalogue(language)
            compile_catalogue(language)
            waiting = untranslated(catalogue)
            self.stdout.write(f"{language}: {len(catalogue)} strings, {len(waiting)} of them not translated")
