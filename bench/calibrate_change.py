"""How surely a statement changes one certain earlier statement, by the gate's and the target's probabilities together.

    pip install -r requirements-bench.lock
    python -m bench.calibrate_change --cache FOLDER

Both probabilities are of weights that saw nothing of a statement's voice. What the gate would let through of the open
voices' changes, and of as many other sentences as there are in truth, is put among 1, 3, 10 and all alternatives. The
coefficients printed stand in ``memory/evolution/change_target.py``; the table tells what acting from the margin and
asking from ``CONFLICT_FROM`` come to: of changes whose target is among the alternatives those acted upon rightly and
wrongly, of changes whose target is not, and of sentences that change nothing.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.everyday.labels import LabelledMessage, read_voices
from bench.gate_fit import calibrate, hashed_rows
from bench.gate_units import units
from bench.report import publish
from bench.train_gate import VECTOR_LENGTH, Data, left_out, vectors_of
from bench.train_target import (
    POOLS,
    LabelledChange,
    Said,
    Vectors,
    changes_of,
    embedded,
    fitted,
    may_be_meant,
    shortlist,
    space_of,
    trials_of,
)
from memory.evolution import change_target
from memory.evolution.change_target import MESSAGES_COUNTED, LikelyTarget, TargetWeights
from memory.evolution.resolution import CHANGES_ALONE_FROM, CHANGES_FROM, CONFLICT_FROM, TEACHES_FROM

TURNS: Final = 4
SAMPLED: Final = 120  # sentences of a voice that change nothing
ASKED_FROM: Final = 0.25
"""About the probability of teaching something from which the gate asks."""
TEACHES, CHANGES = 0, 2


@dataclass(frozen=True)
class ChangeCase:
    """A sentence among alternatives, ``name`` by their number. ``target_there`` and ``right`` are of a change."""

    language: str
    name: str
    is_change: bool
    target_there: bool
    right: bool
    found: LikelyTarget
    teaches: float
    changes: float


class Judged:
    """The probabilities that the gate gives each sentence of a voice, by weights that did not see the voice."""

    def __init__(self, messages: Sequence[LabelledMessage], cache: Path) -> None:
        found = units(messages)
        data = Data(found, hashed_rows(found), vectors_of(found, "e5", cache), VECTOR_LENGTH["e5"])
        odds = left_out(data, TURNS)
        chances = np.zeros(odds.shape)
        for of in (data.chinese, ~data.chinese):
            for at in (TEACHES, CHANGES):
                calibration = calibrate(odds[of, at], data.targets[of, at] > 0, data.weights[of])
                chances[of, at] = calibration(odds[of, at])
        self._by_voice: defaultdict[str, list[tuple[str, NDArray[np.float64]]]] = defaultdict(list)
        for unit, row in zip(found, chances, strict=True):
            self._by_voice[unit.voice].append((unit.sentence.text, row))

    def of(self, voice: str, text: str) -> NDArray[np.float64] | None:
        """Those of the sentence that holds ``text``; None where it was cut."""
        return next((row for sentence, row in self._by_voice[voice] if text in sentence), None)


def change_cases(
    change: LabelledChange, judged: Judged, vectors: Vectors, weights: TargetWeights, random: Random
) -> Iterator[ChangeCase]:
    """A labelled change among alternatives, with its target and without."""
    row = judged.of(change.voice, change.text)
    if row is None:
        return
    for name, (told, is_there) in trials_of(change, vectors, weights, random):
        chances = change_target.probabilities(told, weights)
        place = int(chances.argmax())
        found = LikelyTarget(place, float(chances[place]), len(told))
        right = is_there and place == 0
        yield ChangeCase(change.voice[:2], name, True, is_there, right, found, float(row[TEACHES]), float(row[CHANGES]))


def other_cases(
    messages: Sequence[LabelledMessage], judged: Judged, vectors: Vectors, weights: TargetWeights, random: Random
) -> Iterator[ChangeCase]:
    """Sentences of a voice that change nothing among what it said before."""
    said = [Said(number, sentence) for number, message in enumerate(messages) for sentence in message.sentences]
    still = [
        at for at, told in enumerate(said) if at > 30 and not told.sentence.changes and told.sentence.kind != "question"
    ]
    for at in random.sample(still, SAMPLED):
        one, row = said[at], judged.of(messages[0].voice, said[at].text)
        before = {
            earlier.text: one.message - earlier.message
            for earlier in said[:at]
            if earlier.message < one.message and may_be_meant(earlier, random)
        }
        if row is None or not before:
            continue
        told = change_target.features(
            one.text, vectors[one.text], list(before), np.stack([vectors[text] for text in before]),
            [min(age, MESSAGES_COUNTED) for age in before.values()], weights,
        )  # fmt: skip
        order = sorted(shortlist(told))
        for number in [size for size in POOLS if size < len(order)] + [len(order)]:
            chances = change_target.probabilities(told[random.sample(order, number)], weights)
            found = LikelyTarget(int(chances.argmax()), float(chances.max()), number)
            name = str(number) if number in POOLS else "all"
            language = messages[0].language
            yield ChangeCase(language, name, False, False, False, found, float(row[TEACHES]), float(row[CHANGES]))


def regression(cases: Sequence[ChangeCase], weight: float) -> NDArray[np.float64]:
    """Logistic coefficients of ``CALIBRATION`` by Newton's method; what changes nothing counts ``weight`` times."""
    rows = np.array(
        [[1, _odds(case.changes), _odds(case.found.probability), np.log(case.found.alternatives)] for case in cases]
    )
    truth = np.array([case.right for case in cases], dtype=float)
    counts = np.array([1.0 if case.is_change else weight for case in cases])
    fitted_to = np.zeros(rows.shape[1])
    for _ in range(50):
        chances = 1 / (1 + np.exp(-rows @ fitted_to))
        slope = rows.T @ (counts * (chances - truth))
        curve = (rows * (counts * chances * (1 - chances))[:, None]).T @ rows + 1e-3 * np.eye(rows.shape[1])
        fitted_to -= np.linalg.solve(curve, slope)
    return fitted_to


