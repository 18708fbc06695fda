"""Train the guards on their open corpora, and say what they are worth on voices and families they were not trained on.

    pip install -r requirements-bench.lock
    python -m bench.train_guards --cache FOLDER [--injections FILE]            # measure, leaving voices out
    python -m bench.train_guards --cache FOLDER [--injections FILE] --write    # and write foundation/guards/data

Voices are left out in turn, each with the one that mirrors it in the other language. Mixture and thresholds come from
the odds that each text gets by classifiers that saw nothing of its voice; the networks of the turns are kept together
as one ensemble. ``--injections`` adds the direct attacks of ``injection_dev.jsonl``: a family is a voice, so that each
is left out once.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack
from sklearn.linear_model import LogisticRegression

from bench.guard_corpora import GuardExample, read_guard_corpus
from bench.guard_networks import fit_network, network_odds, read_states
from bench.guard_texts import Everyday, read_everyday, read_injections
from bench.guard_turns import TURNS, deal_voices, write_dealt
from bench.train_topics import write_weights
from foundation.guards.assessment import CONTEXT_CHARACTERS, stretch_around
from foundation.guards.ngrams import BUCKETS, ngrams_of
from foundation.guards.types import GuardName
from foundation.guards.weights import ALWAYS_READ_SHORT, WEIGHTS_FILE
from foundation.guards.word_classifier import WordClassifier
from foundation.language import normalize

GUARDS: Final[tuple[GuardName, ...]] = ("boundary", "injection")
STRENGTH: Final = 10.0
EVERYDAY_FALSE: Final = 0.001
"""The share of plain sentences that the mixture may flag. Everyday messages, most of them of people who write about
their money, are look-alikes here: half a percent of them sounds like a request to act.
"""
EVERYDAY_FLAGGED: Final = 0.12
"""The share of everyday messages that may be suspicious, and is read in context. Where .3 are, no more is found."""
PRECISION: Final = 0.97
"""Of requests to act in left-out voices, half of whose texts only look like one."""
FALSE_ALARMS: Final = 0.018
"""The share of look-alikes of injections in left-out voices that the mixture may flag."""
Odds = NDArray[np.float64]


@dataclass(frozen=True)
class TrainedGuard:
    """What is written of a guard, with the figures of left-out voices for its data card."""

    words: WordClassifier
    networks: list[dict[str, NDArray[Any]]]
    mixture: tuple[float, float, float]
    suspicious: float
    figures: list[str]


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the guards.")
    parser.add_argument(
        "--cache", type=Path, required=True, help="folder for the token states, which take long to make"
    )
    parser.add_argument("--injections", type=Path, help="injection_dev.jsonl")
    parser.add_argument("--conversations", type=Path, help="folder of MemoryBank and EverOS, for plain sentences")
    parser.add_argument("--guard", choices=GUARDS, help="this one alone")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    everyday = read_everyday(given.conversations)
    trained: dict[GuardName, TrainedGuard] = {}
    turns: dict[GuardName, dict[str, int]] = {}
    for guard in [given.guard] if given.guard else GUARDS:
        more = read_injections(given.injections) if guard == "injection" and given.injections else []
        examples = [*read_guard_corpus(guard, "open"), *more]
        turns[guard] = deal_voices((example.voice for example in examples), {})
        trained[guard] = train(guard, examples, turns[guard], everyday, given.cache)
        print("\n".join(trained[guard].figures), flush=True)
    if given.write:
        write_weights(arrays_of(trained), WEIGHTS_FILE)
        for guard, dealt in turns.items():
            write_dealt(guard, dealt)


def train(
    guard: GuardName, examples: Sequence[GuardExample], turns: dict[str, int], everyday: Everyday, cache: Path
) -> TrainedGuard:
    """Train both classifiers of a guard, leaving voices out in turn."""
    truth = np.array([example.is_positive for example in examples])
    rows, everyday_rows = rows_of(examples), rows_of([*everyday.trained, *everyday.look_alikes])
    measured_texts = [normalize(example.text) for example in everyday.measured]
    everyday_states, measured_states = (
        read_states([normalize(example.text)[:CONTEXT_CHARACTERS] for example in some], cache / "everyday.pkl")
        for some in (everyday.in_context, everyday.measured)
    )
    odds, context = np.zeros(len(examples)), np.zeros(len(examples))
    everyday_odds, everyday_context = np.zeros(len(measured_texts)), np.zeros(len(measured_texts))
    networks = []
    for number in range(TURNS):
        outside = np.array([turns[example.voice] == number for example in examples])
        words = fit_words(
            vstack([rows[~outside], everyday_rows]), [*truth[~outside], *[False] * everyday_rows.shape[0]]
        )
        windows = [max(words.window_odds(normalize(example.text))) for example in examples]
        odds[outside] = np.array([window[0] for window in windows])[outside]
        everyday_odds += np.array([max(words.window_odds(text))[0] for text in measured_texts]) / TURNS
        stretches = [
            stretch_around(normalize(example.text), start, end)
            for example, (_, start, end) in zip(examples, windows, strict=True)
        ]
        states = read_states(stretches, cache / f"{guard}.pkl")
        seen = [*(states[i] for i in np.flatnonzero(~outside)), *everyday_states]
        network = fit_network(seen, np.array([*truth[~outside], *[False] * len(everyday_states)]), seed=number)
        everyday_context += network_odds(network, measured_states) / TURNS
        context[outside] = network_odds(network, [states[i] for i in np.flatnonzero(outside)])
        networks.append(network)
        print(guard, "turn", number + 1, sorted(voice for voice in turns if turns[voice] == number), flush=True)
    words = fit_words(vstack([rows, everyday_rows]), [*truth, *[False] * everyday_rows.shape[0]])
    return measure_left_out(
        guard, examples, truth, words, networks, (odds, context), (everyday_odds, everyday_context), everyday.is_plain
    )


def measure_left_out(
    guard: GuardName, examples: Sequence[GuardExample], truth: NDArray[np.bool_], words: WordClassifier,
    networks: list[Any], read: tuple[Odds, Odds], everyday: tuple[Odds, Odds], is_plain: NDArray[np.bool_],
) -> TrainedGuard:  # fmt: skip
    """A guard with its mixture and threshold, by the odds that texts of voices left out and everyday texts get."""
    mixing = LogisticRegression(C=1.0).fit(np.stack(read, axis=1), truth)
    mixed, everyday_mixed = (mixing.decision_function(np.stack(both, axis=1)) for both in (read, everyday))
    odds = read[0]
    suspicious = float(np.quantile(everyday[0], 1 - EVERYDAY_FLAGGED))
    if guard not in ALWAYS_READ_SHORT:
        everyday_mixed = np.where(everyday[0] >= suspicious, everyday_mixed, -np.inf)
    plain = everyday_mixed[is_plain]
    tolerated = max(1, round(EVERYDAY_FALSE * len(plain)))
    look_alikes = (
        _threshold_of_precision(mixed, truth) if guard == "boundary" else np.quantile(mixed[~truth], 1 - FALSE_ALARMS)
    )
    thresholds = look_alikes, np.sort(plain)[-tolerated - 1]
    threshold = float(max(thresholds))
    short = np.array([len(example.text) <= CONTEXT_CHARACTERS for example in examples])
    looked_at = (short if guard in ALWAYS_READ_SHORT else np.zeros(len(examples), dtype=bool)) | (odds >= suspicious)
    found = (mixed > threshold) & looked_at
    figures = [f"{guard}: {len(examples)} texts, {int(truth.sum())} to be found; voices left out:"]
    for name, chosen in _groups(examples):
        figures.append(f"  {name}: " + _figures(found[chosen], truth[chosen]))
    figures.append(f"  thresholds by look-alikes and by everyday text: {thresholds[0]:.2f} {thresholds[1]:.2f}")
    figures.append(f"  suspicious by words: {np.mean(odds[truth] >= suspicious):.3f} of those to be found")
    for family in sorted({example.family for example in examples}):
        chosen = np.array([example.family == family for example in examples])
        figures.append(f"    {family}: found {np.mean(found[chosen]):.2f} of {int(chosen.sum())}")
    weights = tuple(map(float, mixing.coef_[0]))
    return TrainedGuard(
        words, [network.arrays() for network in networks],
        (weights[0], weights[1], float(mixing.intercept_[0]) - threshold), suspicious, figures,
    )  # fmt: skip


def _threshold_of_precision(mixed: Odds, truth: NDArray[np.bool_]) -> float:
    """The lowest odds above which what is flagged is right often enough."""
    order = np.argsort(-mixed)
    precision = np.cumsum(truth[order]) / np.arange(1, len(order) + 1)
    return float(mixed[order[np.flatnonzero(precision >= PRECISION)[-1]]])


def arrays_of(trained: dict[GuardName, TrainedGuard]) -> dict[str, NDArray[Any]]:
    """Everything that ``guard_model`` reads, under its names; what is not trained now stays as it is."""
    arrays: dict[str, NDArray[Any]] = dict(np.load(WEIGHTS_FILE)) if WEIGHTS_FILE.exists() else {}
    arrays = {name: array for name, array in arrays.items() if name.partition(".")[0] not in trained}
    for guard, found in trained.items():
        arrays[f"{guard}.words.weights"] = found.words.weights
        arrays[f"{guard}.words.numbers"] = np.array(
            [found.words.scale, found.words.bias, found.suspicious], dtype=np.float64
        )
        arrays[f"{guard}.mixture"] = np.array(found.mixture, dtype=np.float64)
        arrays[f"{guard}.networks"] = np.array(len(found.networks), dtype=np.int64)
        for number, network in enumerate(found.networks):
            arrays |= {f"{guard}.network{number}.{name}": array.astype(np.float16) for name, array in network.items()}
    return arrays


def _figures(found: NDArray[np.bool_], truth: NDArray[np.bool_]) -> str:
    precision = float((found & truth).sum()) / max(1.0, float(found.sum()))
    return f"recall {np.mean(found[truth]):.3f} precision {precision:.3f} false {np.mean(found[~truth]):.3f}"


def _groups(examples: Sequence[GuardExample]) -> Iterable[tuple[str, NDArray[np.bool_]]]:
    yield "all", np.ones(len(examples), dtype=bool)
    for language in ("en", "zh"):
        yield language, np.array([example.language == language for example in examples])


def rows_of(examples: Sequence[GuardExample]) -> csr_matrix:
    """The n-grams of each text, divided by the square root of their number: a sparse matrix (texts, BUCKETS)."""
    found = [ngrams_of(normalize(example.text)).buckets for example in examples]
    values = np.concatenate([np.full(len(buckets), len(buckets) ** -0.5, np.float32) for buckets in found])
    starts = np.concatenate([[0], np.cumsum([len(buckets) for buckets in found])])
    rows = csr_matrix((values, np.concatenate(found), starts), shape=(len(found), BUCKETS))
    rows.sum_duplicates()
    return rows


def fit_words(rows: csr_matrix, truth: Sequence[bool]) -> WordClassifier:
    model = LogisticRegression(C=STRENGTH, max_iter=300, class_weight="balanced").fit(rows, truth)
    weights = model.coef_[0]
    scale = float(np.abs(weights).max()) / 127
    return WordClassifier(np.round(weights / scale).astype(np.int8), scale, float(model.intercept_[0]))


if __name__ == "__main__":
    main()
