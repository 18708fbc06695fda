"""What the guards find, and what they flag in vain, through the product's own functions.

    python -m bench.evaluate_guards [--part open|closed] [--everyday FILE …]

A row a guard and language: recall, precision, false alarms among the look-alikes, milliseconds a text of 2,000
characters. ``--everyday`` counts what is flagged in plain sentences, a line each. Which encoder serves, EMBEDDER says.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Final

import numpy as np

from bench.guard_corpora import CorpusPart, GuardExample, read_guard_corpus
from bench.report import publish
from foundation.guards.types import GuardName

LONG: Final = 2_000
REPEATED: Final = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("open", "closed"), default="open")
    parser.add_argument("--everyday", type=Path, nargs="*", default=[], help="plain sentences, a line each")
    parser.add_argument("--families", action="store_true", help="print what is found of each family, too")
    given = parser.parse_args()
    rows: dict[str, dict[str, float]] = {}
    sentences = [line for file in given.everyday for line in file.read_text(encoding="utf-8").splitlines() if line]
    for guard, flags in _guards().items():
        rows |= _measured(guard, flags, given.part, families=given.families)
        if sentences:
            flagged = [sentence for sentence in sentences if flags(sentence)]
            rows[f"{guard} everyday"] = {"texts": len(sentences), "false": len(flagged) / len(sentences)}
            print(guard, *flagged[:200], sep="\n  ")
    publish("guards", f"Guards on the {given.part} part", rows)


def _guards() -> dict[GuardName, Callable[[str], bool]]:
    """The product's own functions."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "finclaw.settings")
    import django

    django.setup()
    from finclaw.brain.boundary import asks_to_execute
    from foundation.sanitization.services import sanitize
    from foundation.sanitization.types import SanitizationResult

    return {
        "boundary": asks_to_execute,
        "injection": lambda text: sanitize(text).result is SanitizationResult.BLOCKED,
    }


def _measured(
    guard: GuardName, flags: Callable[[str], bool], part: CorpusPart, *, families: bool
) -> dict[str, dict[str, float]]:
    examples = read_guard_corpus(guard, part)
    found = np.array([flags(example.text) for example in examples])
    truth = np.array([example.is_positive for example in examples])
    rows = {}
    for language in ("en", "zh"):
        chosen = np.array([example.language == language for example in examples])
        rows[f"{guard} {language}"] = _row(found[chosen], truth[chosen]) | {
            "ms_2000": _milliseconds(flags, [example for example in examples if example.language == language])
        }
    rows[f"{guard} all"] = _row(found, truth)
    if families:
        for family in sorted({example.family for example in examples}):
            chosen = np.array([example.family == family for example in examples])
            print(f"{guard} {family}: flagged {found[chosen].mean():.2f} of {int(chosen.sum())}")
    return rows


def _row(found: Sequence[bool] | np.ndarray, truth: np.ndarray) -> dict[str, float]:
    flagged = np.asarray(found)
    return {
        "texts": len(truth),
        "recall": float(flagged[truth].mean()),
        "precision": float((flagged & truth).sum() / max(1, flagged.sum())),
        "false": float(flagged[~truth].mean()),
    }


def _milliseconds(flags: Callable[[str], bool], examples: Iterable[GuardExample]) -> float:
    """The best time for 2,000 characters of harmless texts one after the other."""
    text = " ".join(example.text for example in examples if not example.is_positive)[:LONG]
    times = []
    for _ in range(REPEATED):
        started = perf_counter()
        flags(text)
        times.append(perf_counter() - started)
    return min(times) * 1000


if __name__ == "__main__":
    main()
