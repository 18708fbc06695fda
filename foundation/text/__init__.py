"""Text as the rest of FinClaw sees it: one spelling, index tokens, sentences, sizes."""

from foundation.text.answer_style import ABOUT_ANSWERS, only_speaks_of_answers, speaks_of_answers
from foundation.text.highlights import highlighted, snippet
from foundation.text.index_tokens import MAX_TOKEN_LENGTH, tokenize
from foundation.text.normalization import folded, is_blank, normalize
from foundation.text.questions import asked_in, asks_what_was_asked, is_asked, told_in, without_quoted_questions
from foundation.text.script import cjk_characters, cjk_share
from foundation.text.sentences import split_sentences
from foundation.text.token_estimate import estimate_tokens
from foundation.text.word_patterns import whole_word

__all__ = [
    "ABOUT_ANSWERS",
    "MAX_TOKEN_LENGTH",
    "asked_in",
    "asks_what_was_asked",
    "cjk_characters",
    "cjk_share",
    "estimate_tokens",
    "folded",
    "highlighted",
    "is_asked",
    "is_blank",
    "normalize",
    "only_speaks_of_answers",
    "snippet",
    "speaks_of_answers",
    "split_sentences",
    "tokenize",
    "told_in",
    "whole_word",
    "without_quoted_questions",
]
