"""Language models behind one port: any OpenAI-compatible server, or the offline model."""

from foundation.llm.configuration import configured_model, configured_model_ids, model_calls_tools, model_id_for
from foundation.llm.exceptions import SMALL_MODEL_UNAVAILABLE, MalformedReply, ModelUnavailable
from foundation.llm.ports import LanguageModel
from foundation.llm.types import Message, ModelRole, Prompt, Reply, TokenUsage

__all__ = [
    "SMALL_MODEL_UNAVAILABLE",
    "LanguageModel",
    "MalformedReply",
    "Message",
    "ModelRole",
    "ModelUnavailable",
    "Prompt",
    "Reply",
    "TokenUsage",
    "configured_model",
    "configured_model_ids",
    "model_calls_tools",
    "model_id_for",
]
