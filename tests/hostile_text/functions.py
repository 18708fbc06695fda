"""Every function that reads what somebody typed, with the processor time it may take for a whole message."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from typing import Final
from unittest.mock import patch
from uuid import uuid4

from consent.sensitive import classifier, services, text_folding
from consent.sensitive.detectors import (
    api_keys,
    bank_cards,
    broken_secrets,
    chinese_names,
    emails,
    english_names,
    ibans,
    identity_cards,
    passwords,
    phones,
    private_keys,
    seed_phrases,
    spoken_emails,
    wallets,
    word_passwords,
    written_numbers,
)
from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.names import tagger
from drift.thesis_overlap import keywords_of
from finclaw.brain import boundary
from finclaw.brain.boundary import statements
from finclaw.brain.material import dates, subject
from finclaw.brain.material import reading as material_reading
from finclaw.brain.prompt.layers import PromptParts, build_prompt
from finclaw.brain.recall.ended_statements import remaining_text
from finclaw.brain.records import follow_ups
from finclaw.brain.self_questions.question_classifier import ngram_features
from finclaw.brain.types import PromptCandidate
from finclaw.brain.understanding import aliases, finance, intent, named_entities, question_slots, work_requests
from foundation import (
    language,
    text,
)
from foundation.embeddings.hashed_vectors import hashed_vector
from foundation.guards import assess
from foundation.guards.ngrams import ngrams_of
from foundation.language import ParsedMessage, inflection, judged_form, straighten_apostrophes, without_chat_noise
from foundation.llm import Prompt, offline_intent, offline_relevance
from foundation.llm.offline_model import OfflineModel
from foundation.llm.prompt_elements import PromptStatement
from foundation.sanitization import services as sanitization
from foundation.sanitization.disguises import undisguised
from foundation.sanitization.operator_instructions import instruction_flaw
from foundation.sanitization.types import SafeText
from foundation.text import confusables
from foundation.text.storable import storable_text
from knowledge.importing.files import UnreadableFile, read_entries
from knowledge.importing.types import Format
from memory import mentions
from memory.evolution import (
    affirmative_replies,
    clauses,
    contrary_sentences,
    free_statements,
    health_statements,
    implicit_corrections,
    quality_gateway,
    quoted_text,
    rule_analyzer,
    slots,
    style_commands,
    style_preferences,
    supposition,
)
from memory.evolution.gate import judge
from memory.evolution.references import refers_outside
from memory.evolution.types import StatementCandidate as Learned
from memory.evolution.types import Utterance
from memory.historian import addressees, anaphora, event_parts, happenings, sentence_form, sentences, small_talk
from memory.models import ConversationEvent
from memory.portraits import sentence_classifier as portrait_reading
from memory.portraits.composition import core_of, line_wording
from memory.portraits.ended_statements import EndedStatements
from memory.portraits.line_eligibility import is_eligible, last_day_named
from memory.portraits.lines import key_of, words_of
from memory.portraits.sections import section_of
from memory.reactions import reaction_to
from memory.retrieval.periods import periods_named
from memory.rewriting import rule_rewriter, time_intervals
from memory.rewriting.timex.reader import read_times
from memory.rewriting.types import Draft, EventClock
from memory.services import extracts
from memory.services.sessions import title_from
from memory.types import TranscriptLine
from personas import message_wishes, prompt_layers
from tests.support.embedders import ShapelessEncoder

MAX_MILLISECONDS: Final = 50.0
"""Processor time for 8,000 characters, unless a function has a limit of its own."""
_NAME: Final = 150  # characters of a user name
_LINE: Final = portrait_reading.MAX_LINE_CHARS
_NOW: Final = datetime(2026, 3, 4, 12, tzinfo=UTC)
_CLOCK: Final = EventClock(_NOW, "Europe/Berlin", "Berlin")


@dataclass(frozen=True, slots=True)
class TextFunction:
    """A function, called with a text alone.

    ``covers`` are the functions it stands for where it is not one itself, ``milliseconds`` the processor time it may
    take for the longest text it is given, ``longest`` the characters of that.
    """

    call: Callable[[str], object]
    milliseconds: float = MAX_MILLISECONDS
    longest: int = 8_000

    @property
    def name(self) -> str:
        return f"{self.call.__module__}.{self.call.__qualname__}"


def of_message(function: Callable[[ParsedMessage], object]) -> Callable[[str], object]:
    """A function of a message's reading, called with the text of one; under its own name."""

    @wraps(function)
    def call(written: str) -> object:
        return function(ParsedMessage(written))

    return call


def screen_message(written: str) -> object:
    """A message at its door: found, judged by its field's policy, masked."""
    try:
        return services.screen_text("content", written, ["Alice"])
    except SensitiveInput as refused:
        return refused


