"""Whatever anybody may write has a length from which it is refused before anything reads it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any, Final

import pytest
from django import forms
from django.conf import settings
from django.test import Client
from django.urls import reverse
from drf_spectacular.generators import SchemaGenerator

import finclaw.web.forms
from foundation.accounts.models import User
from tests.support.api import post, signed_in
from tests.support.cast import allow
from tests.support.talk import open_session

_SHORT_FORMATS: Final = frozenset({"uuid", "date", "date-time"})
_OF_A_RESPONSE: Final = ("input", "instructions", "text", "reasoning")
_BOUNDED_OTHERWISE: Final = {
    "": "a file of conversations: its bytes are counted, and each message is bounded",
    "AdditionInput.metadata": "at most so many characters of JSON, by its own rule",
    "PatchedCorrectionInput.metadata": "the same rule",
    "EndBody.request_id": "its pattern says how long",
    "ChatCompletionInput.messages": "a message is bounded, and all that reaches the model is counted together",
    **{f"ResponseInput.{name}": "counted together with all that reaches the model" for name in _OF_A_RESPONSE},
}
_OF_THE_FRAMEWORK: Final = {
    "SignInForm": "django's form bounds the name when it is made; a password is hashed, in time linear in its length",
    "PasswordForm": "django's own fields: hashed likewise",
}


def test_every_field_of_the_api_says_how_long_it_may_be() -> None:
    generator: Any = SchemaGenerator
    schema = generator().get_schema(request=None, public=True)
    bodies = [
        content["schema"]
        for operations in schema["paths"].values()
        for operation in operations.values()
        for kind, content in operation.get("requestBody", {}).get("content", {}).items()
        if kind == "application/json"
    ]

    unbounded = {name for body in bodies for name in _unbounded(schema, body, "", frozenset())}

    assert len(bodies) > 20
    assert unbounded == set(_BOUNDED_OTHERWISE)


def test_every_form_field_says_how_long_it_may_be() -> None:
    found = list(_form_fields())
    unbounded = {form for form, field in found if field.max_length is None and not isinstance(field, forms.UUIDField)}

    assert len(found) > 20
    assert unbounded == set(_OF_THE_FRAMEWORK)


@pytest.mark.parametrize(
    ("path", "field", "most"), [("memories", "messages", 100), ("sessions/{session}/messages", "content_blocks", 20)]
)
def test_a_long_list_is_counted_before_its_elements_are_read(alice: User, path: str, field: str, most: int) -> None:
    allow(alice)
    address = f"/api/{path}".format(session=open_session(alice).pk)

    answer = post(signed_in(alice), address, {field: [{"no": "such field"}] * (most + 1)})

    assert answer.status_code == 400
    assert answer.json()["details"][field] == [f"Ensure this field has no more than {most} elements."]


def test_of_many_unknown_fields_twenty_are_named(alice: User) -> None:
    answer = post(signed_in(alice), "/api/memories", {str(number): "" for number in range(1_000)})

    assert answer.status_code == 400
    assert len(answer.json()["details"]) == 20


def test_of_a_message_that_is_far_too_long_a_bounded_part_comes_back(alice: User, client: Client) -> None:
    allow(alice)
    session = open_session(alice)
    client.force_login(alice)

    answer = client.post(reverse("web:chat_send", args=[session.pk]), {"content": "Well, " * 20_000})

    assert answer.status_code == 400
    assert len(answer.context["draft"]) == 2 * settings.MAX_MESSAGE_CHARS


def _unbounded(schema: dict[str, Any], part: dict[str, Any], path: str, seen: frozenset[str]) -> Iterator[str]:
    """The names of strings, lists and free objects in a request that have no upper bound."""
    if reference := part.get("$ref"):
        name = reference.rpartition("/")[2]
        if name not in seen:
            yield from _unbounded(schema, schema["components"]["schemas"][name], name, seen | {name})
        return
    for choice in ("allOf", "oneOf", "anyOf"):
        for one in part.get(choice, ()):
            yield from _unbounded(schema, one, path, seen)
    yield from [path] if _is_unbounded(part) else []
    if "items" in part:
        yield from _unbounded(schema, part["items"], path, seen)
    for name, field in part.get("properties", {}).items():
        yield from _unbounded(schema, field, f"{path}.{name}", seen)


def _is_unbounded(part: dict[str, Any]) -> bool:
    kinds = {part["type"]} if isinstance(part.get("type"), str) else set(part.get("type") or ())
    if "string" in kinds and "maxLength" not in part and "enum" not in part:
        return part.get("format") not in _SHORT_FORMATS
    return ("array" in kinds and "maxItems" not in part) or isinstance(part.get("additionalProperties"), dict)


def _form_fields() -> Iterator[tuple[str, forms.CharField]]:
    package = finclaw.web.forms
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        for name, form in vars(importlib.import_module(info.name)).items():
            if isinstance(form, type) and issubclass(form, forms.BaseForm) and form.__module__ == info.name:
                yield from (
                    (name, field) for field in vars(form)["base_fields"].values() if isinstance(field, forms.CharField)
                )
