"""What the guards find, and what they flag in vain, through the product's own functions.

    python -m bench.evaluate_guards [--part open|closed] [--guard NAME] [--voices NAME …] [--everyday FILE …]

A row a guard and language: recall, precision, the share of harmless texts that is flagged, milliseconds for 2,000
characters of them. Requests to act and orders are judged by the text; sensitive input by the stretch, right where kind,
start and end are. ``--everyday`` counts what is flagged in plain sentences, a line each, and prints it. Which encoder
serves, EMBEDDER says.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final

import numpy as np

from bench.guard_corpora import CorpusPart, GuardExample, read_guard_corpus
from bench.guards.sensitive.voices import Line, read_voices
from bench.report import publish

if TYPE_CHECKING:
    from consent.sensitive.evaluation import SensitiveScore

LONG: Final = 2_000
REPEATED: Final = 5
NAME: Final = "personal_name"

Row = dict[str, float]
Flags = Callable[[str], bool]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("open", "closed"), default="open")
    parser.add_argument("--guard", choices=("boundary", "injection", "sensitive"), help="this one alone")
    parser.add_argument("--voices", nargs="*", help="of these voices only")
    parser.add_argument("--everyday", type=Path, nargs="*", default=[], help="plain sentences, a line each")
    parser.add_argument("--families", action="store_true", help="print what is found of each family, too")
    given = parser.parse_args()
    rows: dict[str, Row] = {}
    sentences = [line for file in given.everyday for line in file.read_text(encoding="utf-8").splitlines() if line]
    for guard, flags in _guards().items():
        if given.guard in (None, guard):
            measure = _spans_measured if guard == "sensitive" else _texts_measured
            rows |= measure(guard, flags, given)
            rows |= _everyday_measured(guard, flags, sentences)
    publish("guards", f"Guards on the {given.part} part", rows)


def _guards() -> dict[str, Flags]:
    """The product's own functions."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "finclaw.settings")
    import django

    django.setup()
    from consent.sensitive.classifier import classify_sensitive
    from finclaw.brain.boundary import asks_to_execute
    from foundation.sanitization.services import sanitize
    from foundation.sanitization.types import SanitizationResult

    return {
        "boundary": asks_to_execute,
        "injection": lambda text: sanitize(text).result is SanitizationResult.BLOCKED,
        "sensitive": lambda text: bool(classify_sensitive(text)),
    }


def _texts_measured(guard: str, flags: Flags, given: argparse.Namespace) -> dict[str, Row]:
    """What is flagged of the labelled texts of a guard, by language."""
    examples = _corpus(guard, given.part, given.voices)
    found = np.array([flags(example.text) for example in examples])
    truth = np.array([example.is_positive for example in examples])
    rows = {}
    for language in ("en", "zh"):
        chosen = np.array([example.language == language for example in examples])
        harmless = [example.text for example in examples if example.language == language and not example.is_positive]
        rows[f"{guard} {language}"] = _row(found[chosen], truth[chosen]) | {"ms_2000": _milliseconds(flags, harmless)}
    rows[f"{guard} all"] = _row(found, truth)
    if given.families:
        _print_families(guard, [example.family for example in examples], found)
    return rows


def _corpus(guard: str, part: CorpusPart, voices: Sequence[str] | None) -> list[GuardExample]:
    examples = read_guard_corpus("boundary" if guard == "boundary" else "injection", part)
    return [example for example in examples if voices is None or example.voice in voices]


def _row(found: np.ndarray, truth: np.ndarray) -> Row:
    return {
        "texts": len(truth),
        "recall": float(found[truth].mean()),
        "precision": float((found & truth).sum() / max(1, found.sum())),
        "false": float(found[~truth].mean()),
    }


def _print_families(guard: str, families: Sequence[str], found: np.ndarray) -> None:
    for family in sorted(set(families)):
        chosen = np.array([each == family for each in families])
        print(f"{guard} {family}: flagged {found[chosen].mean():.2f} of {int(chosen.sum())}")


def _spans_measured(guard: str, flags: Flags, given: argparse.Namespace) -> dict[str, Row]:
    """What is found of the stretches of sensitive input, by language and with and without names."""
    from consent.sensitive.corpus import SensitiveExample
    from consent.sensitive.evaluation import evaluate_classifier
    from consent.sensitive.types import Finding, SensitiveKind

    folder = Path(__file__).parent / "guards" / guard / given.part
    lines = [line for line in read_voices(folder) if given.voices is None or line.voice in given.voices]
    evaluation = evaluate_classifier(
        SensitiveExample(
            number, line.voice[:2], line.text,
            tuple(Finding(SensitiveKind(kind), start, end) for kind, start, end in line.findings), "held_out",
        )
        for number, line in enumerate(lines)
    )  # fmt: skip
    scores = evaluation.scores
    kinds = [kind.value for kind in SensitiveKind]
    rows = {f"{guard} {name}": _scored([scores[name]]) for name in ("en", "zh", "all") if name in scores}
    rows[f"{guard} but names"] = _scored([scores[kind] for kind in kinds if kind in scores and kind != NAME])
    rows |= {f"  {kind}": _scored([scores[kind]]) for kind in kinds if kind in scores}
    for language in ("en", "zh"):
        rows[f"{guard} {language}"] |= _harmless_flagged(lines, flags, language)
    if given.families:
        _print_families(guard, [line.family for line in lines], np.array([flags(line.text) for line in lines]))
    return rows


def _scored(scores: Iterable[SensitiveScore]) -> Row:
    """The recall and precision of several kinds together."""
    counts = np.sum([(score.right, score.missed, score.false) for score in scores], axis=0)
    right, missed, false = map(float, counts)
    return {
        "spans": right + missed,
        "recall": right / max(1, right + missed),
        "precision": right / max(1, right + false),
    }


def _harmless_flagged(lines: Sequence[Line], flags: Flags, language: str) -> Row:
    harmless = [line.text for line in lines if line.voice[:2] == language and not line.findings]
    return {
        "texts": len(harmless),
        "false": float(np.mean([flags(text) for text in harmless])),
        "ms_2000": _milliseconds(flags, harmless),
    }


def _everyday_measured(guard: str, flags: Flags, sentences: Sequence[str]) -> Mapping[str, Row]:
    if not sentences:
        return {}
    flagged = [sentence for sentence in sentences if flags(sentence)]
    print(guard, *flagged, sep="\n  ")
    return {f"{guard} everyday": {"texts": len(sentences), "false": len(flagged) / len(sentences)}}


def _milliseconds(flags: Flags, harmless: Sequence[str]) -> float:
    """The best time for 2,000 characters of harmless texts one after the other; never the same twice, which a guard may
    remember.
    """
    joined, times = " ".join(harmless), []
    for at in range(REPEATED):
        text = joined[at : at + LONG]
        started = perf_counter()
        flags(text)
        times.append(perf_counter() - started)
    return min(times) * 1000


if __name__ == "__main__":
    main()
