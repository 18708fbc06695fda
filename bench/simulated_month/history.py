"""The history of a month: people with memories that change, and the receipts of their turns.

Memories are written, changed, confirmed, ended, kept up and erased by the product's own services under a moved clock.
Turns are not held again for everybody: each repeats the receipts of one that was really held (``observed_turns``), with
ids, times and a search time of its own. Imports models: only once Django is set up.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final
from uuid import UUID

import time_machine

from bench.people import somebody
from bench.simulated_month.observed_turns import ObservedTurn, Row
from consent.models import ErasureScope, Sources
from consent.permit import Permit
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.database.bulk_insert import insert_values
from foundation.ids import new_id
from foundation.outbox.tasks import drain
from memory.governance.governor import queue_daily_upkeep
from memory.models import MemoryItem, Receipt, ReceiptLine
from memory.services import item_decisions, items
from memory.services.item_queries import items_of
from memory.services.sessions import start_session
from memory.services.versions import ItemDraft

DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
FIRST_DAY: Final = datetime(2026, 4, 1, tzinfo=UTC)
AWAKE: Final = range(7, 22)
"""The hours in which people talk, in UTC."""
SHARES: Final[Mapping[str, float]] = {
    "ordinary": 0.42,
    "statement": 0.18,
    "small_talk": 0.12,
    "correction": 0.06,
    "confirmation": 0.06,
    "self_question": 0.05,
    "skill": 0.04,
    "refusal": 0.04,
    "not_remembered": 0.03,
}
"""How often each kind of turn occurs, as parts of all turns."""
TOPICS: Final = ("tea", "trains", "index funds", "tennis", "jazz", "copper", "gardens", "maps", "bread", "chess")
SLOTS: Final = ("home", "work", "likes", "follows", "diet", "plan")
AT_FIRST: Final = 12  # memories of everybody when the month begins
SEARCH_MS: Final = (4.0, 60.0)
TurnDamage = Callable[[Random, list[Row], list[Row]], None]
"""What a fault does to the receipts of a turn and to their lines, in place."""


@dataclass(frozen=True)
class SimulatedPerson:
    """Somebody of the month, with their one conversation."""

    user: User
    permit: Permit
    session_id: UUID


@dataclass
class SimulatedMonth:
    """A month of ``days`` days of so many people; ``random`` decides what happens, the same each time.

    Faults are planted in the last ``fault_days``.
    """

    people: Sequence[SimulatedPerson]
    turns: Sequence[ObservedTurn]
    days: int = 30
    turns_a_day: int = 8
    fault_days: int = 4
    random: Random = field(default_factory=lambda: Random(7))

    @property
    def end(self) -> datetime:
        """The last evening, when everybody has stopped talking."""
        return FIRST_DAY + DAY * (self.days - 1) + HOUR * AWAKE.stop

    def write_memories(self) -> None:
        """Everybody's memories and what becomes of them, day by day, with weekly upkeep and a few erasures."""
        for person in self.people:
            _learn(person, self.random, FIRST_DAY - self.random.random() * 20 * DAY, AT_FIRST)
        for day in range(self.days):
            self._live_day(day)

    def write_turns(self, days: Collection[int], damage: TurnDamage | None = None, since: datetime = FIRST_DAY) -> None:
        """The receipts of these days' turns; what a fault does to them it does from ``since`` on."""
        for day in days:
            for person in self.people:
                with acting_as(person.user.pk):
                    _insert_turns(list(self._turns_of(person, day, damage, since)))

    def _live_day(self, day: int) -> None:
        noon = FIRST_DAY + DAY * day + HOUR * 12
        for person in self._some_people(0.2):
            _learn(person, self.random, noon, 1)
        for change, share in ((_correct, 0.02), (_confirm, 0.1), (_end, 0.01), (_take_back, 0.003)):
            for person in self._some_people(share):
                _change_memory(person, self.random, change, noon)
        with time_machine.travel(noon, tick=False):
            if day % 3 == 0:
                self._forget_something()
            if day % 7 == 6:
                queue_daily_upkeep()
            drain()

    def _forget_something(self) -> None:
        person = self.random.choice(self.people)
        with acting_as(person.user.pk):
            key = items_of(person.permit).order_by("created_at").values_list("pk", flat=True)[0]
            forget(person.user, ErasureScope.ITEM, str(key), Sources.REDACT, source="command")

    def _some_people(self, share: float) -> list[SimulatedPerson]:
        return [person for person in self.people if self.random.random() < share]

    def _turns_of(
        self, person: SimulatedPerson, day: int, damage: TurnDamage | None, since: datetime
    ) -> Iterator[tuple[list[Row], list[Row]]]:
        for _ in range(self.turns_a_day):
            minute = self.random.randrange(AWAKE.start * 60, AWAKE.stop * 60)
            at = FIRST_DAY + DAY * day + MINUTE * minute
            receipts, lines = _repeat_turn(self._any_turn(), person, at, self.random)
            if damage is not None and at >= since:
                damage(self.random, receipts, lines)
            yield receipts, lines

    def _any_turn(self) -> ObservedTurn:
        (kind,) = self.random.choices(list(SHARES), list(SHARES.values()))
        return self.random.choice([turn for turn in self.turns if turn.kind == kind])


