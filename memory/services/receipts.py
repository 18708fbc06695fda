"""Writes the receipts of a turn: what was retrieved and what was injected into the prompt, and why."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from consent.permit import Permit
from foundation.database.bulk_insert import insert_rows, insert_values
from foundation.exceptions import require_found
from foundation.ids import new_id
from memory.models import Receipt, ReceiptLine, Session
from memory.types import LineDraft, SearchResult

POLICY_VERSION = "3"
MODEL_ID_LENGTH: Final = 80


def context_hash(content_key: bytes, elements: Iterable[str]) -> str:
    """An HMAC under the user's own key over the prompt's content: equal contexts match, guesses prove nothing."""
    return hmac.new(content_key, "\n".join(elements).encode(), hashlib.sha256).hexdigest()


def write_receipts(
    permit: Permit,
    session: Session,
    message_id: UUID,
    found: Sequence[SearchResult],
    lines: Sequence[LineDraft],
    *,
    budget: Mapping[str, int],
    budget_exceeded: bool,
    degraded: Sequence[str],
    context_hash: str,
    intent_type: str = "",
    stores: Sequence[str] = (),
    unsearched_because: str = "",
    thresholds: Mapping[str, float] | None = None,
    answered_by: str = "",
    receipt_id: UUID | None = None,
    prompt_version: str = "",
    generation_metadata: Mapping[str, Any] | None = None,
    knowledge_ids: Sequence[UUID] = (),
) -> Receipt:
    """Write a turn's retrieval and injection receipt, a line per candidate; returns the injection receipt.

    ``budget`` maps slots to the tokens allotted to them in this turn; ``context_hash`` comes from ``context_hash()``;
    ``stores`` are the knowledge stores that answered beside memory. ``unsearched_because`` says why no search was made;
    a search that was withheld names its own reason. ``answered_by`` is the model's id, "" for a rule; ``receipt_id``
    is the id of the injection receipt, if it was chosen before. ``prompt_version`` is that of the guides which the
    model was given, "" for a rule. ``generation_metadata`` names the user's variants in experiments, and the trace of
    the turn, where there are any; ``knowledge_ids`` are the entries of the organisation's knowledge in the prompt.
    """
    made = [search for search in found if not search.withheld]
    withheld = "" if made else next((search.withheld for search in found), unsearched_because)
    common = {
        "user_id": permit.user_id, "consent_version": permit.version, "policy_version": POLICY_VERSION,
        "session": session, "message_id": message_id, "intent_type": intent_type, "degraded": sorted(set(degraded)),
        "unsearched_because": withheld, "generation_metadata": dict(generation_metadata or {}),
    }  # fmt: skip
    retrieval = _retrieval_receipt(found, made, stores, common)
    injection = Receipt(
        id=receipt_id or new_id(), kind=Receipt.Kind.INJECTION,
        budget=dict(budget), budget_exceeded=budget_exceeded, context_hash=context_hash,
        thresholds={} if withheld else dict(thresholds or {}), answered_by=answered_by[:MODEL_ID_LENGTH],
        prompt_version=prompt_version, knowledge_ids=list(knowledge_ids), **common,
    )  # fmt: skip
    insert_rows([retrieval, injection])
    _insert_lines(retrieval, injection, lines)
    return injection


def _retrieval_receipt(
    found: Sequence[SearchResult], made: Sequence[SearchResult], stores: Sequence[str], common: Mapping[str, Any]
) -> Receipt:
    """The receipt of the searches ``made`` among those ``found``, some of which were withheld."""
    return Receipt(
        kind=Receipt.Kind.RETRIEVAL,
        strategy=made[0].strategy if made else "",
        latency_ms=sum(search.latency_ms for search in found) if found else None,
        stores_used=[*(["memory"] if made else []), *stores],
        **common,
    )


def _insert_lines(retrieval: Receipt, injection: Receipt, lines: Sequence[LineDraft]) -> None:
    """Insert a line per candidate for both receipts; the stated context and what was used stand on the second alone."""
    searched = [line for line in lines if line.kind != "context"]
    found_lines = [replace(line, utilized=None, utilization="") for line in searched]
    insert_values(ReceiptLine, [*_line_rows(retrieval, found_lines), *_line_rows(injection, lines)])


def _line_rows(receipt: Receipt, lines: Sequence[LineDraft]) -> list[dict[str, Any]]:
    return [
        {
            "id": new_id(),
            "receipt_id": receipt.pk,
            "user_id": receipt.user_id,
            "kind": line.kind,
            "ref_id": line.ref_id,
            "rank": rank,
            "status": ReceiptLine.Status.ACCEPTED if line.accepted else ReceiptLine.Status.REJECTED,
            "decision_reason": line.reason,
            "candidate_score": line.score,
            "signals": line.signals,
            "guardrail_hit": line.guardrail,
            "context_position": line.position if line.accepted else None,
            "sanitization_result": line.sanitization,
            "utilized": line.utilized,
            "utilization_signal": line.utilization,
            "user_feedback_signal": "",
        }
        for rank, line in enumerate(lines, 1)
    ]


def receipt_of(permit: Permit, receipt_id: UUID) -> Receipt:
    """One of the user's receipts with its lines. Raises ``NotFound``."""
    return require_found(
        Receipt.objects.filter(pk=receipt_id, user_id=permit.user_id).prefetch_related("lines").first()
    )
