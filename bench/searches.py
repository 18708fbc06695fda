"""Random searches of many people, alone or beside other work."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from foundation.accounts.models import User

QUESTIONS_EACH = 20


@dataclass(frozen=True)
class Question:
    """A memory's own words, and the memory that must be found by them."""

    person: User
    text: str
    answer: UUID


def questions_of(people: Sequence[User]) -> list[Question]:
    """Some questions of each of the people."""
    from foundation.database.acting_user import acting_as
    from memory.models import MemoryItem

    found = []
    for person in people:
        with acting_as(person.pk):
            items = MemoryItem.objects.filter(superseded_at=None).order_by("content_hash")[:QUESTIONS_EACH]
            found += [Question(person, item.content, item.pk) for item in items]
    return found


@dataclass
class Searches:
    """Searches at random, one after the other."""

    questions: Sequence[Question]
    times: list[float] = field(default_factory=list)
    degraded: int = 0
    behind: int = 0
    chance: random.Random = field(default_factory=lambda: random.Random(1))

    def search(self) -> None:
        """One more, timed."""
        from consent.services import permit_for
        from foundation.database.acting_user import acting_as
        from memory.retrieval.services import embed_query, search
        from memory.types import SearchQuery

        asked = self.chance.choice(self.questions)
        embedded = embed_query(asked.text)
        with acting_as(asked.person.pk):
            permit = permit_for(asked.person)
            started = time.perf_counter()
            found = search(permit, SearchQuery(asked.text), embedded)
            self.times.append((time.perf_counter() - started) * 1000)
        self.degraded += bool(found.degraded) or not found.hits
        self.behind += asked.answer not in {hit.id for hit in found.hits}

    @property
    def p95(self) -> float:
        """In milliseconds."""
        from memory.evaluation.retrieval.metrics import percentile

        return round(percentile(self.times, 95), 2)


@contextmanager
def searching_beside(questions: Sequence[Question]) -> Iterator[Searches]:
    """Searches in a thread of their own, with pauses, as people make them."""
    searches, stopping = Searches(questions), threading.Event()
    failures: list[BaseException] = []

    def work() -> None:
        from django.db import connection

        try:
            while not stopping.wait(0.05):
                searches.search()
        except BaseException as error:  # noqa: BLE001  raised where somebody waits for it
            failures.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield searches
    finally:
        stopping.set()
        thread.join()
    if failures:
        raise failures[0]
