"""How a model call fails. Neither message nor details ever hold text of the prompt or of the reply."""

from __future__ import annotations

from typing import Final

from foundation.exceptions import FinClawError

SMALL_MODEL_UNAVAILABLE: Final = "small_model_unavailable"
"""The reason a receipt gives where a step went on without the small model."""


class ModelUnavailable(FinClawError):
    """No usable answer. ``details["reason"]`` says why, in a word of ``foundation.llm.failures``."""

    code = "model_unavailable"
    default_message = "The language model did not answer. Nothing was saved; try again shortly."


class MalformedReply(ModelUnavailable):
    """The model answered, but not with the structure that was asked for."""

    default_message = "The language model's answer did not have the required structure."
