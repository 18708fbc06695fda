"""A network is measured on voices it has not seen, nor heard telling the same in the other language."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import guard_turns
from bench.guard_corpora import read_guard_corpus
from bench.guard_turns import MIRRORS, TURNS, deal_voices, read_dealt, write_dealt
from foundation.guards.types import GuardName

GUARDS: tuple[GuardName, ...] = ("boundary", "injection")


@pytest.mark.parametrize("guard", GUARDS)
def test_voices_that_mirror_each_other_are_left_out_together(guard: GuardName) -> None:
    voices = {example.voice for example in read_guard_corpus(guard, "open")}
    turns = deal_voices(voices, {})

    pairs = [(f"en_{told}", f"zh_{mirror}") for told, mirror in MIRRORS.items()]
    pairs += [(f"en_{voice[3:]}", f"zh_{voice[3:]}") for voice in voices]

    assert {turns[one] - turns[other] for one, other in pairs if {one, other} <= voices} == {0}


def test_a_new_voice_stays_with_the_one_it_mirrors() -> None:
    turns = deal_voices(["zh_gongju", "en_toolsmith", "en_baker"], {"en_toolsmith": 2})

    assert turns["zh_gongju"] == 2


def test_voices_keep_the_turn_they_have_and_new_ones_fill_all() -> None:
    turns = deal_voices(["en_a", "en_b", "en_c", "en_d"], {"en_a": 1})

    assert turns["en_a"] == 1
    assert {turns[voice] for voice in ("en_b", "en_c", "en_d")} == set(range(TURNS))


def test_what_is_written_of_one_guard_leaves_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard_turns, "DEALT", tmp_path / "turns.tsv")
    (tmp_path / "turns.tsv").write_text("boundary\ten_a\t1\ninjection\ten_a\t0\n", encoding="utf-8")

    write_dealt("injection", {"en_b": 2})

    assert (read_dealt("boundary"), read_dealt("injection")) == ({"en_a": 1}, {"en_b": 2})
