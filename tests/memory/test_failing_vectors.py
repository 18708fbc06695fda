"""The vector extension fails under a database that works: words alone serve, and the vectors are made afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from django.db import DataError, IntegrityError
from django.utils import timezone

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from memory.importing.imported_people import username_of
from memory.importing.services import ConversationImporter
from memory.importing.types import ImportedTurn, SessionPart
from memory.indexing.vector_failures import is_vector_failure
from memory.models import SearchEntry
from memory.retrieval.services import search
from memory.services import item_decisions
from memory.types import SearchQuery
from tests.support.cast import A_MONDAY, allow
from tests.support.talk import memories, open_session, permit_of, say

SAID, KNOWN = ("I follow BTC", "我喜欢简约的风格"), {"Follows BTC", "喜欢简约的风格"}
_BREAK = "UPDATE pg_proc SET probin = 'missing' WHERE probin = %s"
_MEND = "UPDATE pg_proc SET probin = %s WHERE probin = 'missing'"
_LIBRARY = "SELECT probin FROM pg_proc WHERE proname = 'halfvec_in'"


class Extension:
    """pgvector's library in this test's database: as if it were gone from the disk, and there again."""

    def __init__(self, superuser: psycopg.Connection) -> None:
        self._superuser = superuser
        found = superuser.execute(_LIBRARY).fetchone()
        self._library = found[0] if found else ""

    def fails(self) -> None:
        self._superuser.execute(_BREAK, [self._library])

    def is_mended(self) -> None:
        self._superuser.execute(_MEND, [self._library])


@pytest.fixture
def extension(superuser_connection: psycopg.Connection) -> Iterator[Extension]:
    own = Extension(superuser_connection)
    own.fails()
    yield own
    own.is_mended()


def _embedded(user: User) -> set[bool]:
    """Whether entries have vectors, without asking the extension."""
    with acting_as(user.pk):
        return {bool(model) for model in SearchEntry.objects.values_list("model_id", flat=True)}


def test_what_is_said_is_learned_and_found_by_its_words(alice: User, extension: Extension) -> None:
    allow(alice)
    say(alice, open_session(alice), *SAID)

    assert {item.content for item in memories(alice)} == KNOWN
    for query in ("What do I follow, BTC?", "我喜欢什么风格?"):
        with acting_as(alice.pk):
            found = search(permit_of(alice), SearchQuery(query, ("item",)))
        assert found.degraded == ("vector_unavailable",)
        assert found.strategy == "lexical"
        assert found.hits[0].text in KNOWN


def test_a_correction_holds_at_once(alice: User, extension: Extension) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I live in Berlin")
    say(alice, session, "No, I live in Hamburg, not in Berlin")

    assert [item.content for item in memories(alice, superseded_at=None)] == ["Lives in Hamburg"]


def test_the_same_in_other_words_is_learned_without_comparing_meanings(alice: User, extension: Extension) -> None:
    extension.is_mended()
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I like green tea")
    extension.fails()
    say(alice, session, "I like jasmine tea")

    assert {item.content for item in memories(alice)} == {"Likes green tea", "Likes jasmine tea"}


def test_an_import_goes_through(db: None, extension: Extension) -> None:
    turn = ImportedTurn("t1", "Maya", "user", ({"type": "text", "text": "I follow BTC"},), A_MONDAY)
    ConversationImporter().add(SessionPart("trip", ("Maya",), "monday", (turn,)))

    assert _embedded(User.objects.get(username=username_of("trip", "Maya"))) == {False}


def test_vectors_follow_once_the_extension_is_back(alice: User, extension: Extension) -> None:
    allow(alice)
    say(alice, open_session(alice), *SAID)
    assert _embedded(alice) == {False}

    extension.is_mended()
    with acting_as(alice.pk):
        OutboxMessage.objects.filter(state="pending").update(available_at=timezone.now())
    drain()

    assert _embedded(alice) == {True}
    with acting_as(alice.pk):
        assert search(permit_of(alice), SearchQuery("BTC")).degraded == ()


def test_what_a_person_states_is_stored(alice: User, extension: Extension) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item_decisions.add_stated(permit, "Follows BTC")
    assert _embedded(alice) == {False}


@pytest.mark.parametrize("error", [IntegrityError(), ValueError(), None])
def test_other_failures_are_not_taken_for_the_extensions(error: BaseException | None) -> None:
    assert not is_vector_failure(error)


def test_a_vector_that_does_not_fit_is() -> None:
    error = DataError()
    error.__cause__ = psycopg.errors.DataException()
    assert is_vector_failure(error)
