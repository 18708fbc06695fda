"""Renders ``docs/api.md`` from the server's OpenAPI schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from textwrap import fill
from typing import Any, Final

from drf_spectacular.generators import SchemaGenerator

from finclaw.api.operation_errors import USUAL
from finclaw.api.schema import ERROR_CODES
from finclaw.statuses import STATUS_OF

_WIDTH: Final = 120
_METHODS: Final = ("get", "post", "put", "patch", "delete")
_HEAD: Final = """\
# HTTP contract

Written by `manage.py document_api` from the OpenAPI schema; do not edit. The running server gives the whole schema at
`/api/schema`, to browse at `/api/docs`.

JSON in UTF-8, times in RFC 3339 with offset, ids are UUIDs. Sign in with `Authorization: Bearer <token>` (or
`Token <token>`), or with the session cookie and its CSRF token. `{user_id}` may be `me`. With a service token the
header `X-FinClaw-User`, or `{user_id}`, names whom the request is for, by your id for that person; see
`docs/provisioning.md`. A list is one page of many: `{"results": [...], "next": url|null, "previous": url|null}`. Writes
take an `Idempotency-Key`: the same key with the same request within 24 hours answers the first answer again; give up to
200 letters, digits or any of `._:@=+/"-`, such as a UUID. `*` marks what a request must hold. While the notice of
`/api/users/me` has yet to be acknowledged as it reads now, each answer holds its version in the header
`Unacknowledged-Notice`.

Headers: `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` (seconds) tell on each answer what is left of
the rate; `Location` beside 201 and 202 is where the thing made, or the work begun, is found; `Link` names the pages
beside one; `Idempotency-Replayed: true` marks an answer that was given before; `X-Request-Id` names the request in the
logs.

## Errors

Every error is `{"code", "message", "details"}`; where a header `Retry-After` stands beside, ask again after so many
seconds. An operation names the codes of its own under "Refused with"; which of the others it can answer, the schema
says (`x-error-codes`). The codes by status:

"""
_JSON: Final = "application/json"

Schema = Mapping[str, Any]


def render_reference() -> str:
    """The whole page as Markdown: the error codes, then every operation by resource."""
    generator: Any = SchemaGenerator
    schema = generator().get_schema(request=None, public=True)
    operations = sorted(_operations(schema), key=lambda found: found[0])
    sections = [_HEAD + "\n".join(_error_lines())]
    for resource, group in groupby(operations, key=lambda found: found[0]):
        sections.append(f"## {resource}\n\n" + "\n".join(_describe_operation(schema, *found[1:]) for found in group))
    return "\n\n".join(sections) + "\n"


def _error_lines() -> Iterator[str]:
    for status in sorted(set(STATUS_OF.values())):
        codes = ", ".join(f"`{code}`" for code, its_status in STATUS_OF.items() if its_status == status)
        yield _wrap(f"- {status}: {codes}")


def _operations(schema: Schema) -> Iterator[tuple[str, str, str, Schema]]:
    """(resource, path, method, operation) of every operation."""
    for path, methods in schema["paths"].items():
        for method in _METHODS:
            if method in methods:
                yield methods[method]["tags"][0], path, method, methods[method]


def _describe_operation(schema: Schema, path: str, method: str, operation: Schema) -> str:
    successes = ", ".join(status for status in operation["responses"] if status < "400")
    lines = [f"- `{method.upper()} {path}` → {successes}"]
    lines += [_wrap(operation["description"].replace("``", "`"), "  ")] if operation.get("description") else []
    query = [found for found in operation.get("parameters", []) if found["in"] == "query"]
    if query:
        fields = ", ".join(
            _describe_field(schema, found["name"], found["schema"], found.get("required")) for found in query
        )
        lines.append(_wrap(f"Query: {fields}", "  "))
    body = operation.get("requestBody", {}).get("content", {}).get(_JSON, {}).get("schema")
    if body:
        lines.append(_wrap(f"Body: {_describe_fields(schema, body, marks_required=True)}", "  "))
    for status, response in operation["responses"].items():
        answer = response.get("content", {}).get(_JSON, {}).get("schema")
        if status < "400" and answer:
            lines.append(_wrap(f"Answer: {_describe_fields(schema, answer)}", "  "))
    if special := sorted(set(operation[ERROR_CODES]) - USUAL):
        lines.append(_wrap("Refused with: " + ", ".join(f"`{code}`" for code in special), "  "))
    return "\n".join(lines)


def _describe_fields(schema: Schema, described: Schema, *, marks_required: bool = False) -> str:
    """The fields of an object, of what a page or a list holds, or the name of the type."""
    resolved = _resolve(schema, described)
    if resolved.get("type") == "array":
        return f"a list of {_describe_fields(schema, resolved['items'])}"
    properties = resolved.get("properties")
    if not properties:
        return f"`{resolved.get('type', 'any')}`"
    if {"results", "next", "previous"} == set(properties):
        return f"a page of {_describe_fields(schema, properties['results']['items'])}"
    required = resolved.get("required", ()) if marks_required else ()
    return ", ".join(_describe_field(schema, name, value, name in required) for name, value in properties.items())


def _describe_field(schema: Schema, name: str, described: Schema, is_required: object) -> str:
    values = _resolve(schema, described).get("enum")
    choices = f" ({'|'.join(str(value) for value in values)})" if values and len(values) <= 12 else ""
    return f"`{name}`{'*' if is_required else ''}{choices}"


def _resolve(schema: Schema, described: Schema) -> Schema:
    """The schema itself, where it is a reference or wraps a single one."""
    while True:
        if len(described.get("allOf", ())) == 1:
            described = described["allOf"][0]
        elif "$ref" in described:
            described = schema["components"]["schemas"][described["$ref"].rsplit("/", 1)[-1]]
        else:
            return described


def _wrap(text: str, indent: str = "") -> str:
    return fill(
        " ".join(text.split()),
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent or "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
