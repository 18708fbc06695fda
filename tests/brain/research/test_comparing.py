"""What a refresh changed."""

from __future__ import annotations

from finclaw.brain.research.comparison import compare_inferences, summarise_change
from memory.research.types import ChangedInference, ResearchStatement


def _said(*texts: str) -> list[ResearchStatement]:
    return [ResearchStatement(text) for text in texts]


def test_a_statement_put_another_way_stands_beside_the_one_it_replaced() -> None:
    changes = compare_inferences(
        _said("Margins will hold at 40%.", "Demand is strong."), _said("Margins will fall to 30%.", "Demand is strong.")
    )
    assert changes == (ChangedInference("Margins will hold at 40%.", "Margins will fall to 30%."),)


def test_what_came_and_what_went_stand_alone() -> None:
    changes = compare_inferences(_said("需求强劲。"), _said("The regulator opened a probe."))
    assert set(changes) == {ChangedInference("", "The regulator opened a probe."), ChangedInference("需求强劲。", "")}


def test_nothing_changed_where_only_case_and_width_did() -> None:
    assert compare_inferences(_said("Demand is STRONG."), _said("demand is strong.")) == ()


def test_the_summary_says_whether_the_thesis_turned_in_both_languages() -> None:
    changes = (ChangedInference("", "new"), ChangedInference("old", ""))
    assert (
        summarise_change("en", "Buy.", "Sell.", changes) == "The thesis is another one now. 1 new, 1 no longer named."
    )
    assert summarise_change("zh", "看好。", "看好。", ()) == "论点没有变化。"
