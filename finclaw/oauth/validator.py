"""Answers the OAuth library's questions: to whom a code or token belongs, and whether it is still valid."""

from __future__ import annotations

from typing import Any

from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken
from oauth2_provider.oauth2_validators import OAuth2Validator

from finclaw.connected_programs import disconnect
from finclaw.oauth.redirects import matches
from foundation.accounts.program_tokens import checksum, family_of
from foundation.accounts.programs import live_connection


class ProgramValidator(OAuth2Validator):  # type: ignore[misc]  # the library has no types
    """The library's rules, made stricter. A request runs in one transaction, so the rows it checks stay locked."""

    def _load_application(self, client_id: str, request: Any) -> Any:
        """The program of this id. An unknown one is not fetched here, where no user is signed in."""
        if not (client_id or "").isprintable() or not Application.objects.filter(client_id=client_id).exists():
            return None
        return super()._load_application(client_id, request)

    def validate_redirect_uri(self, client_id: str, redirect_uri: str, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Whether the program registered this address; see ``matches`` for ports of loopback addresses."""
        return matches(redirect_uri, request.client.redirect_uris.split())

    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Whether the code may be exchanged for tokens. A code used twice revokes the tokens issued for it."""
        if "\x00" in code:
            return False
        grant = Grant.objects.select_for_update().filter(code=code).first()
        if grant is None:
            RefreshToken.revoke_family(family_of(code))
            return False
        if live_connection(grant.user_id, client.pk) is None:
            return False
        return bool(super().validate_code(client_id, code, client, request, *args, **kwargs))

    def validate_refresh_token(self, refresh_token: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Whether the token may be exchanged for new ones. A token used twice revokes its whole family."""
        list(RefreshToken.objects.select_for_update().filter(token_checksum=checksum(refresh_token)))
        if not super().validate_refresh_token(refresh_token, client, request, *args, **kwargs):
            return False
        return live_connection(request.user.pk, client.pk) is not None

    def revoke_token(self, token: str, token_type_hint: str, request: Any, *args: Any, **kwargs: Any) -> None:
        """End the connection whose token a program gives back; anybody else's token is left as it is."""
        if request.client is None:
            return
        for model in (AccessToken, RefreshToken):
            for row in model.objects.filter(token_checksum=checksum(token), application=request.client.pk):
                connection = live_connection(row.user_id, request.client.pk)
                if connection is not None:
                    disconnect(row.user_id, connection.pk, actor_id=None)

    def _check_and_set_request_resource(self, request: Any) -> None:
        """Compare the resource without a slash at its end, as the page did."""
        if isinstance(named := getattr(request, "resource", None), str):
            request.resource = named.rstrip("/")
        super()._check_and_set_request_resource(request)

    def _create_refresh_token(
        self, request: Any, refresh_token_code: str, access_token: Any, previous_refresh_token: Any
    ) -> Any:
        made = super()._create_refresh_token(request, refresh_token_code, access_token, previous_refresh_token)
        if previous_refresh_token is None:
            made.token_family = family_of(request.code)
            RefreshToken.objects.filter(pk=made.pk).update(token_family=made.token_family)
        return made
