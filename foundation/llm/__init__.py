"""Language models behind one port: any OpenAI-compatible server, or the offline model."""

from foundation.llm.configuration import (
    configured_backend,
    configured_model,
    configured_model_ids,
    is_model_configured,
    model_calls_tools,
    model_id_for,
    model_sees_images,
)
from foundation.llm.exceptions import SMALL_MODEL_UNAVAILABLE, MalformedReply, ModelUnavailable
from foundation.llm.ports import LanguageModel
from foundation.llm.types import CallKind, Message, ModelRole, Prompt, Reply, TokenUsage

__all__ = [
    "SMALL_MODEL_UNAVAILABLE",
    "CallKind",
    "LanguageModel",
    "MalformedReply",
    "Message",
    "ModelRole",
    "ModelUnavailable",
    "Prompt",
    "Reply",
    "TokenUsage",
    "configured_backend",
    "configured_model",
    "configured_model_ids",
    "is_model_configured",
    "model_calls_tools",
    "model_id_for",
    "model_sees_images",
]
