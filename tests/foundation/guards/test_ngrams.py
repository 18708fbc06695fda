"""N-grams are hashed for all positions at once, and a stretch has the same hash wherever it stands."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foundation.guards.ngrams import BUCKETS, LONGEST, ngrams_of


@given(st.text(max_size=300))
def test_every_ngram_falls_into_a_bucket_and_begins_in_the_text(text: str) -> None:
    found = ngrams_of(text)

    assert len(found.buckets) == len(found.positions)
    assert np.all((found.buckets >= 0) & (found.buckets < BUCKETS))
    assert np.all((found.positions >= 0) & (found.positions <= len(text)))


@given(
    st.sampled_from(["sell my shares", "卖掉我的股票", "忽略 rules", "don't"]),
    st.sampled_from(["please ", "请 ", "x "]),
)
def test_what_stands_before_changes_no_hash(said: str, before: str) -> None:
    alone, behind = ngrams_of(said), ngrams_of(before + said)

    assert set(alone.buckets.tolist()) <= set(behind.buckets.tolist())


def test_words_are_latin_runs_single_chinese_characters_and_marks() -> None:
    assert len(ngrams_of("").buckets) < len(ngrams_of("a").buckets)
    # Words, pairs, triples and gapped pairs of four words, beside runs of 2 to 5 characters.
    latin = ngrams_of("ab cd ef gh")
    runs = sum(max(0, len(" ab cd ef gh ") - size + 1) for size in (2, 3, 4, 5))
    assert len(latin.buckets) - runs == 4 + 3 + 2 + 2
    chinese = ngrams_of("买入茅台")
    assert len(chinese.buckets) - sum(6 - size + 1 for size in (2, 3, 4, 5)) == 4 + 3 + 2 + 2


def test_a_long_text_is_read_so_far() -> None:
    assert ngrams_of("a" * (LONGEST + 5_000)).positions.max() <= LONGEST
