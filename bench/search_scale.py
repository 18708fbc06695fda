"""Search among a million messages of ten thousand people, under row-level security.

    python -m bench.search_scale --data FOLDER

Every message is one of LoCoMo's own, with its terms and its vector, dealt out at random and stored in random order,
as ten thousand people write beside each other. "In the database" is the product's search of a question that has been
embedded already, "long" that of a question of 400 characters; "assembly" is everything a turn does before its model
speaks.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle, islice
from time import perf_counter
from typing import TYPE_CHECKING, Any

from bench.data import load_locomo
from bench.report import publish
from bench.runner import measured_database, parse_arguments, require_none

if TYPE_CHECKING:
    import psycopg

    from foundation.accounts.models import User
    from memory.evaluation.retrieval.datasets import DatasetMemory
    from memory.models import Session

# Messages a person → people. The last only fill the tables.
PEOPLE = {100: 8_000, 1_000: 100, 10_000: 20, 10: 1_880}
MEASURED = {100: 5.0, 1_000: 10.0, 10_000: 40.0}  # and the p95 in the database each may take, in ms
ASKED_OF_EACH_SIZE = 300
ASSEMBLY_LIMIT = 50.0
LONG_QUESTION = 400  # characters
LONG_LIMIT = 2.0  # times the p95 of a question as people ask it
SEED = 0

_DEAL = """
    CREATE TEMP TABLE source AS
    SELECT row_number() OVER () - 1 AS number, id FROM memory_searchentry WHERE user_id = %(model)s;
    CREATE TEMP TABLE dealt AS
    SELECT uuidv7() AS id, o.owner, o.session, message AS seq,
           abs(hashint8(message * 7919 + o.ordinality)) %% (SELECT count(*) FROM source) AS source_number
    FROM unnest(%(owners)s::uuid[], %(sessions)s::uuid[], %(counts)s::int[])
         WITH ORDINALITY AS o (owner, session, messages, ordinality),
         generate_series(1, o.messages) AS message
    ORDER BY random();
    CREATE TEMP TABLE new AS SELECT d.*, s.id AS like_id FROM dealt d JOIN source s ON s.number = d.source_number;
    DROP TABLE dealt
"""
_LIKE = """
    INSERT INTO {table} ({columns}) SELECT {columns_made} FROM new JOIN {table} t ON t.id = new.like_id, LATERAL
    jsonb_populate_record(t, jsonb_build_object('id', new.id, 'user_id', new.owner, 'session_id', new.session {more}))
    AS made
