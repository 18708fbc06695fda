"""Proposes the research route that a prompt asks for, by rules in both languages."""

from __future__ import annotations

from typing import Final

from finclaw.brain.material.reading import asking_sentence, sentences
from foundation.language import (
    is_question,
    normalize,
)
from foundation.lexicon import read_lexicon
from memory.models import Route

_WORDS: Final = read_lexicon(__file__)
_ROUTES: Final = {Route(name): pattern for name, pattern in _WORDS.patterns("routes").items()}
_AGAIN: Final = _WORDS.pattern("again")
_MY_THREADS: Final = _WORDS.pattern("my_threads")


def propose_route(prompt: str) -> Route:
    """The route of the first rule that matches; a snapshot where none does.

    The asking sentence decides, then how the prompt begins: pasted material does not. A refresh is proposed where the
    prompt mentions the user's threads and looking again; the user says which.
    """
    asked = [normalize(sentence) for sentence in (asking_sentence(prompt), *sentences(prompt)[:1])]
    everything_asked = normalize("\n".join((*asked, *filter(is_question, sentences(prompt)))))
    if speaks_of_threads(everything_asked) and _AGAIN.search(everything_asked):
        return Route.THREAD_REFRESH
    return next((route for said in asked for route, pattern in _ROUTES.items() if pattern.search(said)), Route.SNAPSHOT)


def speaks_of_threads(prompt: str) -> bool:
    """Whether a prompt refers to the user's own threads."""
    return _MY_THREADS.search(normalize(prompt)) is not None
