"""A sentence stripped of what ties it to the chat: greeting, call, connective, closing remark."""

# ruff: noqa: E501, SIM905 - a pattern and what it means are read on one line, and a list of words as text

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from foundation.language import without_chat_noise
from foundation.text import tokenize
from memory.evolution.clauses import is_chinese
from memory.grammar import is_past_tense
from memory.historian.happenings import with_dropped_subject

FEWEST_LEFT: Final = 3
"""Index tokens of what is left of a sentence without its last clauses."""
_GREETING: Final = re.compile(
    r"\A(?:(?:guess what|you know what|my friend|something \w+ happened|hi|hello|hey|good (?:morning|afternoon|evening|night|day)|dear|thanks?|thank you|wow|great|of course|sure|yes|yeah|no problem|you'?re welcome|haha+|oh|well)\b[^,.!?，。！？\n]{0,30}(?:[,.!?:，！]|\s[-–—])\s+"
    r"|(?:你好|您好|嗨|哈喽|哈啰|早上好|上午好|中午好|下午好|晚上好|早安|晚安|谢谢|感谢|哇|太好了|好的|好呀|好啊|嗯+|是的|是啊|对啊|当然|没关系|没事|朋友|亲爱的)[^,，。！!？?\n]{0,12}[,，。！!～~]+\s*){1,3}+(?=\S)",
    re.IGNORECASE,
)
"""How a message opens before it says something: "Hi AI companion, today I …"."""
_CALL: Final = re.compile(r"\A(?:@[\w.-]{1,40}\s*|(?:各位|大家|诸位)[，,：:！!\s]+)(?=\S)")
"""Whom a sentence is addressed to."""
_CALLED_BY_NAME: Final = re.compile(r"\A@?(?P<name>[^\W\d_]{2,40})\s?[,，!！:：]\s*(?=\S)")
_CALLED_AT_THE_END: Final = re.compile(r"[,，]\s?(?P<name>[^\W\d_]{2,40})(?=\s?[.!?。！？~～]*\Z)")
_LINK: Final = re.compile(
    r"\A(?:(?:but|and|so|also|however|besides(?=,)|then|plus|anyway|moreover|furthermore|in addition(?=,)|additionally|at the same time|in fact|actually|meanwhile|therefore|after that|on the other hand|most importantly|what's more|as for me|for example|for instance|personally|especially|honestly|the fact is|to be honest|ok(?:ay)?|luckily|fortunately|unfortunately|first(?:ly)?|second(?:ly)?|finally|lastly|by the way|oh|well|yes|no),?\s+)++(?=\S)"
    r"|\A(?:但是|但|不过|而且|所以|然后|另外|还有|其实|因此|于是|同时|可是|并且|此外|总之|后来|接着|最后|最终|首先|其次|只是|比如|例如|对了|顺便说一下|说实话|实际上|事实上|很好|恩|嗯|对呀|对|是呀|可(?=我))+[,，:：]?(?=\S)",
    re.IGNORECASE,
)
"""What ties a sentence to the one before it."""
_REJECTS: Final = re.compile(
    r"\A(?:(?:no|nope|sorry|wait|actually|oops|well)[\s,.!-]+)*+(?:(?:that|this|it)(?:'s| is| was)(?: all)? (?:wrong|not (?:right|true|correct|what i (?:said|meant))|incorrect|a mistake)|you(?:'re| are| were)? (?:got (?:it|that) )?(?:wrong|mistaken)|i was wrong|correction|(?<=actually )(?=I|my)|(?<=actually, )(?=I|my)|(?<=no, )(?=I (?!haven't|didn't|don't|am not|'m not|can't|never|won't)|my)|(?<=sorry, )(?=\w))\b[\s,.:;!-]*"
    r"|\A(?:不|不是的?|不对|错了|[你我]?(?:记|说|搞|弄)错了|更正一下|纠正一下|我(?:想说|说|指)的是|应该是|我的意思是)[,，。!！:：\s]*",
    re.IGNORECASE,
)
_ADVERSATIVE: Final = re.compile(
    r"\s*(?:but|yet|unless|if|except|only if|though|although|however|when|whenever|as long as|instead|rather|not|until|but not)\b|\s*(?:但|不过|可是|如果|除非|只是|却|虽然|然而|要是|只要|而不|不是|没有|就|才|都)",
    re.IGNORECASE,
)
"""How a clause begins without which the one before it says something else."""
_CUT: Final = re.compile(
    r"(?:,|;|\s[-–]|—)\s*+(?=(?:(?:and|so)\s)?(?:it|it's|this|that|that's|these|those|they|they're|he|he's|she|she's|which|who|as|since|because|you|we|there|here)\b)|[，；]|——",
    re.IGNORECASE,
)
_OPEN_END: Final = re.compile(
    r"(?:\b(?:however|but|and|so|also|because|that|which|or|with|for)|[的和与或但而且因为所以、])$", re.IGNORECASE
)
_TOO: Final = re.compile(r"(?<=\w),? (?:too|as well)(?=[.!]*\Z)")
_ALSO: Final = re.compile(r"\b(I(?:'ve|'m| have| am)?) also ")
FIRST_PERSON: Final = re.compile(r"\b(?:I|I'm|I've|I'll|I'd|[Mm]y|[Mm]e|mine|myself)\b|我(?!们)|咱|俺|本人")
_DROPPED: Final = re.compile(
    r"(?:(?:just|also|finally|recently|already|then|actually|even)\s+){0,3}+(?P<verb>[a-z]+)\s+(?!(?:I|by|on|with|within|out of|that|\w+ly)\b)(?=[a-z$£€\d])",
    re.IGNORECASE,
)
_SAYS_I: Final = re.compile(r"\bI\b")
_NO_VERB_ALONE: Final = frozenset(
    (
        "is has was were did said put let set read cut hit cost hurt quit based born named called given "
        "compared supposed used left made found held felt united limited need excited interested tired bored "
        "pleased thrilled delighted surprised worried scared confused stressed inspired amazed relieved "
        "disappointed exhausted obsessed blessed determined committed stoked hooked married"
    ).split()
)
"""Words that open a sentence as something else than a verb in the past."""


