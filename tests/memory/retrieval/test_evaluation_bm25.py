"""Plain BM25 by hand, and the comparison with it. No database."""

from __future__ import annotations

from math import log

import pytest

from memory.evaluation.retrieval.bm25 import Bm25
from memory.evaluation.retrieval.comparison import compare_by_category, mean_scores
from memory.evaluation.retrieval.metrics import OVERALL, RankedAnswer


def test_a_term_that_few_texts_hold_outweighs_one_that_many_hold() -> None:
    bm25 = Bm25({"often": "tomatoes garden", "both": "garden telescope", "more": "garden canal"})

    assert bm25.search("garden telescope", 2) == ["both", "often"]


def test_of_equally_long_texts_the_one_that_says_it_more_often_comes_first() -> None:
    bm25 = Bm25({"once": "telescope canal bicycle", "twice": "telescope telescope bicycle"})

    assert bm25.search("telescope", 5) == ["twice", "once"]


def test_what_a_question_says_more_often_weighs_more() -> None:
    bm25 = Bm25({"canal": "canal", "telescope": "telescope"})

    assert bm25.search("canal telescope telescope", 5) == ["telescope", "canal"]
    assert bm25.search("canal canal telescope", 5) == ["canal", "telescope"]


def test_texts_without_a_word_in_common_are_not_found() -> None:
    assert Bm25({"a": "telescope"}).search("tomatoes", 5) == []
    assert Bm25({"a": "telescope"}).search("", 5) == []
    assert Bm25({}).search("telescope", 5) == []


def test_the_score_is_the_formula_s() -> None:
    bm25 = Bm25({"a": "telescope telescope canal", "b": "bicycle"})  # mean length 2

    scores = bm25.scores("telescope")

    saturated = 2 * 1.9 / (2 + 0.9 * (0.7 + 0.3 * 3 / 2))
    assert scores == {"a": pytest.approx(log(1 + 1.5 / 1.5) * saturated), "b": 0.0}


def test_a_comparison_holds_both_figures_and_their_ratio() -> None:
    finclaw = [RankedAnswer("one", (1,), 2.0), RankedAnswer("two", (2,), 2.0)]
    bm25 = [RankedAnswer("one", (2,), 1.0), RankedAnswer("two", (None,), 1.0)]

    comparisons = compare_by_category(finclaw, bm25)

    assert list(comparisons) == ["one", "two", OVERALL]
    assert comparisons["one"].ratios["mrr"] == pytest.approx(2.0)
    assert comparisons["two"].ratios["mrr"] is None
    assert comparisons[OVERALL].as_json()["ratio"]["mrr"] == pytest.approx((0.75) / 0.25)


def test_every_set_weighs_the_same_in_the_means_and_the_ratio_is_that_of_the_means() -> None:
    small = compare_by_category([RankedAnswer("a", (1,), 1.0)], [RankedAnswer("a", (2,), 1.0)])
    large = compare_by_category([RankedAnswer("a", (None,), 1.0)] * 9, [RankedAnswer("a", (1,), 1.0)] * 9)

    means = mean_scores([small[OVERALL], large[OVERALL]])

    assert (means.finclaw["mrr"], means.bm25["mrr"]) == (0.5, 0.75)
    assert means.ratios["mrr"] == pytest.approx(0.5 / 0.75)
