"""Search terms of knowledge entries and of queries: index tokens, Chinese and English alike."""

from __future__ import annotations

from foundation.text import tokenize

MAX_QUERY_TERMS = 64
MAX_ENTRY_TERMS = 1_000


def query_terms(query: str) -> tuple[str, ...]:
    """The distinct tokens of a query, in order."""
    return tuple(dict.fromkeys(tokenize(query)))[:MAX_QUERY_TERMS]


def terms_literal(subject: str, text: str) -> str:
    """The tsvector literal of an entry: each token at its first position."""
    terms = list(dict.fromkeys(tokenize(f"{subject}\n{text}")))[:MAX_ENTRY_TERMS]
    return " ".join(f"{quoted_term(term)}:{position}" for position, term in enumerate(terms, 1))


def quoted_term(term: str) -> str:
    """A token quoted for tsvector and tsquery literals; it holds no quote and no backslash (``tokenize``)."""
    return f"'{term}'"
