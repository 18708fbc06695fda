"""Write versions of the prompt, compare them, and preview them on the evaluation set."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from consent.models import PromptVersion
from finclaw.brain.prompt.guides import SHIPPED_VERSION
from finclaw.operator_sign_in import identify_operator
from finclaw.prompt_drafts import compare_prompts, draft_prompt_version, prompt_texts, prompt_wording
from finclaw.prompt_previews import answers_to, preview_prompt, preview_questions
from foundation.exceptions import FinClawError, NotFound, refusal_in_words
from foundation.llm.configuration import configured_model


class Command(BaseCommand):
    """List versions, show one beside the shipped guides, or write one."""

    help = (
        "Without arguments, list the versions of the prompt. Show how one differs from the shipped guides and what"
        " that changes on the evaluation set, with --answers also what the configured model answers, or write one"
        " from a JSON file with --draft."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("version", nargs="?", help="the number of a version, or with --draft a JSON file")
        parser.add_argument(
            "--draft", action="store_true", help="write the version of the file: note, guides, and if need be based_on"
        )
        parser.add_argument("--answers", type=int, default=0, metavar="N", help="ask the model N questions, both ways")
        parser.add_argument("--operator", metavar="NAME", help="your user name; you are asked for password and code")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["version"]:
            self._list()
        elif options["draft"]:
            self._draft(options)
        else:
            self._show(options["version"], options["answers"])

    def _list(self) -> None:
        self.stdout.write(f"{SHIPPED_VERSION}: shipped")
        for row in PromptVersion.objects.order_by("number"):
            self.stdout.write(f"{row.number}: {row.note} (from {row.based_on}, {row.created_at:%Y-%m-%d})")

    def _draft(self, options: dict[str, Any]) -> None:
        try:
            given = json.loads(Path(options["version"]).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise CommandError(f"This is no file of JSON: {options['version']}.") from error
        texts = given.get("guides") if isinstance(given, dict) else None
        if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
            raise CommandError('A version is an object with "note" and "guides", each guide a text by its name.')
        operator = identify_operator(options["operator"])
        based_on = str(given.get("based_on", SHIPPED_VERSION))
        try:
            whole = prompt_texts(based_on) | texts
            version = draft_prompt_version(operator, whole, note=str(given.get("note", "")), based_on=based_on)
        except FinClawError as refusal:
            raise CommandError(refusal_in_words(refusal)) from None
        self.stdout.write(f"Version {version.number} is written; nobody gets it before an experiment names it.")

    def _show(self, version: str, answers: int) -> None:
        try:
            before, after = prompt_wording(SHIPPED_VERSION), prompt_wording(version)
        except NotFound:
            raise CommandError(f"There is no version {version}.") from None
        for found in compare_prompts(prompt_texts(SHIPPED_VERSION), prompt_texts(version)):
            self.stdout.write("\n".join([found.guide.value, *found.lines, ""]))
        preview = preview_prompt(before, after)
        self.stdout.write(f"{preview.prompts} prompts of the evaluation set")
        for name, shipped in vars(preview.before).items():
            self.stdout.write(f"{name}: {shipped:.0f} shipped, {vars(preview.after)[name]:.0f} in these words")
        model = configured_model(None)
        if answers and model.is_offline:
            raise CommandError("No model is configured: only the prompts can be compared.")
        for previewed in islice(preview_questions(before, after), answers):
            shipped_answer, own_answer = answers_to(previewed, model)
            self.stdout.write(f"\n> {previewed.question}\nshipped: {shipped_answer}\nin these words: {own_answer}")
