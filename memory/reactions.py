"""Implicit feedback: how a user's next message takes the answer before it, by pattern."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from foundation.text import normalize
from memory.mentions import core_terms

OPENING: Final = 120
"""How many characters of a message are read: a verdict on an answer stands at its beginning."""


class Reaction(StrEnum):
    """The user's feedback to a line of a receipt (``user_feedback_signal``)."""

    POSITIVE = "positive"
    NEGATIVE = "negative"
    FOLLOW_UP = "follow_up"
    TOPIC_CHANGE = "topic_change"
    SILENCE = "silence"  # nothing was said, or nothing but "thanks"


def reaction_to(answer: str, message: str) -> Reaction:
    """Classify how ``message``, said right after ``answer``, takes it. Chinese and English.

    A denial outweighs a yes ("yes, but I no longer hold it"); a yes that goes on asking is a follow-up.
    """
    opening = normalize(message).strip()[:OPENING]
    if not _PUNCTUATION.sub("", opening):
        return Reaction.SILENCE
    if _DENIES.search(_HARMLESS.sub(" ", opening)):
        return Reaction.NEGATIVE
    affirmed = _AFFIRMS.match(opening)
    if affirmed and not _GOES_ON.search(opening[affirmed.end() :]):
        return Reaction.POSITIVE
    if _POLITE.fullmatch(opening):
        return Reaction.SILENCE
    if affirmed or _FOLLOWS.search(opening) or core_terms(message) & core_terms(answer):
        return Reaction.FOLLOW_UP
    return Reaction.TOPIC_CHANGE


_PUNCTUATION: Final = re.compile(r"[\W_]+")
_END_ZH = r"(?=$|[\s,，.。!！~;；、])"
# What only sounds like a denial: taken out before one is looked for.
_HARMLESS: Final = re.compile(
    r"\bno (?:problem|worries|need|doubt|rush|idea|thanks?|thank you|further|more questions?|wonder|matter)\b"
    r"|\bnot (?:bad|at all|only|sure|yet)\b|\bwhy not\b|\bwhat'?s wrong\b|\bnothing wrong\b"
    r"|(?:是|对|好)不(?:是|对|好)|不错|不客气|不用(?:谢|了)|不好意思|不过|不仅|不但|不只|不一定|不知道|不太(?:清楚|懂|明白)"
    r"|没(?:问题|关系|事|错)|说得没错|(?:哪里|什么地方|有什么)(?:不对|错了)"
)
_DENIES: Final = re.compile(
    r"^(?:no|nope|nah|wrong|incorrect|not (?:quite|really|exactly|true|right|correct|that|this|anymore|any more))\b"
    r"|\b(?:that|this|it)(?:'s| is| was)(?: simply| just| all| completely)? "
    r"(?:wrong|false|incorrect|outdated|not (?:right|true|correct|what|so|me)|no longer)\b"
    r"|\byou(?:'re| are) (?:wrong|mistaken|confus)|\byou (?:got|have|had) (?:that|this|it|me) (?:all )?wrong\b"
    r"|\byou (?:misunderstood|misremember|mixed up|confused)"
    r"|\bi never (?:said|told|mentioned|asked|liked|owned|held|followed|wanted)\b"
    r"|\bi did(?:n't| not) (?:say|mean|tell you|ask for|mention)\b"
    r"|\bi (?:no longer|don't|do not|am not|stopped|quit)\b.{0,60}\b(?:any ?more|any longer|these days|now)\b"
    r"|\bi(?:'m)? (?:am )?no longer\b|\bi (?:actually )?meant\b|\bactually,? (?:i|my|it|that|no)\b"
    rf"|^(?:不|不是|不对|错|错了|不行|非也|并不是|才不是|没有){_END_ZH}|^不是(?:这|那|的|我|说)|^不对"
    r"|(?:这|那|它)(?:是错的|不对|不是真的|已经?过时|早就不)|[你您]?(?:说|记|搞|弄|理解|听)错了?"
    r"|我(?:没|没有|从没|从来没有?|并没有?)(?:说|讲|提|要求)过?|我的意思是|我是说|(?:更正|纠正)一下"
    r"|(?:我|已经?|早就?|现在|都)(?:已经?|早就?|现在|都)*(?:不再|没再)"
    r"|不(?:喜欢|想|要|用|关注|看|做|持有|买|吃|住)(?:.{0,8})了"
    r"|其实(?:我|是|不|并)"
)
_AFFIRMS: Final = re.compile(
    r"(?:(?:oh|ah|wow|haha|嗯+|哦+|哇|哈+)[\s,，.!！]*)?"
    r"(?:(?:yes|yep|yeah|yup|right|correct|exactly|indeed|true|precisely|absolutely|definitely|perfect|great|excellent"
    r"|awesome|nice|good (?:memory|point|call|one|catch|job|idea)|well (?:remembered|done|put)|spot on|bingo|love it"
    r"|that(?:'s| is) (?:right|it|correct|exactly|true|perfect|great|what i|the one|helpful|me)|sounds (?:good|right)"
    r"|makes sense|you(?:'re| are) right|you (?:remembered|got it)|very helpful|(?:just )?what i (?:wanted|needed))\b"
    rf"|(?:对(?:的|对|啊|呀|哒)*|是(?:的|啊|呀)|没错|正是|确实(?:如此|是)?|正确|完美|太(?:好|棒|对)了?|很好|真?不错|好极了){_END_ZH}"
    r"|就是(?:这|那|它|要)|就要这|(?:你|您)?(?:说|记)得(?:很|真|没|非常)?(?:对|好|准|清楚|没错|错)|正合我意|(?:很|太)有(?:用|帮助))"
)
# After a yes: the conversation goes on about it.
_GOES_ON: Final = re.compile(
    r"[?？]|\b(?:but|and|so|then|also|what|how|why|can you|could you|tell me|show me)\b"
    r"|但|不过|那|再|还有|帮我|告诉我"
)
_POLITE: Final = re.compile(
    r"(?:(?:ok(?:ay)?|thanks?(?: (?:a lot|so much|very much|again))?|thank you(?: (?:so|very) much)?|cheers|got it"
    r"|i see|alright|fine|bye|good (?:night|bye)|no (?:problem|worries|thanks)|understood|noted|ty|cool"
    r"|好(?:的|吧|嘞|滴)?|谢谢(?:你|您)?|多谢|感谢|知道了|明白了?|收到|了解了?|行|嗯|哦|没(?:事|问题|关系)|不客气|不用了|再见|拜拜|晚安)"
    r"[\s,，.。!！~]*)+"
)
_FOLLOWS: Final = re.compile(
    r"^(?:and|but|so|then|also|why|how come|how so|how about|what about|what if|what else|which (?:one|of)|really|since"
    r" when|in that case|go on|continue|more|elaborate|explain|for example|such as)\b"
    r"|\b(?:tell me|say|know|explain) more\b|\bmore (?:details?|about (?:it|that|this))\b|\bin more detail\b"
    r"|^\W*(?:\w+\W+){0,6}(?:it|that|this|those|these|them|they|the (?:first|second|third|last|former|latter) one)\b"
    r"|为什么|怎么说|^(?:那|然后|还有|接着|所以|但是?|而且|比如|例如|真的|继续)|再(?:详细|具体|说|讲|给|多|展开)"
    r"|(?:详细|具体)(?:一点|点|说|讲|些|介绍|解释)|展开(?:说|讲)|呢[?？]?$|(?:上面|刚才|前面|其中)|第[一二三四五\d]个|^(?:它|这|其)"
)
