"""Openers that add nothing to a sentence: answers ("No, ", "嗯，") and requests to remember it ("请记住，")."""

from __future__ import annotations

import re
from typing import Final

from memory.rewriting.protected_spans import overlaps, quoted_spans

_ENGLISH = (
    r"(?:no|nope|nah|yes|yeah|yep|yup|ok(?:ay)?|well|so|oh|ah|aw+|um+|uh+|hmm+|hey|hi|hello|wow|ha(?:ha)+|lol|anyway|"
    r"actually|right|sure|exactly|absolutely|definitely|thanks|thank you|you know|i mean|by the way|btw|sorry|"
    r"that's right|of course|to be honest|honestly|fyi)(?: again| then)?(?: there)?(?:,? (?-i:[A-Z])\w+)?"
)
_CHINESE = (
    r"(?:不是?的?|不对|没有|是的?|是啊|对的?|对了|对啊|嗯+|好的?|好吧|哦+|噢|啊+|呃+|唉|哎呀?|嘿|嗨|你好|您好|谢谢|"
    r"哈哈+|那个|其实|话说|总之|反正|说真的|当然|顺便(?:说|提)一(?:下|句))"
)
_KEEP_ENGLISH = (
    r"(?:(?:please|just|also|and|I(?:'d| would)? (?:want|like) you to) )*(?:remember|note|keep in mind|bear in mind|"
    r"don't forget|do not forget)(?: that\b[,:]?|:|,)? (?:that )?"
    r"(?=(?:(?<=that )\S|I\b|(?:my|our) [^.!?\n]*\b(?:is|are|was|were|has|have|(?:like|live|work|need|love|hate)s?)\b))"
)
_KEEP_CHINESE import read_lexicon
from memory.historian.protected_spans import overlaps, quoted_spans

_WORDS: Final = read_lexicon(__file__)

_ANSWER: Final = rf"(?:{_WORDS.phrase('answer')})+"
_KEEP: Final = rf"(?:{_WORDS.phrase('keep')})"
_FILLER: Final = re.compile(rf"{_ANSWER}{_KEEP}?|{_KEEP}", re.IGNORECASE)
_INSIDE: Final = _WORDS.of("en").pattern("inside")
_SENTENCE_START: Final = re.compile(r"(?:\A\s*|(?<=[.!?])\s+|(?<=[。！？…\n])\s*)")


def without_fillers(text: str) -> str:
    """``text`` whose sentences begin with what they say, and hold no "um". Quoted words keep theirs; a text of nothing
    else stays.
    """
    quoted = quoted_spans(text)
    kept: list[str] = []
    read = 0
    for start in _SENTENCE_START.finditer(text):
        if start.end() < read:  # inside what was taken out already: "No. Yes. I do."
            continue
        filler = _FILLER.match(text, start.end())
        if filler and not overlaps(*filler.span(), quoted):
            end = filler.end()
            kept += [text[read : filler.start()], text[end : end + 1].upper()]
            read = end + 1
    told = "".join([*kept, text[read:]])
    return _without_inside(told) if told.strip() else text


def _without_inside(text: str) -> str:
    quoted = quoted_spans(text)
    return _INSIDE.sub(lambda filler: filler[0] if overlaps(filler.start(), filler.end(), quoted) else "", text)
