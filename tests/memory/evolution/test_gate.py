"""The gate tells what teaches something lasting about its speaker from what does not."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest

from foundation.model_weights import DamagedWeights
from memory.evolution import gate
from memory.evolution.gate import Judgement, judge, weights

TEACHING: Final = (
    "I'm allergic to peanuts.",
    "I work as a nurse in Leeds.",
    "My daughter starts school in September.",
    "I've been vegetarian for ten years.",
    "I prefer tea to coffee.",
    "Please always answer me in short sentences.",
    "I'm saving for a house deposit.",
    "I live with my partner and two kids.",
    "我对花生过敏。",
    "我在杭州做护士。",
    "我女儿今年九月上小学。",
    "我不吃香菜。",
    "以后回答我都简短一点。",
    "我跟老公和两个孩子住在成都。",
    "我每天早上六点跑步。",
    "我养了一只猫，叫小白。",
)
NOT_TEACHING: Final = (
    "What is the capital of Peru?",
    "How do I boil an egg?",
    "Thanks, that's brilliant!",
    "Translate this into German:",
    "The Bank of England raised rates again.",
    "Imagine a world without money.",
    "Write a poem about the sea.",
    "lol",
    "秘鲁的首都是哪里？",
    "鸡蛋怎么煮？",
    "谢谢，太好了！",
    "把这段话翻译成英文：",
    "央行又加息了。",
    "写一首关于大海的诗。",
    "哈哈哈",
    "要是没有钱会怎么样？",
)


def test_plain_statements_are_hardly_ever_ignored() -> None:
    ignored = [text for text in TEACHING if judge(text)[0].band == "ignore"]

    assert len(ignored) <= 2


def test_what_teaches_nothing_is_never_remembered_and_hardly_ever_asked_about() -> None:
    bands = {text: judge(text)[0].band for text in NOT_TEACHING}

    assert "remember" not in bands.values()
    assert sum(band == "ask" for band in bands.values()) <= 1


def test_there_is_a_judgement_for_each_sentence_in_order() -> None:
    text = "I live in Leeds. What's the weather?\n我对花生过敏。"

    found = judge(text)

    assert [judgement.sentence for judgement in found] == ["I live in Leeds.", "What's the weather?", "我对花生过敏。"]
    assert [judgement.language for judgement in found] == ["en", "en", "zh"]


def test_a_blank_message_has_none() -> None:
    assert judge(" \n ") == []


def test_it_judges_the_same_every_time() -> None:
    text = "btw we moved to Leeds last month. 我已经不炒股了。"

    assert judge(text) == judge(text)


def test_the_weights_are_those_of_the_data_card() -> None:
    digest = sha256(weights.WEIGHTS_FILE.read_bytes()).hexdigest()

    assert f"`{digest}`" in weights.DATA_CARD.read_text(encoding="utf-8")


def test_damaged_weights_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "weights.npz"
    damaged.write_bytes(weights.WEIGHTS_FILE.read_bytes() + b"x")
    monkeypatch.setattr(weights, "WEIGHTS_FILE", damaged)

    with pytest.raises(DamagedWeights):
        weights.linear_head.__wrapped__("light")


WRAPS: Final = {
    "en": (
        "{}, tbh", "{} lol", "{} 😂", "btw {}", "so yeah, {}", "{}, you know?", "{}, what do you think?",
        "{}, so keep that in mind", "remember that {}", "{}!!!",
    ),
    "zh": (
        "{}哈哈", "{}嘛", "{}啦～", "对了，{}", "{}，你知道吗？", "{}，你觉得呢？", "{}，记住这一点", "请记住，{}",
        "{}！！！", "跟你说，{}",
    ),
}  # fmt: skip
LEAST_OF_WRAPPED: Final = 0.9
MOST_MOVED: Final = 0.15


@pytest.mark.parametrize("language", WRAPS)
def test_what_is_learned_bare_is_learned_with_the_noise_of_chat(language: str) -> None:
    bare = [
        found for text in TEACHING for found in judge(text) if found.language == language and found.band != "ignore"
    ]
    wrapped = [_wrapped(found, wrap) for found in bare for wrap in WRAPS[language]]

    assert sum(band != "ignore" for band in wrapped) >= LEAST_OF_WRAPPED * len(wrapped)


@pytest.mark.parametrize("language", WRAPS)
def test_the_noise_of_chat_hardly_moves_a_chance(language: str) -> None:
    bare = [found for text in TEACHING for found in judge(text) if found.language == language]
    moved = [
        abs(judge(wrap.format(found.sentence.rstrip(".。")))[0].teaches - found.teaches)
        for found in bare
        for wrap in WRAPS[language]
    ]

    assert sum(by <= MOST_MOVED for by in moved) >= LEAST_OF_WRAPPED * len(moved)


@pytest.mark.parametrize(
    ("singular", "plural"),
    [("I live in Leeds.", "We live in Leeds."), ("我住在成都。", "我们住在成都。"), ("我不吃香菜。", "俺不吃香菜。")],
)
def test_the_plural_is_judged_as_the_singular(singular: str, plural: str) -> None:
    assert judge(plural)[0].band == judge(singular)[0].band


def _wrapped(found: Judgement, wrap: str) -> gate.Band:
    return judge(wrap.format(found.sentence.rstrip(".。")))[0].band
