"""Real turns, from the message to the receipts, whose receipts the month repeats.

Imports models: only once Django is set up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import time_machine

from bench.people import somebody
from consent.services import grant_consent
from finclaw.brain import turn
from finclaw.brain.types import TurnRequest
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.models import Receipt, ReceiptLine
from memory.services.sessions import start_session

CONVERSATION: Final = Path(__file__).with_name("conversation.txt")
BETWEEN_TURNS: Final = timedelta(minutes=7)
FORGETFUL: Final = "not_remembered"
"""The kind of a turn of somebody who lets nothing be remembered."""
Row = dict[str, Any]


class SpokenLine(NamedTuple):
    """A message and the kind of turn it makes: ordinary, statement, refusal …"""

    kind: str
    text: str


@dataclass(frozen=True)
class ObservedTurn:
    """A turn's receipts as the product wrote and closed them: each with its lines, as values by column attribute."""

    kind: str
    receipts: tuple[tuple[Row, tuple[Row, ...]], ...]

    @property
    def has_searched(self) -> bool:
        """Whether memory was searched for it."""
        return any("memory" in receipt["stores_used"] for receipt, _ in self.receipts)


def read_conversation() -> list[SpokenLine]:
    """The messages of ``conversation.txt`` in their order."""
    lines = CONVERSATION.read_text(encoding="utf-8").splitlines()
    return [SpokenLine(*line.split("\t")) for line in lines if line and not line.startswith("#")]


def observe_turns(started: datetime, lines: Sequence[SpokenLine] | None = None) -> list[ObservedTurn]:
    """Hold the conversation, once with everything remembered and once with nothing, and read its receipts."""
    said = list(lines or read_conversation())
    return [*_hold_conversation("voice", said, started), *_hold_without_memory(said[:6], started)]


def _hold_conversation(name: str, lines: Sequence[SpokenLine], started: datetime) -> list[ObservedTurn]:
    with time_machine.travel(started, tick=False):
        person, _ = somebody(name)
    asked = list(_ask_each(person, [line.text for line in lines], started))
    return [ObservedTurn(line.kind, _receipts_of(person, reply)) for line, reply in zip(lines, asked, strict=True)]


def _hold_without_memory(lines: Sequence[SpokenLine], started: datetime) -> list[ObservedTurn]:
    with time_machine.travel(started, tick=False):
        person = User.objects.create_user("forgetful")
        with acting_as(person.pk):
            scopes = [scope for scope in ConsentScope if scope is not ConsentScope.MEMORY_LEARNING]
            grant_consent(person, tuple(scopes), source="command")
    asked = _ask_each(person, [line.text for line in lines], started)
    return [ObservedTurn(FORGETFUL, _receipts_of(person, reply)) for reply in asked]


def _ask_each(person: User, texts: Sequence[str], started: datetime) -> Iterator[Any]:
    """Say one after another, with the work that follows each; answers the ids of the replies."""
    from consent.services import permit_for

    with time_machine.travel(started, tick=False), acting_as(person.pk):
        session = start_session(permit_for(person), person)
    for number, text in enumerate(texts):
        with time_machine.travel(started + BETWEEN_TURNS * number, tick=False):
            yield turn.reply(person, TurnRequest(session.pk, ({"type": "text", "text": text},))).message_id
            drain()


def _receipts_of(person: User, reply: Any) -> tuple[tuple[Row, tuple[Row, ...]], ...]:
    with acting_as(person.pk):
        found = Receipt.objects.filter(message_id=reply).order_by("kind")
        return tuple((_values(receipt), tuple(map(_values, receipt.lines.all()))) for receipt in found)


def _values(row: Receipt | ReceiptLine) -> Row:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
