"""Access tokens of programs: issued for a user name and password, listed and revoked."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from django.contrib.auth import authenticate
from django.db import transaction
from django.http import HttpRequest
from django.urls import path
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from consent.sensitive.services import screen_text
from finclaw.api.base import ApiView, PublicView
from finclaw.api.operations import raises
from finclaw.api.schema import NO_CONTENT, page_of
from finclaw.api.serializers import BoundedList, StrictSerializer
from finclaw.connected_programs import disconnect, withhold
from foundation.accounts.exceptions import InvalidCredentials
from foundation.accounts.models import ApiToken, User
from foundation.accounts.programs import ProgramToken
from foundation.accounts.scopes import ALL_SCOPES
from foundation.accounts.services import issue_token, live_tokens, revoke_tokens
from foundation.exceptions import NotFound, require_found
from memory.kinds import KINDS


class CredentialsInput(StrictSerializer):
    username = serializers.CharField(max_length=60)
    password = serializers.CharField(max_length=128, trim_whitespace=False, write_only=True)
    name = serializers.CharField(max_length=80, required=False, default="", allow_blank=True)


class TokenIssued(serializers.Serializer[Any]):
    token = serializers.CharField()
    expires_at = serializers.DateTimeField(allow_null=True)


class WithheldKindsInput(StrictSerializer):
    withheld_kinds = BoundedList(child=serializers.ChoiceField(choices=KINDS), max_length=len(KINDS))


class TokenOutput(serializers.ModelSerializer[ApiToken]):
    created_at = serializers.DateTimeField(source="created")
    expires_at = serializers.DateTimeField(source="expiry", allow_null=True)
    withheld_kinds = serializers.ListField(
        child=serializers.ChoiceField(choices=KINDS), help_text="The kinds of memory that its user keeps from it."
    )

    class Meta:
        model = ApiToken
        fields = ("id", "name", "created_at", "expires_at", "last_used_at", "withheld_kinds")


class PresentedToken(TokenOutput):
    """What a program may learn of the token it sends: whose it is, what it allows, and for which address it is."""

    user_id = serializers.UUIDField(source="user.pk", help_text="In whose name the token's requests are made.")
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=ALL_SCOPES), default=list(ALL_SCOPES), help_text="What the token allows."
    )
    resource = serializers.URLField(
        allow_null=True, default=None, help_text="The only address it was issued for; null: any."
    )

    class Meta(TokenOutput.Meta):
        fields = (*TokenOutput.Meta.fields, "user_id", "scopes", "resource")  # type: ignore[assignment]


# Not atomic: a failed attempt counts, though its request is refused.
@method_decorator(transaction.non_atomic_requests, name="dispatch")
class TokenView(PublicView):
    """Issues a token for a user name and password, without signing in; revokes the token used."""

    def get_authenticators(self) -> list[BaseAuthentication]:
        return [] if self._signs_in() else super().get_authenticators()

    def get_permissions(self) -> list[Any]:
        return [] if self._signs_in() else list(super().get_permissions())

    def _signs_in(self) -> bool:
        return bool(self.request) and self.request.method == "POST"

    @raises("invalid_credentials", "sensitive_input")
    @extend_schema(operation_id="token_create", request=CredentialsInput, responses=TokenIssued, auth=[])
    def post(self, request: Request) -> Response:
        """A token for a user name and password."""
        given = self.valid(CredentialsInput)
        name = screen_text("token_name", given["name"]).text
        user = _authenticate(request._request, given["username"], given["password"])
        token, plain = issue_token(user, name)
        return Response(TokenIssued({"token": plain, "expires_at": token.expiry}).data)

    @extend_schema(operation_id="token_retrieve_current", responses=PresentedToken)
    def get(self, request: Request) -> Response:
        """The token this request is signed with: whose it is, and what it allows."""
        if not isinstance(request.auth, ApiToken | ProgramToken):
            raise NotFound(_("You are not signed in by a token."))
        return Response(PresentedToken(cast(ApiToken, request.auth)).data)  # of the same fields

    @extend_schema(operation_id="token_revoke_current", responses=NO_CONTENT)
    def delete(self, request: Request) -> Response:
        """Revoke the token this request is signed with; a connected program is disconnected."""
        if isinstance(request.auth, ProgramToken):
            disconnect(request.auth.user.pk, request.auth.id, actor_id=None)
            return Response(status=204)
        if not isinstance(request.auth, ApiToken):
            raise NotFound(_("You are not signed in by a token."))
        revoke_tokens(request.auth.user, request.auth.id)
        return Response(status=204)


def _authenticate(request: HttpRequest, username: str, password: str) -> User:
    user = authenticate(request=request, username=username, password=password)
    if not isinstance(user, User):
        raise InvalidCredentials()
    return user


class TokensView(ApiView):
    @extend_schema(operation_id="token_list", responses=page_of(TokenOutput))
    def get(self, request: Request) -> Response:
        """The valid tokens, newest first."""
        return self.page(live_tokens(self.user), TokenOutput, ordering="-created")

    @extend_schema(operation_id="token_revoke_all", responses=NO_CONTENT)
    def delete(self, request: Request) -> Response:
        """Revoke every token, this one included."""
        revoke_tokens(self.user)
        return Response(status=204)


class OneTokenView(ApiView):
    @extend_schema(operation_id="token_update", request=WithheldKindsInput, responses=TokenOutput)
    def patch(self, request: Request, token_id: UUID) -> Response:
        """Keep whoever holds a token from kinds of memory, from the next request on.

        They do not see these kinds, and write none of them directly; what is said through them is learned all the same.
        The list replaces the one before, and takes what tells the same along, as of a connected program. A token that
        is kept from anything reaches the addresses that connected programs reach, and mem0's, and no others.
        """
        token = require_found(live_tokens(self.user).filter(id=token_id).first())
        withhold(self.user, token, self.valid(WithheldKindsInput)["withheld_kinds"])
        return Response(TokenOutput(token).data)

    @extend_schema(operation_id="token_revoke", responses=NO_CONTENT)
    def delete(self, request: Request, token_id: UUID) -> Response:
        """Revoke one token."""
        if not revoke_tokens(self.user, token_id):
            raise NotFound()
        return Response(status=204)


urlpatterns = [
    path("auth/token", TokenView.as_view(), name="token"),
    path("auth/tokens", TokensView.as_view(), name="tokens"),
    path("auth/tokens/<uuid:token_id>", OneTokenView.as_view(), name="one_token"),
]
