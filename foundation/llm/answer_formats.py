"""How a model is asked for JSON: by schema, as any object, or in words alone. Remembers what each server accepts.

Not every compatible server knows ``response_format``, and one that does may take objects only (DeepSeek) or answer 500
to a schema (llama-cpp-python). In the two lower formats the schema stands in the prompt instead.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final, Literal

from foundation.llm.expiring_memory import ExpiringMemory
from foundation.llm.structured_answers import response_format

AnswerFormat = Literal["json_schema", "json_object", "prompt"]
FORMATS: Final[tuple[AnswerFormat, ...]] = ("json_schema", "json_object", "prompt")
"""From the strictest, in which the server enforces the schema, to the one that every server accepts."""
_RULE: Final = (  # "JSON" must stand in it: OpenAI and DeepSeek refuse `json_object` to a prompt without the word
    "Answer with one JSON object and nothing else: no words around it, no Markdown. It satisfies this JSON Schema:"
)


def format_fields(asked: AnswerFormat, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a request that ask for an answer in this format."""
    if asked == "json_schema":
        return {"response_format": response_format(schema)}
    return {"response_format": {"type": "json_object"}} if asked == "json_object" else {}


def with_schema(messages: Sequence[Mapping[str, Any]], schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages of a request with the schema at the end of the system prompt."""
    rule = f"{_RULE}\n{json.dumps(schema, ensure_ascii=False)}"
    first, rest = dict(messages[0]), [dict(message) for message in messages[1:]]
    if first["role"] != "system":
        return [{"role": "system", "content": rule}, first, *rest]
    return [first | {"content": f"{first['content']}\n\n{rule}"}, *rest]


@dataclass(frozen=True, slots=True)
class KnownFormat:
    """The best format that a model is thought to accept; ``is_proven`` where it gave a valid answer in it."""

    requested: AnswerFormat
    is_proven: bool

    @property
    def to_try(self) -> tuple[AnswerFormat, ...]:
        """The format, and those below it."""
        return FORMATS[FORMATS.index(self.requested) :]


_UNKNOWN: Final = KnownFormat(FORMATS[0], is_proven=False)


class FormatMemory:
    """Which format each model of one server takes. Safe to share between threads."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._known: ExpiringMemory[KnownFormat] = ExpiringMemory(clock)

    def known_format(self, model_id: str) -> KnownFormat:
        """What is known of a model now."""
        return self._known.get(model_id) or _UNKNOWN

    def prove(self, model_id: str, asked: AnswerFormat) -> None:
        """Note that a model gave a valid answer in this format. Repeating it does not renew when the note expires."""
        if self.known_format(model_id) != KnownFormat(asked, is_proven=True):
            self._known.put(model_id, KnownFormat(asked, is_proven=True))

    def doubt(self, model_id: str, asked: AnswerFormat) -> None:
        """Note that an answer did not satisfy the schema: the server may ignore the format that was asked for.

        A model that answered in the format before is asked in it once more. After a second such answer in a row, or
        where none ever satisfied a schema, it is asked in the next format below from then on.
        """
        lower = asked if self.known_format(model_id).is_proven else KnownFormat(asked, is_proven=False).to_try[:2][-1]
        self._known.put(model_id, KnownFormat(lower, is_proven=False))
