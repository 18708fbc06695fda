"""Patterns that are proven on short texts alone are given none but such."""

from __future__ import annotations

import ast
import re
from datetime import UTC, datetime
from pkgutil import resolve_name

import pytest

from consent.sensitive.detectors.spoken_emails import LONGEST_LOCAL
from consent.sensitive.detectors.spoken_emails import find as find_written_out
from foundation.language import ParsedMessage, split_sentences
from memory.evolution.clauses import RuleInput
from memory.evolution.implicit_corrections import LONGEST_CORRECTION, replacement_word
from memory.evolution.past_years import LONGEST_BEFORE, happened_by
from memory.evolution.rule_analyzer import LONGEST_STATEMENT, analyze
from memory.evolution.style_commands import LONGEST_COMMAND, is_style_command
from memory.evolution.supposition import LONGEST, is_supposition
from memory.evolution.types import Utterance
from memory.reactions import OPENING, Reaction, reaction_to
from memory.rewriting.protected_spans import LOOK_BACK, preceded_by
from personas.message_wishes import LONGEST_WISH, infer_wishes
from tests.patterns.recording import BOUNDS, ROOT

NOW = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.mark.parametrize("place", BOUNDS)
def test_a_bound_is_of_a_few_hundred_characters_and_of_a_file_that_is_there(place: str) -> None:
    assert 0 < resolve_name(BOUNDS[place]) <= 240
    assert (ROOT / place.partition(":")[0]).exists()


def test_a_rule_reads_no_long_statement() -> None:
    assert analyze(Utterance("我喜欢喝茶", "", NOW))
    assert not analyze(Utterance(f"我喜欢{'喝' * LONGEST_STATEMENT}茶", "", NOW))


def test_rules_are_tried_in_the_one_place_that_looks_at_the_length() -> None:
    functions = (
        node
        for path in (ROOT / "memory").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
    )
    users = [one.name for one in functions if "rule.pattern." in ast.unparse(one)]
    assert users == ["_first_match"]


def test_a_long_command_is_none() -> None:
    assert is_style_command("please be warm")
    assert not is_style_command(f"{'please, ' * (LONGEST_COMMAND // 8)}please be warm")


def test_what_stands_far_before_a_clause_does_not_date_it() -> None:
    def year_of(text: str) -> int:
        statement = RuleInput("I moved to Beijing", chinese=False, whole=False)
        return happened_by(statement, Utterance(text, "", NOW)).year

    assert year_of("In 2019, I moved to Beijing") < 2026
    assert year_of(f"In 2019,{' ' * LONGEST_BEFORE}I moved to Beijing") == 2026


def test_a_long_message_puts_no_word_in_place_of_another() -> None:
    assert replacement_word("No, I meant coffee.") == "coffee"
    assert not replacement_word(f"No, I meant coffee{' ' * LONGEST_CORRECTION}.")


def test_a_long_message_supposes_nothing() -> None:
    assert is_supposition("maybe I will sail")
    assert not is_supposition(f"maybe I will {'really ' * (LONGEST // 7)} sail")


def test_what_stands_far_before_a_word_is_not_read() -> None:
    said = re.compile(r"said .*$", re.DOTALL)
    assert preceded_by(said, f"said {' ' * 40}x", 45)
    assert not preceded_by(said, f"said {' ' * LOOK_BACK}x", LOOK_BACK + 5)


def test_a_reaction_is_read_from_the_opening_alone() -> None:
    assert reaction_to("You hold gold.", "you misunderstood") is Reaction.NEGATIVE
    assert reaction_to("You hold gold.", f"{'x' * OPENING} you misunderstood") is Reaction.TOPIC_CHANGE


def test_a_long_clause_is_no_wish() -> None:
    assert infer_wishes(ParsedMessage("请简短一点")).signals
    assert not infer_wishes(ParsedMessage(f"请{'都' * LONGEST_WISH}简短一点")).signals


def test_an_abbreviation_is_looked_for_right_before_its_full_stop() -> None:
    assert split_sentences("Dr. No came. He left.") == ["Dr. No came.", "He left."]
    assert split_sentences(f"{'a.' * 50} He left.") == [f"{'a.' * 50} He left."]


def test_what_stands_far_before_a_sign_is_no_part_of_an_address() -> None:
    [found] = find_written_out("x" + " underscore y" * LONGEST_LOCAL + " at gmail dot com")

    assert found.end - found.start < LONGEST_LOCAL + len(" at gmail dot com") + 1
