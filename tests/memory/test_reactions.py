"""What a next message says of the answer before it, in both languages (seed B §4.1.1 Step B)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.reactions import Reaction, reaction_to

ANSWER = "You mentioned that you follow Bitcoin. 你之前提到关注比特币。"
TAKEN_AS: dict[Reaction, tuple[str, ...]] = {
    Reaction.POSITIVE: (
        "Exactly!", "Yes, that's right.", "Perfect, thanks", "You remembered!", "That's it", "Good point",
        "对,就是这种风格", "對，就是這種風格", "没错", "是的", "对对对", "嗯对的", "就是这个", "太好了", "不错",
        "你记得很清楚",
    ),
    Reaction.NEGATIVE: (
        "No, I prefer bonds.", "That's wrong", "I don't follow BTC any more", "Actually, I moved to Berlin", "No.",
        "I never said that", "Not anymore", "Yes, but I no longer hold it", "You misunderstood me",
        "不是,我现在不喜欢了", "不是，我現在不喜歡了", "不对", "你记错了", "我早就不再关注比特币了", "其实我是素食者",
        "错了", "我现在不喜欢运动风了", "我没说过这个",
    ),
    Reaction.RESTATED: (
        "I already told you", "As I said, I follow Bitcoin.", "How many times do I have to say it?",
        "我说过了", "我之前说过我关注比特币", "再说一遍，我关注的是比特币",
    ),
    Reaction.FOLLOW_UP: (
        "Why?", "And what about ETH?", "Tell me more about it", "What does that mean for bitcoin?", "Go on",
        "Yes, but what about the fees?", "那它呢?", "为什么这么说", "再详细一点", "对,那以太坊呢?", "比特币最近怎么样",
    ),
    Reaction.TOPIC_CHANGE: (
        "What's the weather in Paris", "Translate hello into French", "帮我写一封邮件", "明天几点开会",
        "对了，明天开会吗", "不好意思，换个话题，介绍一下黄金",
    ),
    Reaction.SILENCE: (
        "thanks", "Thank you so much!", "ok, thanks.", "No problem", "no worries", "好的,谢谢", "没关系", "嗯", "...",
        "", "收到",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("message", "expected"), [(message, taken) for taken, messages in TAKEN_AS.items() for message in messages]
)
def test_a_message_is_taken_for_what_it_says(message: str, expected: Reaction) -> None:
    assert reaction_to(ANSWER, message) is expected


@pytest.mark.parametrize("message", ["not bad at all", "why not", "不错", "没问题", "不用谢", "是不是也看看黄金"])
def test_what_only_sounds_like_a_denial_is_none(message: str) -> None:
    assert reaction_to(ANSWER, message) is not Reaction.NEGATIVE


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_two_texts_have_one_reaction(answer: str, message: str) -> None:
    assert reaction_to(answer, message) in Reaction
