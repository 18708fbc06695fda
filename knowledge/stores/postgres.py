"""Knowledge in PostgreSQL, the default store: rules and tones that always hold, and facts by words and by meaning.

By meaning the vector store of the settings finds them, PostgreSQL itself or another: that one answers ids alone, so
what a member reads passes row-level security whichever store found it. The graph of the settings says what is related
to the nodes that the question names or the facts are about. Under row-level security, all entries of the
organisation are scanned, as memories are; an organisation has thousands of entries, not millions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.contrib.postgres.search import SearchQueryField
from django.db.models import BooleanField, Case, Expression, F, FloatField, Func, IntegerField, TextField, Value, When
from django.utils import timezone

from foundation.accounts.models import Tenant
from foundation.embeddings.cosine_floors import cosine_floor
from knowledge.cache_versions import cache_version
from knowledge.configuration import configured_graph, configured_vectors
from knowledge.exceptions import KnowledgeTimedOut, KnowledgeUnavailable
from knowledge.models import KnowledgeEntry
from knowledge.querysets import KnowledgeEntryQuerySet
from knowledge.search_terms import query_terms, quoted_term
from knowledge.stores.cache import BundleCache
from knowledge.stores.related_nodes import GraphConsultation, RelatedNodes
from knowledge.stores.statement_limits import limited_statements
from knowledge.stores.store_calls import VECTOR_FAILURES, StoreCall
from knowledge.types import (
    NOTHING,
    Capability,
    KnowledgeBundle,
    KnowledgeQuestion,
    Org,
    Snippet,
    VectorFilter,
    VectorHit,
)

STORE = "postgresql"
MOST_RULES_AND_TONES = 20  # the most rules and tones of an answer: rules first, of each kind the latest
FACTS = 5
NEAREST: Final = 10
"""How many entries the vector store is asked for."""
RELATED: Final = 5
"""How many facts about related nodes an answer is told besides."""
MOST_RELATED: Final = 50
_FUSION: Final = 60  # of reciprocal rank fusion: Cormack, Clarke and Büttcher 2009
_COLUMNS = ("id", "kind", "subject", "slot", "text", "source", "version", "score", "graph_node_id", "tier")
"""As ``Snippet`` takes them."""
_PLACE_OF_KIND: Final = Case(
    *(When(kind=kind, then=Value(place)) for place, kind in enumerate(KnowledgeEntry.Kind.values)),
    output_field=IntegerField(),
)


class PostgresStore:
    """Searches knowledge entries.

    Call in a transaction acting for a member of the organisation: row-level security hides the rest.
    """

    def __init__(self) -> None:
        self._bundles = BundleCache()

    def search(self, question: KnowledgeQuestion, org: Org) -> KnowledgeBundle:
        """The rules and tones in force, and the facts that share most words with the question or are nearest to it.

        Where the vector store fails, the words alone find facts, and ``degraded`` says so.
        """
        with limited_statements(settings.KNOWLEDGE_TIMEOUT_MS, KnowledgeTimedOut, KnowledgeUnavailable):
            version = cache_version(org)
            if not version:
                return NOTHING
            known = self._bundles.get(org, version, question.text)
            if known is None:
                known = replace(_find_bundle(question, org), cache_version=version)
                if not known.degraded:
                    self._bundles.put(org, question.text, known)
        return known

    def capabilities(self) -> frozenset[Capability]:
        behind = configured_vectors().capabilities() | configured_graph().capabilities()
        found: set[Capability] = {"full_text"}
        return frozenset(found | (behind - {"own_transaction", "projection"}))


def _find_bundle(question: KnowledgeQuestion, org: Org) -> KnowledgeBundle:
    at = timezone.now()
    nearest = _begin_vector_search(question, VectorFilter(org, at))
    graph = GraphConsultation(question.text, org)
    standing = _find_rules_and_tones(org, at)
    by_words = _find_facts(org, at, query_terms(question.text))
    hits, reason = nearest.result() if nearest else (None, "")
    by_meaning = _bearing_hits(question, hits or ())
    read = {snippet.id: snippet for snippet in by_words}
    read |= _read_facts(org, at, by_meaning.keys() - read.keys())
    facts = _fuse([snippet.id for snippet in by_words], by_meaning, read)[:FACTS]
    related = graph.result([snippet.graph_node_id for snippet in facts])
    joined = _join_related(org, at, facts, related)
    answered = ((configured_vectors().name, hits is not None), (configured_graph().name, related.was_asked))
    used = (STORE, *(name for name, did_answer in answered if did_answer))
    return KnowledgeBundle((*standing, *joined), used, degraded=tuple(filter(None, (reason, related.reason))))


def _begin_vector_search(question: KnowledgeQuestion, where: VectorFilter) -> StoreCall[Sequence[VectorHit]] | None:
    """The search by meaning, begun where it needs a thread; None without a vector or a store of vectors."""
    store, vector = configured_vectors(), question.vector
    can = store.capabilities()
    if vector is None or "vectors" not in can:
        return None
    return StoreCall(
        lambda: store.search(vector, where, NEAREST),
        VECTOR_FAILURES,
        settings.KNOWLEDGE_VECTOR_TIMEOUT_MS,
        in_thread="own_transaction" not in can,
    )


def _bearing_hits(question: KnowledgeQuestion, hits: Sequence[VectorHit]) -> dict[UUID, float]:
    """The cosines of the hits that bear on the question, the nearest first, by the ids of their entries."""
    floor = cosine_floor(question.vector.model_id, question.text) if question.vector else 0.0
    return {hit.id: hit.score for hit in hits if hit.score >= floor}


def _fuse(by_words: Sequence[UUID], by_meaning: Mapping[UUID, float], read: Mapping[UUID, Snippet]) -> list[Snippet]:
    """The facts of both searches by reciprocal ranks, the best first; each scored by the better of its two scores.

    What a vector store still names that is no longer in force, or was erased, was not read and is dropped.
    """
    ranks: dict[UUID, float] = dict.fromkeys(read, 0.0)
    for found in (by_words, [key for key in by_meaning if key in read]):
        for place, key in enumerate(found, 1):
            ranks[key] += 1 / (_FUSION + place)
    best = sorted(read, key=ranks.__getitem__, reverse=True)
    return [replace(read[key], score=max(read[key].score, by_meaning.get(key, 0.0))) for key in best]


def _join_related(org: Org, at: datetime, facts: Sequence[Snippet], related: RelatedNodes) -> list[Snippet]:
    """The facts found, and after them those about related nodes, each with the relation that leads to it."""
    relations = {node: place for place, node in enumerate(related.relations)}
    if not relations:
        return list(facts)
    about = _in_force(org, at).filter(graph_node_id__in=relations, kind=KnowledgeEntry.Kind.FACT)
    rows = about.exclude(pk__in=[snippet.id for snippet in facts]).annotate(score=Value(0.0, FloatField()))
    others = [Snippet(*row) for row in rows.order_by("-updated_at").values_list(*_COLUMNS)[:MOST_RELATED]]
    others.sort(key=lambda snippet: relations[snippet.graph_node_id])
    return [
        replace(snippet, relation=related.relations.get(snippet.graph_node_id, ""))
        for snippet in (*facts, *others[:RELATED])
    ]


def _find_rules_and_tones(org: Org, at: datetime) -> list[Snippet]:
    """What always holds: rules before tones, of each kind the latest first. So no number of tones displaces a rule."""
    always = _in_force(org, at).exclude(kind=KnowledgeEntry.Kind.FACT).annotate(score=Value(1.0, FloatField()))
    first = always.order_by(_PLACE_OF_KIND, "-updated_at").values_list(*_COLUMNS)[:MOST_RULES_AND_TONES]
    return [Snippet(*row) for row in first]


def _find_facts(org: Org, at: datetime, terms: Sequence[str]) -> list[Snippet]:
    """The facts that share words with the question, those that share most first."""
    if not terms:
        return []
    wanted = _any_term_query(terms)
    matches = Func(F("terms"), wanted, template="%(expressions)s", arg_joiner=" @@ ", output_field=BooleanField())
    rank = Func(F("terms"), wanted, function="ts_rank", output_field=FloatField())
    ranked = _in_force(org, at).filter(matches, kind=KnowledgeEntry.Kind.FACT).annotate(score=rank)
    return [Snippet(*row) for row in ranked.order_by("-score").values_list(*_COLUMNS)[:FACTS]]


def _read_facts(org: Org, at: datetime, keys: Collection[UUID]) -> dict[UUID, Snippet]:
    """The facts of these ids that this member may read now."""
    if not keys:
        return {}
    named = _in_force(org, at).filter(pk__in=keys, kind=KnowledgeEntry.Kind.FACT)
    rows = named.annotate(score=Value(0.0, FloatField())).values_list(*_COLUMNS)
    return {snippet.id: snippet for snippet in (Snippet(*row) for row in rows)}


def _in_force(org: Org, at: datetime) -> KnowledgeEntryQuerySet:
    """The entries in force, each with its ``tier``: the highest that it names, "" for one that holds in all."""
    named = (
        When(org_tiers__contains=[tier], then=Value(str(tier))) for tier in Tenant.OrgTier.values
    )  # from the highest tier down
    tier: Any = Case(*named, default=Value(""), output_field=TextField())
    entries: KnowledgeEntryQuerySet = KnowledgeEntry.objects.in_force(org, at).annotate(tier=tier)
    return entries


def _any_term_query(terms: Sequence[str]) -> Expression:
    """A tsquery literal for any of the terms: ``to_tsquery``'s parser knows no Chinese."""
    literal = Value(" | ".join(quoted_term(term) for term in terms))
    return Func(literal, template="%(expressions)s::tsquery", output_field=SearchQueryField())
