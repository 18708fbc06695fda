"""How long a function takes for hostile texts, and how that grows with their length."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

from tests.hostile_text.functions import TextFunction
from tests.hostile_text.shapes import hostile_texts
from tests.support.cpu_limit import measure_cpu_seconds

SHORT: Final = 500
FLOOR_SECONDS: Final = 0.02
"""What takes less for a whole message is fast, however it grows; the clock is too coarse to tell."""
SLACK: Final = 3.0
"""How many times n·log n a function may grow: caches fill, and the machine has other things to do."""
_KILL_AFTER: Final = 4
"""Times the limit, at which a call is ended."""
_PLAIN_SECONDS: Final = 0.02
"""What a million plain additions take on a machine on which the limits hold as they are written."""
_LOOKS: Final = 5
_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class Runaway:
    """A function that took too long for a text, or longer than n·log n; ``seconds`` is None where it was ended."""

    function: str
    shape: str
    seconds: float | None
    growth: float = 0.0

    def __str__(self) -> str:
        took = "was ended" if self.seconds is None else f"{self.seconds * 1000:.0f} ms"
        return f"{self.function} on {self.shape}: {took}" + (
            f", {self.growth:.1f} times n log n" if self.growth else ""
        )


def find_runaways(function: TextFunction, *, whole: bool) -> list[Runaway]:
    """The shapes on which the function breaks its limit or grows too fast at each of ``_TRIES`` looks: what else the
    machine does slows one look or another, never a function each time. Not ``whole``, a few shapes half as long are
    looked at with half the limit: what grows too fast does so from there on.
    """
    function.call("Nothing much. 热身")  # tables are built at the first call
    share = 1.0 if whole else 0.5
    limit = function.milliseconds / 1000 * share * slowness()
    texts = list(hostile_texts(int(function.longest * share), whole=whole))
    suspects = list(_too_slow(function, texts, limit))
    for _ in range(_TRIES - 1):
        again = {one.shape for one in suspects}
        if not again:
            break
        suspects = list(_too_slow(function, [pair for pair in texts if pair[0] in again], limit))
    return suspects


def _too_slow(function: TextFunction, named: Sequence[tuple[str, str]], limit: float) -> Iterator[Runaway]:
    calls = [partial(function.call, written) for _, written in named]
    for (shape, written), seconds in zip(named, measure_cpu_seconds(calls, limit * _KILL_AFTER), strict=True):
        if seconds is None or seconds > limit:
            yield Runaway(function.name, shape, seconds)
        elif seconds > FLOOR_SECONDS and (growth := _growth(function, written, seconds)) > SLACK:
            yield Runaway(function.name, shape, seconds, growth)


@cache
def slowness() -> float:
    """How many times longer this machine takes, at its slowest, for plain Python than one on which the limits hold as
    they are written; 1 where it is faster. That a function grows no faster than its text is held whatever this is.
    """
    looks = measure_cpu_seconds([partial(_add, 1_000_000)] * _LOOKS, 60)
    return max(1.0, *(seconds / _PLAIN_SECONDS for seconds in looks if seconds))


def _add(times: int) -> None:
    total = 0
    for number in range(times):
        total += number


def _growth(function: TextFunction, written: str, seconds: float) -> float:
    """How many times longer a text takes than its pieces would, put together, were the function n·log n."""
    pieces = _pieces(written)
    if len(pieces) < 2:
        return 1.0
    [together] = measure_cpu_seconds([partial(_call_each, function.call, pieces)], seconds * len(pieces))
    expected = math.log(len(written)) / math.log(SHORT) * max(together or 0.0, FLOOR_SECONDS / SLACK)
    return seconds / expected


def _pieces(written: str) -> list[str]:
    """The same shape at 500 characters, again and again: each part of the text, with the end of the whole."""
    return [written[at : at + SHORT - 8] + written[-8:] for at in range(0, len(written) - SHORT + 1, SHORT)]


def _call_each(call: Callable[[str], object], texts: Iterable[str]) -> None:
    for text in texts:
        call(text)
