"""A back-test must not cheat: what is dated later than ``as_of`` is told, and never used."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from finclaw.brain.research.lookahead import known_then, warnings
from memory.research.types import Statement

AS_OF = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
MOMENTS = st.none() | st.integers(-10_000, 10_000).map(lambda minutes: AS_OF + timedelta(minutes=minutes))
STATEMENTS = st.lists(st.builds(Statement, st.sampled_from(["Fees doubled.", "费用翻倍。", "A fork."]), MOMENTS))


def test_the_edge_counts_as_known() -> None:
    at, after = Statement("At.", AS_OF), Statement("After.", AS_OF + timedelta(microseconds=1))

    assert known_then([after, at], AS_OF) == (at,)
    assert warnings([after, at], AS_OF) == ({"text": "After.", "dated_at": after.dated_at.isoformat()},)  # type: ignore[union-attr]


def test_other_time_zones_are_compared_as_moments() -> None:
    shanghai = Statement("上海。", datetime.fromisoformat("2026-03-02T17:30:00+08:00"))

    assert known_then([shanghai], AS_OF) == (shanghai,)


def test_what_has_no_date_stays_and_is_not_told() -> None:
    undated = Statement("Margins hold.")

    assert known_then([undated], AS_OF) == (undated,)
    assert warnings([undated], AS_OF) == ()


def test_the_same_statement_is_told_once() -> None:
    later = Statement("2026-04-01: fees doubled.", AS_OF + timedelta(days=30))

    assert len(warnings([later, later], AS_OF)) == 1


@given(STATEMENTS)
def test_without_a_moment_everything_is_known(statements: list[Statement]) -> None:
    assert known_then(statements, None) == tuple(statements)
    assert warnings(statements, None) == ()


@given(STATEMENTS)
def test_every_statement_is_used_or_told_and_their_order_stays(statements: list[Statement]) -> None:
    known = known_then(statements, AS_OF)
    told = {one["text"] + one["dated_at"] for one in warnings(statements, AS_OF)}

    assert [one for one in statements if one in known] == list(known)
    for one in statements:
        is_told = one.dated_at is not None and one.text + one.dated_at.isoformat() in told
        assert is_told != (one in known)
