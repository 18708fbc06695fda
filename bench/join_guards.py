"""Let a guard ask the networks of several trainings: together they mistake less, each with other voices left out.

    python -m bench.join_guards --cache FOLDER --guard NAME --earlier WEIGHTS … --turns FILE … --injections FILE \
        --conversations FOLDER [--write]

The files are ``foundation/guards/data/weights.npz`` and ``guards/turns.tsv`` of each earlier training; those in use are
of the latest. The odds of a text are those of each training's network that did not see its voice; of a voice that a
training did not know at all, those of all its networks. Words, mixture and thresholds are made anew.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import vstack

from bench.guard_corpora import GuardExample, read_guard_corpus
from bench.guard_networks import GuardNetwork, TokenStates, network_odds, read_states, trainable
from bench.guard_texts import Everyday, read_everyday, read_injections
from bench.guard_turns import TURNS, read_dealt
from bench.train_guards import GUARDS, Odds, TrainedGuard, arrays_of, fit_words, measure_left_out, rows_of
from bench.train_topics import write_weights
from foundation.guards.assessment import CONTEXT_CHARACTERS, stretch_around
from foundation.guards.context_classifier import read_network
from foundation.guards.types import GuardName
from foundation.guards.weights import WEIGHTS_FILE
from foundation.guards.word_classifier import WordClassifier
from foundation.language import normalize

UNKNOWN: Final = -1
"""The turn of a voice that a training did not know."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Join the networks of several trainings of a guard.")
    parser.add_argument("--cache", type=Path, required=True, help="folder for the token states")
    parser.add_argument("--guard", choices=GUARDS, required=True)
    parser.add_argument("--earlier", type=Path, nargs="+", required=True, help="weights of each earlier training")
    parser.add_argument("--turns", type=Path, nargs="+", required=True, help="which voices each left out")
    parser.add_argument("--injections", type=Path, required=True, help="injection_dev.jsonl")
    parser.add_argument("--conversations", type=Path, required=True, help="folder of MemoryBank and EverOS")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    guard: GuardName = given.guard
    examples = read_guard_corpus(guard, "open") + (read_injections(given.injections) if guard == "injection" else [])
    earlier = [(weights, read_dealt(guard, turns)) for weights, turns in zip(given.earlier, given.turns, strict=True)]
    trainings = [(WEIGHTS_FILE, read_dealt(guard)), *earlier]
    joined = join(guard, examples, trainings, read_everyday(given.conversations), given.cache)
    print("\n".join(joined.figures), flush=True)
    if given.write:
        write_weights(arrays_of({guard: joined}), WEIGHTS_FILE)


def join(
    guard: GuardName, examples: Sequence[GuardExample], trainings: Sequence[tuple[Path, Mapping[str, int]]],
    everyday: Everyday, cache: Path,
) -> TrainedGuard:  # fmt: skip
    """The guard with the networks of all trainings, the first one's words apart by its turns."""
    truth = np.array([example.is_positive for example in examples])
    texts = [normalize(example.text) for example in examples]
    turn = np.array([trainings[0][1][example.voice] for example in examples])
    measured = [normalize(example.text) for example in everyday.measured]
    words, odds, everyday_odds = _words(rows_of(examples), truth, turn, everyday, texts, measured)
    stretches = [stretch_around(text, *max(words.window_odds(text))[1:]) for text in texts]
    states = read_states(stretches, cache / f"{guard}.pkl")
    everyday_states = read_states([text[:CONTEXT_CHARACTERS] for text in measured], cache / "everyday.pkl")
    context, everyday_context = np.zeros(len(examples)), np.zeros(len(measured))
    networks: list[GuardNetwork] = []
    for weights, turns in trainings:
        own = _networks(guard, weights)
        dealt = np.array([turns.get(example.voice, UNKNOWN) for example in examples])
        context += _left_out(own, states, dealt) / len(trainings)
        everyday_context += np.mean([network_odds(one, everyday_states) for one in own], axis=0) / len(trainings)
        networks += own
    read, everyday_read = (odds, context), (everyday_odds, everyday_context)
    return measure_left_out(guard, examples, truth, words, networks, read, everyday_read, everyday.is_plain)


def _words(
    rows: Any, truth: NDArray[np.bool_], turn: NDArray[np.int64], everyday: Everyday, texts: Sequence[str],
    measured: Sequence[str],
) -> tuple[WordClassifier, Odds, Odds]:  # fmt: skip
    """The words of all voices, and what texts of voices left out and everyday texts get by those of the others."""
    more = rows_of([*everyday.trained, *everyday.look_alikes])
    odds, everyday_odds = np.zeros(len(texts)), np.zeros(len(measured))
    for number in range(TURNS):
        outside = turn == number
        apart = fit_words(vstack([rows[~outside], more]), [*truth[~outside], *[False] * more.shape[0]])
        odds[outside] = [max(apart.window_odds(texts[i]))[0] for i in np.flatnonzero(outside).tolist()]
        everyday_odds += np.array([max(apart.window_odds(text))[0] for text in measured]) / TURNS
    return fit_words(vstack([rows, more]), [*truth, *[False] * more.shape[0]]), odds, everyday_odds


def _networks(guard: GuardName, weights: Path) -> list[GuardNetwork]:
    arrays = dict(np.load(weights))
    return [trainable(read_network(arrays, f"{guard}.network{number}.")) for number in range(TURNS)]


def _left_out(networks: Sequence[GuardNetwork], states: Sequence[TokenStates], dealt: NDArray[np.int64]) -> Odds:
    """What each text gets by the network that left its voice out, or by all where none knew it."""
    odds = np.zeros(len(states))
    for number, network in enumerate(networks):
        chosen = np.flatnonzero((dealt == number) | (dealt == UNKNOWN))
        odds[chosen] += network_odds(network, [states[i] for i in chosen.tolist()])
    return np.where(dealt == UNKNOWN, odds / len(networks), odds)


if __name__ == "__main__":
    main()
