"""Lists the models that a program may name: ``finclaw``, which chooses by the message, and the configured ones."""

from __future__ import annotations

from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.operations import raises
from finclaw.openai_api.base import OpenAIView
from finclaw.openai_api.reference import ModelOutput, ModelsOutput
from foundation.exceptions import FinClawError
from foundation.llm import ModelRole, model_id_for
from foundation.llm.configuration import configured_model_ids

CHOOSING: Final = "finclaw"
"""The model that stands for the product's own choice."""


class ModelNotFound(FinClawError):
    code = "model_not_found"
    default_message = "There is no such model here."


class ModelsView(OpenAIView):
    @extend_schema(operation_id="openai_models", responses=ModelsOutput)
    def get(self, request: Request) -> Response:
        """The models that a request may name: `finclaw` chooses by the message which of the others answers."""
        return Response({"object": "list", "data": [_show_model(model_id) for model_id in _model_ids()]})


class ModelView(OpenAIView):
    @raises("model_not_found")
    @extend_schema(operation_id="openai_model", responses=ModelOutput)
    def get(self, request: Request, model_id: str) -> Response:
        """One of these models."""
        require_model(model_id)
        return Response(_show_model(model_id))


def role_of(model_id: str) -> ModelRole | None:
    """The role of the model that a request names; None for the product's choice. Raises ``ModelNotFound``."""
    require_model(model_id)
    if model_id == CHOOSING:
        return None
    return "large" if model_id == model_id_for("large") else "small"


def require_model(model_id: str) -> None:
    """Raise ``ModelNotFound`` for a model that is not in the list."""
    if model_id not in _model_ids():
        raise ModelNotFound(details={"model": model_id})


def _model_ids() -> tuple[str, ...]:
    return (CHOOSING, *configured_model_ids())


def _show_model(model_id: str) -> dict[str, Any]:
    return {"id": model_id, "object": "model", "created": 0, "owned_by": CHOOSING}
