"""The openCypher statements that this program asks a knowledge graph: constants, in which nothing a user said stands.

The graph has nodes ``Node {tenant_id, id, words}``, ``words`` being how many words its id has, and ``Word {tenant_id,
text}``; edges ``(:Word)-[:NAMES]->(:Node)``, ``(:Node)-[:PART_OF]->(:Node)`` and ``(:Node)-[:RELATED {kind,
source}]->(:Node)``, ``source`` being the id of the node that the edge begins at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from foundation.text import tokenize
from knowledge.models import KnowledgeRelation
from knowledge.types import GraphRows

_RELATED_TO: Final = """
MATCH (n)-[:PART_OF*0..4]->(up:Node)
OPTIONAL MATCH (up)-[r:RELATED]-(m:Node)
RETURN DISTINCT n.id AS node, up.id AS whole, r.kind AS kind, r.source AS source, m.id AS related
LIMIT 200
"""
NAMED_NODES: Final = (
    """
MATCH (w:Word)-[:NAMES]->(n:Node)
WHERE w.tenant_id = $tenant_id AND w.text IN $terms
WITH n, count(w) AS said
WHERE said = n.words
"""
    + _RELATED_TO
)
"""What the nodes are related to whose every word is among ``terms``, with what they are part of."""
THESE_NODES: Final = (
    """
MATCH (n:Node)
WHERE n.tenant_id = $tenant_id AND n.id IN $nodes
WITH n
"""
    + _RELATED_TO
)
"""The same of the nodes whose ids are in ``nodes``."""
_WRITES: Final = re.compile(
    r"\b(?:ALTER|ATTACH|CALL|COPY|CREATE|DELETE|DETACH|DROP|EXPORT|IMPORT|INSERT|INSTALL|LOAD|MERGE|REMOVE|SET|USE)\b",
    re.IGNORECASE,
)


def require_reading(cypher: str) -> None:
    """Raise ``ValueError`` for a statement that does more than read."""
    if _WRITES.search(cypher):
        raise ValueError("a knowledge graph is asked by statements that only read")


def node_words(node: str) -> list[str]:
    """The distinct words by which a question names a node."""
    return list(dict.fromkeys(tokenize(node)))


def graph_rows(tenant_id: str, relations: Iterable[KnowledgeRelation]) -> GraphRows:
    """The nodes, words and edges of an organisation's relations."""
    found = list(relations)
    nodes = dict.fromkeys(node for relation in found for node in (relation.from_node, relation.to_node))
    words = {node: node_words(node) for node in nodes}
    texts = dict.fromkeys(word for some in words.values() for word in some)
    part_of = KnowledgeRelation.Kind.PART_OF
    return GraphRows(
        nodes=[{"tenant_id": tenant_id, "id": node, "words": len(words[node])} for node in nodes],
        words=[{"tenant_id": tenant_id, "text": text} for text in texts],
        names=[{"word": word, "node": node} for node in nodes for word in words[node]],
        wholes=[{"source": one.from_node, "target": one.to_node} for one in found if one.kind == part_of],
        edges=[
            {"source": one.from_node, "target": one.to_node, "kind": str(one.kind)}
            for one in found
            if one.kind != part_of
        ],
    )
