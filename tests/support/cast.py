"""The small named cast of every test: Alice owner, Bob member, Charlie outsider."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime

from consent.permit import Permit
from consent.services import grant_consent, permit_for
from foundation.accounts.groups import create_group
from foundation.accounts.models import ChatGroup, Membership, User
from foundation.accounts.notices import NOTICE_VERSION, acknowledge_notice
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope

PASSWORD = "a long enough pass phrase"
A_MONDAY = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def make_person(username: str) -> User:
    """A user without any consent."""
    return User.objects.create_user(username=username, password=PASSWORD, display_name=username.title())


def allow(user: User, *scopes: ConsentScope) -> Permit:
    """Acknowledge the notice, grant exactly these scopes (all four where none is named) and answer the permit."""
    with acting_as(user.pk):
        acknowledge_notice(user, NOTICE_VERSION)
        grant_consent(user, scopes or tuple(ConsentScope), source="api")
        return permit_for(user)


def allow_all_but_learning(user: User) -> Permit:
    """Every scope but the one under which anything is learned."""
    return allow(user, *(scope for scope in ConsentScope if scope is not ConsentScope.MEMORY_LEARNING))


def allow_nothing(user: User) -> Permit:
    """A consent record with every scope off: the "decide later" of onboarding."""
    with acting_as(user.pk):
        acknowledge_notice(user, NOTICE_VERSION)
        grant_consent(user, (), source="api")
        return permit_for(user)


def group_with(owner: User, members: Collection[User] = ()) -> ChatGroup:
    """A chat group of these people."""
    group = create_group(owner, "Research desk")
    Membership.objects.bulk_create(Membership(group=group, user=member) for member in members)
    return group
