"""Finds out, for every mem0 address, who asks and on behalf of which users."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from consent.permit import Permit
from consent.services import permit_for
from finclaw.api.authentication import ServiceTokenAuthentication, TokenAuthentication
from finclaw.api.base import NonAtomicView
from finclaw.api.service_access import audit_act, consenting_end_users, end_users_of, require_end_user
from finclaw.mem0_api.filters import user_ids_of_filters
from finclaw.provisioning import tenant_of
from foundation.accounts.models import ServiceToken, User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound, ValidationFailed
from memory.models import MemoryItem
from memory.retrieval.conditions import ANY
from memory.services.item_queries import latest_of_chain
from memory.services.owners import owner_of_chain


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
                audit_act(self.request.auth, person, self.request)
            self.permit = permit_for(person)
            yield self.permit

    @contextmanager
    def acting_on(self, memory_id: UUID) -> Iterator[MemoryItem]:
        """A transaction acting for the owner of a memory, with its latest version."""
        with self.acting_for(self.owner_of(memory_id)) as permit:
            yield latest_of_chain(permit, memory_id)

    def people_named(self, names: set[str]) -> list[User]:
        """Whom names mean, ``*`` for all. Raises ``NotFound`` and ``EndUserConsentMissing`` for those out of reach."""
        token = self.request.auth
        if not isinstance(token, ServiceToken):
            own: Any = self.request.user
            if names - {ANY, str(own.pk), own.username, "me"}:
                raise NotFound(_("Your key acts for yourself alone: give your own user name, or no user_id."))
            return [own]
        return consenting_end_users(token) if ANY in names else end_users_of(token, names)

    def person_named(self, given: Mapping[str, Any]) -> User:
        """The one user whom a request is about, named by ``user_id`` or by ``filters`` on ``user_id`` alone.

        Refused where only ``*`` is named, which is no one user; beside a ``user_id`` it is ignored.
        """
        names = user_ids_of_filters(given.get("filters", {}))
        if name := given["user_id"]:
            names = {name, *names - {ANY}}
        people = [] if ANY in names else self.people_named(names)
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
