"""Users, tenants, chat groups, API tokens, recovery codes and browser sessions.

These tables are exempt from row-level security: they must be read before it is known who is asking. Invitations are
not.
"""

from foundation.accounts.models.credentials import (
    ApiToken,
    AttemptCount,
    BrowserSession,
    QuarantinedName,
    RecoveryCode,
)
from foundation.accounts.models.groups import KEEP_INVITATIONS, ChatGroup, GroupInvitation, Membership
from foundation.accounts.models.people import Tenant, User, new_content_key, validate_time_zone

__all__ = [
    "KEEP_INVITATIONS",
    "ApiToken",
    "AttemptCount",
    "BrowserSession",
    "ChatGroup",
    "GroupInvitation",
    "Membership",
    "QuarantinedName",
    "RecoveryCode",
    "Tenant",
    "User",
    "new_content_key",
    "validate_time_zone",
]
