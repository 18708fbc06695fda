"""Chat sentences in Chinese and English, brought into the form in which statements are judged."""

from foundation.language.chat_noise import without_chat_noise
from foundation.language.judged_form import judged_form
from foundation.language.ngrams import character_ngrams, hash_ngrams, word_ngrams

__all__ = ["character_ngrams", "hash_ngrams", "judged_form", "without_chat_noise", "word_ngrams"]
