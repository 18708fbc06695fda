"""The offline analyzer: finds what users state about themselves by named rules.

It reads explicit statements only. Irony, hints and what needs knowledge of the world are a model's work.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import takewhile, zip_longest
from typing import Final

from foundation.lexicon import read_lexicon
from memory.confidence import HEDGED_CONFIDENCE
from memory.evolution.affirmative_replies import confirmed_statement
from memory.evolution.clauses import MAX_CLAUSE, RuleInput, is_addition, rule_inputs, without_hedge
from memory.evolution.negation import disowned_statement, is_given_up, negated_statement
from memory.evolution.past_years import happened_by
from memory.evolution.rule import Rule, Strength
from memory.evolution.rules import RuleBook, rule_books
from memory.evolution.slots import DIET, USER_SUBJECT, asset_key, holds_several, infer_slot, named_slot, value_key
from memory.evolution.style_commands import is_return_to_default, is_style_command
from memory.evolution.types import StatementCandidate, Utterance
from memory.evolution.wording import SECRET, as_sentence, in_third_person

_WORDS: Final = read_lexicon(__file__)

_INFER: Final = "infer:"
_ASSET: Final = "asset:"
_LIST_MARK = re.compile(rf"(?:(?<!\s)\s++)?(?:{_WORDS.phrase('list_mark')})\s*")
_REMARK = _WORDS.of("en").pattern("remark")
_SHARES_WORDS = _WORDS.pattern("shares_words", re.IGNORECASE)
_LESSON = _WORDS.pattern("lesson")
_WHEN = _WORDS.pattern("when", re.IGNORECASE)
"""A value that says when something takes place: the statement belongs to the user's schedule."""
_ALONE = re.compile(r"(?:[a-z]-?)++(?<!s)(?<!ing)")
_TO_THE_ASSISTANT: Final = frozenset(
    {"instruction", "reply_style", "language.reply", "constraint.limit", "constraint.avoid", "address"}
)
"""Slots of instructions to the assistant, in which "me" is the speaker and stays."""
_SOME_DAY: Final = datetime(2000, 1, 1, tzinfo=UTC)  # for words whose days do not matter
LONGEST_STATEMENT: Final = MAX_CLAUSE + 40
"""The most characters that a rule is tried on: a clause, with the replacement that a denial beside it names."""
_LONGEST_LISTED: Final = 30
"""The most characters of an entry of a list; a longer part is a phrase that happens to hold "and"."""


def analyze(utterance: Utterance) -> list[StatementCandidate]:
    """Find the candidates of an utterance, in order, one per subject, slot and value; empty for chit-chat.

    Never raises, whatever the text. Text inside ``<user_memory>``, ``<knowledge>`` or ``<user_context>`` is what the
    assistant injected and is never learned again.
    """
    found = [*_read_all(utterance.text, utterance), *_confirmed_candidates(utterance)]
    strongest: dict[tuple[str, str], StatementCandidate] = {}
    for candidate in found:
        key = (candidate.attributes["slot"], value_key(candidate.attributes["value"]))
        if key not in strongest or strongest[key].confidence < candidate.confidence:
            strongest[key] = candidate
    return list(strongest.values())


def is_correction(text: str) -> bool:
    """Whether a message changes or retracts what was said before, by its own words."""
    found = _read_all(text, Utterance(text, "", _SOME_DAY))
    return any(candidate.replaces or candidate.attributes["polarity"] == "negative" for candidate in found)


def _read_all(text: str, utterance: Utterance) -> Iterator[StatementCandidate]:
    for group in rule_inputs(text):
        yield from _read_group(group, utterance)


def _confirmed_candidates(utterance: Utterance) -> Iterator[StatementCandidate]:
    statement = confirmed_statement(utterance.text, utterance.addressed_by_assistant)
    for candidate in _read_all(statement, utterance) if statement else ():
        yield replace(_made_explicit(candidate), rule=f"confirmed:{candidate.rule}", quote=utterance.text.strip())


def _read_group(group: list[RuleInput], utterance: Utterance) -> list[StatementCandidate]:
    """Read a sentence and its clauses. A rule for the whole sentence wins over rules for its clauses."""
    supposed: list[StatementCandidate] = []
    for statement in (part for part in group if part.whole):
        if whole := _first_match(_whole_rules(statement), statement):
            found = _from_sentence(*whole, statement, utterance)
            if _may_apply(*whole, utterance):
                return list(found)
            supposed += [_corrects_only(candidate, statement) for candidate in found]
    clauses = [part for part in group if not part.whole and not part.hypothetical]
    for clause, after in zip_longest(clauses, clauses[1:]):
        stated = list(_from_clause(clause, utterance))
        denied = _negated_candidates(after, clause, utterance) if after and stated else []
        supposed += [
            *(replace(candidate, corrects=False) if denied else candidate for candidate in stated),
            *_outside_slots(denied, stated),
        ]
    return supposed


