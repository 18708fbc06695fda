"""Users, tenants, chat groups, tokens, recovery codes and browser sessions.

These tables are exempt from row-level security: they must be read before it is known who is asking. Invitations and
connected programs are not.
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
from foundation.accounts.models.programs import PROGRAM_NAME_CHARS, ConnectedProgram

__all__ = [
    "EXTERNAL_ID_CHARS",
    "KEEP_INVITATIONS",
    "PROGRAM_NAME_CHARS",
    "ApiToken",
    "AttemptCount",
    "BrowserSession",
    "ChatGroup",
    "ConnectedProgram",
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
