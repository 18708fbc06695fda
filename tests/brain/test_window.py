"""The window holds the latest messages within its slot, and nothing falls between it and the summaries."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from finclaw.brain.prompt.budget import ACTIVE_WINDOW, BOUNDS, Slot
from finclaw.brain.prompt.window_steps import STEP
from finclaw.brain.recall.window import WindowPlace, summary_tokens, unsummarised_span, window_start
from foundation.sanitization.types import SafeText
from memory.services.sessions import RECENT_MESSAGES
from memory.services.summaries import BLOCK_TOKENS, MOST_BLOCKS, with_block
from memory.types import SummaryBlock

sizes = st.lists(st.integers(0, 500) | st.integers(0, 7_000), max_size=150)


def places_of(tokens: list[int]) -> list[WindowPlace]:
    return [WindowPlace(seq, size) for seq, size in enumerate(tokens, 1)]


@given(sizes)
def test_the_window_is_never_over_its_slot_and_leaves_less_than_a_step_unused(tokens: list[int]) -> None:
    places = places_of(tokens)
    first = window_start(places, ACTIVE_WINDOW)
    kept = places[first:]
    assert sum(place.tokens for place in kept) <= ACTIVE_WINDOW
    assert len(kept) <= RECENT_MESSAGES
    wider = places[max(0, first - STEP) :]
    assert not first or len(wider) > RECENT_MESSAGES or sum(place.tokens for place in wider) > ACTIVE_WINDOW
    assert not kept or kept[0].seq % STEP == 1 or 2 * (-(kept[0].seq - 1) % STEP) > len(kept)


def test_the_beginning_stays_for_several_turns() -> None:
    begins = [window_start(places_of([50] * count), ACTIVE_WINDOW) for count in range(RECENT_MESSAGES + 2, 200, 2)]
    moves = sum(one != following for one, following in pairwise(begins))
    assert moves <= len(begins) * 2 // STEP + 1


@given(sizes)
def test_every_message_is_in_the_window_or_in_one_summary(tokens: list[int]) -> None:
    """As the turns go: the window of each, the summary it queues, and the worker that makes it before the next."""
    blocks: list[SummaryBlock] = []
    summarized, places = 0, list[WindowPlace]()
    for place in places_of(tokens):
        window = places[window_start(places, ACTIVE_WINDOW) :]
        assert not places or not window or window[0].seq <= summarized + 1
        assert window or summarized == len(places)
        places.append(place)
        fallen, upto = unsummarised_span([*window, place])
        if fallen > summarized:
            assert fallen <= upto <= place.seq
            blocks = with_block(blocks, f"Up to {upto}.", upto, "extractive")
            summarized = upto
    edges = [(block["from_seq"], block["to_seq"]) for block in blocks]
    assert [start for start, _ in edges] == [1, *(end + 1 for _, end in edges[:-1])][: len(edges)]
    assert not edges or edges[-1][1] == summarized


def test_a_summary_is_made_ahead_and_not_for_each_message() -> None:
    places = places_of([ACTIVE_WINDOW // 12] * 40)
    asked, summarized = 0, 0
    for count in range(1, 41):
        window = places[:count][window_start(places[:count], ACTIVE_WINDOW) :]
        fallen, upto = unsummarised_span(window)
        if fallen > summarized:
            asked, summarized = asked + 1, upto
    assert 3 <= asked <= 6


def test_all_blocks_fit_the_baseline_of_their_slot() -> None:
    block = "利" * BLOCK_TOKENS
    assert summary_tokens([SafeText(block)] * MOST_BLOCKS) <= BOUNDS[Slot.SUMMARY_BLOCKS].usual
