"""Finds out, for every mem0 address, who asks and on behalf of which users."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from uuid import UUID

from django.utils.translation import gettext as _

from consent.permit import Permit
from consent.services import permit_for
from finclaw.api.authentication import ServiceTokenAuthentication, TokenAuthentication
from finclaw.api.base import NonAtomicView
from finclaw.api.service_access import EndUserConsentMissing, audit_act, require_end_user
from finclaw.mem0_api.filters import Filters, names_alone
from finclaw.provisioning import tenant_of
from foundation.accounts.managed_accounts import managed_accounts
from foundation.accounts.models import ServiceToken, User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound, ValidationFailed
from memory.retrieval.conditions import ANY
from memory.services.owners import owner_of_chain

MOST_PEOPLE: Final = 100
"""How many people one request may be about."""


class Mem0View(NonAtomicView):
    """Acts for the user whom the request names: a user's own token for that user, a service token for one it serves."""

    authentication_classes = (ServiceTokenAuthentication, TokenAuthentication)
    schema = None  # mem0's contract, not ours
    person: User

    @property
    def user(self) -> User:
        """The person whom the request acts for."""
        return self.person

    @contextmanager
    def acting_for(self, person: User) -> Iterator[Permit]:
        """A transaction acting for a person, under their permit; a service token's act is audited."""
        self.person = person
        with acting_as(person.pk):
            if isinstance(self.request.auth, ServiceToken):
                match = self.request._request.resolver_match
                audit_act(self.request.auth, person, match.view_name if match else "", self.request.method or "")
            self.permit = permit_for(person)
            yield self.permit

    def people_named(self, filters: Filters) -> list[User]:
        """Whom a request is about. Raises ``NotFound`` and ``EndUserConsentMissing`` for anybody out of reach."""
        return self._people(filters.names)

    def _people(self, names: set[str]) -> list[User]:
        token = self.request.auth
        if not isinstance(token, ServiceToken):
            own: Any = self.request.user
            if names - {ANY, str(own.pk), own.username, "me"}:
                raise NotFound(_("Your key acts for yourself alone: give your own user name, or no user_id."))
            return [own]
        if ANY in names:
            return _consenting(token)
        if not 0 < len(names) <= MOST_PEOPLE:
            raise ValidationFailed(details={"user_id": [_("Say for which of your users you ask.")]})
        people = [require_end_user(token, name) for name in sorted(names)]
        return list({person.pk: person for person in people}.values())

    def person_named(self, name: str, filters: object = None) -> User:
        """The one user whom a request is about, named by ``user_id`` or by filters on ``user_id`` alone.

        ``*`` is refused, for it names no one user.
        """
        names = names_alone({} if filters is None else filters)
        if name:
            names = {name, *names - {ANY}}
        people = [] if ANY in names else self._people(names)
        if len(people) != 1:
            raise ValidationFailed(details={"user_id": [_("Name one user.")]})
        return people[0]

    def owner_of(self, memory_id: UUID) -> User:
        """The owner of a memory, if the token may act for them. Raises ``NotFound``."""
        token = self.request.auth
        if not isinstance(token, ServiceToken):
            own: Any = self.request.user
            return own  # type: ignore[no-any-return]
        return require_end_user(token, str(owner_of_chain(tenant_of(token).pk, memory_id).pk))


def _consenting(token: ServiceToken) -> list[User]:
    people = list(managed_accounts(tenant_of(token).pk).order_by("-date_joined")[: MOST_PEOPLE + 1])
    if len(people) > MOST_PEOPLE:
        raise ValidationFailed(
            details={"user_id": [_("At most %(limit)d users at once: name them.") % {"limit": MOST_PEOPLE}]}
        )
    return [person for person in people if _may_be_served(token, person)]


def _may_be_served(token: ServiceToken, person: User) -> bool:
    try:
        require_end_user(token, str(person.pk))
    except EndUserConsentMissing:
        return False
    return True
