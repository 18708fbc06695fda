"""Plain BM25 in memory, the baseline of search: written to be read rather than to be fast."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from math import log

from foundation.text import tokenize

K1 = 0.9
B = 0.3


class Bm25:
    """BM25 (Robertson and Zaragoza 2009) over the index tokens of each text's own words.

    The score of a text is the sum over the question's tokens, each as often as the question holds it, of ``idf · tf ·
    (k1 + 1) / (tf + k1 · (1 - b + b · length / mean length))``, with ``tf`` the token's frequency in the text, lengths
    in tokens, and ``idf = ln(1 + (N - n + 0.5) / (n + 0.5))`` for ``n`` of ``N`` texts that hold it.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        """Index texts by their names."""
        self._lengths: dict[str, int] = {}
        self._postings: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for name, text in texts.items():
            tokens = tokenize(text)
            self._lengths[name] = len(tokens)
            for token, frequency in Counter(tokens).items():
                self._postings[token].append((name, frequency))
        self._mean_length = sum(self._lengths.values()) / max(1, len(texts))

    def search(self, question: str, top_k: int) -> list[str]:
        """The names of the best ``top_k`` texts that share a token with the question; ties in order of indexing."""
        scores = self.scores(question)
        ranked = sorted(scores, key=scores.__getitem__, reverse=True)
        return [name for name in ranked[:top_k] if scores[name] > 0]

    def scores(self, question: str) -> dict[str, float]:
        """The score of every text, 0 where it shares no token with the question."""
        scores = dict.fromkeys(self._lengths, 0.0)
        for token, repeats in Counter(tokenize(question)).items():
            postings = self._postings.get(token, ())
            weight = repeats * self._inverse_document_frequency(len(postings))
            for name, frequency in postings:
                scores[name] += weight * self._saturated(frequency, self._lengths[name])
        return scores

    def _inverse_document_frequency(self, holding: int) -> float:
        return log(1 + (len(self._lengths) - holding + 0.5) / (holding + 0.5))

    def _saturated(self, frequency: int, length: int) -> float:
        norm = K1 * (1 - B + B * length / self._mean_length)
        return frequency * (K1 + 1) / (frequency + norm)
