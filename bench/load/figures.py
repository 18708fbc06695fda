"""The figures of a run: times to the first and the last word, errors by their code, what stood beside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from bench.load.http_client import HttpClient
from bench.load.live_probe import NO_ANSWER
from bench.load.talkers import BROKEN, TimedTurn

FigureRow = dict[str, float]
FigureTable = dict[str, FigureRow]


def percentile(values: Sequence[float], rank: float) -> float:
    """The value at a rank of 0 to 100, NaN without values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * rank / 100))] if ordered else float("nan")


def turn_figures(turns: Sequence[TimedTurn], seconds: float) -> FigureTable:
    """A row a kind of message and one of all."""
    kinds = dict.fromkeys(turn.kind for turn in turns)
    rows = {kind: _turn_row([turn for turn in turns if turn.kind == kind], seconds) for kind in sorted(kinds)}
    return rows | {"all": _turn_row(turns, seconds)}


def _turn_row(turns: Sequence[TimedTurn], seconds: float) -> FigureRow:
    answered = [turn for turn in turns if not turn.error]
    row: FigureRow = {"turns": len(turns), "per s": round(len(answered) / seconds, 2)}
    for name in ("first", "last"):
        times = [at for turn in answered if (at := getattr(turn, f"{name}_word")) is not None]
        row |= {f"{name} p{rank} s": round(percentile(times, rank), 3) for rank in (50, 95, 99)}
        row[f"{name} max s"] = round(max(times, default=float("nan")), 3)
    return row


def outcome_figures(turns: Sequence[TimedTurn]) -> FigureTable:
    """How many turns failed, and how many by each code."""
    errors = Counter(turn.error for turn in turns if turn.error)
    counts: FigureRow = {
        "turns": len(turns),
        "errors": errors.total(),
        "broken connections": sum(count for code, count in errors.items() if code.startswith(BROKEN)),
        "refused with a wait": sum(bool(turn.refusal) for turn in turns),
    }
    return {"turns": counts} | {code: {"errors": count} for code, count in errors.most_common()}


def live_figures(live: Sequence[float]) -> FigureTable:
    """How soon liveness was answered, and how many connections the talkers had."""
    answered = [each for each in live if each != NO_ANSWER]
    return {
        "/health/live": {
            "asked": len(live), "no answer": len(live) - len(answered),
            **{f"p{rank} ms": round(percentile(answered, rank), 1) for rank in (50, 95, 99)},
            "max ms": round(max(answered, default=float("nan")), 1),
        },
        "talkers": {"open connections": HttpClient.most_open},
    }  # fmt: skip


def model_figures(stats: Mapping[str, Any]) -> FigureTable:
    """What the stand-in for a model was asked, as a whole and by each schema."""
    return {
        "all": {
            "asked": stats["requests"], "by a schema": stats["structured"], "at once": stats["most_in_flight"],
            "failed": stats["failed"], "limited": stats["limited"], "abandoned": stats["abandoned"],
            "tokens a call": round(stats["prompt_tokens"] / max(1, stats["requests"])),
            "cached %": round(100 * stats["cached_tokens"] / max(1, stats["prompt_tokens"]), 1),
        },
        **{f"schema {name}": {"asked": count} for name, count in sorted(stats["schemas"].items())},
    }  # fmt: skip
