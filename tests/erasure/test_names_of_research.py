"""What research is called goes with the words that named it: a message, a task, a memory; what its user named stays."""

from __future__ import annotations

import pytest

from consent.models import ErasureScope
from consent.services import permit_for
from drift.models import Feedback
from drift.services import give_feedback
from finclaw.brain.research.canonical_objects import object_of_thread
from finclaw.brain.research.recommendations import refresh_conditions_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import ResearchTask, Session, Snapshot, Thread
from memory.research.threads import change_thread
from memory.research.types import CognitionObject, ThreadChange
from tests.brain.research.support import run, snapshot
from tests.support.cast import allow
from tests.support.erasures import forgotten
from tests.support.needles import dump
from tests.support.research import refreshed, thread_kept
from tests.support.speaking import ask
from tests.support.talk import memories, open_session, say

pytestmark = pytest.mark.django_db(transaction=True)
NEEDLE = "ZQNDL"
NEIGHBOUR = "ZQNBR"


@pytest.fixture(autouse=True)
def consent(alice: User) -> None:
    allow(alice)


def _forget(user: User, scope: ErasureScope, target: str) -> None:
    done = forgotten(user, scope, target)
    assert done.state == "completed", [step.reason for step in done.steps.all()]


def _asked_in_chat(user: User) -> tuple[str, Snapshot]:
    """A chat that names the needle and then asks for a snapshot of "it"; the chat's id, and the snapshot."""
    session = open_session(user)
    ask(user, session, f"I keep thinking about {NEEDLE} these days.")
    ask(user, session, "Run a snapshot on it")
    drain()
    with acting_as(user.pk):
        made = Snapshot.objects.latest("created_at")
    assert made.object_name == NEEDLE
    return str(session.pk), made


def _about(user: User, thread: Thread) -> tuple[str, str, str]:
    with acting_as(user.pk):
        row = Thread.objects.get(pk=thread.pk)
    return row.title, row.object_kind, row.object_name


def test_a_name_taken_from_a_chat_goes_with_the_chat(alice: User) -> None:
    session, made = _asked_in_chat(alice)
    conditions = refresh_conditions_for(CognitionObject("asset", NEEDLE))
    thread = thread_kept(alice, made, title=NEEDLE, refresh_conditions=conditions)
    refreshed(alice, thread, "Demand falls.", object=object_of_thread(thread))
    beside = thread_kept(alice, snapshot(alice, run(alice, f"Where does {NEIGHBOUR} stand?")), title="Beside")
    with acting_as(alice.pk):
        give_feedback(permit_for(alice), alice, f"thread:{thread.pk}", "helpful", "Clear.")
    assert dump().count(NEEDLE) > 5

    _forget(alice, ErasureScope.SESSION, session)

    assert NEEDLE not in dump()
    assert _about(alice, thread) == ("What was asked", "theme", "What was asked")
    assert _about(alice, beside) == ("Beside", "asset", NEIGHBOUR)
    with acting_as(alice.pk):
        assert Feedback.objects.get().object_name == ""
        kept = Thread.objects.get(pk=thread.pk).refresh_conditions
    assert kept == [one for one in conditions if NEEDLE not in one]


def test_a_name_that_its_user_gave_stays(alice: User) -> None:
    session, made = _asked_in_chat(alice)
    thread = thread_kept(alice, made, title="Mine")
    with acting_as(alice.pk):
        change_thread(permit_for(alice), thread, ThreadChange(cognition_object=CognitionObject("asset", "Snowflake")))

    _forget(alice, ErasureScope.SESSION, session)

    assert _about(alice, thread) == ("Mine", "asset", "Snowflake")
    assert NEEDLE not in dump()


def test_the_name_before_a_correction_goes_with_its_words_and_the_users_own_stays(alice: User) -> None:
    session = open_session(alice)
    ask(alice, session, "I keep thinking about Palantir these days.")
    ask(alice, session, "Run a snapshot on it")
    drain()
    with acting_as(alice.pk):
        thread = thread_kept(alice, Snapshot.objects.latest("created_at"), title="Palantir")
        change_thread(permit_for(alice), thread, ThreadChange(cognition_object=CognitionObject("asset", "PLTR")))
    later = run(alice, "What could go wrong with it?", "risk_challenge")
    assert dump().count("Palantir") > 2

    _forget(alice, ErasureScope.SESSION, str(session.pk))

    assert "Palantir" not in dump()
    assert _about(alice, thread) == ("PLTR", "asset", "PLTR")
    with acting_as(alice.pk):
        assert Snapshot.objects.values_list("object_name", "object_alias").get() == ("PLTR", "")
        assert Thread.objects.get().object_alias == ""
        assert ResearchTask.objects.get(pk=later.pk).report["title"] == "PLTR"


def test_a_name_taken_from_earlier_research_goes_with_that(alice: User) -> None:
    first = run(alice, f"How good is the evidence on {NEEDLE}?", "evidence_audit")
    report = run(alice, "What could go wrong with it?", "risk_challenge")
    thread = thread_kept(alice, snapshot(alice, run(alice, "I think it is cheap")), title="Mine")
    assert _about(alice, thread)[2] == report.report["title"] == NEEDLE

    _forget(alice, ErasureScope.TASK, str(first.pk))

    assert NEEDLE not in dump()
    assert _about(alice, thread) == ("Mine", "theme", "What was asked")
    with acting_as(alice.pk):
        assert ResearchTask.objects.get(pk=report.pk).report["title"] == "What was asked"


def test_a_name_goes_with_the_prompt_that_holds_it(alice: User) -> None:
    session = open_session(alice)
    ask(alice, session, f"Run a snapshot on {NEEDLE}")
    drain()
    with acting_as(alice.pk):
        made = Snapshot.objects.latest("created_at")
    thread = thread_kept(alice, made, title="Mine")

    _forget(alice, ErasureScope.SESSION, str(session.pk))

    assert _about(alice, thread) == ("Mine", "theme", "What was asked")
    with acting_as(alice.pk):
        named = Snapshot.objects.values_list("object_name", "object_alias").get()
    assert named == ("What was asked", "")


def test_what_a_conversation_noted_goes_by_whatever_name_it_was_noted(alice: User) -> None:
    session = open_session(alice)
    say(alice, session, "I follow PLTR since October.", "I have a cat.")
    noted = {"tickers": ["PLTR"], "assets": ["Palantir", "Nvidia"], "times": ["October 2025"]}
    with acting_as(alice.pk):
        Session.objects.filter(pk=session.pk).update(entity_slots=noted)
    memory = next(item for item in memories(alice) if "PLTR" in item.content)

    _forget(alice, ErasureScope.ITEM, str(memory.pk))

    with acting_as(alice.pk):
        assert Session.objects.get(pk=session.pk).entity_slots == {"assets": ["Nvidia"]}
