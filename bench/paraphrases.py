"""Questions in other words than the memories they ask for, and questions that nothing answers.

    python -m bench.paraphrases [--tuned]

Forty memories of one person, asked for in two hundred ways that share few words with them, and a hundred questions
about what none of them holds, in English and in Chinese; written by somebody who had not seen the code. ``--tuned``
asks the other set instead, by which the floors were chosen. Each is asked of the product's own search.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.report import publish
from bench.runner import argument_parser, measured_database, require_none

if TYPE_CHECKING:
    from uuid import UUID

    from consent.permit import Permit
    from memory.types import SearchHit

FOLDER = Path(__file__).parent / "paraphrased"
LANGUAGES = ("en", "zh")
TOP_K = 10
FIRST_WANTED, NOTHING_WANTED = 0.80, 0.90


def measure(name: str) -> dict[str, dict[str, float]]:
    """A row a language of the set ``name``."""
    return {language: _of(json.loads((FOLDER / f"{name}_{language}.json").read_bytes())) for language in LANGUAGES}


def _of(people: Sequence[dict[str, Any]]) -> dict[str, float]:
    ranks: list[int | None] = []
    found_nothing: list[bool] = []
    for number, person in enumerate(people):
        permit, keys = _remembered(f"person{number}-{person['memories'][0][:20]}", person["memories"])
        ranks += [
            _rank(_search(permit, question["text"]), keys[question["memory"]]) for question in person["questions"]
        ]
        found_nothing += [not _search(permit, text) for text in person["nothing"]]
    return {
        "questions": len(ranks),
        "right first": _share(rank == 1 for rank in ranks),
        "among three": _share(rank is not None and rank <= 3 for rank in ranks),
        "found at all": _share(rank is not None for rank in ranks),
        "about nothing": len(found_nothing),
        "nothing found": _share(iter(found_nothing)),
    }


def _remembered(username: str, memories: Sequence[str]) -> tuple[Permit, list[UUID]]:
    from bench.people import somebody
    from foundation.database.acting_user import acting_as
    from memory.services.item_decisions import add_stated

    person, permit = somebody(username)
    with acting_as(person.pk):
        return permit, [add_stated(permit, content).pk for content in memories]


def _search(permit: Permit, text: str) -> Sequence[SearchHit]:
    from foundation.database.acting_user import acting_as
    from memory.retrieval.services import embed_query, search
    from memory.types import SearchQuery

    embedded = embed_query(text)
    with acting_as(permit.user_id):
        return search(permit, SearchQuery(text, ("item",), top_k=TOP_K, floored=True), embedded).hits


def _rank(hits: Sequence[SearchHit], wanted: UUID) -> int | None:
    return next((place for place, hit in enumerate(hits, 1) if hit.id == wanted), None)


def _share(of: Iterator[bool]) -> float:
    answers = list(of)
    return round(sum(answers) / len(answers), 3)


def main() -> None:
    """Run on a scratch database, print the table, write the figures; exit 1 where the closed set falls short."""
    parser = argument_parser(__doc__)
    parser.add_argument("--tuned", action="store_true", help="the set by which the floors were chosen")
    tuned = parser.parse_args().tuned
    with measured_database({"LOG_LEVEL": "WARNING"}):
        figures = measure("tuned" if tuned else "closed")
    publish("paraphrases", "Questions in other words, and about nothing that is there", figures)
    if not tuned:
        require_none(_short(figures), "Short of what is wanted")


def _short(figures: dict[str, dict[str, float]]) -> Iterator[str]:
    for name, row in figures.items():
        if row["right first"] < FIRST_WANTED or row["nothing found"] < NOTHING_WANTED:
            yield name


if __name__ == "__main__":
    main()
