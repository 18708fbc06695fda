"""The vectors of knowledge entries in PostgreSQL, by pgvector: the default vector store.

Every entry of the organisation is compared: an organisation has thousands of entries, not millions, and an index over
everybody's vectors would be slower under row-level security.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.db.models import Case, F, FloatField, Func, Value, When
from pgvector import HalfVector

from knowledge.exceptions import KnowledgeVectorsTimedOut, KnowledgeVectorsUnavailable
from knowledge.models import KnowledgeEntry
from knowledge.question_time import milliseconds_left
from knowledge.stores.statement_limits import limited_statements
from knowledge.types import Capability, QueryVector, VectorFilter, VectorHit


class PostgresVectorStore:
    """Compares the vectors of entries. Call in a transaction acting for a member of the organisation: row-level
    security hides the rest.
    """

    name = "pgvector"

    def search(self, query_vector: QueryVector, where: VectorFilter, top_k: int) -> Sequence[VectorHit]:
        """As ``VectorStorePort.search``. A failure leaves the caller's transaction usable."""
        facts = KnowledgeEntry.objects.in_force(where.org, where.at).filter(kind=KnowledgeEntry.Kind.FACT)
        near = facts.annotate(cosine=_cosine(query_vector)).filter(cosine__isnull=False).order_by("-cosine", "id")
        most = milliseconds_left(settings.KNOWLEDGE_VECTOR_TIMEOUT_MS)
        with limited_statements(most, KnowledgeVectorsTimedOut, KnowledgeVectorsUnavailable):
            return [VectorHit(*found) for found in near.values_list("id", "cosine", "graph_node_id")[:top_k]]

    def capabilities(self) -> frozenset[Capability]:
        return frozenset({"vectors", "own_transaction"})


def _cosine(query: QueryVector) -> Case:
    """The dot product of two unit vectors; NULL for an entry of another model, whose vector may be shorter."""
    product = Func(
        F("vector"),
        Value(HalfVector(query.values).to_text()),
        template="(-(%(expressions)s::halfvec))",
        arg_joiner=" <#> ",
        output_field=FloatField(),
    )
    return Case(When(model_id=query.model_id, then=product), output_field=FloatField())
