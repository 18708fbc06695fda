"""Queries what the user's organisation knows, beside memory; failures leave a turn without knowledge.

Where knowledge disagrees with memory, knowledge wins: see ``overruled_statements``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import structlog
from django.conf import settings
from django.db import DatabaseError, connection

from finclaw.brain.understanding.aliases import AliasGroup
from foundation.accounts.models import User
from foundation.concurrent_calls import CallThreads, ConcurrentCall
from foundation.database.acting_user import acting_as
from foundation.exceptions import FinClawError
from foundation.telemetry.degradations import report_degraded
from knowledge.asset_names import asset_name_sets
from knowledge.configuration import configured_store
from knowledge.exceptions import KnowledgeTimedOut, KnowledgeUnavailable
from knowledge.member_access import org_of
from knowledge.question_time import limited_question
from knowledge.types import NOTHING, KnowledgeBundle, KnowledgeQuestion, Platform, QueryVector
from memory.retrieval.services import EmbeddedQuery

log = structlog.get_logger(__name__)
THREADS = 4  # each holds a database connection; without a free one a turn times out, and goes on
_THREADS: Final = CallThreads("knowledge", THREADS)


class KnowledgeQuery:
    """A query that runs in a background thread with its own database connection."""

    def __init__(self, asked: ConcurrentCall[KnowledgeBundle] | None) -> None:
        self._asked = asked

    def result(self) -> KnowledgeBundle:
        """The answer; an empty one, reported, on time-out or failure. Never raises."""
        if self._asked is None:
            return NOTHING
        try:
            known = self._asked.result()
        except TimeoutError:
            report_degraded(KnowledgeTimedOut.code)
        except FinClawError as error:
            report_degraded(error.code)
        except Exception as error:  # noqa: BLE001  what an outside store raises is not ours to know
            log.warning("knowledge_failed", error=type(error).__name__)
            report_degraded(KnowledgeUnavailable.code)
        else:
            for reason in known.degraded:
                report_degraded(reason)
            return known
        return NOTHING

    def abandon(self) -> None:
        """Cancel the query if it has not started."""
        if self._asked is not None:
            self._asked.abandon()


def begin_query(
    user: User, embedded: EmbeddedQuery, platform: Platform = Platform.API, *, in_group: bool = False
) -> KnowledgeQuery:
    """Start the query in the background; does nothing for a user without organisational knowledge.

    It is asked with the vector that memory is searched with: nothing is embedded here.

    Never asks for a group: its members may belong to different organisations, as may those who join later.
    """
    store = configured_store()
    if in_group or user.tenant_id is None or not store.capabilities():
        return KnowledgeQuery(None)
    vector = None
    if embedded.vector is not None:
        vector = QueryVector(embedded.vector.to_numpy().astype(np.float32), embedded.model_id)
    question = KnowledgeQuestion(embedded.text, vector)
    most = settings.KNOWLEDGE_TIMEOUT_MS
    with limited_question(most):
        return KnowledgeQuery(_THREADS.begin(most / 1000, _query_store, user, question, platform))


def organisation_aliases() -> Sequence[AliasGroup]:
    """The groups of equivalent names of assets in the acting user's organisation; none, reported, where they cannot be
    read. Call in a transaction acting for the user.
    """
    try:
        return asset_name_sets()
    except DatabaseError as error:
        log.warning("asset_names_failed", error=type(error).__name__)
        report_degraded(KnowledgeUnavailable.code)
        return ()


def _query_store(user: User, question: KnowledgeQuestion, platform: Platform) -> KnowledgeBundle:
    try:
        with acting_as(user.pk):
            org = org_of(user, platform)
            return configured_store().search(question, org) if org else NOTHING
    finally:
        connection.close()  # this thread's connection goes back to the pool