def find_names_in_context(written: str) -> object:
    """Names where an encoder is asked, but for what it takes to answer."""
    with patch.object(tagger, "embedded_encoder", ShapelessEncoder):
        return list(tagger.find(written))


def list_disguises(written: str) -> object:
    """All that a text says in disguise."""
    return list(undisguised(written))


def assess_injection(written: str) -> object:
    """A guard's reading of words."""
    return assess("injection", written)


def analyze_utterance(written: str) -> object:
    """What a message teaches, said right after a question."""
    asked = "Do you like tea? 你喜欢茶吗？"
    return rule_analyzer.analyze(Utterance(written, "Alice", _NOW, addressed_by_assistant=asked))


def ask_for_style(written: str) -> object:
    """Whether a request that a model quotes from a message is for the answers at hand."""
    told = {"subject": "user", "slot": "reply_style", "value": "x", "polarity": "positive"}
    of_a_model = Learned(
        "preference", "x", "preference", "observation", 0.5, "", "model", written[:400], _NOW, told, by_model=True
    )
    return style_preferences.is_for_now(of_a_model, written)


def quote_message(written: str) -> object:
    """Whether a message holds a quote that a model gives of it."""
    return quality_gateway.is_quoted(written[:400], written)


def state_in_own_words(written: str) -> object:
    """What a message teaches by rules and by its own sentences."""
    utterance = Utterance(written, "Alice", _NOW)
    return free_statements.with_free_statements(rule_analyzer.analyze(utterance), utterance)


def read_named_entities(written: str) -> object:
    """What a message names, by a clock."""
    return named_entities.named_entities(written, _NOW.replace(tzinfo=None))


def rewrite_end(written: str) -> object:
    """An ended turn as the historian tells it without a model."""
    return rule_rewriter.rewrite_by_rules(Draft(written, written, "Alice", "FinClaw"), _CLOCK)


def read_english_times(written: str) -> object:
    """Every English expression of time."""
    return read_times(written, _NOW, "en")


def read_chinese_times(written: str) -> object:
    """Every Chinese expression of time."""
    return read_times(written, _NOW, "zh")


def tell_message(written: str) -> object:
    """The events of a message in a group, without a model."""
    addressee = addressees.addressee_of(written, "Alice", [addressees.EarlierMessage("Bob")], {"Bob", "FinClaw"})
    said = event_parts.SourceMessage(uuid4(), written, "Alice", _CLOCK, addressee, past=(written[:200],))
    return event_parts.parts_by_rules(event_parts.candidates_of([said]))


def name_time_spoken_of(written: str) -> object:
    """The time that the words of an event name."""
    return time_intervals.time_spoken_of(written, "UTC")


def read_portrait_line(written: str) -> object:
    """A line of a portrait."""
    return portrait_reading.classify_sentence(written, "Alice", _NOW)


def quote_memory(written: str) -> object:
    """The offline model's answer out of one memory."""
    memory = PromptStatement("turn", written)
    return offline_relevance.rank_by_relevance(written, [memory]), offline_relevance.best_quotation(written, written)


def summarize_message(written: str) -> object:
    """A conversation's message in its own best sentences."""
    line = TranscriptLine(uuid4(), 1, ConversationEvent.Role.USER, "Alice", written, _NOW)
    return extracts.extract([line], 350)


def build_turn_prompt(written: str) -> Prompt:
    """A prompt with a message, and with a memory of the same words."""
    memory = PromptCandidate("turn", uuid4(), written, 1.0, 0, _NOW)
    safe = SafeText(written)
    parts = PromptParts(
        written, intent.classify(ParsedMessage("hi")), (memory,), {"notes": safe}, {safe: (safe,)}, [safe], ()
    )
    return build_prompt(parts)


def confirm(written: str) -> object:
    """Whether a reply says yes to a question, and the question itself a long one."""
    return affirmative_replies.confirmed_statement(
        written, "Do you like tea?"
    ), affirmative_replies.confirmed_statement("yes", written)


def react(written: str) -> object:
    """What a message says of the answer before it."""
    return reaction_to("You like tea.", written)


def name_periods(written: str) -> object:
    """The times that a question names."""
    return periods_named(written, _NOW.date())


def tell_health(written: str) -> object:
    """Whether an event speaks of its person's health."""
    return portrait_reading.tells_of_health(written, "Alice")


def find_ended(written: str) -> object:
    """What an event leaves once a statement of the same words has ended."""
    ended = EndedStatements("Alice", {}, [(written, _NOW)])
    return remaining_text(ended, PromptCandidate("event", uuid4(), written, 0.5, 9, _NOW))