def _corrects_only(candidate: StatementCandidate, statement: RuleInput) -> StatementCandidate:
    """Mark a candidate that may only replace a known value: it states a taste without saying so."""
    content = candidate.content
    if candidate.attributes["slot"] == "likes":
        content = f"喜欢{content}" if statement.chinese else f"Likes {content[:1].lower()}{content[1:]}"
    return replace(candidate, content=content, corrects_only=True)


def _whole_rules(statement: RuleInput) -> Iterable[Rule]:
    book = _rule_book(statement)
    return book.instructions if statement.hypothetical else (*book.instructions, *book.corrections)


def _rule_book(statement: RuleInput) -> RuleBook:
    return rule_books()["zh" if statement.chinese else "en"]


def _first_match(rules: Iterable[Rule], statement: RuleInput) -> tuple[Rule, re.Match[str]] | None:
    text = statement.matchable
    if len(text) > LONGEST_STATEMENT:
        return None
    return next(((rule, match) for rule in rules if (match := rule.pattern.search(text))), None)


def _may_apply(rule: Rule, match: re.Match[str], utterance: Utterance) -> bool:
    return not rule.answers or value_key(match["old"]) in value_key(utterance.addressed_by_assistant)


def _from_sentence(
    rule: Rule, match: re.Match[str], statement: RuleInput, utterance: Utterance
) -> Iterator[StatementCandidate]:
    """Read an instruction to remember: the statement it holds counts as said on purpose."""
    inner = list(_read_all(match["value"], utterance)) if rule.category == "note" else []
    if not inner:
        yield from _candidates_of_match(rule, match, statement, utterance)
    for candidate in inner:
        kept = replace(_made_explicit(candidate), rule=f"{rule.name}:{candidate.rule}", quote=statement.quote)
        yield replace(kept, for_now=False)


def _from_clause(clause: RuleInput, utterance: Utterance) -> Iterator[StatementCandidate]:
    if disowned := disowned_statement(clause):
        stated = _from_clause(disowned, utterance)
        yield from (_retraction(found, clause.quote) for found in stated if found.attributes["polarity"] == "positive")
        return
    plain = without_hedge(clause)
    if hit := _first_match(_rule_book(clause).statements, plain):
        for candidate in _candidates_of_match(*hit, plain, utterance):
            if plain is not clause:
                yield _without_replacement(candidate, clause.quote)
            else:
                yield _as_correction(candidate, clause) if clause.corrects else candidate


def _negated_candidates(clause: RuleInput, stated: RuleInput, utterance: Utterance) -> list[StatementCandidate]:
    """What a "not BTC" retracts, in the slot of the clause before it."""
    hit = _first_match(_rule_book(stated).statements, stated)
    if hit is None or hit[0].polarity == "negative":
        return []
    other = negated_statement(clause, stated, hit[1].span("value"))
    again = _first_match([hit[0]], other) if other else None
    found = _candidates_of_match(*again, other, utterance) if other and again else ()
    return [_retraction(candidate, clause.quote) for candidate in found]


def _outside_slots(denied: list[StatementCandidate], stated: list[StatementCandidate]) -> list[StatementCandidate]:
    """Drop denied values of a slot whose one value is replaced already: "My budget is 500, not 50"."""
    replaced = {candidate.attributes["slot"] for candidate in stated if not holds_several(candidate.attributes["slot"])}
    return [candidate for candidate in denied if candidate.attributes["slot"] not in replaced]


def _retraction(candidate: StatementCandidate, quote: str) -> StatementCandidate:
    told = {**candidate.attributes, "polarity": "negative"}
    return replace(_made_explicit(candidate), attributes=told, content=quote, quote=quote, replaces=True)


def _as_correction(candidate: StatementCandidate, clause: RuleInput) -> StatementCandidate:
    return replace(_made_explicit(candidate), replaces=True, corrects=not is_addition(clause.text))