def make_people(count: int) -> list[SimulatedPerson]:
    """So many people who let everything be remembered, each with a conversation."""
    with time_machine.travel(FIRST_DAY - 21 * DAY, tick=False):
        return [_make_person(number) for number in range(count)]


def change_memories(
    month: SimulatedMonth, at: datetime, share: float, change: Callable[[Permit, MemoryItem, Random], object]
) -> None:
    """Change this share of everybody's memories in force at a moment."""
    for person in month.people:
        with time_machine.travel(at, tick=False), acting_as(person.user.pk):
            for item in _in_force(person):
                if month.random.random() < share:
                    change(person.permit, item, month.random)


def _make_person(number: int) -> SimulatedPerson:
    user, permit = somebody(f"month-{number}")
    with acting_as(user.pk):
        return SimulatedPerson(user, permit, start_session(permit, user).pk)


def _learn(person: SimulatedPerson, random: Random, at: datetime, count: int) -> None:
    for _ in range(count):
        topic, slot, number = random.choice(TOPICS), random.choice(SLOTS), random.randrange(10**6)
        words = f"Spoke of {topic} number {number}"
        draft = ItemDraft(
            words, "preference", "preference", "observation", 0.5, category=slot,
            attributes={"subject": "user", "slot": f"{slot}.{number}", "value": words}, detail={"rule": "month"},
        )  # fmt: skip
        with time_machine.travel(at, tick=False), acting_as(person.user.pk):
            items.write(person.permit, draft)


def _in_force(person: SimulatedPerson) -> list[MemoryItem]:
    return list(items_of(person.permit).filter(superseded_at=None, state="active").order_by("created_at", "id"))


def _change_memory(
    person: SimulatedPerson, random: Random, change: Callable[[Permit, MemoryItem, Random], object], at: datetime
) -> None:
    with time_machine.travel(at, tick=False), acting_as(person.user.pk):
        if held := _in_force(person):
            change(person.permit, random.choice(held), random)


def _correct(permit: Permit, item: MemoryItem, random: Random) -> None:
    item_decisions.correct(permit, item.pk, f"Rather spoke of {random.choice(TOPICS)} number {random.randrange(10**6)}")


def _confirm(permit: Permit, item: MemoryItem, _random: Random) -> None:
    items.confirm(permit, item.pk)


def _end(permit: Permit, item: MemoryItem, _random: Random) -> None:
    items.retire(permit, item, at=item.valid_at + HOUR, rule="month")


def _take_back(permit: Permit, item: MemoryItem, _random: Random) -> None:
    items.close_as_never_true(permit, item)


def _repeat_turn(
    turn: ObservedTurn, person: SimulatedPerson, at: datetime, random: Random
) -> tuple[list[Row], list[Row]]:
    reply, receipts, lines = new_id(), list[Row](), list[Row]()
    for receipt, found in turn.receipts:
        row = receipt | {
            "id": new_id(), "user_id": person.user.pk, "session_id": person.session_id, "message_id": reply,
            "created_at": at, "closed_at": receipt["closed_at"] and at + 5 * MINUTE,
            "consent_version": person.permit.version,
        }  # fmt: skip
        if receipt["kind"] == "retrieval" and turn.has_searched:
            row["latency_ms"] = random.triangular(*SEARCH_MS, SEARCH_MS[0])
        receipts.append(row)
        lines += [line | _own_keys(row, person) for line in found]
    return receipts, lines


def _own_keys(receipt: Row, person: SimulatedPerson) -> dict[str, Any]:
    return {"id": new_id(), "receipt_id": receipt["id"], "user_id": person.user.pk}


def _insert_turns(turns: Sequence[tuple[list[Row], list[Row]]]) -> None:
    insert_values(Receipt, [receipt for receipts, _ in turns for receipt in receipts])
    insert_values(ReceiptLine, [line for _, lines in turns for line in lines])
