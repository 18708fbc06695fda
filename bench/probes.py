"""Random probes across people and groups: does anybody ever see an event or a portrait that is not theirs to see?

python -m bench.probes --probes 100000

Everybody's every statement holds a word of its own. One member of each group has left it, one has withdrawn their
consent, one has erased what was learned of them. Every answer of every door is searched for the words of others.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from bench.report import publish
from bench.runner import measured_database, parse_arguments

if TYPE_CHECKING:
    from consent.permit import Permit
    from foundation.accounts.models import ChatGroup, User
    from memory.portraits.types import EntityType

PEOPLE, GROUPS, STATEMENTS = 20, 5, 3
_WORD = re.compile(r"zq\d+qz")
_SEED = 20_261_122


@dataclass
class World:
    """The people, who is in which group now, and of each word whose it is and the group it was said in."""

    people: list[User] = field(default_factory=list)
    groups: list[ChatGroup] = field(default_factory=list)
    members: dict[UUID, set[UUID]] = field(default_factory=dict)
    words: dict[str, tuple[UUID, UUID | None]] = field(default_factory=dict)
    silent: set[UUID] = field(default_factory=set)  # nothing of theirs may be seen by anybody
    events: list[str] = field(default_factory=list)

    def may_read(self, reader: UUID, word: str) -> bool:
        """Whether the word is the reader's own, or was said in a group that they are a member of."""
        owner, group = self.words[word]
        shared = group is not None and reader in self.members[group]
        return owner not in self.silent and (owner == reader or shared)


def measure(probes: int) -> dict[str, dict[str, float]]:
    """How many probes of each door, words shown in them that may be, and words that may not."""
    world, chance = _world(), random.Random(_SEED)
    asked, seen, foreign = Counter[str](), Counter[str](), Counter[str]()
    for _ in range(probes):
        reader, (door, open_door) = chance.choice(world.people), chance.choice(list(_DOORS.items()))
        shown = set(_WORD.findall(_answer(world, reader, open_door, chance)))
        asked[door] += 1
        seen[door] += len(shown)
        foreign[door] += sum(not world.may_read(reader.pk, word) for word in shown)
    counts = {"probes": asked, "words seen": seen, "foreign words": foreign}
    figures = {door: {name: float(count[door]) for name, count in counts.items()} for door in _DOORS}
    return {**figures, "all": {name: float(count.total()) for name, count in counts.items()}}


Door = Callable[[World, "Permit", random.Random], object]


def _answer(world: World, reader: User, open_door: Door, chance: random.Random) -> str:
    from consent.services import permit_for
    from foundation.database.acting_user import acting_as
    from foundation.exceptions import NotFound

    with acting_as(reader.pk):
        try:
            return str(open_door(world, permit_for(reader), chance))
        except NotFound:
            return ""


def _list_events(world: World, permit: Permit, chance: random.Random) -> object:
    from memory.historian.events import events_of

    return list(events_of(permit).values_list("canonical_text", flat=True))


def _read_event(world: World, permit: Permit, chance: random.Random) -> object:
    from memory.historian.events import event_of

    return vars(event_of(permit, chance.choice(world.events)))


def _search_events(world: World, permit: Permit, chance: random.Random) -> object:
    from foundation.accounts.groups import group_of
    from foundation.accounts.models import User
    from memory.retrieval.event_search import search_events
    from memory.retrieval.services import embed_query
    from memory.types import SearchQuery

    text, group = _question(world, chance), chance.choice([None, *world.groups])
    if group is not None:
        group_of(User.objects.get(pk=permit.user_id), group.pk)
    query = SearchQuery(text, ("event",), group_id=group.pk if group else None, top_k=50)
    return [vars(event) for event, _ in search_events(permit, query, embed_query(text)).events]


def _read_portrait(world: World, permit: Permit, chance: random.Random) -> object:
    from memory.portraits.services import portrait_even_if_emptied

    kind, key = _entity(world, chance)
    return portrait_even_if_emptied(permit, kind, key)


