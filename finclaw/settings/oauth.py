"""Settings of the OAuth library: its grants, tokens and lifetimes, and the features that stay off."""

from __future__ import annotations

from typing import Any, Final

from environs import validate

from finclaw.settings.environment import env
from foundation.accounts.scopes import ALL_SCOPES

_POSITIVE = validate.Range(min=1)

OAUTH2_PROVIDER: Final[dict[str, Any]] = {
    "SCOPES": {scope: scope for scope in ALL_SCOPES},
    "OAUTH2_SERVER_CLASS": "oauthlib.oauth2.WebApplicationServer",  # codes and refresh tokens, no other grant
    "OAUTH2_VALIDATOR_CLASS": "finclaw.oauth.validator.ProgramValidator",
    "ACCESS_TOKEN_GENERATOR": "foundation.accounts.program_tokens.new_access_token",
    "REFRESH_TOKEN_GENERATOR": "foundation.accounts.program_tokens.new_refresh_token",
    "ALLOWED_REDIRECT_URI_SCHEMES": ["https", "http"],  # http to this machine alone: finclaw.oauth.redirects
    "AUTHORIZATION_CODE_EXPIRE_SECONDS": 60,
    "ACCESS_TOKEN_EXPIRE_SECONDS": 60 * env.int("PROGRAM_TOKEN_MINUTES", default=60, validate=_POSITIVE),
    "REFRESH_TOKEN_EXPIRE_SECONDS": 86_400 * env.int("PROGRAM_IDLE_DAYS", default=30, validate=_POSITIVE),
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "CIMD_ENABLED": env.bool("PROGRAM_DOCUMENTS", default=True),
    "CIMD_METADATA_FETCHER": "finclaw.oauth.client_documents.ScreenedFetcher",
    **{
        f"COMPLIANT_BCP_RFC9700_{practice}": True
        for practice in (
            "IMPLICIT_GRANT", "PASSWORD_GRANT", "PKCE_METHOD", "ACCESS_TOKEN_TRANSPORT", "AUTHZ_RESPONSE_ISS",
            "TOKEN_STORAGE", "REFRESH_TOKEN", "REDIRECT_URI_MATCHING", "PKCE_REQUIRED",
        )
    },
}  # fmt: skip
