"""The OpenAPI document is a reference: every operation, field, parameter and body is described by words and example."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator
from rest_framework import serializers

from finclaw.api.operations import raises
from finclaw.api.reference_texts import reference_texts
from finclaw.api.schema import ERROR_CODES
from finclaw.api.serializers import StrictSerializer
from finclaw.statuses import STATUS_OF

_CHOICES = re.compile(r"(?m)^\* .*$")
LONGEST_SUMMARY = 90


@cache
def document() -> dict[str, Any]:
    generator: Any = SchemaGenerator
    return dict(generator().get_schema(request=None, public=True))


def _operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def test_every_operation_has_a_summary_and_a_tag_that_is_described() -> None:
    tags = {tag["name"] for tag in document()["tags"]}
    for name, operation in _operations():
        assert 0 < len(operation["summary"]) <= LONGEST_SUMMARY, name
        assert operation["description"].startswith(operation["summary"].split("`")[0]), name
        assert set(operation["tags"]) <= tags, f"describe the tag of {name} in reference_texts.yaml"
    assert tags == set(reference_texts().tags), "a tag without an operation is described"


def test_every_property_and_every_parameter_is_described() -> None:
    for schema, described in document()["components"]["schemas"].items():
        for name, value in described.get("properties", {}).items():
            told = _CHOICES.sub("", value.get("description", "")).strip()
            assert told, f"give {schema}.{name} a help_text, or a line in reference_texts.yaml"
    for operation, found in _operations():
        for parameter in found.get("parameters", ()):
            assert parameter.get("description"), (operation, parameter["name"])


def test_every_body_and_answer_is_described_and_every_body_has_an_example() -> None:
    for name, operation in _operations():
        for media, body in operation.get("requestBody", {}).get("content", {}).items():
            assert body.get("examples") or media != "application/json", f"give the body of {name} an example"
        assert all(answer["description"] for answer in operation["responses"].values()), name


def test_every_example_is_a_body_that_is_taken() -> None:
    known = {found.__name__: found for found in _descendants(StrictSerializer)}
    for name, texts in reference_texts().serializers.items():
        if texts.example is not None and name in known:
            body = known[name](data=texts.example)
            assert body.is_valid(), (name, body.errors)


def test_an_answer_requires_what_it_always_has_and_a_request_what_must_be_given() -> None:
    asked = _components([operation.get("requestBody") for _, operation in _operations()])
    answered = _components([operation["responses"] for _, operation in _operations()])
    described = document()["components"]["schemas"]
    both = {name for name in asked & answered if described[name].get("type") == "object"}
    assert not both, "what a request may leave out is read from the first of the two that is described"
    optional = {
        f"{schema}.{name}"
        for schema in answered
        for name in set(described[schema].get("properties", ())) - set(described[schema].get("required", ()))
    }
    assert {"ResultOutput.title", "ProvenanceOutput.program", "TurnOutput.masked"} <= optional, "declared as such"
    assert not {"ItemOutput.state", "TokenOutput.name", "PresentedToken.scopes"} & optional, "a row has them"
    assert described["SessionInput"].get("required", []) == []


def _components(part: Any) -> set[str]:
    """The names of the schemas that a part of the document refers to, also through one another."""
    found, unread = set[str](), [part]
    while unread:
        told = json.dumps(unread.pop(), default=str)
        new = set(re.findall(r"#/components/schemas/(\w+)", told)) - found
        found |= new
        unread += [document()["components"]["schemas"][name] for name in new]
    return found


def test_no_text_speaks_of_what_is_not_there() -> None:
    known = {found.__name__: found for found in _descendants(serializers.BaseSerializer)}
    for name, texts in reference_texts().serializers.items():
        assert name in known, name
        missing = set(texts.fields) - set(known[name]().fields)
        assert not missing, f"{name} has no {missing}"
    used = {name for schema in document()["components"]["schemas"].values() for name in schema.get("properties", {})}
    used |= {parameter["name"] for _, operation in _operations() for parameter in operation.get("parameters", ())}
    assert not set(reference_texts().fields) - used


def test_nothing_of_the_inside_shows() -> None:
    assert not re.findall(r"context\[|\bpermit\b|\bself\.", json.dumps(document(), default=str))


def test_an_operation_lists_the_errors_that_it_can_answer_and_no_others() -> None:
    listed = {name: set(operation[ERROR_CODES]) for name, operation in _operations()}
    anywhere = set.intersection(*listed.values())
    assert anywhere == {
        "validation_error", "internal_error", "service_unavailable", "overloaded", "server_stopping", "rate_limited"
    }  # fmt: skip
    assert {"idempotency_conflict", "csrf_failed", "malformed_json"} <= listed["POST /api/groups"]
    assert not {"idempotency_conflict", "csrf_failed", "malformed_json"} & listed["GET /api/groups"]
    assert "csrf_failed" not in listed["POST /api/provisioning/tenants"]
    assert not {"not_authenticated", "csrf_failed"} & listed["POST /api/auth/token"]
    for name, operation in _operations():
        statuses = {str(STATUS_OF[code]) for code in listed[name]}
        assert {status for status in operation["responses"] if status >= "400"} == statuses, name


def test_a_code_that_is_none_cannot_be_declared() -> None:
    with pytest.raises(ValueError, match="out_of_wine"):
        raises("out_of_wine")


def _descendants(base: type) -> Iterator[type[Any]]:
    for found in base.__subclasses__():
        yield found
        yield from _descendants(found)
