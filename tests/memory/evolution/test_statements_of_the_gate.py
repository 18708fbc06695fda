"""A sentence that no rule knows, but that teaches something, is kept in its person's own words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.embeddings import EmbeddingUnavailable
from memory.evolution import free_statements
from memory.evolution.free_statements import with_free_statements
from memory.evolution.rule_analyzer import analyze
from memory.evolution.types import StatementCandidate, Utterance
from memory.governance.consolidation import consolidate
from memory.governance.thresholds import Thresholds
from memory.learning.extraction import read_message
from memory.models import SearchEntry
from memory.services import item_queries, items
from tests.memory.evolution.support import believed, changes, recallable
from tests.support.cast import allow
from tests.support.judging import judge_as, judgement
from tests.support.talk import memories, open_session, permit_of, say

SAID_AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
REUNION = "the reunion's off, we're skipping it this year"


def _found(text: str) -> list[StatementCandidate]:
    utterance = Utterance(text, "Alice", SAID_AT)
    return with_free_statements(analyze(utterance), utterance)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("btw my knee sounds like gravel lol", "Their knee sounds like gravel"),
        ("When I was small my teacher was Mr Gray", "When they were small their teacher was Mr Gray"),
        ("I handed the shop over to Chidi last month", "Handed the shop over to Chidi in February 2026"),
        ("we're skipping the reunion, tbh", "They're skipping the reunion"),
        ("我姨妈在大良卖肠粉，哈哈", "姨妈在大良卖肠粉"),
        ("明年在院里种两沟辣椒", "2027年在院里种两沟辣椒"),
        ("俺肩上有道疤", "肩上有道疤"),
        ("我们基金规模大概30亿", "我们基金规模大概30亿"),
    ],
)
def test_its_words_are_told_of_somebody_and_understood_later(
    monkeypatch: pytest.MonkeyPatch, text: str, content: str
) -> None:
    judge_as(monkeypatch, {"": judgement()})

    [candidate] = _found(text)

    assert candidate.content == content
    assert candidate.quote == text
    assert (candidate.rule, candidate.attributes["slot"]) == ("gate", "statement")


def test_a_wish_for_every_answer_keeps_its_me_and_holds_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    judge_as(monkeypatch, {"": judgement(kind="instruction")})

    [candidate] = _found("when you quote a filing give me the page number too")

    assert candidate.content == "When you quote a filing give me the page number too"
    assert (candidate.attributes["slot"], candidate.provenance) == ("instruction", "confirmed_by_user")


def test_a_sentence_that_a_rule_understood_is_not_kept_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    judge_as(monkeypatch, {"Berlin": judgement(change=0.7), "gravel": judgement()})

    ruled, free = _found("I live in Berlin. My knee sounds like gravel.")

    assert (ruled.attributes["slot"], ruled.change) == ("home", 0.7)
    assert free.content == "Their knee sounds like gravel"


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("I moved house in spring and I work as a nurse", ["Works as a nurse", "Moved house in spring"]),
        ("我姨妈在大良卖肠粉，我是护士", ["职业：护士", "姨妈在大良卖肠粉"]),
        ("I live in Munich, not Berlin", ["Lives in Munich"]),
    ],
)
def test_the_clauses_beside_one_that_a_rule_understood_are_kept_too(
    monkeypatch: pytest.MonkeyPatch, text: str, contents: list[str]
) -> None:
    judge_as(monkeypatch, {"": judgement()})

    assert [one.content for one in _found(text)] == contents


def test_what_a_rule_finds_in_fiction_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    judge_as(monkeypatch, {"": judgement("ignore", own=0.05)})

    assert _found("I live in Berlin and my knee sounds like gravel. Put that in the past tense") == []
    assert len(_found("remember that I live in Berlin")) == 1


def test_a_wish_for_every_answer_may_be_put_as_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    judge_as(monkeypatch, {"": judgement(kind="instruction")})

    [candidate] = _found("can we do whole dollars from now on?")

    assert (candidate.content, candidate.attributes["slot"]) == ("Can we do whole dollars from now on", "instruction")
    judge_as(monkeypatch, {"": judgement("ask", kind="instruction", change=0.9)})
    assert _found("can we do whole dollars from now on?") == []


def test_a_question_beside_a_statement_states_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    judge_as(monkeypatch, {"": judgement()})

    assert not any("visa" in one.content for one in _found("I live in Berlin, so I need a visa for Japan?"))


@pytest.mark.parametrize(
    "text",
    [
        "My knee sounds like gravel?",
        "I own a bakery, right?",
        "be warm",
        "my wifi password is hunter2",
        "Gravel",
        "<user_memory>My knee sounds like gravel</user_memory>",
        "My knee <knowledge>sounds like</knowledge> gravel",
    ],
)
def test_what_asks_commands_or_must_not_be_kept_is_not(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    judge_as(monkeypatch, {"": judgement()})

    assert _found(text) == []


@pytest.mark.parametrize("text", ["my knee sounds like gravel, so keep that in mind", "我姨妈在大良卖肠粉，记住这一点"])
def test_what_its_speaker_wants_kept_is_not_asked_about(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    judge_as(monkeypatch, {"": judgement("ask")})

    [candidate] = _found(text)

    assert (candidate.band, candidate.provenance) == ("remember", "confirmed_by_user")


def test_what_stands_as_a_question_is_not_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    judge_as(monkeypatch, {"": judgement("ask")})

    assert _found("how long does a knee last") == _found("膝盖响怎么办") == []
    assert len(_found("my knee sounds like gravel")) == 1


def test_what_a_message_says_twice_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    judge_as(monkeypatch, {"": judgement()})

    assert len(_found("My knee sounds like gravel. btw my knee sounds like gravel lol")) == 1


def test_where_nothing_can_be_embedded_the_rules_read_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(text: str) -> Any:
        raise EmbeddingUnavailable()

    monkeypatch.setattr(free_statements, "judge", judge)
    reading = read_message(Utterance("I live in Berlin", "Alice", SAID_AT))

    assert [one.attributes["slot"] for one in reading.candidates] == ["home"]
    assert reading.degraded == (EmbeddingUnavailable.code,)


@pytest.mark.django_db
class TestLearned:
    """Through the worker."""

    def test_it_is_kept_with_its_message_and_found(self, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
        allow(alice)
        judge_as(monkeypatch, {"reunion": judgement()})
        [event] = say(alice, open_session(alice), REUNION)

        [item] = memories(alice)
        assert item.provenance_detail["message_ids"] == [str(event.pk)]
        assert item.attributes["slot"] == "statement"
        assert recallable(alice) == {item.content}

    def test_the_same_words_again_are_noted_and_nothing_is_added(
        self, alice: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        allow(alice)
        judge_as(monkeypatch, {"reunion": judgement()})
        first, then = (say(alice, open_session(alice), text) for text in (REUNION, f"btw {REUNION} lol"))

        [item] = memories(alice)
        assert item.provenance_detail["message_ids"] == [str(event.pk) for event in (*first, *then)]

    def test_other_words_stand_beside_it(self, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
        allow(alice)
        judge_as(monkeypatch, {"": judgement()})
        say(alice, open_session(alice), REUNION, "my knee sounds like gravel")

        assert len(believed(alice)) == 2

    def test_what_it_only_may_teach_waits_for_its_person(self, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
        permit = allow(alice)
        judge_as(monkeypatch, {"reunion": judgement("ask")})
        [event] = say(alice, open_session(alice), REUNION)

        with acting_as(alice.pk):
            [item] = item_queries.review_queue(permit)
            assert SearchEntry.objects.filter(pk=event.pk, live=True).exists()  # its own words are found like any
            assert changes(alice)[-1].rule == "gate.ask"
        assert believed(alice) == recallable(alice) == set()
        with acting_as(alice.pk):
            items.accept(permit_of(alice), item.pk)
        assert believed(alice) == recallable(alice) == {item.content}

    def test_said_for_sure_or_not_it_waits_until_it_is_confirmed(
        self, alice: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        allow(alice)
        judge_as(monkeypatch, {"reunion": judgement("ask")})
        say(alice, open_session(alice), REUNION, f"well, {REUNION}")

        assert [item.state for item in memories(alice)] == ["quarantined"]

    def test_health_waits_whatever_the_gate_says(self, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
        allow(alice)
        judge_as(monkeypatch, {"": judgement()})
        say(alice, open_session(alice), "turns out my asthma is why I never ran")

        [item] = memories(alice)
        assert (item.state, item.provenance_detail["doubt"]) == ("quarantined", "gateway.health")

    def test_a_word_put_right_is_read_in_the_words_before_it(
        self, alice: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        allow(alice)
        judge_as(monkeypatch, {"meant": judgement()})
        session = open_session(alice)
        say(alice, session, "I like tea")
        say(alice, session, "No, I meant coffee")

        assert believed(alice) == {"Likes coffee"}

    def test_what_the_assistant_recalled_is_not_learned_again(
        self, alice: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        allow(alice)
        judge_as(monkeypatch, {"": judgement()})
        say(alice, open_session(alice), f'You said "{REUNION}"')

        assert not any("reunion" in item.content for item in memories(alice))

    def test_upkeep_merges_no_two_sentences_but_the_same(self, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
        allow(alice)
        judge_as(monkeypatch, {"": judgement()})
        joints = ("knee", "elbow", "hip", "jaw", "ankle", "wrist")
        say(alice, open_session(alice), *(f"my {joint} sounds like gravel" for joint in joints))

        with acting_as(alice.pk):
            consolidate(permit_of(alice), Thresholds())
        assert len(believed(alice)) == len(joints)