def is_bare_rejection(text: str) -> bool:
    mark = _REJECTS.match(text)
    return mark is not None and not text[mark.end() :].strip(" .!。！,，")


def opens_with_rejection(sentence: str) -> bool:
    """Whether a sentence begins by saying that something said before is wrong."""
    return _REJECTS.match(sentence.strip()) is not None


def strip_call(sentence: str, name: str) -> str:
    """The sentence without the name that it opens or ends with: "Bob, I …", "I agree, Bob"."""
    for pattern in (_CALLED_BY_NAME, _CALLED_AT_THE_END):
        called = pattern.search(sentence)
        if called is not None and name.casefold().startswith(called["name"].casefold()):
            sentence = sentence[: called.start()] + sentence[called.end() :]
    return sentence


def strip_connectives(sentence: str) -> str:
    """A sentence without greeting, filler, correction mark and the link to the one before it."""
    text = sentence.strip()
    for pattern in (_CALL, _GREETING, _REJECTS, _LINK):
        if (match := pattern.match(text)) and match.end() < len(text):
            text = text[match.end() :]
    text = _with_subject(text)
    text = _TOO.sub("", _ALSO.sub(r"\1 ", without_chat_noise(text))).strip(" ,，、;；~～")
    return text[:1].upper() + text[1:]


def _with_subject(text: str) -> str:
    """The sentence with the "I" that it leaves out: "Just sold my flat", "今天称了体重"."""
    if is_chinese(text):
        return with_dropped_subject(text)
    dropped = _DROPPED.match(text) if not _SAYS_I.search(text) else None
    if dropped is None or not is_past_tense(verb := dropped["verb"].lower()) or verb in _NO_VERB_ALONE:
        return text
    return f"I {text[:1].lower()}{text[1:]}"


def shortened(text: str) -> Iterator[str]:
    """The sentence up to its last, its last but one … clause, as long as what is cut off is a remark."""
    cuts = list(_CUT.finditer(text))[:8]
    for cut in reversed(cuts):
        if _ADVERSATIVE.match(text, cut.end()):
            return
        head = text[: cut.start()].rstrip(" ,，;；")
        if len(tokenize(head)) >= FEWEST_LEFT and FIRST_PERSON.search(head) and is_whole(head):
            yield head


def is_whole(text: str) -> bool:
    """Whether a text ends where something ends, and closes every quotation and bracket that it opens."""
    if _OPEN_END.search(text):
        return False
    pairs = ("“”", "‘’", "《》", "「」", "（）", "()", "【】")
    return text.count('"') % 2 == 0 and all(text.count(pair[0]) == text.count(pair[1]) for pair in pairs)
