"""The offline model never says anything of its own about the user, whatever stands in the prompt."""

from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from foundation.llm.offline_model import MOST_QUOTATIONS, OfflineModel
from foundation.llm.offline_phrases import FIXED_PHRASES
from foundation.llm.types import Message, Prompt
from foundation.sanitization.types import SafeText
from tests.support.prompt_text import memories as remembered

WORDS = [
    "tea",
    "coffee",
    "Berlin",
    "NVDA",
    "600519",
    "喜欢",
    "住在柏林",
    "茶",
    "咖啡",
    "I",
    "prefer",
    "我",
    "<b>",
    "&",
    ".",
]
TEXT = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=60).map(" ".join),
    st.text(st.characters(exclude_characters="“”", exclude_categories=["Cs"]), min_size=1, max_size=400),
)
QUESTION = st.one_of(
    st.lists(st.sampled_from([*WORDS, "what", "什么", "where", "吗", "?", "？", "write", "帮我"]), max_size=8).map(
        " ".join
    ),
    TEXT,
    st.sampled_from(["What do you remember about me?", "你记得我什么"]),
)
OWN_WORDS = {line for sentences in FIXED_PHRASES.values() for sentence in sentences for line in sentence.splitlines()}
QUOTED = re.compile(r"^“(?P<text>[^“”]*)”(?: \(you told me this\)|（你告诉过我）)?$", re.MULTILINE)


@given(memories=st.lists(TEXT, max_size=5), earlier=st.lists(TEXT, max_size=2), question=QUESTION)
def test_every_line_is_its_own_phrase_or_a_quotation_that_stands_in_the_prompt(
    memories: list[str], earlier: list[str], question: str
) -> None:
    context = remembered(*(f"- [on record] {html.escape(text)}" for text in memories))
    said = (*(Message("user", SafeText(text)) for text in earlier), Message("user", SafeText(question)))
    prompt = Prompt(SafeText(""), said, context=SafeText(context))

    text = OfflineModel().call(prompt, "offline").text

    quotations = [found["text"] for found in QUOTED.finditer(text)]
    assert all(any(quoted in source for source in [*memories, *earlier]) for quoted in quotations)
    assert len(quotations) <= MOST_QUOTATIONS
    assert {line for line in QUOTED.sub("", text).split("\n") if line} <= OWN_WORDS


@given(text=TEXT)
def test_a_stream_loses_nothing(text: str) -> None:
    context = SafeText(remembered(f"- [on record] {html.escape(text)}"))
    prompt = Prompt(SafeText(""), (Message("user", SafeText(f"what {text}?")),), context=context)
    model = OfflineModel()

    assert "".join(model.stream(prompt, "offline")) == model.call(prompt, "offline").text
