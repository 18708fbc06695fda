"""Replays a persona's statements through the product's own services, and traces which memories each one gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from consent.permit import Permit
from consent.services import grant_consent, permit_for
from foundation.accounts.groups import create_group
from foundation.accounts.invitations import add_member
from foundation.accounts.models import ChatGroup, User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.evaluation.dataset import EvaluationPersona, EvaluationStatement
from memory.learning.services import observe
from memory.models import ConversationEvent, MemoryItem
from memory.services.item_decisions import add_stated
from memory.services.sessions import record_messages, start_session
from memory.types import NewMessage


@dataclass(frozen=True)
class ReplayedPersona:
    """A persona whose statements were learned.

    ``sources`` maps the id of a message or item to its statement's id; ``learned`` maps a statement's id to the time by
    the system's clock at which it had been learned.
    """

    persona: EvaluationPersona
    user: User
    group_id: UUID | None
    sources: Mapping[UUID, str]
    learned: Mapping[str, datetime]


class _PersonaReplay:
    """Replays one persona, statement by statement, and empties the worker's queue after each."""

    def __init__(self, persona: EvaluationPersona) -> None:
        self.persona = persona
        self.people = {name: _create_person(persona, name) for name in ("", *persona.others)}
        self.group = self._group()
        self.sessions: dict[tuple[str, str, datetime], UUID] = {}
        self.sources: dict[UUID, str] = {}

    def _group(self) -> ChatGroup | None:
        if all(statement.place == "private" for statement in self.persona.statements):
            return None
        me = self.people[""]
        group = create_group(me, self.persona.name)
        for name in {statement.who for statement in self.persona.statements if statement.place == "group"} - {""}:
            add_member(group, self.people[name])
        return group

    def tell(self, statement: EvaluationStatement) -> datetime:
        user = self.people[statement.who]
        with acting_as(user.pk):
            permit = permit_for(user)
            if statement.stated:
                self.sources[add_stated(permit, statement.text).pk] = statement.id
            else:
                self._say(user, permit, statement)
        drain()
        return timezone.now()

    def _say(self, user: User, permit: Permit, statement: EvaluationStatement) -> None:
        group_id = self.group.pk if self.group and statement.place == "group" else None
        session = start_session(permit, user, group_id=group_id)
        message = NewMessage.of_text(
            "user", statement.text, user.name, occurred_at=statement.at, external_ref=statement.id
        )
        observe(permit, record_messages(permit, session, [message]))

    def trace(self) -> None:
        """Trace every message and item back to the statement it came from."""
        for user in self.people.values():
            with acting_as(user.pk):
                turns = ConversationEvent.objects.filter(user=user).exclude(external_ref="")
                self.sources |= dict(turns.values_list("pk", "external_ref"))
                for item in MemoryItem.objects.filter(user=user).order_by("version"):
                    self._trace_item(item)

    def _trace_item(self, item: MemoryItem) -> None:
        said = list(item.message_ids)
        source = next((self.sources[key] for key in said if key in self.sources), self.sources.get(item.chain_id))
        if source is not None:
            # A version that only confirms names no message of its own: it has the source of the version before.
            self.sources.setdefault(item.pk, source)
            self.sources[item.chain_id] = self.sources[item.pk]


def replay_persona(persona: EvaluationPersona) -> ReplayedPersona:
    """Create the persona's people and let each say their statements, in order.

    Call in a database of its own, because its queue is emptied. Statements are learned at the present time, and dated
    as the set says.
    """
    telling = _PersonaReplay(persona)
    learned = {statement.id: telling.tell(statement) for statement in persona.statements}
    telling.trace()
    group_id = telling.group.pk if telling.group else None
    return ReplayedPersona(persona, telling.people[""], group_id, telling.sources, learned)


def _create_person(persona: EvaluationPersona, name: str) -> User:
    readable = name or persona.name.split(".")[-1].title()
    user = User.objects.create_user(username=f"{persona.name}.{name or 'me'}", display_name=readable)
    with acting_as(user.pk):
        grant_consent(user, tuple(ConsentScope), source="command")
    return user