def contradict(written: str) -> object:
    """Whether a text contradicts what an organisation knows in the same words."""
    return contrary_sentences.contradicts_any(written, [contrary_sentences.parse_sentence(written)])


def answer_offline(written: str) -> object:
    """The offline model's whole answer to a message, with a memory of the same words before it."""
    return OfflineModel().call(build_turn_prompt(written), "offline")


def fit_document(written: str) -> object:
    """A persona document in the room that its layer has."""
    return prompt_layers.fitting_sentences(SafeText(written), 6_000)


def mark_words(written: str) -> object:
    """A text that a search found, its words marked."""
    return text.highlighted_pieces(written, written[:200])


def cut_snippet(written: str) -> object:
    """A part of a text that a search found."""
    return text.snippet(written, "zzzqqq", 160)


def read_knowledge(written: str) -> object:
    """A file of an organisation's knowledge in each of its formats, the text where an entry's is."""
    files: dict[Format, str] = {"csv": f"text\n{written}", "jsonl": written, "markdown": f"## a\n{written}"}
    for file_format, file in files.items():
        with suppress(UnreadableFile):
            read_entries(file.encode("utf-8", "replace"), file_format, most=500)
    return None


def mention_back(written: str) -> object:
    """Whether a reply drew on a memory."""
    return mentions.core_terms(written), mentions.refers_to_memory(written)


