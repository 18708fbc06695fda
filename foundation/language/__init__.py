"""Chat sentences in Chinese and English, brought into the form in which statements are judged."""

from foundation.language.chat_noise import without_chat_noise
from foundation.language.judged_form import judged_form

__all__ = ["judged_form", "without_chat_noise"]
