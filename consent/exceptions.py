from __future__ import annotations

from collections.abc import Iterable

from foundation.exceptions import FinClawError
from foundation.personal_data import Scope


class ProfileConsentRequired(FinClawError):
    code = "profile_consent_required"
    default_message = "Please choose first what may be remembered. Every switch may stay off."


class ConsentScopeMissing(FinClawError):
    code = "consent_scope_missing"
    default_message = "You have not allowed this kind of remembering. You can switch it on under Privacy."

    def __init__(self, scopes: Iterable[Scope]) -> None:
        super().__init__(details={"required_scopes": sorted(scope.value for scope in scopes)})


class ConsentOutdated(FinClawError):
    code = "consent_outdated"
    default_message = "Your consent has changed since. Look at it again and repeat the request."
