"""What a comment's words say of an earlier judgement, in both languages alike. No database."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from drift.stance_lexicon import configured_lexicon, stance_of
from drift.types import Keyword


def _stance(comment: str) -> str | None:
    keywords = configured_lexicon().keywords_in(comment)
    return "retraction" if any(word.stance == "retraction" for word in keywords) else stance_of(keywords)


@pytest.mark.parametrize(
    ("english", "chinese", "stance"),
    [
        ("I agree.", "我同意。", "positive"),
        ("I disagree.", "我反对。", "negative"),
        ("I don't agree.", "我不同意。", "negative"),
        ("I no longer agree.", "我不再同意。", "negative"),
        ("I cannot disagree.", "我不反对。", "positive"),
        ("Very helpful!", "很有帮助！", "positive"),
        ("Not very helpful.", "没什么帮助。", "negative"),
        ("It isn't misleading.", "没有误导。", "positive"),
        ("I was wrong.", "我错了。", "retraction"),
        ("My previous judgement of it was wrong.", "我之前对它的判断错了。", "retraction"),
        ("I’ve changed my mind.", "我改變主意了。", "retraction"),
        ("Not only is it long, what went wrong is missing.", "不过篇幅很长，还错过了重点。", None),
        ("Read on the train.", "在火车上读的。", None),
        ("I agree with half of it, the rest is wrong.", "前一半我同意，后一半错了。", None),
        ("", "", None),
    ],
)
def test_both_languages_say_the_same(english: str, chinese: str, stance: str | None) -> None:
    assert (_stance(english), _stance(chinese)) == (stance, stance)


@pytest.mark.parametrize(
    ("stance", "comments"),
    [
        (
            "negative",
            "无法认同|很难同意|同意不了|帮助不大|难以认同|不敢苟同|无法赞同|认同不了|用处不大|帮助不多|帮助真的不大|没法同意|"
            "不能认同|无法令人信服|说服力不足|恕难同意|很难让人信服|不见得对|毫无道理|一点帮助都没有|没什么道理|看好不起来|难言合理|"
            "准确不到哪里去|缺乏说服力|拒绝认同|怎么可能同意|我不认为这个判断是正确的|很难说正确|很难看好|不能算对|准确度不高|"
            "没办法认同这个结论|看不出有什么道理|没看出哪里合理|我无法被说服|無法認同|很難同意",
        ),
        (
            "negative",
            "hard to agree|It's hard to agree with this|I find it difficult to agree|hard for me to agree|"
            "unable to agree|impossible to agree|I refuse to agree|I couldn't agree|of little help|"
            "not much help|less than convincing|I doubt that's right|it lacks sound reasoning|"
            "I struggle to agree|without a solid basis|rarely accurate|dont agree|"
            "I do not really see how this could be right|I would not call this analysis of it accurate|"
            "I don't think this judgement of the company is right|nobody would agree|too vague to be useful|"
            "nowhere near accurate|I ain't convinced|few valuable points|unlikely to be right|"
            "I have trouble agreeing",
        ),
        (
            "positive",
            "不能不同意|没有不同意|无法反对|很难反对|反对不了|错误不多|漏洞不大|没有错|不无道理|不能更同意了|不能同意更多|不难同意|"
            "我不认为它错了|找不到漏洞|不是没有道理|难得的好分析，我认同|困难时期判断准确|不长但有用|虽难懂但很有帮助|同意得不得了",
        ),
        (
            "positive",
            "hard to disagree|I couldn't agree more|could hardly be more right|no wonder it is right|hard not to agree|"
            "nowhere near wrong|I fail to see what is wrong|I don't doubt it's right|I don't think it's wrong|"
            "a little wordy but helpful|quite a few useful points|without a doubt right|I can't find anything wrong|"
            "not long but useful|impossible to disagree with",
        ),
        (
            "retraction",
            "我承认我错了|我不得不承认我错了|不能不承认我错了|我不否认我错了|没想到我错了|不好意思，我错了|我确实错了|"
            "I can't deny I was wrong|No, I was wrong|I don't mind saying I was wrong|not proud of it, but I was wrong|"
            "I can't believe I was wrong",
        ),
    ],
)  # fmt: skip
def test_what_stands_around_a_word_says_which_side_it_takes(stance: str, comments: str) -> None:
    read = {comment: _stance(comment) for comment in comments.split("|")}

    assert {comment for comment, found in read.items() if found != stance} == set()


@pytest.mark.parametrize(
    "comments",
    [
        "我不认为我错了|我不觉得我错了|不是我错了|并非我错了|我没说我错了|我没有改变主意|我不会改变看法|我之前的判断没有错|"
        "我不觉得之前的判断错了|我从没说过我之前的判断错了|难道我错了|谁说我错了|我不想收回之前的评价|我不同意我错了|别以为我错了",
        "I don't think I was wrong|I do not believe I was wrong|I haven't changed my mind|I have not changed my mind|"
        "I never said I was wrong|I doubt I was wrong|I refuse to say I was wrong|I see no reason why I was wrong|"
        "I'm not sure I was wrong|I don't agree that I was wrong|I disagree that I was wrong|Was I wrong?|"
        "If I was wrong, tell me|It doesn't mean I was wrong",
    ],
)
def test_who_denies_having_been_wrong_takes_nothing_back(comments: str) -> None:
    assert {comment for comment in comments.split("|") if _stance(comment) == "retraction"} == set()


@pytest.mark.parametrize(
    "comment",
    [
        "不确定是否正确", "不一定准确", "是不是对的", "有没有用", "如果准确的话", "准确性", "同不同意",
        "Not sure I agree", "I wonder whether it's right", "unsure if it is accurate",
    ],
)  # fmt: skip
def test_what_is_left_open_takes_no_side(comment: str) -> None:
    assert _stance(comment) is None


@pytest.mark.parametrize(
    ("word", "stance"),
    [
        ("thumbs_up", "positive"), ("not_helpful", "negative"), ("agree", "positive"), ("disagree", "negative"),
        ("错", "negative"), ("对", "positive"),
    ],
)  # fmt: skip
def test_the_words_that_the_seed_starts_with_are_known(word: str, stance: str) -> None:
    assert _stance(word) == stance  # seed A O-2


@pytest.mark.parametrize("comment", ["disagreeable weather", "brightest upright", "wrongdoing", "rightly"])
def test_a_part_of_a_word_is_no_word(comment: str) -> None:
    assert configured_lexicon().keywords_in(comment) == ()


@pytest.mark.parametrize(
    "comment", ["对我来说", "相对强势", "对冲基金", "错峰出行", "绝对收益", "应对通胀", "针对散户"]
)
def test_a_character_inside_a_word_is_no_verdict(comment: str) -> None:
    assert configured_lexicon().keywords_in(comment) == ()


def test_a_keyword_is_the_lexicons_and_told_once() -> None:
    assert configured_lexicon().keywords_in("Wrong, WRONG, and not ever convincing to Zebedee") == (
        Keyword("wrong", "negative"),
        Keyword("not convincing", "negative"),
    )


def test_a_lexicon_of_ones_own_takes_the_place_of_the_shipped_one(tmp_path: Path, settings: Settings) -> None:
    file = tmp_path / "lexicon.yaml"
    language = "{positive: [%s], negative: [], retraction: [], neutral: [], negators: ['%s']}\n"
    file.write_text(f"en: {language % ('hodl', 'never')}zh: {language % ('躺平', '不')}", encoding="utf-8")
    settings.DRIFT_LEXICON_FILE = str(file)

    assert [_stance(text) for text in ("hodl", "never hodl", "躺平", "不躺平", "agree")] == [
        "positive", "negative", "positive", "negative", None,
    ]  # fmt: skip


@given(st.text(alphabet="agre wrong not i was 不对错没有看好我之前的判断…,，。'’", max_size=60))
def test_whatever_is_written_only_words_of_the_lexicon_come_out(comment: str) -> None:
    lexicon = configured_lexicon()

    for keyword in lexicon.keywords_in(comment):
        assert (
            keyword.word.removeprefix("not ").removeprefix("不") in lexicon.stances or keyword.word in lexicon.stances
        )
