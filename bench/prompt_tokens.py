"""How many tokens each part of a prompt takes, and how many of them the next turn sends again unchanged.

    python -m bench.prompt_tokens

Over the fixed conversations whose prompts the tests compare. Tokens are estimated as the budget estimates them. What
stands unchanged at the front of the next turn's prompt is what a provider's prefix cache can serve.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from bench.report import publish

if TYPE_CHECKING:
    from foundation.llm import Prompt
    from tests.support.prompt_cases import PromptCase

_PART_OF_TAG: Final = {
    "knowledge": "knowledge", "user_memory": "memories", "event": "memories", "profile": "portraits",
    "entities": "entities", "summary": "summaries", "user_context": "context", "setting": "date, place, name",
}  # fmt: skip
_ELEMENT: Final = re.compile(rf"<({'|'.join(_PART_OF_TAG)})\b[^<>]*>[^<]*</\1>")


def count_case(case: PromptCase) -> dict[str, float]:
    """The tokens of each part of the case's prompt, of the whole, and of the front that the next turn shares."""
    from foundation.text import estimate_tokens

    prompt = case.compose().prompt
    *before, asked = _messages(prompt)
    counts = {"instructions": 0.0} | dict.fromkeys(_PART_OF_TAG.values(), 0.0) | {"history": 0.0}
    message = estimate_tokens(case.parts.message)
    for role, text in (*before, asked):
        for element in _ELEMENT.finditer(text):
            counts[_PART_OF_TAG[element[1]]] += estimate_tokens(element.group())
        is_history = role != "system" and (role, text) != asked
        counts["history" if is_history else "instructions"] += estimate_tokens(_ELEMENT.sub("", text))
    counts["instructions"] -= message
    whole = sum(counts.values()) + message
    return counts | {"message": message, "whole": whole, "same next turn": _shared_front(case)}


def _shared_front(case: PromptCase) -> float:
    from foundation.text import estimate_tokens

    now, following = ("\n".join(map("\n".join, _messages(turn.compose().prompt))) for turn in (case, case.following()))
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(now, following, strict=False)))
    return estimate_tokens(now[:same])


def _messages(prompt: Prompt) -> Iterator[tuple[str, str]]:
    from foundation.llm.wire_format import chat_messages

    return ((message["role"], message["content"]) for message in chat_messages(prompt, None))


def main() -> None:
    """Print the table and write the figures."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "finclaw.settings")
    django.setup()
    from tests.support.prompt_cases import CASES, LONG

    counted = {case.name: count_case(case) for case in (*CASES, LONG)}
    rows: dict[str, dict[str, float]] = {}
    for part in counted[LONG.name]:
        by_case = {name: counts[part] for name, counts in counted.items()}
        rows[part] = by_case | {"together": sum(by_case.values())}
    publish("prompt_tokens", "Tokens of a prompt's parts", rows)


if __name__ == "__main__":
    main()