def _odds(probability: float) -> float:
    bounded = min(max(probability, 1e-4), 1 - 1e-4)
    return float(np.log(bounded / (1 - bounded)))


def figures_of(cases: Sequence[ChangeCase]) -> dict[str, float]:
    """What acting and asking come to among these cases of one number of alternatives."""
    there = [case for case in cases if case.target_there]
    absent = [case for case in cases if case.is_change and not case.target_there]
    still = [case for case in cases if not case.is_change]

    def share(of: Sequence[ChangeCase], *, acted: bool, right: bool | None = None) -> float:
        hit = (case for case in of if right in (None, case.right) and _certainty(case) >= CONFLICT_FROM)
        return sum((_certainty(case) >= case.found.margin) == acted for case in hit) / max(len(of), 1)

    return {
        "right": share(there, acted=True, right=True),
        "wrong": share(there, acted=True, right=False),
        "asked, right": share(there, acted=False, right=True),
        "asked, wrong": share(there, acted=False, right=False),
        "no target": share(absent, acted=True),
        "no change": share(still, acted=True),
        "asked, no change": share(still, acted=False),
    }


def _certainty(case: ChangeCase) -> float:
    return case.found.probability_changed(case.changes) if _is_let_through(case) else 0.0


def _is_let_through(case: ChangeCase) -> bool:
    if case.teaches >= ASKED_FROM:
        return case.changes >= CHANGES_FROM
    return case.teaches >= TEACHES_FROM and case.changes >= CHANGES_ALONE_FROM


def main() -> None:
    """Print the coefficients and the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True, help="a folder for the vectors")
    cache: Path = parser.parse_args().cache
    messages = read_voices("open")
    voices: defaultdict[str, list[LabelledMessage]] = defaultdict(list)
    for message in messages:
        voices[message.voice].append(message)
    sentences = [sentence for message in messages for sentence in message.sentences]
    texts = sorted(
        ({sentence.text.strip() for sentence in sentences} | {sentence.target.strip() for sentence in sentences}) - {""}
    )
    vectors, judged, random = embedded("e5", texts, cache), Judged(messages, cache), Random(7)
    changes = [change for voice in sorted(voices) for change in changes_of(voices[voice], vectors, random)]
    mean, projection = space_of(vectors)
    cases: list[ChangeCase] = []
    for part in (set(sorted(voices)[number::TURNS]) for number in range(TURNS)):
        weights, random = (
            fitted([change for change in changes if change.voice not in part], vectors, mean, projection),
            Random(3),
        )
        for change in (change for change in changes if change.voice in part):
            cases += change_cases(change, judged, vectors, weights, random)
        for voice in sorted(part):
            cases += other_cases(voices[voice], judged, vectors, weights, random)
    weight = (len(sentences) - len(changes)) / (SAMPLED * len(voices))
    print(regression([case for case in cases if _is_let_through(case)], weight).round(2))
    keys = [(language, name) for language in ("en", "zh") for name in (*map(str, POOLS), "all")]
    publish("change", "Acting on changes, e5, voices left out", {
        f"{language}, of {name}": figures_of([case for case in cases if (case.language, case.name) == (language, name)])
        for language, name in keys
    })  # fmt: skip


if __name__ == "__main__":
    main()
