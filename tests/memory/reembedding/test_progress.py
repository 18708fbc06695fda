"""Operators see how many entries wait for a vector: as a metric, on the Today page, and from the command."""

from __future__ import annotations

from io import StringIO

from django.core.management import call_command
from django.db import connection
from prometheus_client import REGISTRY

from finclaw.console.today import today
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox.tasks import drain
from memory.indexing.reembedding import entries_without_vector, queue_waiting
from tests.support.cast import allow
from tests.support.embedders import WordsEmbedder, embedding_with, models_of
from tests.support.talk import open_session, say


def _told(*arguments: str) -> str:
    out = StringIO()
    call_command("reembed", *arguments, stdout=out)
    return out.getvalue()


def _metered() -> float | None:
    return REGISTRY.get_sample_value("memory_entries_to_embed")


def _shown() -> int:
    with in_role(OPERATOR_ROLE):
        return today().to_embed


def _speak(*people: User) -> None:
    for person in people:
        allow(person)
        say(person, open_session(person), "What is a bond ladder?")


def test_the_metric_and_the_page_count_everybodys(alice: User, bob: User, new: WordsEmbedder) -> None:
    _speak(alice, bob)
    queue_waiting()
    assert (_metered(), _shown()) == (0, 0)
    with embedding_with(new):
        queue_waiting()
        assert (_metered(), _shown()) == (2, 2)
        drain()
        queue_waiting()
        assert (_metered(), _shown()) == (0, 0)


def test_the_status_queues_nothing(alice: User, new: WordsEmbedder, old: str) -> None:
    _speak(alice)
    with embedding_with(new):
        told = _told("--status")
        drain()

    assert f"1  {old}" in told
    assert f"1 of these entries wait for a vector of {new.model_id}; 0 jobs are under way." in told
    assert models_of(alice) == [old]


def test_the_command_queues_everybody_at_once(alice: User, bob: User, new: WordsEmbedder) -> None:
    _speak(alice, bob)
    with embedding_with(new):
        told = _told()
        assert "Queued anew: 2 people." in told
        assert "2 jobs are under way" in told
        drain()
        assert f"2  {new.model_id}" in _told("--status")

    assert models_of(alice) == models_of(bob) == [new.model_id]


def test_what_has_no_vector_is_named(alice: User, new: WordsEmbedder) -> None:
    new.answers = False
    with embedding_with(new):
        _speak(alice)
        assert "1  no vector" in _told("--status")


def test_what_waits_is_found_in_an_index_that_holds_nothing_else(alice: User, new: WordsEmbedder) -> None:
    _speak(alice)
    with in_role(OPERATOR_ROLE), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        plan = entries_without_vector(new.model_id).order_by().explain()
    assert "entries_by_model" in plan
