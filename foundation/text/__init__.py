"""Text processing that needs no language: index tokens, highlights, sizes, look-alike names."""

from foundation.text.answer_style import ANSWER_STYLE, is_only_about_answer_style, mentions_answer_style
from foundation.text.highlights import highlighted_pieces, snippet
from foundation.text.index_tokens import MAX_TOKEN_LENGTH, tokenize
from foundation.text.token_estimate import estimate_tokens

__all__ = [
    "ANSWER_STYLE",
    "MAX_TOKEN_LENGTH",
    "estimate_tokens",
    "highlighted_pieces",
    "is_only_about_answer_style",
    "mentions_answer_style",
    "snippet",
    "tokenize",
]
