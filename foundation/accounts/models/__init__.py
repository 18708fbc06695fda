"""Users, tenants, chat groups, tokens, recovery codes and browser sessions.

These tables are exempt from row-level security: they must be read before it is known who is asking. Invitations are
not.
"""

from foundation.accounts.models.credentials import (
    ApiToken,
    AttemptCount,
    BrowserSession,
    QuarantinedName,
    RecoveryCode,
    ServiceToken,
)
from foundation.accounts.models.groups import KEEP_INVITATIONS, ChatGroup, GroupInvitation, Membership
from foundation.accounts.models.people import EXTERNAL_ID_CHARS, Tenant, User, new_content_key, validate_time_zone

__all__ = [
    "EXTERNAL_ID_CHARS",
    "KEEP_INVITATIONS",
    "ApiToken",
    "AttemptCount",
    "BrowserSession",
    "ChatGroup",
    "GroupInvitation",
    "Membership",
    "QuarantinedName",
    "RecoveryCode",
    "ServiceToken",
    "Tenant",
    "User",
    "new_content_key",
    "validate_time_zone",
]
