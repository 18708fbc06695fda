"""Text as the rest of FinClaw sees it: one spelling, index tokens, sentences, sizes."""

from foundation.text.budget import estimate_tokens
from foundation.text.normalization import normalize
from foundation.text.script import cjk_characters, cjk_share
from foundation.text.sentences import split_sentences
from foundation.text.tokens import MAX_TOKEN_LENGTH, tokenize

__all__ = [
    "MAX_TOKEN_LENGTH",
    "cjk_characters",
    "cjk_share",
    "estimate_tokens",
    "normalize",
    "split_sentences",
    "tokenize",
]
