"""Requests answers by a JSON schema, and validates them against it, since not every server does."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from jsonschema.exceptions import best_match
from jsonschema.validators import validator_for

from foundation.llm.exceptions import MalformedReply
from foundation.text.storable import storable_value

_THOUGHT, _THOUGHT_END = "<think>", "</think>"
_ESCAPE: Final = "\\u"
_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")
_FENCED: Final = re.compile(r"\A```[a-z]*+(?:[^\S\n]*+\n)++(?P<body>.*)\n[^\S\n]*+```\Z", re.DOTALL | re.IGNORECASE)


def response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The ``response_format`` that asks for one JSON object satisfying ``schema``."""
    name = _NOT_IN_A_NAME.sub("_", str(schema.get("title", "reply")))[:64]
    return {"type": "json_schema", "json_schema": {"name": name, "schema": dict(schema)}}


def structured_text(text: str, schema: Mapping[str, Any], *, amid_words: bool = False) -> str:
    """The JSON object in ``text``, without a Markdown fence, a model's thoughts and what PostgreSQL refuses.

    ``amid_words`` allows words before and after it, for a model that was asked for JSON in words alone. Raises
    ``MalformedReply`` when it is no JSON object or breaks ``schema``; the error names the broken rule, not the content.
    """
    stripped = _without_thoughts(text.strip())
    fenced = _FENCED.match(stripped)
    body = fenced["body"] if fenced else stripped
    if amid_words:
        body = body[max(body.find("{"), 0) : body.rfind("}") + 1]
    value = _parse_object(body)
    _require_schema(value, schema)
    # A \u escape may stand for NUL or half a surrogate pair, so the cleaned value is written anew.
    return json.dumps(value, ensure_ascii=False) if _ESCAPE in body else body


def _without_thoughts(text: str) -> str:
    """The text after the thoughts that some servers leave in front of the answer of a reasoning model."""
    return text.partition(_THOUGHT_END)[2].strip() if text.startswith(_THOUGHT) else text


def _parse_object(body: str) -> dict[str, Any]:
    try:
        value = storable_value(json.loads(body, parse_constant=_refuse_constant))
    except (ValueError, RecursionError):
        raise MalformedReply(details={"reason": "not_json"}) from None
    if not isinstance(value, dict):
        raise MalformedReply(details={"reason": "not_an_object"})
    return value


def _require_schema(value: dict[str, Any], schema: Mapping[str, Any]) -> None:
    broken = best_match(validator_for(schema)(schema).iter_errors(value))
    if broken is not None:
        rule = "/".join(map(str, broken.absolute_schema_path))
        raise MalformedReply(details={"reason": "schema_broken", "rule": rule})


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError("JSON knows neither NaN nor Infinity")
