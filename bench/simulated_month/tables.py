"""The tables of a simulated month, for people and for programs."""

from __future__ import annotations

import json
from collections import Counter

from rich.console import Console
from rich.table import Table

from bench.report import RESULTS
from bench.simulated_month.watch import FaultOutcome, MonthOutcome

_WIDTH = 160


def publish_month(outcome: MonthOutcome, people: int) -> None:
    """Print both tables, and write them to ``results/simulated_month.json``."""
    console = Console(width=_WIDTH)
    console.print(_health_table(outcome, people))
    console.print(_fault_table(outcome))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "simulated_month.json").write_text(json.dumps(_as_json(outcome), indent=2) + "\n", encoding="utf-8")


def _health_table(outcome: MonthOutcome, people: int) -> Table:
    table = _table(
        f"A healthy month of {people} people, seen {len(outcome.seen)} times",
        "gauge", "at the end", "state", "every state", "lowest", "highest", "alerts",
    )  # fmt: skip
    last = outcome.seen[-1]
    for name, state in last.states.items():
        values = [seen.values[name] for seen in outcome.seen if seen.states[name] != "few"]
        known = [value for value in values if value is not None]
        counted = Counter(seen.states[name] for seen in outcome.seen)
        states = ", ".join(f"{key} {times}" for key, times in counted.items())
        alerts = sum(any(alert.startswith(name) for alert in seen.alerts) for seen in outcome.seen)
        table.add_row(
            name, _shown(last.values[name]), state.upper(), states,
            _shown(min(known, default=None)), _shown(max(known, default=None)), str(alerts),
        )  # fmt: skip
    return table


def _fault_table(outcome: MonthOutcome) -> Table:
    table = _table(
        "Planted faults: hours until seen", "fault", "own gauge", "window", "in the end", "turned", "alerted"
    )
    for fault in outcome.faults:
        table.add_row(
            fault.fault.what, fault.fault.indicator, f"{fault.window.total_seconds() / 3600:.0f} h",
            _shown(fault.value), _hours(fault.turned), _hours(fault.alerted),
        )  # fmt: skip
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title)
    for column in columns:
        table.add_column(column)
    return table


def _hours(first: dict[str, float]) -> str:
    return "\n".join(f"{name} after {hours:g} h" for name, hours in first.items()) or "none"


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _as_json(outcome: MonthOutcome) -> dict[str, object]:
    last = outcome.seen[-1]
    return {
        "healthy": {"values": last.values, "states": last.states, "alerts": sorted(last.alerts)},
        "faults": [_fault_as_json(fault) for fault in outcome.faults],
        "complaints": outcome.complaints(),
    }


def _fault_as_json(fault: FaultOutcome) -> dict[str, object]:
    return {
        "indicator": fault.fault.indicator, "what": fault.fault.what, "value": fault.value, "turned": fault.turned,
        "alerted": fault.alerted,
    }  # fmt: skip
