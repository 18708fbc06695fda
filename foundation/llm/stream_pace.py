"""How often the pieces of an answer are passed on: seldom where many answers are streamed at once.

A server sends each token by itself. Read and passed on one by one, the tokens of a hundred answers take a processor
away from those who still wait for their first word.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from foundation.llm.clock import Clock

SECONDS_A_STREAM: Final = 0.004  # of pause, for each answer that is streamed now
LONGEST_PAUSE_SECONDS: Final = 0.25  # still read as one flow
BURST_SECONDS: Final = 0.01
"""How soon after a pause a piece must be read to count as one that had arrived during the pause and was only waiting to
be read. A piece that takes longer came after the pause."""


class StreamPace:
    """Gathers the pieces of answers, the longer the more of them are streamed in this process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._streams = 0

    @property
    def pause(self) -> float:
        """Seconds between two pieces of an answer now."""
        return min(self._streams * SECONDS_A_STREAM, LONGEST_PAUSE_SECONDS)

    def gather(self, pieces: Iterator[str]) -> Iterator[str]:
        """The same text in fewer pieces: the first at once, then all that came within a pause as one.

        What came at the end of a pause is passed on with the next piece, so a server that falls silent in the middle
        of an answer holds a few words back meanwhile. One that breaks off holds none back.
        """
        waiting_text, resumed = "", float("-inf")
        with self._counted():
            try:
                for piece in pieces:
                    waiting_text += piece
                    if not waiting_text or self._clock.now() - resumed < BURST_SECONDS:
                        continue
                    passed_on, waiting_text = waiting_text, ""
                    yield passed_on
                    self._clock.sleep(self.pause)
                    resumed = self._clock.now()
            except Exception:
                if waiting_text:
                    yield waiting_text
                raise
        if waiting_text:
            yield waiting_text

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._streams += 1
        try:
            yield
        finally:
            self._streams -= 1
