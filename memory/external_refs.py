"""What an import calls a message or a conversation.

Once its words are erased, a digest stands instead, made with the user's own key: the same file imported again brings
nothing back, and whatever name the file gave is gone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final
from uuid import UUID

from django.db.models import Case, CharField, F, Func, Q, Value, When

from foundation.accounts.models import User

FORGOTTEN: Final = "forgotten:"
_DIGEST: Final = f"'{FORGOTTEN}' || encode(sha256(%(expressions)s), 'hex')"
NAMED: Final = ~Q(external_ref="") & ~Q(external_ref__startswith=FORGOTTEN)
"""The rows that still hold what an import called them."""


def stored_refs(user: User, refs: Iterable[str]) -> dict[str, str]:
    """The references by what may be stored of each: itself, or its digest."""
    given = list(refs)
    return {ref: ref for ref in given} | {_digest(bytes(user.content_key), ref): ref for ref in given}


def forgotten_refs(user_id: UUID) -> Case:
    """The expression that puts the digest in the place of each row's reference. Call as the eraser.

    An account that is gone has neither key nor rows.
    """
    key = b"".join(map(bytes, User.objects.filter(pk=user_id).values_list("content_key", flat=True)))
    named = Func(F("external_ref"), template="convert_to(%(expressions)s, 'UTF8')")
    digest = Func(Value(key), named, template=_DIGEST, arg_joiner=" || ", output_field=CharField())
    return Case(When(NAMED, then=digest), default=F("external_ref"), output_field=CharField())


def _digest(key: bytes, ref: str) -> str:
    return FORGOTTEN + hashlib.sha256(key + ref.encode()).hexdigest()
