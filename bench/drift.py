"""A year of feedback of a thousand people, scanned for changes of mind.

    python -m bench.drift --people 1000 --per-day 1

Generated: everybody rates what they are given, of twenty objects in both languages, in a mood that turns now and then.
The rows are written as the product writes them, keywords and all; the scan is the product's own.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from bench.report import publish
from bench.runner import measured_database, parse_arguments

if TYPE_CHECKING:
    from uuid import UUID

    from drift.models import Feedback

DAYS = 365
LIMIT_SECONDS = 10.0
_SEED = 20_261_122
_BATCH = 5_000
_END = datetime(2026, 11, 1, tzinfo=UTC)
_OBJECTS = tuple((f"snapshot:{number}", "asset", f"A{number // 2}") for number in range(20))
_RATINGS = {True: ("thumbs_up", "helpful", "agree"), False: ("thumbs_down", "not_helpful", "disagree")}
_COMMENTS = {
    True: (
        "I agree with the thesis.",
        "Convincing, well argued.",
        "很有道理，我看好。",
        "判断准确",
        "",
        "Read on the train.",
    ),
    False: ("This is wrong.", "I no longer agree.", "这个结论错了。", "我之前的判断错了。", "", "先记下来"),
}
_TURNS = 0.03  # how often a mood turns
_DATE = """
    UPDATE drift_feedback f SET created_at = %s + said.number * make_interval(secs => %s)
    FROM (SELECT id, row_number() OVER (ORDER BY id) AS number FROM drift_feedback WHERE user_id = %s) said
    WHERE f.id = said.id
"""


def measure(database: str, people: int, per_day: int) -> dict[str, dict[str, float]]:
    """Fill in, then scan: rows, seconds and what was found."""
    from drift.feedback_scan import scan_feedback

    rows = _fill(people, per_day)
    _settle(database)
    began, worked = perf_counter(), process_time()
    scan = scan_feedback()
    seconds, cpu = perf_counter() - began, process_time() - worked
    if scan.feedback != rows or not scan.signals:
        raise AssertionError("the scan did not read what was written")
    found = {kind: float(count) for kind, count in scan.signals.items()}
    figures = {"feedback": rows, "seconds": seconds, "seconds of processor": cpu, **found}
    return {f"{people} people, {DAYS} days": figures}


def _fill(people: int, per_day: int) -> int:
    from bench.people import somebody
    from drift.models import Feedback
    from foundation.database.acting_user import acting_as

    chance = random.Random(_SEED)
    keywords = _keywords()
    written = 0
    for number in range(people):
        person, permit = somebody(f"person-{number}")
        made = list(_feedback(person.pk, permit.version, per_day, chance, keywords))
        with acting_as(person.pk):
            Feedback.objects.bulk_create(made, batch_size=_BATCH)
            _date(person.pk, len(made))
        written += len(made)
    return written


def _keywords() -> dict[str, list[dict[str, str]]]:
    from drift.stance_lexicon import configured_lexicon

    comments = (comment for mood in _COMMENTS.values() for comment in mood)
    return {comment: [word.as_json() for word in configured_lexicon().keywords_in(comment)] for comment in comments}


def _feedback(
    person: UUID, version: int, per_day: int, chance: random.Random, keywords: dict[str, list[dict[str, str]]]
) -> Iterator[Feedback]:
    from drift.models import Feedback

    moods = dict.fromkeys(_OBJECTS, True)
    for _ in range(DAYS * per_day):
        given = chance.choice(_OBJECTS)
        moods[given] ^= chance.random() < _TURNS
        comment = chance.choice(_COMMENTS[moods[given]])
        ref, kind, name = given
        yield Feedback(
            user_id=person, object_ref=ref, object_kind=kind, object_name=name, comment=comment,
            rating=chance.choice(_RATINGS[moods[given]]), keywords=keywords[comment], consent_version=version,
        )  # fmt: skip


def _date(person: UUID, rows: int) -> None:
    """Spread over the year that ends on a fixed day: the model itself would date them now."""
    from django.db import connection

    year = timedelta(days=DAYS)
    with connection.cursor() as cursor:
        cursor.execute(_DATE, [_END - year, year.total_seconds() / rows, person])


def _settle(database: str) -> None:
    from django.conf import settings

    from bench.row_multiplication import settle
    from foundation.database.embedded_server import EmbeddedServer

    with EmbeddedServer(settings.DATA_DIR).connect(database) as superuser:
        settle(superuser)


def main() -> int:
    """Run on a scratch database, print the table, write the figures; answer 1 where the limit is missed."""
    arguments = parse_arguments(__doc__, people=1_000, per_day=1)
    figures: dict[str, Any]
    with measured_database() as database:
        figures = measure(database, arguments.people, arguments.per_day)
    publish("drift", "A year of feedback, scanned", figures)
    return int(any(row["seconds"] > LIMIT_SECONDS for row in figures.values()))


if __name__ == "__main__":
    sys.exit(main())
