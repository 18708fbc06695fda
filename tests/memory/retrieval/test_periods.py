"""A question that names a day, a month or a year finds first what was said then."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.embeddings import configured_embedder
from foundation.ids import new_id
from memory.indexing import services as indexing
from memory.indexing.documents import SearchDocument
from memory.retrieval import formula
from memory.retrieval import services as retrieval
from memory.retrieval.periods import YEARS_BACK, ZONES, periods_named
from memory.types import SearchQuery
from tests.support.cast import allow
from tests.support.talk import permit_of

TODAY = date(2026, 11, 23)


def days(question: str) -> list[tuple[date, date]]:
    """First and last day of each period named."""
    return [((begin + ZONES).date(), (end - ZONES).date()) for begin, end in periods_named(question, TODAY)]


@pytest.mark.parametrize(
    ("question", "first", "after"),
    [
        ("What did I buy on 13 May 2023?", (2023, 5, 13), (2023, 5, 14)),
        ("What did I buy on May 13th, 2023?", (2023, 5, 13), (2023, 5, 14)),
        ("What happened in December 2024?", (2024, 12, 1), (2025, 1, 1)),
        ("What happened in 2024-02?", (2024, 2, 1), (2024, 3, 1)),
        ("2024/2/29 发生了什么", (2024, 2, 29), (2024, 3, 1)),
        ("我在2025年1月15日做了什么", (2025, 1, 15), (2025, 1, 16)),
        ("2025年三月中旬的会议", (2025, 3, 11), (2025, 3, 21)),
        ("2025年十一月五号呢", (2025, 11, 5), (2025, 11, 6)),
        ("2025年1月底", (2025, 1, 21), (2025, 2, 1)),
        ("what changed during 2022", (2022, 1, 1), (2023, 1, 1)),
        ("2022年我去过哪", (2022, 1, 1), (2023, 1, 1)),
    ],
)
def test_what_is_named_with_its_year_is_one_period(
    question: str, first: tuple[int, int, int], after: tuple[int, int, int]
) -> None:
    assert days(question) == [(date(*first), date(*after))]


@pytest.mark.parametrize(
    "question", ["When did I go camping in June?", "6月份我去哪儿露营了", "六月去的哪里", "the june trip"]
)
def test_a_month_without_a_year_is_that_month_of_any_year(question: str) -> None:
    assert days(question) == [(date(year, 6, 1), date(year, 7, 1)) for year in range(2026 - YEARS_BACK, 2027)]


@pytest.mark.parametrize(
    "question",
    [
        "May I ask something?",
        "you may march on",
        "一个月后见",
        "13月32日",
        "2023-13-45",
        "call 20231 people",
        "version 3.11.2",
        "",
    ],
)
def test_what_names_no_time_has_no_period(question: str) -> None:
    assert days(question) == []


@given(st.text(st.sampled_from("2019年月日号-/. 三十底may march june of in,"), max_size=60))
def test_any_text_is_read(question: str) -> None:
    assert all(begin < end for begin, end in periods_named(question, TODAY))


@pytest.mark.parametrize("few", [0, formula.FEW], ids=["by a first look", "all are read"])
def test_what_was_said_in_the_month_asked_about_comes_first(
    alice: User, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formula, "FEW", few)
    allow(alice)
    told = [
        SearchDocument(
            new_id(),
            "turn",
            alice.pk,
            None,
            None,
            datetime(2025, month, 12, 9, tzinfo=UTC),
            "Went camping by the lake.",
        )
        for month in range(1, 13)
    ]
    embedder = configured_embedder()
    with acting_as(alice.pk):
        indexing.store_entries(told, list(embedder.embed_passages([one.text for one in told])), embedder.model_id)
        query = SearchQuery("When did I go camping in June?", ("turn",), top_k=3)
        hits = retrieval.search(permit_of(alice), query).hits
    assert hits[0].id == told[5].id
