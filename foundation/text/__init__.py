"""Text processing: normalization, index tokens, sentences, sizes."""

from foundation.text.answer_style import ANSWER_STYLE, is_only_about_answer_style, mentions_answer_style
from foundation.text.highlights import highlighted_pieces, snippet
from foundation.text.index_tokens import MAX_TOKEN_LENGTH, tokenize
from foundation.text.normalization import folded, is_blank, normalize
from foundation.text.questions import (
    asks_about_earlier_questions,
    asks_something,
    questions_in,
    statements_in,
    without_quoted_questions,
)
from foundation.text.script import cjk_characters, cjk_share
from foundation.text.sentences import split_sentences
from foundation.text.token_estimate import estimate_tokens
from foundation.text.word_patterns import whole_word

__all__ = [
    "ANSWER_STYLE",
    "MAX_TOKEN_LENGTH",
    "asks_about_earlier_questions",
    "asks_something",
    "cjk_characters",
    "cjk_share",
    "estimate_tokens",
    "folded",
    "highlighted_pieces",
    "is_blank",
    "is_only_about_answer_style",
    "mentions_answer_style",
    "normalize",
    "questions_in",
    "snippet",
    "split_sentences",
    "statements_in",
    "tokenize",
    "whole_word",
    "without_quoted_questions",
]
