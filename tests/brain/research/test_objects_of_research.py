"""What a piece of research is about: the asset by any of its names, never the words of the question; "it" is what was
spoken of before; what was taken wrong is corrected, and feedback is compared by the object. How it is named is in
``test_one_name_for_an_object.py``.
"""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from consent.services import permit_for
from drift.models import DriftSignal, Feedback
from drift.services import give_feedback
from finclaw.brain.material.subject import find_object, refers_back
from finclaw.brain.research.antecedents import find_antecedent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import ResearchTask, Session, Snapshot, Thread
from memory.research.asset_names import names_of_object, object_key
from memory.research.types import CognitionObject
from tests.brain.research.support import run, snapshot
from tests.support.api import code_of, post
from tests.support.api import signed_in as with_token
from tests.support.cast import allow
from tests.support.research import snapshot_made, thread_kept
from tests.support.speaking import ask
from tests.support.talk import open_session, say
from tests.web.support import signed_in

OBJECTS = [
    ("Where does Palantir stand", "asset", "Palantir"),
    ("What speaks for PLTR?", "asset", "PLTR"),
    ("How is $pltr doing?", "asset", "PLTR"),
    ("I think Palantir is cheap", "asset", "Palantir"),
    ("你怎么看帕兰提尔", "asset", "帕兰提尔"),
    ("600519怎么样", "asset", "600519.SH"),
    ("603288还能买吗", "asset", "603288"),
    ("Palantir earnings next week: what matters?", "event", "Palantir earnings"),
    ("How does the Fed meeting bear on gold?", "event", "Fed meeting"),
    ("What happens after the Fed cuts rates?", "event", "Fed cuts rates"),
    ("What would happen if the ECB raises interest rates?", "event", "ECB raises interest rates"),
    ("What happens when AMD reports earnings", "event", "AMD earnings"),
    ("What will happen to the housing market?", "theme", "housing market"),
    ("What do you make of AI capex", "theme", "AI capex"),
    ("Where does copper stand now?", "theme", "copper"),
    ("Is gold overvalued?", "theme", "gold"),
    ("I think uranium is going up", "theme", "uranium"),
    ("What does QE mean for bonds?", "theme", "QE"),
    ("What is going on with AI capex", "theme", "AI capex"),
    ("人民币汇率怎么看", "theme", "人民币汇率"),
    ("我觉得人民币会升值", "theme", "人民币"),
    ("Should I buy Zorblatt Industries?", "theme", "Zorblatt Industries"),
]


@pytest.mark.parametrize(("prompt", "kind", "name"), OBJECTS)
def test_the_object_is_what_is_asked_about_and_not_the_question(prompt: str, kind: str, name: str) -> None:
    assert find_object(prompt) == CognitionObject(kind, name)


@pytest.mark.parametrize(
    ("prompt", "back"),
    [
        ("I think it is cheap", True),
        ("Is it still cheap?", True),
        ("它还便宜吗？", True),
        ("我觉得它便宜", True),
        ("What could go wrong?", True),
        ("Is it cheap? Fees doubled in May.", True),
        ("Is Palantir cheap? I think it is.", False),
        ("What could go wrong with copper?", False),
        ("Challenge my thesis:\nI think copper miners earn too little.", False),
        ("茅台还能买吗", False),
    ],
)
def test_a_request_without_an_object_of_its_own_refers_back(prompt: str, back: bool) -> None:
    assert refers_back(prompt) is back


@pytest.mark.parametrize(
    "names",
    [
        [("asset", "Palantir"), ("asset", "PLTR"), ("asset", "帕兰提尔"), ("asset", "palantir technologies")],
        [("asset", "600519"), ("asset", "600519.SH"), ("asset", "茅台"), ("asset", "Moutai")],
        [("event", "NVDA earnings"), ("event", "Nvidia earnings"), ("event", "英伟达 earnings")],
        [("theme", "Copper"), ("theme", "copper")],
    ],
)
def test_all_names_of_an_object_are_one(names: list[tuple[str, str]]) -> None:
    assert len({object_key(CognitionObject(*name)) for name in names}) == 1


