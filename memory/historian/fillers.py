"""Words that answer whoever spoke before and say nothing of themselves: "No, ", "well, ", "嗯，", "对了，"."""

from __future__ import annotations

import re
from typing import Final

from memory.historian.protected import overlaps, quoted_spans

_ENGLISH = (
    r"(?:no|nope|nah|yes|yeah|yep|yup|ok(?:ay)?|well|so|oh|ah|aw+|um+|uh+|hmm+|hey|hi|hello|wow|ha(?:ha)+|lol|anyway|"
    r"actually|right|sure|exactly|absolutely|definitely|thanks|thank you|you know|i mean|by the way|btw|sorry|"
    r"that's right|of course|to be honest|honestly)(?: again| then)?(?: there)?(?:,? (?-i:[A-Z])\w+)?"
)
_CHINESE = (
    r"(?:不是?的?|不对|没有|是的?|是啊|对的?|对了|对啊|嗯+|好的?|好吧|哦+|噢|啊+|呃+|唉|哎呀?|嘿|嗨|你好|您好|谢谢|"
    r"哈哈+|那个|其实|话说|总之|反正|说真的|当然)"
)
_FILLER: Final = re.compile(rf"(?:{_ENGLISH}(?:,|!|\.|…|\.\.\.| [-—])\s+|{_CHINESE}[，,。！!…～~]+\s*)+", re.IGNORECASE)
_INSIDE: Final = re.compile(
    r"(?:(?<!\d),? (?:um+|uh+|erm+)(?=[,.!?…\s])|, (?:you know|[Ii] mean)(?=[,.!?…]))+,?(?=[\s.!?…])"
)
_SENTENCE_START: Final = re.compile(r"(?:\A\s*|(?<=[.!?])\s+|(?<=[。！？…\n])\s*)")


def without_fillers(text: str) -> str:
    """``text`` whose sentences begin with what they say, and hold no "um". Quoted words keep theirs; a text of nothing
    else stays.
    """
    quoted = quoted_spans(text)
    found = [
        filler.span()
        for start in _SENTENCE_START.finditer(text)
        if (filler := _FILLER.match(text, start.end())) and not overlaps(*filler.span(), quoted)
    ]
    kept = text
    for start, end in reversed(found):
        kept = kept[:start] + kept[end : end + 1].upper() + kept[end + 1 :]
    return _without_inside(kept) if kept.strip() else text


def _without_inside(text: str) -> str:
    quoted = quoted_spans(text)
    return _INSIDE.sub(lambda filler: filler[0] if overlaps(filler.start(), filler.end(), quoted) else "", text)
