"""A shadow agrees with its text, character by character."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from consent.sensitive.ascii_shadow import ascii_shadow, has_digits, places_of


@given(st.text(max_size=200))
def test_offsets_agree_with_those_of_the_text(text: str) -> None:
    shadow = ascii_shadow(text)

    assert len(shadow) == len(text)
    assert all(text[at].lower() == "a" for at in places_of(b"a", shadow))
    assert len(list(places_of(b"a", shadow))) == text.count("a") + text.count("A")


def test_digits_are_counted_over_what_may_stand_between_them() -> None:
    assert has_digits(ascii_shadow("电话 (415) 555-01"), 8, b" ()-")
    assert not has_digits(ascii_shadow("415.555.0132"), 8, b" ()-")