FUNCTIONS: Final = (
    # foundation: the readers of everything else
    TextFunction(language.split_sentences),
    TextFunction(text.tokenize, milliseconds=150),
    TextFunction(mark_words, milliseconds=300),
    TextFunction(cut_snippet, milliseconds=300),
    TextFunction(language.comparison_form),
    TextFunction(language.normalize),
    TextFunction(language.is_blank),
    TextFunction(text.estimate_tokens),
    TextFunction(storable_text),
    TextFunction(language.cjk_characters),
    TextFunction(language.cjk_share),
    TextFunction(language.language_of),
    TextFunction(language.languages_in),
    TextFunction(language.courtesy_in),
    TextFunction(language.is_question),
    TextFunction(language.ends_with_question_mark),
    TextFunction(follow_ups.declines),
    TextFunction(follow_ups.refuses),
    TextFunction(language.asks_something),
    TextFunction(language.asks_about_earlier_questions),
    TextFunction(language.questions_in),
    TextFunction(language.statements_in),
    TextFunction(language.without_quoted_questions),
    TextFunction(text.mentions_answer_style),
    TextFunction(text.is_only_about_answer_style),
    TextFunction(without_chat_noise),
    TextFunction(judged_form),
    TextFunction(straighten_apostrophes),
    TextFunction(ngram_features),
    TextFunction(judge, milliseconds=2_000),
    TextFunction(refers_outside),
    TextFunction(state_in_own_words, milliseconds=2_500),
    TextFunction(confusables.skeleton_of, longest=_NAME),
    TextFunction(confusables.mixes_scripts, longest=_NAME),
    TextFunction(confusables.has_invisible, longest=_NAME),
    TextFunction(hashed_vector, milliseconds=250),
    TextFunction(offline_intent.intent_of),
    TextFunction(offline_intent.asks_for_every_question),
    TextFunction(offline_intent.asks_for_everything),
    TextFunction(quote_memory, milliseconds=400),
    TextFunction(answer_offline, milliseconds=400),
    # the door: what is sensitive
    TextFunction(classifier.classify_sensitive, milliseconds=150),
    TextFunction(text_folding.fold_text),
    TextFunction(services.redact_text, milliseconds=150),
    TextFunction(screen_message, milliseconds=150),
    TextFunction(api_keys.find),
    TextFunction(bank_cards.find),
    TextFunction(chinese_names.find),
    TextFunction(emails.find),
    TextFunction(english_names.find),
    TextFunction(english_names.preferred_names),
    TextFunction(ibans.find, milliseconds=100),
    TextFunction(identity_cards.find),
    TextFunction(phones.find, milliseconds=150),
    TextFunction(phones.find_called, milliseconds=150),
    TextFunction(private_keys.find),
    TextFunction(seed_phrases.find),
    TextFunction(wallets.find),
    TextFunction(spoken_emails.find),
    TextFunction(passwords.find, milliseconds=150),
    TextFunction(word_passwords.find, milliseconds=150),
    TextFunction(broken_secrets.find, milliseconds=150),
    TextFunction(written_numbers.find, milliseconds=400),
    TextFunction(tagger.find, milliseconds=400),
    TextFunction(find_names_in_context, milliseconds=300),
    TextFunction(instruction_flaw, milliseconds=400),
    # files of an organisation's knowledge
    TextFunction(read_knowledge, milliseconds=400, longest=64_000),
    # the turn
    TextFunction(boundary.asks_to_execute, milliseconds=250),
    TextFunction(boundary.refuse_execution, milliseconds=250),
    TextFunction(statements.statement_asks_to_execute, milliseconds=300),
    TextFunction(of_message(intent.classify), milliseconds=150),
    TextFunction(read_named_entities, milliseconds=250),
    TextFunction(aliases.asset_in, milliseconds=150),
    TextFunction(aliases.other_names),
    TextFunction(question_slots.requested_slots, milliseconds=150),
    TextFunction(of_message(work_requests.request_sentence)),
    TextFunction(of_message(work_requests.requested_work), milliseconds=150),
    TextFunction(finance.tickers_in),
    TextFunction(finance.is_financial, milliseconds=150),
    TextFunction(list_disguises, milliseconds=150),
    TextFunction(ngrams_of),
    TextFunction(assess_injection),
    TextFunction(sanitization.sanitize, milliseconds=150),
    TextFunction(sanitization.sanitize_lines, milliseconds=400),
    TextFunction(sanitization.excluded_lines, milliseconds=400),
    TextFunction(sanitization.is_suspicious),
    TextFunction(of_message(message_wishes.infer_wishes), milliseconds=250),
    TextFunction(message_wishes.language_named),
    TextFunction(fit_document),
    TextFunction(build_turn_prompt),
    TextFunction(mention_back, milliseconds=150),
    TextFunction(name_periods, milliseconds=150),
    TextFunction(title_from),
    TextFunction(summarize_message, milliseconds=400),
    # research
    TextFunction(material_reading.asking_sentence, milliseconds=250),
    TextFunction(material_reading.request_sentences, milliseconds=250),
    TextFunction(material_reading.read_statements, milliseconds=400),
    TextFunction(material_reading.sentences),
    TextFunction(subject.find_object, milliseconds=250),
    TextFunction(subject.find_asset, milliseconds=250),
    TextFunction(dates.known_time_of),
    # learning
    TextFunction(rule_analyzer.is_correction, milliseconds=400),
    TextFunction(analyze_utterance, milliseconds=400),
    TextFunction(style_commands.is_style_command),
    TextFunction(ask_for_style),
    TextFunction(quote_message),
    TextFunction(quoted_text.without_echoes),
    TextFunction(clauses.ends_in_question),
    TextFunction(contradict),
    TextFunction(confirm),
    TextFunction(health_statements.states_health, milliseconds=150),
    TextFunction(implicit_corrections.replacement_word),
    TextFunction(slots.value_key),
    TextFunction(slots.asset_key),
    TextFunction(slots.food_or_drink_in),
    TextFunction(supposition.is_supposition),
    TextFunction(inflection.third_person),
    TextFunction(inflection.third_person_pronouns),
    TextFunction(react),
    TextFunction(keywords_of, milliseconds=150),
    # the historian and portraits
    TextFunction(rewrite_end, milliseconds=1_000),
    TextFunction(rule_rewriter.unresolved_in, milliseconds=150),
    TextFunction(read_english_times, milliseconds=1_200),
    TextFunction(read_chinese_times, milliseconds=1_200),
    TextFunction(tell_message, milliseconds=1_500),
    TextFunction(name_time_spoken_of),
    TextFunction(sentence_form.strip_connectives),
    TextFunction(anaphora.has_anaphora),
    TextFunction(anaphora.has_open_reference),
    TextFunction(sentence_form.opens_with_rejection),
    TextFunction(sentences.asks_to_forget),
    TextFunction(happenings.reports_past_event),
    TextFunction(happenings.is_planned),
    TextFunction(happenings.is_past),
    TextFunction(happenings.is_life_event),
    TextFunction(happenings.is_promised),
    TextFunction(happenings.is_anchored),
    TextFunction(happenings.with_dropped_subject),
    TextFunction(small_talk.is_small_talk),
    TextFunction(small_talk.is_state_of_mind),
    TextFunction(small_talk.is_wish),
    TextFunction(small_talk.names_a_need),
    TextFunction(sentence_form.is_whole),
    TextFunction(addressees.addresses_one_person),
    TextFunction(portrait_reading.sentences_of),
    TextFunction(find_ended, milliseconds=400),
    TextFunction(is_eligible),
    TextFunction(last_day_named),
    TextFunction(line_wording),
    TextFunction(section_of),
    TextFunction(core_of),
    TextFunction(tell_health, milliseconds=400),
    TextFunction(read_portrait_line, longest=_LINE),
    TextFunction(key_of),
    TextFunction(words_of, milliseconds=150),
)
"""In the order in which a message meets them."""
