"""The parts of the OpenAPI schema that all operations share: sign-in, errors, headers, descriptions, examples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema as SpectacularSchema
from drf_spectacular.plumbing import append_meta
from drf_spectacular.utils import Direction, OpenApiParameter, OpenApiResponse
from rest_framework import serializers
from rest_framework.fields import empty

from finclaw.api import idempotency
from finclaw.api.authentication import SessionAuthentication, TokenAuthentication
from finclaw.api.operation_errors import OperationTraits, by_status, error_codes
from finclaw.api.operations import locations, own_codes
from finclaw.api.reference_texts import reference_texts
from finclaw.statuses import STATUS_OF

NO_CONTENT = {204: None}
PAGE = [
    OpenApiParameter("cursor", str, description="From ``next`` or ``previous`` of another page."),
    OpenApiParameter("page_size", int, description="How many a page holds: at most 200; 50 unless said."),
]
ERROR_CODES: Final = "x-error-codes"
_KEYLESS = re.compile(r"/auth/|/provisioning/|/export$|/imports|/v1/responses/")
_READING_POSTS = ("/search", "/preview", "/api/context", "/v1/embeddings")
_SENTENCE: Final = re.compile(r"(.+?)(?:[.:;](?=\s|$)|$)", re.S)
_RATE_LIMIT: Final = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
_RETRIED: Final = frozenset({425, 429, 503, 507})


class ErrorBody(serializers.Serializer[Any]):
    """Every error. ``details`` maps refused fields to sentences, or explains the code."""

    code = serializers.ChoiceField(choices=sorted(STATUS_OF))
    message = serializers.CharField()
    details = serializers.DictField()


def page_of(output: type[serializers.BaseSerializer[Any]]) -> type[serializers.Serializer[Any]]:
    """The serializer of one page of ``output``."""
    fields = {
        "results": output(many=True),
        "next": serializers.URLField(allow_null=True),
        "previous": serializers.URLField(allow_null=True),
    }
    return type(f"{output.__name__.removesuffix('Output')}Page", (serializers.Serializer,), fields)


def is_always_answered(serializer: serializers.Serializer[Any], name: str) -> bool:
    """Whether every answer of a serializer has a field: all but those declared ``required=False`` with no default. What
    a model's field does not require of a request, its row has.
    """
    field = serializer.fields[name]
    is_given = field.required or field.read_only or field.default is not empty
    return is_given or name not in serializer._declared_fields


class AutoSchema(SpectacularSchema):
    """Adds what the contract says of all operations."""

    @cached_property
    def handler(self) -> Any:
        """The method of the view that answers."""
        return getattr(self.view, str(self.method).lower())

    def get_summary(self) -> str | None:
        """The first sentence of the description."""
        found = _SENTENCE.match(" ".join(self.get_description().split()))
        return found[1].replace("``", "`") if found else None

    def takes_key(self) -> bool:
        """Whether an ``Idempotency-Key`` is obeyed: by every write but sign-in, tokens, exports and imports."""
        is_reading = self.method == "GET" or self.path.endswith(_READING_POSTS)
        return not is_reading and not _KEYLESS.search(self.path)

    def get_override_parameters(self) -> list[Any]:
        """``Idempotency-Key``, where it is obeyed."""
        if not self.takes_key():
            return []
        header = OpenApiParameter(
            idempotency.HEADER, str, OpenApiParameter.HEADER,
            description="The same key with the same request within 24 hours answers the first answer again.",
        )  # fmt: skip
        return [header]

    def error_codes(self) -> frozenset[str]:
        """The codes of the errors that this operation can answer."""
        parameters = {parameter["name"]: parameter["in"] for parameter in self._get_parameters()}
        traits = OperationTraits(
            is_signed_in=bool(self.get_auth()),
            acts_for_person=TokenAuthentication in self.view.authentication_classes,
            takes_browsers=SessionAuthentication in self.view.authentication_classes,
            is_write=self.method != "GET" and not self.path.endswith(_READING_POSTS),
            has_body=self.method in {"POST", "PUT", "PATCH"} and bool(self._get_request_body()),  # type: ignore[no-untyped-call]
            takes_key=self.takes_key(),
            names_something="path" in parameters.values() or "cursor" in parameters,
        )
        return error_codes(traits, own_codes(self.handler))

    def get_extensions(self) -> dict[str, Any]:
        extensions: dict[str, Any] = super().get_extensions()
        return extensions | {ERROR_CODES: sorted(self.error_codes())}

    def _get_response_bodies(self, direction: Direction = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        for body in bodies.values():
            body["description"] = body["description"] or "The answer."
        for status, codes in by_status(self.error_codes()).items():
            told = OpenApiResponse(
                getattr(self.view, "error_body", ErrorBody), description=", ".join(f"`{code}`" for code in codes)
            )
            bodies[str(status)] = self._get_response_for_code(told, str(status), None, direction)  # type: ignore[no-untyped-call]
        return bodies

    def _get_response_headers_for_code(self, status_code: str, direction: Direction = "response") -> dict[str, Any]:
        headers: dict[str, Any] = super()._get_response_headers_for_code(status_code, direction)
        return headers | {name: {"$ref": f"#/components/headers/{name}"} for name in self._headers(int(status_code))}

    def _headers(self, status: int) -> Iterator[str]:
        """The names of the headers that an answer of this status may have."""
        yield "X-Request-Id"
        if status == 401:
            yield "WWW-Authenticate"
            return
        if status == 403 and self.get_auth():
            yield "WWW-Authenticate"
        if self.view.throttle_classes:
            yield from _RATE_LIMIT
        if status in _RETRIED:
            yield "Retry-After"
        if any(location.status == status for location in locations(self.handler)):
            yield "Location"
        if status < 400:
            yield from self._headers_of_success()

    def _headers_of_success(self) -> Iterator[str]:
        if self.get_auth():
            yield "Unacknowledged-Notice"
        if self.takes_key():
            yield idempotency.REPLAYED
        if any(getattr(parameter, "name", "") == "cursor" for parameter in self.get_override_parameters()):
            yield "Link"

    def _get_parameters(self) -> list[dict[str, Any]]:
        parameters: list[dict[str, Any]] = super()._get_parameters()
        texts = reference_texts().fields
        for parameter in parameters:
            if not parameter.get("description") and parameter["name"] in texts:
                parameter["description"] = texts[parameter["name"]]
        return parameters

    def _map_basic_serializer(self, serializer: Any, direction: Direction) -> dict[str, Any]:
        """With a description of each field: its ``help_text``, or what the file of texts says. Of an answer, the fields
        that it always has are required; no serializer describes both a request and an answer.
        """
        schema: dict[str, Any] = super()._map_basic_serializer(serializer, direction)  # type: ignore[no-untyped-call]
        if direction == "response":
            required = [name for name in schema.get("properties", {}) if is_always_answered(serializer, name)]
            schema |= {"required": sorted(required)} if required else {}
        texts = reference_texts()
        for name, described in schema.get("properties", {}).items():
            if serializer.fields[name].help_text:
                continue
            told = texts.field(type(serializer), name)
            if told:
                choices = described.get("description", "")
                meta = {"description": f"{told}\n\n{choices}" if choices else told}
                schema["properties"][name] = append_meta(described, meta)
        return schema

    def _get_examples(self, serializer: Any, direction: Direction, *args: Any, **kwargs: Any) -> Any:
        examples = super()._get_examples(serializer, direction, *args, **kwargs)  # type: ignore[no-untyped-call]
        one = reference_texts().example(serializer if isinstance(serializer, type) else type(serializer))
        return examples if one is None else {**(examples or {}), "example": {"value": one}}


def describe_document(result: dict[str, Any], **_: object) -> dict[str, Any]:
    """Add what the whole document says once: what each tag is about, and what each header means."""
    texts = reference_texts()
    used = {tag for path in result["paths"].values() for operation in path.values() for tag in operation["tags"]}
    result["tags"] = [{"name": tag, "description": told} for tag, told in texts.tags.items() if tag in used]
    result["components"]["headers"] = {
        name: {"description": told, "schema": {"type": "integer" if name.startswith("RateLimit") else "string"}}
        for name, told in texts.headers.items()
    }
    return result


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "finclaw.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: SpectacularSchema) -> dict[str, Any]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "``Authorization: Bearer <token>``; ``Token`` is understood in place of ``Bearer``.",
        }


class ServiceTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "finclaw.api.authentication.ServiceTokenAuthentication"
    name = "service token"

    def get_security_definition(self, auto_schema: SpectacularSchema) -> dict[str, Any]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "``Token <token>`` of an organisation's application, or of whoever provisions.",
        }


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "finclaw.api.authentication.SessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: SpectacularSchema) -> dict[str, Any]:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid", "description": "With the CSRF token."}