"""


def measure(database: str, memories: Sequence[DatasetMemory], shrink: int) -> dict[str, dict[str, float]]:
    """p50 and p95 by size, in the database and for the assembly."""
    people = _fill(database, memories, shrink)
    questions = [question.text for memory in memories for question in memory.questions]
    random.Random(SEED).shuffle(questions)
    figures: dict[str, dict[str, float]] = {}
    for size in MEASURED:
        asked = list(zip(cycle(people[size]), questions[:ASKED_OF_EACH_SIZE], strict=False))
        asked_at_length = [(owner, _lengthened(place, questions)) for place, (owner, _text) in enumerate(asked)]
        figures[f"{size} messages a person"] = (
            _percentiles("search", [_search_ms(*question) for question in asked])
            | _percentiles("long", [_search_ms(*question) for question in asked_at_length])
            | _percentiles("assembly", [_assembly_ms(*question) for question in asked])
        )
    return figures


def _fill(database: str, memories: Sequence[DatasetMemory], shrink: int) -> dict[int, list[tuple[User, Session]]]:
    """The people of each size, each with the conversation that holds their messages."""
    from django.conf import settings

    from foundation.database.embedded_server import EmbeddedServer

    model = _import(memories)
    people = {size: _people(size, max(1, count // shrink)) for size, count in PEOPLE.items()}
    with EmbeddedServer(settings.DATA_DIR).connect(database) as superuser:
        _deal(superuser, model, people)
    return people


def _import(memories: Sequence[DatasetMemory]) -> User:
    """Everything LoCoMo's people say, as one person's own."""
    from memory.importing.imported_people import people_of
    from memory.importing.services import ConversationImporter

    importer = ConversationImporter()
    for memory in memories:
        for part in memory.parts:
            turns = tuple(replace(turn, person="model") for turn in part.turns)
            importer.add(replace(part, conversation="model", people=("model",), turns=turns,
                                 session=f"{memory.name}/{part.session}"))  # fmt: skip
    return people_of("model", ("model",)).host


def _people(size: int, count: int) -> list[tuple[User, Session]]:
    from bench.people import somebody
    from foundation.database.acting_user import acting_as
    from memory.services.sessions import start_session

    found = []
    for number in range(count):
        person, permit = somebody(f"p{size}-{number}")
        with acting_as(person.pk):
            found.append((person, start_session(permit, person)))
    return found


def _deal(
    superuser: psycopg.Connection[Any], model: User, people: dict[int, list[tuple[User, Session]]]
) -> None:  # fmt: skip
    import psycopg

    from bench.row_multiplication import written

    owners = [(person.pk, session.pk, size) for size, some in people.items() for person, session in some]
    keys, sessions, counts = (list(column) for column in zip(*owners, strict=True))
    given = {"model": model.pk, "owners": keys, "sessions": sessions, "counts": counts}
    with superuser.transaction(), psycopg.ClientCursor(superuser) as cursor:
        cursor.execute(_DEAL, given)
        for table, more in (("memory_conversationevent", ", 'seq', new.seq"), ("memory_searchentry", "")):
            cursor.execute(_LIKE.format(table=table, more=more, **written(table)))
    superuser.autocommit = True
    superuser.execute("VACUUM ANALYZE")


def _search_ms(owner: tuple[User, Session], text: str) -> float:
    from consent.services import permit_for
    from foundation.database.acting_user import acting_as
    from memory.retrieval.services import embed_query, search
    from memory.types import SearchQuery

    person, _session = owner
    embedded = embed_query(text)
    with acting_as(person.pk):
        permit = permit_for(person)
        started = perf_counter()
        found = search(permit, SearchQuery(text, ("turn",), top_k=8), embedded)
        elapsed = (perf_counter() - started) * 1000
    if not found.hits:
        raise AssertionError("nothing was found")
    return elapsed


def _lengthened(place: int, questions: Sequence[str]) -> str:
    """The question at ``place`` and those after it, as one of 400 characters."""
    return " ".join(islice(cycle(questions), place, place + LONG_QUESTION // 10))[:LONG_QUESTION]


def _assembly_ms(owner: tuple[User, Session], text: str) -> float:
    from consent.services import permit_for
    from finclaw.brain import turn
    from finclaw.brain.types import TurnRequest
    from foundation.database.acting_user import acting_as
    from memory.services.sessions import start_session

    person, _filled = owner  # in another conversation than the one that holds what is searched
    with acting_as(person.pk):
        session = start_session(permit_for(person), person)
    started = perf_counter()
    prepared = turn.prepare(person, TurnRequest(session.pk, ({"type": "text", "text": text},)))
    elapsed = (perf_counter() - started) * 1000
    if not prepared.recall_result.candidates:
        raise AssertionError("nothing was found")
    return elapsed


def _percentiles(what: str, times: Sequence[float]) -> dict[str, float]:
    from memory.evaluation.retrieval.metrics import percentile

    return {f"{what} p{rank} ms": round(percentile(times, rank), 2) for rank in (50, 95)}


def _missed(figures: dict[str, dict[str, float]]) -> Iterator[str]:
    for (label, row), limit in zip(figures.items(), MEASURED.values(), strict=True):
        is_slow = row["search p95 ms"] > limit or row["assembly p95 ms"] > ASSEMBLY_LIMIT
        if is_slow or row["long p95 ms"] > LONG_LIMIT * row["search p95 ms"]:
            yield label


def main() -> None:
    """Run on a scratch database, print the table, write the figures; exit 1 where a limit is missed."""
    arguments = parse_arguments(__doc__, data=True, shrink=(1, "so many times fewer people"))
    document = load_locomo(arguments.data)
    with measured_database() as database:
        from memory.evaluation.retrieval.datasets import read_dataset

        figures = measure(database, read_dataset(document, "locomo"), arguments.shrink)
    publish("search_scale", "Search among a million messages", figures)
    require_none(_missed(figures))


if __name__ == "__main__":
    main()
