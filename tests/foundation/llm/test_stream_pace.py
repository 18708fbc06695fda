"""How the pieces of an answer are gathered while many are streamed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from foundation.llm.clock import Clock
from foundation.llm.stream_pace import LONGEST_PAUSE_SECONDS, SECONDS_A_STREAM, StreamPace


class SetClock(Clock):
    """Stands still but for pauses and what a server takes."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


def arriving(clock: SetClock, *pieces: tuple[float, str]) -> Iterator[str]:
    """Pieces that a server sends at these times; who asks earlier waits."""
    for at, piece in pieces:
        clock.seconds = max(clock.seconds, at)
        yield piece


def test_the_first_word_is_passed_on_at_once_and_what_came_within_a_pause_as_one() -> None:
    clock = SetClock()
    pace = StreamPace(clock)
    others = [pace.gather(iter(["a", "b"])) for _ in range(99)]
    for other in others:
        next(other)
    sent = [(0.3, "In "), (0.35, "Berlin"), (0.4, ", "), (0.45, "I "), (1.0, "think"), (2.0, ".")]

    pieces = [(clock.seconds, piece) for piece in pace.gather(arriving(clock, *sent))]

    assert pieces[0] == (0.3, "In ")
    assert [piece for _, piece in pieces[1:]] == ["Berlin, I think", "."]
    assert pieces[1][0] == 1.0


def test_a_lone_answer_is_not_held_back() -> None:
    clock = SetClock()
    sent = [(at / 20, f"{at} ") for at in range(1, 40)]

    pieces = [(clock.seconds, piece) for piece in StreamPace(clock).gather(arriving(clock, *sent))]

    assert pieces == sent


def test_the_pause_grows_with_the_answers_under_way_and_shrinks_again() -> None:
    pace = StreamPace(SetClock())
    streams = [pace.gather(iter(["a", "b"])) for _ in range(200)]
    assert pace.pause == 0

    for count, stream in enumerate(streams, 1):
        next(stream)
        assert pace.pause == min(count * SECONDS_A_STREAM, LONGEST_PAUSE_SECONDS)
    for stream in streams:
        stream.close()  # type: ignore[attr-defined]

    assert pace.pause == 0


def test_what_is_gathered_when_an_answer_breaks_off_is_passed_on_before_the_error() -> None:
    def breaking() -> Iterator[str]:
        yield "In "
        yield "Ber"
        raise ConnectionError

    pieces = StreamPace(SetClock()).gather(breaking())

    assert [next(pieces), next(pieces)] == ["In ", "Ber"]
    with pytest.raises(ConnectionError):
        next(pieces)


@pytest.mark.parametrize(
    ("sent_last", "passed_on"),
    [([], (0.005, "Berlin")), ([(1.0, ".")], (1.0, "Berlin."))],
    ids=["with the end", "with the next piece"],
)
def test_what_comes_faster_than_the_pause_waits_no_longer_than_for_what_follows(
    sent_last: list[tuple[float, str]], passed_on: tuple[float, str]
) -> None:
    clock = SetClock()
    sent = [(0.0, "In "), (0.001, "Ber"), (0.002, "lin"), *sent_last]

    pieces = [(clock.seconds, piece) for piece in StreamPace(clock).gather(arriving(clock, *sent))]

    assert [piece for _, piece in pieces] == ["In ", passed_on[1]]
    assert pieces[1][0] == pytest.approx(passed_on[0], abs=0.001)


def test_a_reader_who_leaves_while_text_is_gathered_is_counted_no_longer() -> None:
    clock = SetClock()
    pace = StreamPace(clock)
    pieces = pace.gather(arriving(clock, (0.0, "In "), (0.001, "Ber"), (0.002, "lin"), (1.0, ".")))
    assert [next(pieces), next(pieces), pace.pause] == ["In ", "Berlin.", SECONDS_A_STREAM]

    pieces.close()  # type: ignore[attr-defined]

    assert pace.pause == 0
