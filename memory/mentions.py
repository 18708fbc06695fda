"""Decides whether a text speaks of a memory, by the words that this memory has and most others have not."""

from __future__ import annotations

import re
from typing import Final

from foundation.text import normalize, tokenize

Terms = frozenset[str]

# Words in which any memory is put, and any answer given: they tell no memory from another.
_FRAME_EN: Final = (
    "user follow prefer like love want need use think know remember recall mention say said tell told ask note answer "
    "reply respond speak get got give keep make take go going have time way thing good well fine much many very really "
    "more most some any all just also too so now then today always usually often would could should can will may might "
    "not no yes ok okay it us one about how why because than there here please thank thanks do question person people "
    "help sure let look see try feel something anything nothing out up into over new"
)
_FRAME_ZH: Final = (
    "用户 喜欢 偏好 关注 希望 想要 需要 觉得 认为 知道 记得 提到 说过 告诉 之前 以前 现在 今天 目前 时候 一个 一些 "
    "什么 怎么 为什 哪些 哪个 如何 是否 可以 应该 没有 不是 还是 就是 如果 因为 所以 但是 或者 关于 以及 这个 那个 "
    "问题 回答 内容 方面 比较 非常 通常 一直 经常 谢谢 请问"
)
_FRAME: Final = frozenset(token for word in _FRAME_EN.split() for token in tokenize(word))
_ALONE: Final = frozenset("是在有和与跟也都很就不没要会能把被给从到对于为让去来说想看再还但或请")
# Taken out before Chinese is cut into pairs: a pair across a word's edge is no word.
_BETWEEN: Final = re.compile("|".join([*_FRAME_ZH.split(), "[的了我你您他她它们吗呢吧啊嗯么这那]"]))
_ENOUGH: Final = 2  # terms shared: one alone may be chance where a memory has many
_ENOUGH_OF_FEW: Final = 1 / 3  # of a short memory's terms


def core_terms(text: str) -> Terms:
    """The index tokens that carry what a text is about, without frame words and particles. Chinese and English."""
    words = _BETWEEN.sub(" ", normalize(text))
    return frozenset(token for token in tokenize(words) if token not in _FRAME and token not in _ALONE)


def speaks_of(said: Terms, memory: Terms) -> bool:
    """Whether a text shares two of the memory's terms, or a third of them."""
    shared = len(said & memory)
    return shared >= _ENOUGH or (shared > 0 and shared >= _ENOUGH_OF_FEW * len(memory))


def refers_to_memory(text: str) -> bool:
    """Whether a reply says that it draws on what it was told before: "you mentioned", "您之前提到"."""
    return _REFERENCE.search(normalize(text)) is not None


_REFERENCE: Final = re.compile(
    r"\b(?:as |since |because )?you(?:'ve| have)? (?:previously |earlier |once |already |also |just |recently )?"
    r"(?:mentioned|said|told me|noted|shared|stated|described|wrote|asked me to)\b"
    r"|\b(?:as|since|because|given that) you(?:'re| are)? (?:prefer|like|follow|hold|own|want|avoid|use|dislike)\w*"
    r"|\b(?:based on|given|according to|considering|in line with|following|in view of|per|knowing)"
    r" (?:what (?:i (?:know|remember)|you)|your (?:\w+ )?(?:preference|interest|request|wish|habit|goal|style|portfolio"
    r"|holding|situation|note|instruction))"
    r"|\byour (?:stated |usual |known |earlier |previous )?(?:preference|interest|fondness|dislike|aversion)s?\b"
    r"|\b(?:from )?what i remember\b|(?<!not )(?<!n't )\bi (?:do )?(?:still )?(?:remember|recall) (?:that |you|your)"
    r"|\b(?:last time|earlier|previously),? (?:you|we)\b"
    r"|[你您](?:之前|以前|上次|此前|曾经?|早前|先前|刚才|过去)?(?:跟我|和我|对我|向我)?"
    r"(?:提到|提过|提及|说过|讲过|告诉过?我|表示过|要求过|表达过)"
    r"|(?:根据|按照?|依照|考虑到|鉴于|结合|基于|由于)[你您]"
    r"|(?:如|正如|像)[你您](?:所说|之前|说的)|[你您](?:一贯|一向|平时|向来)"
    r"|(?:上次|之前|以前)(?:[你您]|我们)|(?<!不)(?<!没)我(?:还|一直)?记得(?=[:：,，\s]|[你您])|[你您]的(?:偏好|习惯)"
)
