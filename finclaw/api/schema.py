"""The parts of the OpenAPI schema that all operations share: errors, sign-in, Idempotency-Key."""

from __future__ import annotations

import re
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema as SpectacularSchema
from drf_spectacular.utils import Direction, OpenApiParameter, OpenApiResponse
from rest_framework import serializers

from finclaw.statuses import STATUS_OF

NO_CONTENT = {204: None}
PAGE = [
    OpenApiParameter("cursor", str, description="From ``next`` or ``previous``."),
    OpenApiParameter("page_size", int, description="At most 200; 50 unless said."),
]
_KEYLESS = re.compile(r"/auth/|/provisioning/|/export$")
_READING_POSTS = ("/search", "/preview")


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


class AutoSchema(SpectacularSchema):
    """Adds what the contract says of all operations."""

    def get_override_parameters(self) -> list[Any]:
        """``Idempotency-Key`` on every write but sign-in, tokens and exports."""
        is_reading = self.path.endswith(_READING_POSTS)
        if self.method == "GET" or is_reading or _KEYLESS.search(self.path):
            return []
        header = OpenApiParameter(
            "Idempotency-Key", str, OpenApiParameter.HEADER,
            description="The same key with the same request within 24 hours answers the first answer again.",
        )  # fmt: skip
        return [header]

    def _get_response_bodies(self, direction: Direction = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        error = OpenApiResponse(ErrorBody, description="``{code, message, details}``")
        for status in sorted(set(STATUS_OF.values())):
            if str(status) not in bodies:
                described = self._get_response_for_code(error, str(status), None, direction)  # type: ignore[no-untyped-call]
                bodies[str(status)] = described
        return bodies


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
