"""A month of ordinary use by so many people, what each gauge of memory quality shows of it, and planted faults.

python -m bench.simulated_month --people 200 --days 30

A healthy month must be on target in every gauge with nobody alerted; a planted fault must turn its own gauge within
its window and none beside it. Ends with an error where that does not hold.
"""

from __future__ import annotations

from bench.runner import measured_database, parse_arguments, require_none


def main() -> None:
    """Live through the month and print what was seen."""
    chosen = parse_arguments(__doc__, people=200, days=30, turns_a_day=8)
    offline = {"OPENAI_BASE_URL": "", "EMBEDDINGS_BASE_URL": "", "LOG_LEVEL": "ERROR"}
    with measured_database(offline, durable=False):
        from bench.simulated_month.history import DAY, FIRST_DAY, SimulatedMonth, make_people
        from bench.simulated_month.observed_turns import observe_turns
        from bench.simulated_month.tables import publish_month
        from bench.simulated_month.watch import run_month

        turns = observe_turns(FIRST_DAY - 30 * DAY)
        outcome = run_month(SimulatedMonth(make_people(chosen.people), turns, chosen.days, chosen.turns_a_day))
        publish_month(outcome, chosen.people)
    require_none(outcome.complaints(), "The gauges do not hold")


if __name__ == "__main__":
    main()
