"""How the product does under a crowd: turns over HTTP with a model that takes seconds, as models do.

    python -m bench.load --scenario crowd
    python -m bench.load --scenario conversations --minutes 2
    python -m bench.load --talkers 200 --think-seconds 20 --minutes 3 --mixed --failure-rate .01

Starts the product as ``make run`` does, on a port and a database of its own, and a stand-in for the model in a process
beside it; stops both. Talkers share the machine with what they measure. Prints throughput, seconds to the first and to
the last word, errors by their code, broken and open connections, ``/health/live`` asked ten times a second throughout,
memory and processor time of each part; writes them to ``results/``. Ends with an error where a scenario's limit is
missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bench.load.figures import FigureTable
from bench.load.load_run import LoadRun, make_people
from bench.load.model_stub import add_behaviour, given_behaviour
from bench.load.other_work import PAUSE_SECONDS
from bench.load.scenarios import LIGHT_TURNS_A_SECOND, SCENARIOS, LoadScenario, missed_limits
from bench.load.stub_process import StubProcess, running_stub
from bench.product import Product, running_product
from bench.report import print_table, write_results
from bench.runner import argument_parser, require_none

_SAID_CHARS = 4_000  # of what the product logged, shown where something failed


def parse_options() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argument_parser(__doc__)
    parser.add_argument(
        "--scenario", choices=SCENARIOS, help="; ".join(f"{k}: {s.about}" for k, s in SCENARIOS.items())
    )
    parser.add_argument("--talkers", type=int)
    parser.add_argument("--think-seconds", type=float, help="from one message of a talker to the next")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--turns", type=int, help="of all talkers together")
    parser.add_argument("--at-once", type=int, dest="rounds", metavar="ROUNDS", help="all speak at once, so often")
    parser.add_argument("--without-model", dest="has_model", action="store_false", default=None)
    parser.add_argument("--whole-answers", dest="streams", action="store_false", default=None, help="not streamed")
    parser.add_argument("--mixed", action="store_true", help="searches, imports, exports and erasures beside the turns")
    parser.add_argument("--embedder", choices=["e5", "light"], default="e5")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the product")
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    add_behaviour(parser)
    return parser.parse_args()


def chosen_scenario(given: argparse.Namespace) -> LoadScenario:
    """The named scenario with what was given in its place; its limits hold only as it is."""
    usual = SCENARIOS[given.scenario] if given.scenario else LoadScenario("as given", talkers=20)
    names = ("talkers", "think_seconds", "minutes", "turns", "rounds", "has_model", "streams")
    changes = {name: getattr(given, name) for name in names if getattr(given, name) is not None}
    behaviour = {**usual.behaviour, **given_behaviour(given)}
    scenario = replace(usual, **changes, behaviour=behaviour)
    fast = ("turns", "all", "≥ per s")
    if given.embedder == "light" and fast in scenario.limits:
        scenario = replace(scenario, limits={**scenario.limits, fast: LIGHT_TURNS_A_SECOND})
    return scenario


@contextmanager
def started(scenario: LoadScenario, environment: dict[str, str]) -> Iterator[tuple[Product, StubProcess | None]]:
    """The product, and the stub that it asks unless its model is the offline one."""
    if not scenario.has_model:
        with running_product(environment) as product:
            yield product, None
        return
    with running_stub(scenario.behaviour) as stub, running_product(stub.environment | environment) as product:
        yield product, stub


def measure(scenario: LoadScenario, environment: dict[str, str], *, is_mixed: bool) -> dict[str, FigureTable]:
    """The tables of one run."""
    with started(scenario, environment) as (product, stub):
        tokens = make_people(product, scenario.talkers + (len(PAUSE_SECONDS) if is_mixed else 0))
        run = LoadRun(scenario, product, stub, product.port, is_mixed)
        figures = asyncio.run(run.measure(tokens))
        if figures["outcomes"]["turns"]["errors"] or any(
            row["errors"] for row in figures.get("other work", {}).values()
        ):
            print(product.output.read_text()[-_SAID_CHARS:])
        return figures


def main() -> None:
    given = parse_options()
    scenario = chosen_scenario(given)
    environment = {"EMBEDDER": given.embedder, "LEARNED_WAIT_SECONDS": "0"} | dict(
        pair.split("=", 1) for pair in given.set
    )
    figures = measure(scenario, environment, is_mixed=given.mixed)
    label = given.scenario or "load"
    for section, table in figures.items():
        print_table(f"{label}: {section}", table)
    named = {"scenario": label, "talkers": scenario.talkers, "load before": os.getloadavg()[0], **figures}
    write_results(f"load_{label}", named)
    if given.json:
        given.json.write_text(json.dumps(named, indent=2) + "\n", encoding="utf-8")
    require_none(missed_limits(figures, scenario), "Missed")


if __name__ == "__main__":
    main()
