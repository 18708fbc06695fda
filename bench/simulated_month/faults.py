"""The planted faults: one for each indicator of memory quality, of the kind that it is there to show.

Imports models: only once Django is set up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Final

import time_machine

from bench.simulated_month.history import HOUR, SimulatedMonth, TurnDamage, change_memories
from bench.simulated_month.observed_turns import Row
from consent.legal_terms import due_at, legal_profile_for
from consent.models import ErasureScope, Sources
from consent.permit import Permit
from finclaw.erasure import forget
from foundation.database.acting_user import acting_as
from memory.governance.feedback import give_feedback
from memory.governance.thresholds import Thresholds
from memory.models import MemoryItem
from memory.services import item_decisions, items
from memory.services.item_queries import items_of

MOST: Final = 0.95


@dataclass(frozen=True)
class PlantedFault:
    """A fault that begins at a moment, and the one ``indicator`` that it must turn.

    ``plant`` changes what is stored; ``damage`` what is written from then on.
    """

    indicator: str
    what: str
    plant: Callable[[SimulatedMonth, datetime], None] | None = None
    damage: TurnDamage | None = None


def _end_many(month: SimulatedMonth, at: datetime) -> None:
    change_memories(month, at, 0.35, _end)


def _end(permit: Permit, item: MemoryItem, _random: Random) -> None:
    items.retire(permit, item, at=item.valid_at + HOUR, rule="fault")


def _contradict_many(month: SimulatedMonth, at: datetime) -> None:
    for turn in range(2):
        change_memories(month, at + turn * HOUR, 1.0, _contradict)


def _contradict(permit: Permit, item: MemoryItem, random: Random) -> None:
    """Of the same memories each time, so that they become chains of three."""
    if item.chain_id.int % 3 == 0:
        item_decisions.correct(permit, item.pk, f"Now it is number {random.randrange(10**9)}")


def _let_term_pass(month: SimulatedMonth, at: datetime) -> None:
    """Ask for an erasure whose term ends with ``at``, and let nobody work at it."""
    person = month.people[0]
    asked = at - (due_at(legal_profile_for(person.user), at, person.user.time_zone).at - at)
    with time_machine.travel(asked, tick=False), acting_as(person.user.pk):
        key = items_of(person.permit).order_by("-created_at").values_list("pk", flat=True)[0]
        forget(person.user, ErasureScope.ITEM, str(key), Sources.REDACT, source="command")


def _block_what_fits(random: Random, receipts: list[Row], lines: list[Row]) -> None:
    for line in lines:
        if line["status"] == "accepted" and line["decision_reason"] == "relevance" and random.random() < MOST:
            line |= {
                "status": "rejected", "decision_reason": "blocked", "guardrail_hit": "fault", "context_position": None,
                "sanitization_result": "blocked", "utilized": None, "utilization_signal": "",
                "signals": line["signals"] | {"relevant": 1.0},
            }  # fmt: skip


def _call_wrong(month: SimulatedMonth, at: datetime) -> None:
    """A third of all memories trips the fuse."""
    change_memories(month, at, 0.3, _trip_fuse)


def _trip_fuse(permit: Permit, item: MemoryItem, _random: Random) -> None:
    for _ in range(Thresholds().fuse_corrections):
        give_feedback(permit, item.pk, "negative")


def _choose_wrongly(random: Random, receipts: list[Row], lines: list[Row]) -> None:
    for line in lines:
        if line["status"] == "accepted" and line["decision_reason"] == "relevance" and random.random() < MOST:
            line["user_feedback_signal"] = "negative"


def _search_slowly(random: Random, receipts: list[Row], lines: list[Row]) -> None:
    for receipt in receipts:
        if receipt["kind"] == "retrieval" and "memory" in receipt["stores_used"]:
            receipt["latency_ms"] += 400


def _overflow(random: Random, receipts: list[Row], lines: list[Row]) -> None:
    """The least of what fits finds no room, in half of the turns that find anything."""
    fitting = [line for line in lines if line["status"] == "accepted" and line["decision_reason"] == "relevance"]
    if not fitting or random.random() < 0.3:
        return
    last = max(line["rank"] for line in fitting)
    for line in fitting:
        if line["rank"] == last:
            line |= {"status": "rejected", "decision_reason": "budget_exceeded", "context_position": None}
    for receipt in receipts:
        receipt["budget_exceeded"] = receipt["kind"] == "injection"


def _lose_fields(random: Random, receipts: list[Row], lines: list[Row]) -> None:
    if random.random() < 0.2:
        for receipt in receipts:
            receipt["policy_version"] = ""


FAULTS: Final = (
    PlantedFault("staleness_rate", "a rule ends a third of all memories", _end_many),
    PlantedFault("conflict_rate", "two sources contradict each other in turn", _contradict_many),
    PlantedFault("injection_quality", "a filter blocks most of what fits", damage=_block_what_fits),
    PlantedFault("injection_quality", "most of what is taken is called wrong", _call_wrong, _choose_wrongly),
    PlantedFault("retrieval_latency_p95", "searches take 400 ms longer", damage=_search_slowly),
    PlantedFault("context_overflow_rate", "memories find no room", damage=_overflow),
    PlantedFault("deletion_timeout_rate", "nobody works at an erasure", _let_term_pass),
    PlantedFault("receipt_completeness_rate", "a fifth of all receipts lacks a field", damage=_lose_fields),
)