def test_an_asset_is_neither_another_nor_a_theme_of_its_name() -> None:
    objects = [("asset", "NVDA"), ("asset", "AMD"), ("theme", "NVDA"), ("event", "NVDA earnings"), ("event", "NVDA")]

    assert len({object_key(CognitionObject(*name)) for name in objects}) == len(objects)
    assert names_of_object(CognitionObject("theme", "NVDA")) == ("NVDA",)


def _about(user: User, prompt: str) -> tuple[str, str]:
    made = snapshot(user, run(user, prompt))
    return made.object_kind, made.object_name


@pytest.mark.django_db(transaction=True)
def test_three_questions_on_one_asset_are_about_one_asset(alice: User) -> None:
    allow(alice)

    found = [_about(alice, prompt) for prompt in ("Where does Palantir stand", "I think it is cheap", "What of PLTR?")]

    assert found == [("asset", "Palantir")] * 3


@pytest.mark.django_db(transaction=True)
def test_it_is_never_what_somebody_else_asked_about(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    run(bob, "Where does Palantir stand")

    assert _about(alice, "I think it is cheap")[0] == "theme"


@pytest.mark.django_db(transaction=True)
def test_it_is_never_a_theme_in_words_that_may_be_forgotten(alice: User) -> None:
    allow(alice)
    run(alice, "Where does the kumquat harvest stand")

    assert "kumquat" not in _about(alice, "I think it is cheap")[1]


@pytest.mark.django_db(transaction=True)
def test_in_a_conversation_it_is_what_the_conversation_is_about(alice: User) -> None:
    allow(alice)
    run(alice, "Where does Nvidia stand")
    session = open_session(alice)
    ask(alice, session, "I keep thinking about Palantir these days.")
    ask(alice, session, "It has been a good month.")
    asked = ask(alice, session, "Run a snapshot on it")
    drain()

    assert asked.skill == "snapshot"
    assert "Palantir" in asked.reply
    with acting_as(alice.pk):
        latest = Snapshot.objects.latest("created_at")
    assert (latest.object_kind, latest.object_name) == ("asset", "Palantir")


@pytest.mark.django_db(transaction=True)
def test_a_ticker_noted_long_ago_was_said_where_it_stands_as_a_word(alice: User) -> None:
    permit, session = allow(alice), open_session(alice)
    said = say(alice, session, "I hold COIN.", "COINS are round.", *["Fine."] * 25, "What of it?", learn=False)
    with acting_as(alice.pk):
        Session.objects.filter(pk=session.pk).update(entity_slots={"tickers": ["COIN", "NVDA"]})  # nobody says NVDA
        found = find_antecedent(permit, ResearchTask(pk=said[-1].pk), [], [])
    assert found is not None
    assert [source.id for source in found.sources] == [str(said[0].pk)]


@pytest.mark.django_db(transaction=True)
def test_a_thread_knows_what_it_is_about(alice: User) -> None:
    allow(alice)
    run(alice, "Where does Nvidia stand")
    thread = thread_kept(alice)

    made = snapshot(alice, run(alice, "I think it is cheap", thread_id=thread.pk))

    assert (made.object_kind, made.object_name) == ("asset", "SOL")


# --- comparing -------------------------------------------------------------------------------------------------------


def test_feedback_on_one_asset_is_compared_by_whatever_name_it_went(alice: User) -> None:
    allow(alice)
    refs = []
    for name in ("Palantir", "PLTR", "帕兰提尔", "Palantir Technologies"):
        made = snapshot_made(alice, object=CognitionObject("asset", name))
        refs.append(f"snapshot:{made.pk}")
    with acting_as(alice.pk):
        for ref, comment in zip(refs, ["I am bullish.", "I am bearish.", "看多", "看空"], strict=True):
            give_feedback(permit_for(alice), alice, ref, "helpful", comment)

        kinds = set(DriftSignal.objects.values_list("signal_kind", flat=True))
    assert kinds == {"feedback_conflict"}


# --- correcting ------------------------------------------------------------------------------------------------------


def _object(user: User, thread: Thread) -> tuple[str, str]:
    with acting_as(user.pk):
        row = Thread.objects.get(pk=thread.pk)
        snapshots = set(Snapshot.objects.filter(thread=row).values_list("object_kind", "object_name"))
    assert snapshots == {(row.object_kind, row.object_name)}
    return row.object_kind, row.object_name


def test_over_the_api_a_thread_is_told_what_it_is_about(alice: User) -> None:
    allow(alice)
    thread = thread_kept(alice, snapshot_made(alice, object=CognitionObject("theme", "Where does it stand")))
    body = {"cognition_object": {"kind": "asset", "name": " Palantir "}}

    answer = with_token(alice).patch(f"/api/threads/{thread.pk}", body)

    named = {"kind": "asset", "name": "Palantir", "id": "asset:PLTR", "alias": ""}
    assert (answer.status_code, answer.json()["cognition_object"]) == (200, named)
    assert _object(alice, thread) == ("asset", "Palantir")


@pytest.mark.parametrize(
    ("named", "status"),
    [
        ({"kind": "person", "name": "x"}, 400),
        ({"kind": "asset"}, 400),
        ({"kind": "asset", "name": ""}, 400),
        ({"kind": "asset", "name": "x" * 201}, 400),
        ({"kind": "asset", "name": "x", "ticker": "X"}, 400),
        ("Palantir", 400),
        (None, 400),
    ],
)
def test_a_malformed_object_changes_nothing(alice: User, named: object, status: int) -> None:
    allow(alice)
    thread = thread_kept(alice)

    answer = with_token(alice).patch(f"/api/threads/{thread.pk}", {"cognition_object": named})

    assert answer.status_code == status
    assert _object(alice, thread) == ("asset", "SOL")


def test_nobody_corrects_anothers_and_nobody_a_closed_one(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    thread = thread_kept(alice)
    body = {"cognition_object": {"kind": "asset", "name": "Palantir"}}
    outsider: APIClient = with_token(bob)

    assert outsider.patch(f"/api/threads/{thread.pk}", body).status_code == 404
    with_token(alice).patch(f"/api/threads/{thread.pk}", {"state": "closed"})
    assert code_of(with_token(alice).patch(f"/api/threads/{thread.pk}", body)) == "thread_closed"
    assert _object(alice, thread) == ("asset", "SOL")


def test_when_a_snapshot_is_kept_its_object_is_offered_for_correction(alice: User) -> None:
    permit = allow(alice)
    made = snapshot_made(alice, object=CognitionObject("theme", "Where does it stand"))
    browser: Client = signed_in(alice)
    address = reverse("web:keep_snapshot", args=[made.pk])

    assert 'value="Where does it stand"' in browser.get(address).content.decode()
    sent = {"title": "Mine", "consent_id": str(permit.consent_id), "object_name": "PLTR", "object_kind": "asset"}
    browser.post(address, sent)
    with acting_as(alice.pk):
        thread = Thread.objects.get()
    assert _object(alice, thread) == ("asset", "PLTR")

    page = browser.get(reverse("web:thread", args=[thread.pk])).content.decode()
    assert 'value="PLTR"' in page
    again = {"title": "Mine", "object_name": "Palantir", "object_kind": "asset"}
    browser.post(reverse("web:thread", args=[thread.pk]), again)
    assert _object(alice, thread) == ("asset", "Palantir")


def test_over_the_api_a_snapshot_is_kept_with_another_object(alice: User) -> None:
    permit = allow(alice)
    made = snapshot_made(alice)
    body = {
        "title": "Mine", "save_user_context": False, "consent_ack": {"consent_id": str(permit.consent_id)},
        "cognition_object": {"kind": "event", "name": "SOL upgrade"},
    }  # fmt: skip

    answer = post(with_token(alice), f"/api/snapshots/{made.pk}/save-as-thread", body)

    named = {"kind": "event", "name": "SOL upgrade", "id": "event:SOL upgrade", "alias": ""}
    assert (answer.status_code, answer.json()["cognition_object"]) == (201, named)


def test_feedback_given_before_keeps_what_it_was_given_on(alice: User) -> None:
    allow(alice)
    thread = thread_kept(alice)
    with acting_as(alice.pk):
        give_feedback(permit_for(alice), alice, f"thread:{thread.pk}", "helpful", "Good.")
    body = {"cognition_object": {"kind": "asset", "name": "Palantir"}}
    with_token(alice).patch(f"/api/threads/{thread.pk}", body)
    with acting_as(alice.pk):
        give_feedback(permit_for(alice), alice, f"thread:{thread.pk}", "helpful", "Good.")
        assert list(Feedback.objects.order_by("created_at").values_list("object_name", flat=True)) == [
            "SOL",
            "Palantir",
        ]
