"""The part of an answer that says what was masked in a write."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from rest_framework import serializers

from consent.sensitive.services import screen_text


class MaskedFragment(serializers.Serializer[Any]):
    field = serializers.CharField()
    kind = serializers.CharField()


class MayBeMasked(serializers.Serializer[Any]):
    """The answer of a write that masks sensitive input in a text; absent where nothing was."""

    masked = MaskedFragment(many=True, required=False)


def masked_in(known_names: Collection[str], **texts: str) -> dict[str, Any]:
    """``{"masked": [{field, kind}]}`` for a request's texts by field, ``{}`` where nothing is to be masked.

    Read from the request, so that a repeated one is answered alike. Raises ``SensitiveInput``.
    """
    fragments = [
        {"field": field, "kind": kind.value}
        for field, text in texts.items()
        for kind in screen_text(field, text, known_names).masked
    ]
    return {"masked": fragments} if fragments else {}