def _read_versions(world: World, permit: Permit, chance: random.Random) -> object:
    from memory.portraits.services import revisions

    kind, key = _entity(world, chance)
    return revisions(permit, kind, key)


def _search_portraits(world: World, permit: Permit, chance: random.Random) -> object:
    from memory.portraits.services import search_portraits
    from memory.retrieval.services import embed_query

    question = embed_query(_question(world, chance))
    if chance.random() < 0.5:
        return search_portraits(permit, question, top_k=50)
    return search_portraits(permit, question, *_entity(world, chance), top_k=50)


_DOORS: dict[str, Door] = {
    "events listed": _list_events,
    "an event read": _read_event,
    "events searched": _search_events,
    "a portrait read": _read_portrait,
    "its versions read": _read_versions,
    "portraits searched": _search_portraits,
}


def _entity(world: World, chance: random.Random) -> tuple[EntityType, UUID]:
    if chance.random() < 0.5:
        return "user", chance.choice(world.people).pk
    return "group", chance.choice(world.groups).pk


def _question(world: World, chance: random.Random) -> str:
    return chance.choice([f"answers about {chance.choice(list(world.words))}", "what do they like", "喜欢什么"])


def _world() -> World:
    from bench.people import somebody
    from foundation.accounts.groups import create_group
    from foundation.accounts.models import Membership
    from foundation.outbox.tasks import drain

    world = World(people=[somebody(f"person-{number}")[0] for number in range(PEOPLE)])
    for number in range(GROUPS):
        owner, *others = world.people[number::GROUPS]
        group = create_group(owner, f"Group {number}")
        Membership.objects.bulk_create(Membership(group=group, user=member) for member in others)
        world.groups.append(group)
        world.members[group.pk] = {owner.pk, *(member.pk for member in others)}
        for person in [owner, *others] * STATEMENTS:
            _tell(world, person, None)
            _tell(world, person, group)
    drain()
    for number, group in enumerate(world.groups):
        _change(world, group, *world.people[number::GROUPS][1:4])
    drain()
    return world


def _tell(world: World, person: User, group: ChatGroup | None) -> None:
    from consent.services import permit_for
    from foundation.database.acting_user import acting_as
    from memory.historian.services import end
    from memory.services.sessions import start_session
    from memory.types import EndInput

    word, group_id = f"zq{len(world.words)}qz", group.pk if group else None
    world.words[word] = (person.pk, group_id)
    with acting_as(person.pk):
        permit = permit_for(person)
        session = start_session(permit, person, group_id=group_id)
        told = end(permit, person, session, EndInput(f"request-{word}", new_info=f"I like {word}.", force=True))
    world.events.append(told.event_id or "")


def _change(world: World, group: ChatGroup, leaving: User, withdrawing: User, forgetting: User) -> None:
    """One member leaves, one withdraws, one has everything that was learned of them erased."""
    from consent.models import ErasureScope, Sources
    from consent.services import permit_for, withdraw_consent
    from finclaw.erasure import forget
    from foundation.accounts.groups import remove_member
    from foundation.database.acting_user import acting_as

    remove_member(leaving, group.pk, leaving.pk)
    world.members[group.pk].discard(leaving.pk)
    world.silent |= {withdrawing.pk, forgetting.pk}
    with acting_as(withdrawing.pk):
        consent = permit_for(withdrawing).consent_id
        if consent is not None:
            withdraw_consent(withdrawing, consent, source="command")
    with acting_as(forgetting.pk):
        forget(forgetting, ErasureScope.MEMORIES, "", Sources.REDACT, source="command")


def main() -> int:
    """Run on a scratch database, print the table, write the figures; answer 1 where anything foreign was seen."""
    probes: int = parse_arguments(__doc__, probes=100_000).probes
    with measured_database():
        figures = measure(probes)
    publish("probes", f"{probes} random probes across people and groups", figures)
    return int(figures["all"]["foreign words"] > 0)


if __name__ == "__main__":
    sys.exit(main())
