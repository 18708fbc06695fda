"""Creates accounts, without a way to sign in, for the people of an imported conversation."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from consent.permit import Permit
from consent.services import grant_consent, permit_for
from foundation.accounts.groups import create_group
from foundation.accounts.invitations import add_member
from foundation.accounts.models import ChatGroup, Membership, User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from memory.importing.validation import BadRecord

_UNFIT = re.compile(r"[^\w.@+-]+")
_READABLE_CHARS = 45  # with the dot and the digest behind it a user name stays below 60


@dataclass(frozen=True)
class SpeakerUsers:
    """The users of a conversation by the name they speak under; the first of them begins the sessions."""

    users: dict[str, User]
    group_id: UUID | None

    @property
    def host(self) -> User:
        return next(iter(self.users.values()))


def people_of(conversation: str, people: tuple[str, ...]) -> SpeakerUsers:
    """The people of a conversation, made where they are missing, in a group where there are several.

    A person who is there keeps their consent as it stands: an import never undoes a withdrawal. Raises
    ``BadRecord`` where a user name belongs to somebody who signs in.
    """
    with transaction.atomic():
        users = {name: _person(conversation, name) for name in people}
        return SpeakerUsers(users, _group(conversation, list(users.values())) if len(users) > 1 else None)


def username_of(conversation: str, name: str) -> str:
    """The stable user name of somebody in a conversation: readable, and told apart by a digest."""
    digest = hashlib.sha256(f"{conversation}\n{name}".encode()).hexdigest()[:10]
    readable = _UNFIT.sub("-", f"{conversation}.{name}").lower()[:_READABLE_CHARS]
    return f"{readable}.{digest}"


def permit_of(user: User) -> Permit:
    """The consent of an imported person as it stands now."""
    with acting_as(user.pk):
        return permit_for(user)


def _person(conversation: str, name: str) -> User:
    username = username_of(conversation, name)
    user = User.objects.filter(username=username).first()
    if user is None:
        user = User.objects.create_user(username, display_name=name)
    elif user.has_usable_password():
        raise BadRecord("The user name of one of its people belongs to somebody who signs in.")
    with acting_as(user.pk):
        if not permit_for(user).has_decided:
            grant_consent(user, tuple(ConsentScope), source="command")
    return user


def _group(conversation: str, users: list[User]) -> UUID:
    host, *others = users
    group = ChatGroup.objects.filter(created_by=host, name=conversation).first() or create_group(host, conversation)
    joined = set(Membership.objects.filter(group=group).values_list("user_id", flat=True))
    for user in others:
        if user.pk not in joined:
            add_member(group, user)
    if Membership.objects.filter(group=group, user__in=users, left_at=None).count() < len(users):
        raise BadRecord("One of its people has left the group.")
    return group.pk
