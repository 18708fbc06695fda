"""Asks a small model which of several texts fit a description, in one call."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from foundation.llm.configuration import model_id_for
from foundation.llm.ports import LanguageModel
from foundation.llm.types import CallKind, Message, Prompt
from foundation.sanitization.prompt_text import as_json_data
from foundation.sanitization.types import SafeText


def pick_texts(
    texts: Sequence[str], instruction: SafeText, model: LanguageModel, *, kind: CallKind, title: str, answer: str
) -> frozenset[int]:
    """Indices of the texts that the model names in the field ``answer``. Raises ``ModelUnavailable``, also for an
    unusable answer.
    """
    number = {"type": "integer", "minimum": 0, "maximum": len(texts) - 1}
    schema: dict[str, Any] = {
        "title": title,
        "type": "object",
        "additionalProperties": False,
        "required": [answer],
        "properties": {answer: {"type": "array", "items": number}},
    }
    prompt = picking_prompt(texts, instruction)
    reply = model.call(prompt, model_id_for("small"), kind=kind, schema=schema, max_tokens=200)
    return frozenset(json.loads(reply.text)[answer])


def picking_prompt(texts: Sequence[str], instruction: SafeText) -> Prompt:
    """What the model is asked; the texts stand in it as JSON, so they cannot open elements of their own."""
    listed = as_json_data({str(number): text for number, text in enumerate(texts)})
    return Prompt(instruction, (Message("user", listed),))
