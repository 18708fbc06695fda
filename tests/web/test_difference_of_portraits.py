"""What going back to an earlier version of a portrait would change, line by line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from finclaw.web.portraits import line_difference

LINES = st.lists(st.sampled_from(["likes tea", "喜欢简约", "?", "", "# Portrait", "? - +", "lives in"]))


def kinds(now: str, then: str) -> list[tuple[str, str]]:
    return [(line["kind"], line["text"]) for line in line_difference(now, then)]


def test_a_changed_line_goes_and_the_earlier_one_comes_back() -> None:
    now, then = (
        "# You\n\n## Places\n- lives in Berlin\n- 喜欢简约",
        "# You\n\n## Places\n- lives in Hamburg\n- 喜欢简约",
    )
    assert kinds(now, then) == [
        ("same", "Places"),
        ("gone", "lives in Berlin"),
        ("back", "lives in Hamburg"),
        ("same", "喜欢简约"),
    ]


@given(LINES, LINES)
def test_it_holds_every_line_of_both_and_none_besides(now: list[str], then: list[str]) -> None:
    shown = kinds("\n".join(now), "\n".join(then))
    said = [[line for line in lines if line and line != "# Portrait"] for lines in (now, then)]
    if not shown:
        assert said[0] == said[1]
    else:
        assert [text for kind, text in shown if kind != "back"] == said[0]
        assert [text for kind, text in shown if kind != "gone"] == said[1]