def _candidates_of_match(
    rule: Rule, match: re.Match[str], statement: RuleInput, utterance: Utterance
) -> Iterator[StatementCandidate]:
    groups = {name: _trimmed(statement.text[slice(*match.span(name))]) for name in match.groupdict() if match[name]}
    if SECRET.search(f"{groups.get('key', '')} {groups['value'] if rule.category == 'note' else ''}"):
        return
    for value in _split_values(groups["value"], rule) if rule.many else [groups["value"]]:
        if value_key(value):
            candidate = _build_candidate(rule, groups | {"value": value}, statement, utterance)
            if not _is_command(candidate, statement):
                yield candidate


def _is_command(candidate: StatementCandidate, statement: RuleInput) -> bool:
    """Whether a rule mistook a style command to the assistant for a statement."""
    if candidate.attributes["slot"] in _TO_THE_ASSISTANT:
        return is_return_to_default(statement.text)
    return is_style_command(statement.text)


def _build_candidate(
    rule: Rule, groups: dict[str, str], statement: RuleInput, utterance: Utterance
) -> StatementCandidate:
    told = as_sentence(statement.text, chinese=statement.chinese)
    words = {"old": "", "key": "", "when": "", "act": "", **groups, "quote": told}
    capitals = {name.capitalize(): text[:1].upper() + text[1:] for name, text in words.items()}
    content = " ".join(rule.content.format(**words, **capitals).split())
    slot = _slot(rule, words)
    return StatementCandidate(
        memory_type=rule.memory_type,
        content=content
        if slot in _TO_THE_ASSISTANT
        else in_third_person(content, utterance, chinese=statement.chinese),
        epistemic_type=rule.epistemic_type,
        provenance=rule.strength.provenance,
        confidence=rule.strength.confidence,
        category=rule.category,
        rule=rule.name,
        quote=statement.quote,
        valid_at=utterance.said_at,
        attributes={
            "subject": USER_SUBJECT,
            "slot": slot,
            "value": words["value"],
            "polarity": rule.polarity,
        },
        replaces=rule.replaces or (slot == DIET and is_given_up(statement.text)),
        happened_by=happened_by(statement, utterance) if rule.happened else None,
        replaced_value=words["old"] or None if rule.replaces else None,
        for_now=rule.for_now,
    )


def _slot(rule: Rule, words: dict[str, str]) -> str:
    if rule.slot.startswith(_ASSET):
        return f"{rule.slot.removeprefix(_ASSET)}.{asset_key(words['value'])}"
    if rule.slot.startswith(_INFER):
        default = rule.slot.removeprefix(_INFER)
        return infer_slot(words["value"], infer_slot(words["old"], default))
    keys = {name: value_key(text).replace(" ", "_").replace("的", "") for name, text in words.items()}
    slot = named_slot(rule.slot.format(**keys))
    if rule.slot == "{key}" and _WHEN.search(words["value"]):
        return f"schedule.{_LESSON.sub('', slot)}"
    return slot


def _split_values(text: str, rule: Rule) -> list[str]:
    """The entries of a list.

    A list whose parts share words ("晴朗、温暖的天气", "action and war films") is one value. A remark behind a list
    ("…, gives me hives") is no entry of it.
    """
    listed = [part for part in map(_trimmed, _LIST_MARK.split(text)) if part]
    parts = [*listed[:1], *takewhile(lambda part: _REMARK.search(part) is None, listed[1:])]
    shared = _SHARES_WORDS.search(text) or ("的" in text and "的" not in parts[0])
    shared = shared or (rule.memory_type == "preference" and rule.slot != "follows" and _share_a_noun(parts))
    return [text] if shared or any(len(part) > _LONGEST_LISTED for part in parts) else parts


def _share_a_noun(parts: list[str]) -> bool:
    """Whether a bare word may share the plural that only the last part names: the "action" of "horror films"."""
    shares = bool(parts) and " " in parts[-1] and parts[-1].endswith("s")
    return shares and any(_ALONE.fullmatch(part) for part in parts[:-1])


def _trimmed(text: str) -> str:
    return text.strip(" \t,.!;:，。！；：、~～…")


def _without_replacement(candidate: StatementCandidate, quote: str) -> StatementCandidate:
    """The candidate without a replacement where it is only supposed."""
    doubt = replace(candidate, provenance=Strength.IMPLIED.provenance, confidence=HEDGED_CONFIDENCE, quote=quote)
    return replace(doubt, replaces=False, replaced_value=None)


def _made_explicit(candidate: StatementCandidate) -> StatementCandidate:
    return replace(candidate, provenance=Strength.EXPLICIT.provenance, confidence=Strength.EXPLICIT.confidence)
