"""What is general about a language: script, normalization, sentences, questions, the words that chat adds."""

from foundation.language.calendar_words import month_names, month_number, month_pattern, weekday_number
from foundation.language.chat_noise import without_chat_noise
from foundation.language.courtesies import courtesy_in
from foundation.language.denial import is_denied
from foundation.language.judged_form import judged_form
from foundation.language.language_choice import Language, answer_language, language_of, languages_in
from foundation.language.ngrams import character_ngrams, hash_ngrams, word_ngrams
from foundation.language.normalization import comparison_form, is_blank, normalize
from foundation.language.numerals import chinese_numeral, leading_numeral
from foundation.language.parsed_message import ParsedMessage, straighten_apostrophes
from foundation.language.questions import (
    asks_about_earlier_questions,
    asks_something,
    ends_with_question_mark,
    is_question,
    questions_in,
    statements_in,
    without_quoted_questions,
)
from foundation.language.script import CJK_RANGES, cjk_characters, cjk_share
from foundation.language.sentences import split_sentences
from foundation.language.tables import tables_of
from foundation.language.word_patterns import whole_word

__all__ = [
    "CJK_RANGES",
    "Language",
    "ParsedMessage",
    "answer_language",
    "asks_about_earlier_questions",
    "asks_something",
    "character_ngrams",
    "chinese_numeral",
    "cjk_characters",
    "cjk_share",
    "comparison_form",
    "courtesy_in",
    "ends_with_question_mark",
    "hash_ngrams",
    "is_blank",
    "is_denied",
    "is_question",
    "judged_form",
    "language_of",
    "languages_in",
    "leading_numeral",
    "month_names",
    "month_number",
    "month_pattern",
    "normalize",
    "questions_in",
    "split_sentences",
    "statements_in",
    "straighten_apostrophes",
    "tables_of",
    "weekday_number",
    "whole_word",
    "without_chat_noise",
    "without_quoted_questions",
    "word_ngrams",
]
