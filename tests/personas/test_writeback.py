"""What may be kept for good: explicit, three consistent, or corrected and confirmed. Nothing else (P-4)."""

from __future__ import annotations

from itertools import takewhile
from uuid import UUID, uuid4

from hypothesis import given
from hypothesis import strategies as st

from personas.types import PreferenceSignal
from personas.write_back_guard import SIGNS_NEEDED, CountedSign, decide_write_back

values = st.sampled_from(["concise", "detailed"])
messages = st.integers(0, 5).map(lambda number: UUID(int=number))
signs = st.lists(st.builds(CountedSign, message_id=messages, value=values), max_size=8)
signals = st.builds(
    PreferenceSignal, key=st.just("reply_length"), value=values, explicit=st.booleans(), correction=st.booleans()
)
tolds = st.none() | values


def _wish(value: str = "concise", *, correction: bool = False) -> PreferenceSignal:
    return PreferenceSignal("reply_length", value, correction=correction)


def _said(*said: str) -> list[CountedSign]:
    return [CountedSign(uuid4(), value) for value in said]


@given(signals, messages, signs, tolds, st.booleans())
def test_nothing_persists_that_is_neither_explicit_nor_said_three_times_in_a_row(
    signal: PreferenceSignal, message: UUID, earlier: list[CountedSign], told: str | None, write_back: bool
) -> None:
    decision = decide_write_back(signal, message, earlier, told, write_back=write_back)

    if decision.persists and not signal.explicit:
        same = takewhile(lambda sign: sign.value == signal.value, reversed(earlier))
        unbroken = {message, *(sign.message_id for sign in same)}
        assert len(unbroken) >= SIGNS_NEEDED
        assert set(decision.grounds) == unbroken
        assert told in (None, signal.value)
    assert write_back or (decision.reason, decision.grounds) == ("off", ())


@given(messages, signs, tolds, signals)
def test_an_explicit_word_persists_at_once(
    message: UUID, earlier: list[CountedSign], told: str | None, signal: PreferenceSignal
) -> None:
    explicit = PreferenceSignal(signal.key, signal.value, explicit=True, correction=signal.correction)

    assert decide_write_back(explicit, message, earlier, told, write_back=True).reason == "explicit"


def test_the_third_in_a_row_persists() -> None:
    assert decide_write_back(_wish(), uuid4(), _said("concise"), None, write_back=True).reason == "session_only"
    third = decide_write_back(_wish(), uuid4(), _said("concise", "concise"), None, write_back=True)
    assert (third.reason, len(third.grounds)) == ("repeated", 3)


def test_a_contradiction_begins_the_count_anew() -> None:
    earlier = _said("concise", "concise", "detailed")

    assert decide_write_back(_wish(), uuid4(), earlier, None, write_back=True).reason == "session_only"


def test_one_message_counts_once_however_often_it_says_so() -> None:
    (sign,) = _said("concise")

    again = decide_write_back(_wish(), sign.message_id, [sign, sign, sign], None, write_back=True)

    assert (again.reason, again.grounds) == ("session_only", (sign.message_id,))


def test_a_correction_waits_for_a_confirmation() -> None:
    assert decide_write_back(_wish(correction=True), uuid4(), [], None, write_back=True).reason == "waiting"


def test_repetition_asks_before_it_contradicts_what_was_told() -> None:
    earlier = _said("concise", "concise")

    assert decide_write_back(_wish(), uuid4(), earlier, "detailed", write_back=True).reason == "waiting"
    assert decide_write_back(_wish(), uuid4(), earlier, "concise", write_back=True).reason == "repeated"
