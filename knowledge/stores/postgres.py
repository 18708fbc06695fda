"""Knowledge in PostgreSQL, the default store: rules and tones that always hold, and facts by full-text search.

Under row-level security, all entries of the organisation are scanned, as memories are; an organisation has thousands of
entries, not millions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.contrib.postgres.search import SearchQueryField
from django.db import DatabaseError, connection, transaction
from django.db.models import BooleanField, Expression, F, FloatField, Func, Value
from django.utils import timezone

from foundation.database.error_codes import sqlstate
from knowledge.cache_versions import cache_version
from knowledge.exceptions import KnowledgeTimedOut, KnowledgeUnavailable
from knowledge.models import KnowledgeEntry
from knowledge.querysets import KnowledgeEntryQuerySet
from knowledge.search_terms import query_terms, quoted_term
from knowledge.stores.cache import BundleCache
from knowledge.types import NOTHING, Capability, KnowledgeBundle, Org, Snippet

STORE = "postgresql"
MOST_RULES_AND_TONES = 20  # the most rules and tones of an answer: the latest, rules first
FACTS = 5
_COLUMNS = ("id", "kind", "subject", "slot", "text", "source", "version", "score")  # as Snippet takes them
_KIND = _COLUMNS.index("kind")
_QUERY_CANCELED = "57014"  # what a statement that passed its time-out ends with


class PostgresStore:
    """Searches knowledge entries.

    Call in a transaction acting for a member of the organisation: row-level security hides the rest.
    """

    def __init__(self) -> None:
        self._bundles = BundleCache()

    def search(self, query: str, org: Org) -> KnowledgeBundle:
        """The rules and tones in force, and the facts that share most words with the query."""
        terms = query_terms(query)
        with _with_timeout():
            version = cache_version(org)
            if not version:
                return NOTHING
            known = self._bundles.get(org, version, terms)
            if known is None:
                known = KnowledgeBundle(_find_snippets(org, terms), (STORE,), version)
                self._bundles.put(org, terms, known)
        return known

    def capabilities(self) -> frozenset[Capability]:
        return frozenset({"full_text"})


@contextmanager
def _with_timeout() -> Iterator[None]:
    """Set a time-out for each statement. A failure leaves the caller's transaction usable."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL statement_timeout = {int(settings.KNOWLEDGE_TIMEOUT_MS)}")
            yield
    except DatabaseError as error:
        timed_out = sqlstate(error) == _QUERY_CANCELED
        raise (KnowledgeTimedOut if timed_out else KnowledgeUnavailable)() from error


def _find_snippets(org: Org, terms: Sequence[str]) -> tuple[Snippet, ...]:
    in_force = KnowledgeEntry.objects.in_force(org, timezone.now())
    rules_and_tones = in_force.exclude(kind=KnowledgeEntry.Kind.FACT).annotate(score=Value(1.0, FloatField()))
    latest = rules_and_tones.order_by("-updated_at").values_list(*_COLUMNS)[:MOST_RULES_AND_TONES]
    found = sorted(latest, key=lambda row: KnowledgeEntry.Kind.values.index(row[_KIND]))
    facts = _find_facts(in_force, terms) if terms else []
    return tuple(Snippet(*row) for row in (*found, *facts))


def _find_facts(in_force: KnowledgeEntryQuerySet, terms: Sequence[str]) -> list[tuple[Any, ...]]:
    wanted = _any_term_query(terms)
    matches = Func(F("terms"), wanted, template="%(expressions)s", arg_joiner=" @@ ", output_field=BooleanField())
    rank = Func(F("terms"), wanted, function="ts_rank", output_field=FloatField())
    ranked = in_force.filter(matches, kind=KnowledgeEntry.Kind.FACT).annotate(score=rank)
    return [*ranked.order_by("-score").values_list(*_COLUMNS)[:FACTS]]


def _any_term_query(terms: Sequence[str]) -> Expression:
    """A tsquery literal for any of the terms: ``to_tsquery``'s parser knows no Chinese."""
    literal = Value(" | ".join(quoted_term(term) for term in terms))
    return Func(literal, template="%(expressions)s::tsquery", output_field=SearchQueryField())
