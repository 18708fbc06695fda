"""A back-test must not cheat: what is dated later than ``as_of`` is told, and never used."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from finclaw.brain.material.lookahead import find_postdated, lookahead_warnings, statements_known_by
from memory.research.types import ResearchStatement, StatementSource

AS_OF = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
MOMENTS = st.none() | st.integers(-10_000, 10_000).map(lambda minutes: AS_OF + timedelta(minutes=minutes))
STATEMENTS = st.lists(
    st.builds(ResearchStatement, st.sampled_from(["Fees doubled.", "费用翻倍。", "A fork."]), MOMENTS)
)


def test_the_day_itself_counts_as_known_and_the_next_does_not() -> None:
    at, after = (
        ResearchStatement("At.", datetime(2026, 3, 2, 23, 59, tzinfo=UTC)),
        ResearchStatement("After.", AS_OF + timedelta(days=1)),
    )

    assert statements_known_by([after, at], AS_OF) == (at,)
    assert find_postdated([after, at], AS_OF) == (after,)


def test_what_is_told_of_it_names_its_sources_so_that_it_can_be_forgotten_with_them() -> None:
    after = ResearchStatement("After.", AS_OF + timedelta(days=1), (StatementSource("item", "one"),))

    assert lookahead_warnings([after]) == (after.as_json(),)


def test_other_time_zones_are_compared_as_moments() -> None:
    shanghai = ResearchStatement("上海。", datetime.fromisoformat("2026-03-02T17:30:00+08:00"))

    assert statements_known_by([shanghai], AS_OF) == (shanghai,)


def test_what_has_no_date_stays_and_is_not_told() -> None:
    undated = ResearchStatement("Margins hold.")

    assert statements_known_by([undated], AS_OF) == (undated,)
    assert find_postdated([undated], AS_OF) == ()


def test_the_same_statement_is_told_once() -> None:
    postdated = ResearchStatement("2026-04-01: fees doubled.", AS_OF + timedelta(days=30))

    assert len(find_postdated([postdated, postdated], AS_OF)) == 1


@given(STATEMENTS)
def test_without_a_moment_everything_is_known(statements: list[ResearchStatement]) -> None:
    assert statements_known_by(statements, None) == tuple(statements)
    assert find_postdated(statements, None) == ()


@given(STATEMENTS)
def test_every_statement_is_used_or_told_and_their_order_stays(statements: list[ResearchStatement]) -> None:
    known = statements_known_by(statements, AS_OF)
    told = {(one.text, one.dated_at) for one in find_postdated(statements, AS_OF)}

    assert [one for one in statements if one in known] == list(known)
    for one in statements:
        assert ((one.text, one.dated_at) in told) != (one in known)
