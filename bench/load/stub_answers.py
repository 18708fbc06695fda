"""What the stand-in for a model says: the bytes of its answers, and an answer to any JSON schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import accumulate
from typing import Any, Final

BLOCK_CHARS: Final = 512
"""A provider's prefix cache works by blocks of about so much text (128 tokens)."""
_WORDS: Final = ("That ", "is ", "worth ", "a ", "closer ", "look, ", "step ", "by ", "step. ")
_FROM_TEXT: Final = "closer"
_NEVER_EMPTY: Final[Mapping[str, Any]] = {"string": "", "boolean": False, "array": [], "object": {}, "null": None}


def answer_to(schema: Mapping[str, Any]) -> Any:
    """The least that satisfies a JSON schema: first choices, empty lists, empty texts."""
    return _least(schema, schema.get("$defs", {}))


def _least(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Any:
    if "$ref" in schema:
        return _least(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    for name in ("const", "default"):
        if name in schema:
            return schema[name]
    if "enum" in schema:
        return schema["enum"][0]
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return _least(choices[0], definitions)
    return _least_of_type(schema, definitions)


def _least_of_type(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Any:
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        wanted = schema.get("required", ())
        return {name: _least(schema.get("properties", {}).get(name, {}), definitions) for name in wanted}
    if kind == "array":
        return [_least(schema.get("items", {}), definitions)] * schema.get("minItems", 0)
    if kind in {"number", "integer"}:
        return _within(schema, whole=kind == "integer")
    if kind == "string" and schema.get("minLength"):
        return _FROM_TEXT[: schema.get("maxLength", None)]
    return _NEVER_EMPTY[kind]


def _within(schema: Mapping[str, Any], *, whole: bool) -> float:
    """.9 where that is allowed, for most numbers of a schema are confidences; the least allowed otherwise."""
    least, most = schema.get("minimum", 0), schema.get("maximum", 1)
    return int(least) if whole else float(min(max(least, 0.9), most))


def words(count: int) -> Iterator[str]:
    """So many pieces of an answer."""
    return (_WORDS[number % len(_WORDS)] for number in range(count))


def head(content_type: str, *, status: str = "200 OK", length: int | None = None, extra: str = "") -> bytes:
    """The head of an answer, chunked where its length is not known."""
    size = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    return f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n{size}\r\n{extra}\r\n".encode()


def whole(status: str, body: Mapping[str, Any], extra: str = "") -> bytes:
    """An answer in JSON with its head."""
    data = json.dumps(body).encode()
    return head("application/json", status=status, length=len(data), extra=extra) + data


def event(model: str, delta: Mapping[str, Any] | None, **fields: Any) -> bytes:
    """An event of a stream as a chunk; without a delta it holds no choice."""
    finish = fields.pop("finish_reason", None)
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    shape = {"id": "stub", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": choices}
    return chunk(b"data: " + json.dumps(shape | fields).encode() + b"\n\n")


def chunk(data: bytes) -> bytes:
    """A chunk of the chunked encoding; b"" is the last."""
    return b"%x\r\n%s\r\n" % (len(data), data)


class PrefixCache:
    """What a provider's prefix cache would have held: leading blocks of a prompt that stood at the front before."""

    def __init__(self) -> None:
        self._seen: set[bytes] = set()

    def cached_chars(self, prompt: str) -> int:
        """How many leading characters are known; the prompt is known from now on."""
        blocks = [prompt[at : at + BLOCK_CHARS] for at in range(0, len(prompt) - BLOCK_CHARS + 1, BLOCK_CHARS)]
        digests = list(accumulate(blocks, _digest_with, initial=b""))[1:]
        known = next((place for place, digest in enumerate(digests) if digest not in self._seen), len(digests))
        self._seen.update(digests)
        return known * BLOCK_CHARS


def _digest_with(before: bytes, block: str) -> bytes:
    return blake2b(before + block.encode(errors="replace"), digest_size=8).digest()


def prompt_text(messages: Sequence[Mapping[str, Any]]) -> str:
    """The messages as one text, in their order."""
    return "".join(f"{message.get('role')}\n{message.get('content')}\n" for message in messages)
