"""Go on training the guards' networks with voices that they have not seen, from where they are.

    python -m bench.continue_guards --cache FOLDER --injections FILE --conversations FOLDER --guard NAME [--write]

``guards/turns.tsv`` says which network left which voice out; a new voice is dealt to one of them and written down.
Each network sees the new voices of the others, everyday texts, and a share of what it was trained on before, so that
odds of voices left out stay odds of voices left out. Words, mixture and thresholds are made anew from all voices. It
takes a fifth of the time of ``train_guards``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import vstack

from bench.guard_corpora import GuardExample, read_guard_corpus
from bench.guard_networks import (
    CONTINUED_EPOCHS,
    CONTINUED_RATE,
    TokenStates,
    fit_network,
    network_odds,
    read_states,
    shipped_network,
)
from bench.guard_texts import Everyday, hashed_sample, read_everyday, read_injections
from bench.guard_turns import TURNS, deal_voices, read_dealt, write_dealt
from bench.train_guards import GUARDS, TrainedGuard, arrays_of, fit_words, measure_left_out, rows_of
from bench.train_topics import write_weights
from foundation.guards.assessment import CONTEXT_CHARACTERS, stretch_around
from foundation.guards.types import GuardName
from foundation.guards.weights import WEIGHTS_FILE, guard_model
from foundation.language import normalize

SEEN_BEFORE: Final = 2_400
"""Texts of voices that a network knows, which it sees again."""
EVERYDAY: Final = 2_400
SUSPICIOUS: Final = 1_800
"""Everyday texts beside those, the ones that the words in use find most suspicious."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Go on training the guards.")
    parser.add_argument("--cache", type=Path, required=True, help="folder for the token states")
    parser.add_argument("--injections", type=Path, required=True, help="injection_dev.jsonl")
    parser.add_argument("--conversations", type=Path, required=True, help="folder of MemoryBank and EverOS")
    parser.add_argument("--guard", choices=GUARDS, required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    guard: GuardName = given.guard
    dealt = read_dealt(guard)
    examples = read_guard_corpus(guard, "open")
    if guard == "injection":
        examples += [example for example in read_injections(given.injections) if example.voice in dealt]
    turns = deal_voices((example.voice for example in examples), dealt)
    trained = train(guard, examples, turns, set(dealt), read_everyday(given.conversations), given.cache)
    print("\n".join(trained.figures), flush=True)
    if given.write:
        write_weights(arrays_of({guard: trained}), WEIGHTS_FILE)
        write_dealt(guard, turns)


def train(
    guard: GuardName, examples: Sequence[GuardExample], turns: dict[str, int], known: set[str], everyday: Everyday,
    cache: Path,
) -> TrainedGuard:  # fmt: skip
    """Go on with each network of a guard, and measure it on the voices that it has never seen."""
    truth = np.array([example.is_positive for example in examples])
    turn = np.array([turns[example.voice] for example in examples])
    new = np.array([example.voice not in known for example in examples])
    rows, everyday_rows = rows_of(examples), rows_of([*everyday.trained, *everyday.look_alikes])
    measured_texts = [normalize(example.text) for example in everyday.measured]
    shown = [*hashed_sample(everyday.in_context, EVERYDAY), *everyday.look_alikes, *_suspicious(guard, everyday)]
    everyday_states, measured_states = (
        read_states([normalize(example.text)[:CONTEXT_CHARACTERS] for example in some], cache / "everyday.pkl")
        for some in (shown, everyday.measured)
    )
    odds, context = np.zeros(len(examples)), np.zeros(len(examples))
    everyday_odds, everyday_context = np.zeros(len(measured_texts)), np.zeros(len(measured_texts))
    words = fit_words(vstack([rows, everyday_rows]), [*truth, *[False] * everyday_rows.shape[0]])
    states = _states_of(guard, examples, words, cache)
    networks = []
    for number in range(TURNS):
        outside = turn == number
        apart = fit_words(
            vstack([rows[~outside], everyday_rows]), [*truth[~outside], *[False] * everyday_rows.shape[0]]
        )
        judged = [examples[i].text for i in np.flatnonzero(outside).tolist()]
        odds[outside] = [max(apart.window_odds(normalize(text)))[0] for text in judged]
        everyday_odds += np.array([max(apart.window_odds(text))[0] for text in measured_texts]) / TURNS
        chosen = [*np.flatnonzero(new & ~outside), *_again(examples, ~new & ~outside)]
        seen = [*(states[i] for i in chosen), *everyday_states]
        network = fit_network(
            seen, np.array([*truth[chosen], *[False] * len(everyday_states)]), seed=number,
            start=shipped_network(guard, number), epochs=CONTINUED_EPOCHS, rate=CONTINUED_RATE,
        )  # fmt: skip
        everyday_context += network_odds(network, measured_states) / TURNS
        context[outside] = network_odds(network, [states[i] for i in np.flatnonzero(outside)])
        networks.append(network)
        print(guard, "turn", number + 1, len(seen), flush=True)
    everyday_read = everyday_odds, everyday_context
    return measure_left_out(guard, examples, truth, words, networks, (odds, context), everyday_read, everyday.is_plain)


def _states_of(guard: GuardName, examples: Sequence[GuardExample], words: Any, cache: Path) -> list[TokenStates]:
    texts = [normalize(example.text) for example in examples]
    stretches = [stretch_around(text, *max(words.window_odds(text))[1:]) for text in texts]
    return read_states(stretches, cache / f"{guard}.pkl")


def _suspicious(guard: GuardName, everyday: Everyday) -> list[GuardExample]:
    words = guard_model(guard).words
    odds = np.array([max(words.window_odds(normalize(example.text)))[0] for example in everyday.trained])
    return [everyday.trained[i] for i in np.argsort(-odds)[:SUSPICIOUS].tolist()]


def _again(examples: Sequence[GuardExample], among: NDArray[np.bool_]) -> list[int]:
    """Texts that are shown again, the same ones whatever is added."""
    places = {id(examples[i]): i for i in np.flatnonzero(among).tolist()}
    return [places[id(example)] for example in hashed_sample([examples[i] for i in places.values()], SEEN_BEFORE)]


if __name__ == "__main__":
    main()
