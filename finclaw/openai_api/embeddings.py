"""Serves embeddings of texts, by the same model that memories are searched with; nothing is stored."""

from __future__ import annotations

import base64
from typing import Any, Final

import numpy as np
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from numpy.typing import NDArray
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.sensitive.services import SAID, screen_text
from finclaw.api.base import NonAtomicView
from finclaw.api.operations import raises
from finclaw.api.serializers import ID_CHARS, BoundedList, StrictSerializer, message_text
from finclaw.brain.programs.prompt_room import require_room
from finclaw.openai_api.base import OpenAIView
from finclaw.openai_api.model_list import CHOOSING, ModelNotFound
from finclaw.openai_api.reference import EmbeddingsOutput
from foundation.embeddings import Embedder, configured_embedder
from foundation.exceptions import ValidationFailed
from foundation.text import estimate_tokens

MOST_TEXTS: Final = 256


class EmbeddingsInput(StrictSerializer):
    """``input`` is one text or a list of texts; numbers of tokens are not taken."""

    model = serializers.CharField(max_length=ID_CHARS)
    input = BoundedList(child=message_text(), max_length=MOST_TEXTS, min_length=1)
    encoding_format = serializers.ChoiceField(choices=["float", "base64"], default="float")
    dimensions = serializers.IntegerField(required=False, min_value=1)
    user = serializers.CharField(required=False, max_length=ID_CHARS)

    def to_internal_value(self, data: Any) -> Any:
        is_one = isinstance(data, dict) and isinstance(data.get("input"), str)
        return super().to_internal_value(data | {"input": [data["input"]]} if is_one else data)


class EmbeddingsView(OpenAIView, NonAtomicView):
    @raises("sensitive_input", "context_length_exceeded", "model_not_found")
    @extend_schema(operation_id="openai_embeddings", request=EmbeddingsInput, responses=EmbeddingsOutput)
    def post(self, request: Request) -> Response:
        """The vectors of texts, of length 1, in the space that ``model`` of the answer names."""
        given = self.valid(EmbeddingsInput)
        embedder = configured_embedder()
        _require_space(embedder, given)
        require_room(given["input"])
        texts = [screen_text(SAID, text, [self.user.name]).text for text in given["input"]]
        vectors = embedder.embed_passages(texts)
        data = [
            {"object": "embedding", "index": index, "embedding": _encoded(vector, given["encoding_format"])}
            for index, vector in enumerate(vectors)
        ]
        tokens = sum(map(estimate_tokens, texts))
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return Response({"object": "list", "model": embedder.model_id, "data": data, "usage": usage})


def _require_space(embedder: Embedder, given: dict[str, Any]) -> None:
    """Refuse another model than the one there is, and other dimensions than it has."""
    if given["model"] not in (CHOOSING, embedder.model_id):
        raise ModelNotFound(details={"model": given["model"]})
    wanted = given.get("dimensions")
    if wanted is not None and wanted != embedder.dimensions:
        raise ValidationFailed(details={"dimensions": [_("Vectors have %(count)d dimensions.") % {
            "count": embedder.dimensions}]})  # fmt: skip


def _encoded(vector: NDArray[np.float32], encoding: str) -> str | list[float]:
    if encoding == "base64":
        return base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")
    return [float(number) for number in vector]
