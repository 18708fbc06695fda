"""Removes the user and all references from receipts of what is erased; the figures stay for the quality indicators."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.contrib.postgres.functions import RandomUUID
from django.db.models import Q

from consent.erasure.plan import Counts
from memory.models import Receipt, ReceiptLine

NOTHING_REFERRED_TO: Final = UUID(int=0)


def strip_receipts(which: Q) -> Counts:
    """Strip the matching receipts with their lines; returns how many of each. Call as the eraser, for their user.

    What is left names no user, conversation, reply or memory.
    """
    receipts = Receipt.objects.filter(which)
    lines = ReceiptLine.objects.filter(receipt__in=receipts.values("pk"))
    stripped_lines = lines.update(user=None, ref_id=NOTHING_REFERRED_TO)
    stripped = receipts.update(
        user=None, session=None, message_id=RandomUUID(), context_hash="", generation_metadata={}, knowledge_ids=[]
    )
    return {Receipt._meta.label: stripped, ReceiptLine._meta.label: stripped_lines}
