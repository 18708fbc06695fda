"""Try what the configured models can do, and say what will be degraded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from foundation.llm import configured_model_ids
from foundation.llm.configuration import model_to_check
from foundation.llm.model_check import CheckedSettings, CheckResult, check_model

_WIDTH = 34


class Command(BaseCommand):
    """Ask each configured model a dozen small questions. Exits with 1 where a model does not answer at all."""

    help = (
        "Try what the configured models can do (answer, stream, heed a system prompt, JSON, tools, context window) and "
        "say what will be degraded. Exits with 1 where one does not answer at all. Costs some hundred tokens a model."
    )
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.OPENAI_BASE_URL:
            self.stdout.write(
                "No language model is configured (OPENAI_BASE_URL is empty): answers are made by rules, or quote what "
                "is remembered."
            )
            return
        models = configured_model_ids()
        if not models:
            raise CommandError("OPENAI_BASE_URL is set, so MODEL_LARGE must name a model.")
        silent = [model_id for model_id in models if not self._check(model_id)]
        if silent:
            raise CommandError(f"{' and '.join(silent)} cannot be used.")

    def _check(self, model_id: str) -> bool:
        """Whether the model answers; prints each trial as it ends, then what is degraded."""
        self.stdout.write(f"{model_id} at {_shown_address(settings.OPENAI_BASE_URL)}")
        stated = CheckedSettings(settings.MODEL_CALLS_TOOLS, settings.MODEL_CONTEXT_WINDOW)
        results = []
        for result in check_model(model_to_check(), model_id, stated):
            results.append(result)
            self.stdout.write(f"  {result.tried:{_WIDTH}}{result.found}")
        self._tell_degraded(results)
        return not any(result.is_fatal for result in results)

    def _tell_degraded(self, results: Iterable[CheckResult]) -> None:
        missing = [result for result in results if result.without]
        self.stdout.write("Degraded:" if missing else "Nothing is degraded.")
        for result in missing:
            self.stdout.write(f"  {result.tried}: {result.without}")
        self.stdout.write("")


def _shown_address(base_url: str) -> str:
    """Where the server is, without a user, a password or a query that may hold a key."""
    parts = urlsplit(base_url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"
