"""Which network of a guard leaves out which voice: once dealt, a voice stays where it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from bench.guard_corpora import FOLDER

DEALT: Final = FOLDER / "turns.tsv"
TURNS: Final = 3
"""Into how many groups the voices are dealt, each left out once."""
MIRRORS: Final = {
    "assistantpa": "mishu", "programmatic": "ziduan", "notices": "tongzhi", "metricsphd": "boshi",
    "callscribe": "yejihui", "podcaster": "boke", "wikigardener": "baike", "toolsmith": "gongju", "coaxer": "moji",
    "cfacandidate": "cpakaosheng", "ghostcells": "biaoge", "newsletter": "changwen", "villagegroup": "jiazuqun",
    "grantofficer": "jijinhui", "sellside": "maifang", "choirmaster": "hechang", "asksnicely": "kepu",
    "minimalist": "duanju",
}  # fmt: skip
"""Voices that tell the same, or some of it, in the other language under another name."""


def deal_voices(voices: Iterable[str], dealt: Mapping[str, int]) -> dict[str, int]:
    """A turn for every voice: the one it has, that of its mirror in the other language, or the next."""
    turns, groups = dict(dealt), {_told_by(voice): turn for voice, turn in sorted(dealt.items(), reverse=True)}
    new = sorted(set(voices) - set(dealt))
    for number, told in enumerate(sorted({_told_by(voice) for voice in new} - set(groups))):
        groups[told] = number % TURNS
    return turns | {voice: groups[_told_by(voice)] for voice in new}


def _told_by(voice: str) -> str:
    """One name for a voice and those that mirror it."""
    name = voice.partition("_")[2]
    return MIRRORS.get(name, name)


def read_dealt(guard: str, file: Path | None = None) -> dict[str, int]:
    """The turn that left out each voice, in the networks in use or those of another ``file``."""
    lines = [line.split("\t") for line in (file or DEALT).read_text(encoding="utf-8").splitlines()]
    return {voice: int(turn) for kind, voice, turn in lines if kind == guard}


def write_dealt(guard: str, turns: Mapping[str, int]) -> None:
    """Keep the turns of a guard's voices in place of those before."""
    others = [line for line in DEALT.read_text(encoding="utf-8").splitlines() if not line.startswith(f"{guard}\t")]
    lines = sorted([*others, *(f"{guard}\t{voice}\t{turn}" for voice, turn in turns.items())])
    DEALT.write_text("\n".join(lines) + "\n", encoding="utf-8")
