from foundation.exceptions import FinClawError


class InvalidCredentials(FinClawError):
    code = "invalid_credentials"
    default_message = "The user name and password do not belong together."


class TokenInvalid(FinClawError):
    code = "token_invalid"
    default_message = "This token is not known here."


class TokenExpired(FinClawError):
    code = "token_expired"
    default_message = "This token has expired. Make a new one in Settings or sign in again."


class TokenRevoked(FinClawError):
    code = "token_revoked"
    default_message = "This token was revoked."


class PermissionDenied(FinClawError):
    code = "permission_denied"
    default_message = "You may not do this."
