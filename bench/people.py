"""Throwaway people for measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from consent.permit import Permit
    from foundation.accounts.models import User


def somebody(username: str) -> tuple[User, Permit]:
    """A new person who allows everything."""
    from consent.services import grant_consent, permit_for
    from foundation.accounts.models import User
    from foundation.database.acting_user import acting_as
    from foundation.personal_data import ConsentScope

    person = User.objects.create_user(username)
    with acting_as(person.pk):
        grant_consent(person, tuple(ConsentScope), source="command")
        return person, permit_for(person)
