"""Ends of real turns: who ended what with which words, and the events that came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from consent.sensitive.exceptions import SensitiveInput
from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.job_run import run
from foundation.outbox.leases import claim
from foundation.outbox.models import OutboxMessage
from memory.historian.services import END_TOPIC, end
from memory.importing.imported_people import people_of
from memory.importing.types import ImportedTurn, SessionPart
from memory.models import CognitiveEvent, Session
from memory.portraits.tasks import PORTRAIT_TOPIC
from memory.services.sessions import start_session
from memory.types import EndInput


@dataclass(frozen=True)
class Ended:
    """One end: whose, in which conversation, and the words it was given."""

    user: User
    session: Session
    request: EndInput

    @property
    def event_id(self) -> str:
        return f"{self.request.request_id}:{self.request.end_seq}"

    @property
    def texts(self) -> tuple[str, str]:
        return self.request.action_summary, self.request.new_info


def end_all(parts: Iterable[SessionPart]) -> Iterator[Ended]:
    """End every turn that a person said, with the assistant's answer to it where there is one."""
    for number, part in enumerate(parts):
        cast = people_of(part.conversation, part.people)
        with acting_as(cast.host.pk):
            session = start_session(permit_for(cast.host), cast.host, group_id=cast.group_id)
        for at, turn in enumerate(part.turns):
            if turn.role == "user" and (words := text_of(turn)):
                request = EndInput(f"turn-{number}-{at}", 1, _answer(part.turns, at), words, occurred_at=turn.at)
                ended = Ended(cast.users[turn.person], session, request)
                if end_one(ended):
                    yield ended


def text_of(turn: ImportedTurn) -> str:
    """The words of a turn, without pictures."""
    return " ".join(str(block["text"]) for block in turn.blocks if block.get("text")).strip()


def _answer(turns: Sequence[ImportedTurn], at: int) -> str:
    after = turns[at + 1] if at + 1 < len(turns) else None
    return text_of(after) if after is not None and after.role != "user" else ""


def end_one(ended: Ended) -> bool:
    """End it; False where what was said must not be kept."""
    try:
        with acting_as(ended.user.pk):
            return end(permit_for(ended.user), ended.user, ended.session, ended.request).queued
    except SensitiveInput:
        return False


def work() -> int:
    """Write every event that waits. Answers how many of these jobs did not end well.

    Portraits, which wait behind them, are no part of this measurement.
    """
    while (message := claim()) is not None:
        if message.topic == PORTRAIT_TOPIC:
            _drop_portraits()
        else:
            run(message)
    with in_role(WORKER_ROLE):
        return OutboxMessage.objects.filter(topic=END_TOPIC).exclude(state=OutboxMessage.State.DONE).count()


def _drop_portraits() -> None:
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(topic=PORTRAIT_TOPIC).delete()


def events_of(ends: Sequence[Ended]) -> list[CognitiveEvent]:
    """The sender's own event of each end that became one."""
    found: list[CognitiveEvent] = []
    for user in {written.user.pk: written.user for written in ends}.values():
        wanted = [written.event_id for written in ends if written.user.pk == user.pk]
        with acting_as(user.pk):
            own = CognitiveEvent.objects.filter(user=user, perspective=CognitiveEvent.Perspective.SENDER)
            found += own.filter(event_id__in=wanted)
    return found
