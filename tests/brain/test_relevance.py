"""What bears on a message, and what only happens to share a word with it. No database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from finclaw.brain.recall.relevance import judge_relevance
from finclaw.brain.types import PromptCandidate
from finclaw.brain.understanding.question_slots import RequestedSlots, requested_slots
from foundation.text import tokenize

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def memory(text: str, lexical: float = 0.0, semantic: float = 0.0, **fields: object) -> PromptCandidate:
    values: dict[str, object] = {
        "kind": "item", "id": uuid4(), "text": text, "score": 0.1, "tokens": 10, "occurred_at": NOW,
        "signals": {"lexical": lexical, "semantic": semantic},
    }  # fmt: skip
    return PromptCandidate(**(values | fields))  # type: ignore[arg-type]


def turn(text: str, score: float, lexical: float = 1.0, **fields: object) -> PromptCandidate:
    return memory(text, lexical, 0.0, score=score, kind="turn", **fields)


def bearing(question: str, *candidates: PromptCandidate, asked: RequestedSlots | None = None) -> list[str]:
    found = judge_relevance(candidates, requested_slots(question) if asked is None else asked, tokenize(question))
    return [one.text for one in found if one.relevant and not one.left_out]


def test_what_falls_far_below_the_best_is_filler() -> None:
    exact, weak = memory("Likes the Berlin Philharmonic", 4.0), memory("Likes tea", 0.5)
    assert bearing("Tell me of the Berlin Philharmonic", exact, weak) == ["Likes the Berlin Philharmonic"]


def test_the_merely_similar_counts_only_where_nothing_shares_a_word() -> None:
    similar, dissimilar = memory("Enjoys orchestral music", semantic=0.5), memory("Drives a Volvo", semantic=0.1)
    assert bearing("Tell me of symphonies", similar, dissimilar) == ["Enjoys orchestral music"]
    exact = memory("Collects symphonies", 3.0)
    assert bearing("Tell me of symphonies", similar, exact) == ["Collects symphonies"]


@pytest.mark.parametrize(("question", "text"), [("How old am I?", "34 years old"), ("我多大了？", "34岁")])
def test_the_value_of_the_slot_asked_for_bears_without_a_word_in_common(question: str, text: str) -> None:
    assert bearing(question, memory(text, slot="age"), memory("x", slot="home")) == [text]


def test_a_label_looked_for_under_is_no_answer_by_itself() -> None:
    other = memory("Works at Wipro", 2.0, slot="employer", category="work")
    job = memory("Works as a nurse", 2.0, slot="job", category="work")
    asked = RequestedSlots(slots=("job",), terms=("work",))
    assert bearing("What is my profession?", other, job, asked=asked) == ["Works as a nurse"]


def test_a_list_is_brought_up_where_nothing_in_it_was_named() -> None:
    jazz, tea = memory("Likes jazz", slot="likes"), memory("Likes tea", slot="likes")
    assert bearing("What are my hobbies?", jazz, tea) == ["Likes jazz", "Likes tea"]
    named = memory("Likes jazz", 3.0, slot="likes")
    assert bearing("Is jazz among my hobbies?", named, tea) == ["Likes jazz"]


@pytest.mark.parametrize(
    ("question", "named", "other"),
    [
        ("What do I like to drink?", "Likes to drink juice", "Likes coffee"),
        ("我喜欢喝什么？", "喜欢喝果汁", "喜欢咖啡"),
    ],
)
def test_who_asks_which_of_a_list_is_shown_what_may_be_of_it_by_another_name(
    question: str, named: str, other: str
) -> None:
    said = [memory(named, 1.1, slot="likes"), memory(other, 0.1, slot="likes"), memory("x", slot="likes")]
    assert bearing(question, *said) == [named, other]


def test_who_asks_whether_something_is_of_a_list_is_shown_that_alone() -> None:
    sushi, jazz = memory("No longer likes sushi", 1.0, slot="likes"), memory("Likes jazz", 0.6, slot="likes")
    assert bearing("Do I like sushi?", sushi, jazz) == ["No longer likes sushi"]
    assert bearing("Do I like wine?", sushi, jazz) == ["No longer likes sushi", "Likes jazz"]


def test_what_is_asked_for_is_marked() -> None:
    question = "Where do I live?"
    [home, other] = judge_relevance(
        [memory("Moved to Rome", slot="home"), memory("Likes to live well", 1.0, slot="likes")],
        requested_slots(question), tokenize(question),
    )  # fmt: skip
    assert (home.is_asked_for, other.is_asked_for) == (True, False)


@pytest.mark.parametrize(
    ("question", "answer"), [("What do I like to drink?", "I like tea"), ("我喜欢喝什么？", "我喜欢茶")]
)
def test_what_was_only_asked_before_is_no_answer_and_outweighs_none(question: str, answer: str) -> None:
    told = [memory(f"Learned: {answer}", 0.2, slot="likes"), turn(answer, 0.4, 0.2)]
    asked = [turn(question, 1.0, 3.0), memory(f"FinClaw answered Bob: “{question}”.", 3.0, kind="event", score=2.0)]
    assert bearing(question, *asked, *told) == [f"Learned: {answer}", answer]
    assert bearing("What did I ask you about drinks? 我问过什么？", *asked) == [one.text for one in asked]


def test_an_event_bears_by_what_it_tells_beside_a_question() -> None:
    event = memory("FinClaw answered “What is tea?”. Bob likes tea.", 2.0, kind="event")
    assert bearing("Which tea do I drink?", event) == [event.text]


def test_what_guards_its_person_is_never_left_out_for_something_closer() -> None:
    allergy = memory("Allergic to peanuts", slot="allergy")
    loves = memory("Loves dessert", 3.0, slot="likes")
    assert "Allergic to peanuts" in bearing("Recommend a dessert", loves, allergy)


@pytest.mark.parametrize(
    ("question", "dislike", "like"),
    [("What do I not like?", "Does not like sushi", "Likes to hike"), ("我不喜欢什么？", "不喜欢寿司", "喜欢爬山")],
)
def test_what_is_liked_is_no_answer_to_what_is_not(question: str, dislike: str, like: str) -> None:
    disliked, liked = memory(dislike, 3.0, slot="dislikes"), memory(like, 3.0, slot="likes")
    assert bearing(question, disliked, liked) == [dislike]


def test_of_messages_those_near_the_best_bear() -> None:
    assert bearing("Berlin", turn("In Berlin", 1.0), turn("Near Berlin", 0.7), turn("Far away", 0.3)) == [
        "In Berlin",
        "Near Berlin",
    ]
    assert bearing("Berlin", turn("Unlike anything", 0.5, lexical=0.0)) == []


def test_what_is_past_is_left_out_and_measures_nothing() -> None:
    past, present = turn("I live in Berlin.", 1.0, is_past=True), turn("I like Berlin", 0.4)
    [one, other] = judge_relevance([past, present], requested_slots("Do I live in Berlin?"), ["berlin"])
    assert (one.relevant, one.left_out) == (False, "superseded")
    assert (other.relevant, other.left_out) == (True, "")


@pytest.mark.parametrize("question", ["Where did I live before?", "我以前住在哪里？"])
def test_who_asks_how_things_were_is_shown_what_is_past(question: str) -> None:
    past = turn("I live in Berlin.", 1.0, is_past=True)
    [one] = judge_relevance([past], requested_slots(question), tokenize(question))
    assert (one.relevant, one.left_out, one.is_past) == (True, "", True)


def test_what_replaced_a_message_that_bears_on_the_question_bears_on_it() -> None:
    older = turn("I bank with Barclays", 1.0, occurred_at=NOW)
    later = turn("I switched from Barclays to Monzo", 0.1, lexical=0.0, occurred_at=NOW + timedelta(days=1))
    assert bearing("Who do I bank with?", older, later) == ["I switched from Barclays to Monzo"]


@pytest.mark.parametrize(
    ("question", "manner", "said", "liked"),
    [
        ("What do I like to drink?", "Likes detailed answers", "I like detailed answers.", "喜欢喝乌龙茶"),
        ("我喜欢喝什么？", "喜欢详细的回答", "我喜欢详细的回答。", "Likes oolong tea"),
    ],
)
def test_how_to_be_answered_bears_on_no_other_liking(question: str, manner: str, said: str, liked: str) -> None:
    found = [memory(manner, 1.0, 0.4, slot="reply_style"), turn(said, 1.0), memory(liked, slot="likes")]
    assert bearing(question, *found) == [liked]
    assert bearing("What kind of answers do I like? 怎么回答我？", *found)[:2] == [manner, said]
    assert bearing("Tell me about detailed answers 详细的回答", *found)[:2] == [manner, said]


@pytest.mark.parametrize("request_", ["Please answer in Chinese", "请用中文回答", "Keep it short. Be warm."])
def test_a_request_for_the_style_of_an_answer_bears_on_no_later_question(request_: str) -> None:
    told = "Please compare the Chinese banks 用中文"
    assert bearing("Which Chinese banks answer for it? 用中文", turn(request_, 1.0), turn(told, 1.0)) == [told]
    assert bearing("What kind of answers do I like? 怎么回答我？", turn(request_, 1.0)) == [request_]
