"""Types of knowledge that other packages receive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

import numpy as np
from django.db import models
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

Capability = Literal["full_text", "vectors", "graph", "own_transaction", "projection"]
"""What a store can do. ``own_transaction``: it reads in the caller's transaction, so it is asked there, without a
thread. ``projection``: entries are written to it (``knowledge.projection``)."""
NODE_CHARS: Final = 120
"""How long the id of a node of a knowledge graph may be."""


class Platform(models.TextChoices):
    """Where a user talks with the assistant."""

    WEB = "web", _("the web pages")
    API = "api", _("a program, through FinClaw's API")
    OPENAI = "openai", _("a program, through OpenAI's protocol")


class EntryState(models.TextChoices):
    """Whether an entry of knowledge holds at a time, does not yet, or no longer does."""

    IN_FORCE = "in_force", _("in force")
    NOT_YET = "not_yet", _("not yet in force")
    ENDED = "ended", _("ended")


@dataclass(frozen=True)
class Org:
    """An organisation and whom an answer is for: the user's tier (``org_tier``) and role there, and the platform on
    which they talk; without a platform, entries of every platform are for them.
    """

    tenant_id: UUID
    tier: str
    role: str = ""
    platform: str = ""


@dataclass(frozen=True, eq=False)
class QueryVector:
    """A question's unit vector, shape (dimensions,), and the model whose vectors it may be compared with."""

    values: NDArray[np.float32]
    model_id: str


@dataclass(frozen=True, eq=False)
class KnowledgeQuestion:
    """What is asked of the organisation's knowledge; without a vector it is searched for by its words alone."""

    text: str
    vector: QueryVector | None = None


@dataclass(frozen=True)
class VectorFilter:
    """Which entries a vector search may find: facts of this organisation, for its user's tier, role and platform, in
    force at ``at``.
    """

    org: Org
    at: datetime


@dataclass(frozen=True)
class VectorHit:
    """An entry found by its vector. ``score`` is the cosine; ``graph_node_id`` is "" for an entry about no node."""

    id: UUID
    score: float
    graph_node_id: str = ""


@dataclass(frozen=True, eq=False)
class EntryVector:
    """What a store outside PostgreSQL holds of an entry: never its words. One that names no tiers, roles or platforms
    holds for all of them.
    """

    id: UUID
    tenant_id: UUID
    org_tiers: Sequence[str]
    roles: Sequence[str]
    platforms: Sequence[str]
    valid_from: datetime
    valid_to: datetime | None
    version: int
    graph_node_id: str
    vector: Sequence[float]
    model_id: str


@dataclass(frozen=True)
class GraphResult:
    """The rows of a graph query, by the names that it returns."""

    rows: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, eq=False)
class GraphRows:
    """An organisation's graph as parameters of the statements that write it."""

    nodes: Sequence[dict[str, Any]]
    words: Sequence[dict[str, Any]]
    names: Sequence[dict[str, Any]]
    wholes: Sequence[dict[str, Any]]
    edges: Sequence[dict[str, Any]]


@dataclass(frozen=True)
class Snippet:
    """One entry found. ``kind`` is rule, tone or fact; ``score`` orders facts, and is 1 for what always holds.

    ``org_tier`` is the tier that it was written for, "" for all. ``graph_node_id`` is the node that it is about;
    ``relation`` is why that bears on the question, such as "linen-jacket excludes wool-scarf", where the graph says so.
    """

    id: UUID
    kind: str
    subject: str
    slot: str
    text: str
    source: str
    version: int
    score: float
    graph_node_id: str = ""
    org_tier: str = ""
    relation: str = ""


@dataclass(frozen=True)
class KnowledgeBundle:
    """What a store returns: snippets, rules before tones before facts, facts best first.

    ``cache_version`` changes with every change of the organisation's knowledge; "" if there is nothing to cache.
    ``degraded`` are the reasons for what is missing.
    """

    snippets: tuple[Snippet, ...] = ()
    stores_used: tuple[str, ...] = ()
    cache_version: str = ""
    degraded: tuple[str, ...] = ()


NOTHING = KnowledgeBundle()
