"""The kinds of crowd that are measured, and what each must show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True)
class LoadScenario:
    """Who talks how. ``limits`` are upper bounds of figures, by section, row and column; a column that starts with
    ``≥`` names a lower bound.
    """

    about: str
    talkers: int
    think_seconds: float = 0.0
    minutes: float = 1.0
    turns: int = 0  # of all talkers together; 0: as many as the time allows
    rounds: int = 0  # in each of which all speak at once; 0: everybody at their own pace
    streams: bool = True
    has_model: bool = True
    kinds: tuple[str, ...] = ()
    behaviour: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[tuple[str, str, str], float] = field(default_factory=dict)


_NONE_FAILED: Final = {("outcomes", "turns", "errors"): 0.0}
_LIVE: Final = {("live", "/health/live", "p99 ms"): 100.0, ("live", "/health/live", "no answer"): 0.0}

SCENARIOS: Final[Mapping[str, LoadScenario]] = {
    "crowd": LoadScenario(
        "everybody speaks at once, again and again",
        talkers=100,
        rounds=5,
        limits=_NONE_FAILED | _LIVE | {("turns", "all", "first p95 s"): 1.5, ("turns", "all", "last max s"): 8.0},
    ),
    "conversations": LoadScenario(
        "open conversations, each a message a minute",
        talkers=1_000,
        think_seconds=60.0,
        minutes=10.0,
        limits=_NONE_FAILED
        | _LIVE
        | {("turns", "all", "first p95 s"): 1.0}
        | {("processes", name, "growth %"): 5.0 for name in ("web", "worker")},
    ),
    "offline": LoadScenario(
        "the offline model, nobody thinks, from a cold start on",
        talkers=50,
        minutes=60.0,
        turns=20_000,
        streams=False,
        has_model=False,
        limits=_NONE_FAILED | {("turns", "all", "≥ per s"): 25.0, ("turns", "all", "last p95 s"): 2.5},
    ),
    "lone": LoadScenario(
        "one person alone: the first word beyond the model's own",
        talkers=1,
        minutes=10.0,
        turns=45,
        kinds=("greeting", "question", "own"),
        behaviour={"whole": 0.6},
        limits=_NONE_FAILED
        | {("turns", "greeting", "first p95 s"): 0.3 + 0.15}
        | {("turns", kind, "first p95 s"): 0.3 + 0.85 for kind in ("question", "own")},
    ),
}
LIGHT_TURNS_A_SECOND: Final = 40.0
"""What the offline scenario must show with the light embedder, which costs a sixtieth of the shipped one."""


def missed_limits(figures: Mapping[str, Mapping[str, Mapping[str, float]]], scenario: LoadScenario) -> list[str]:
    """The limits that do not hold, each with its figure; one whose figure is missing does not."""
    missed = []
    for (section, row, column), limit in scenario.limits.items():
        name = column.removeprefix("≥ ")
        figure = figures.get(section, {}).get(row, {}).get(name)
        holds = figure is not None and (figure >= limit if name != column else figure <= limit)
        if not holds:
            missed.append(f"{row}: {name} is {figure}, not {'≥' if name != column else '≤'} {limit:g}")
    return missed
