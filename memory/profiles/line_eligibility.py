"""Decides whether a statement may stand in a portrait: true now, and understood without context. Pure.

What is kept as the user's own sentence keeps what surrounded it in the chat: what they did that day, words that point
at the message before, thanks. None of that is a line of a portrait. The lists were made on MemoryBank's people 1 to 6.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from foundation.text import cjk_characters, tokenize
from memory.evolution.topics import topics_of
from memory.grammar import is_past_tense

MOST_CHARS: Final = 160
FEWEST_WORDS: Final = 2
"""The fewest words, or Chinese characters, of a line: one alone says nothing of the user."""

_LASTING_PAST: Final = frozenset(
    {
        "born", "grew", "raised", "graduated", "studied", "moved", "married", "divorced", "retired", "trained",
        "founded", "started", "began", "joined", "became", "quit", "stopped", "switched", "gave", "emigrated",
        "adopted", "promoted", "served", "got", "is", "has",
    }
)  # fmt: skip
"""Past verbs that tell what has been so since."""
_OPENS_EN: Final = re.compile(
    r"(?:it|its|it's|that|that's|this|these|those|there|he|she|they|them|their favou?rite|which|and|but|so|because|"
    r"however|also|then|or|if|when|maybe|perhaps|especially|by the way|actually|well|anyway|of course|thanks?|thank|"
    r"sorry|sure|okay|ok|yes|no|will|would|can|could|might|may|should|must|knows?|finds?|feels?|guess(?:es)?|"
    r"believes?|thinks?|hopes? (?:that|it|you|this)|is (?:afraid|glad|happy|sad|sorry|so|really|very|"
    r"sure|not sure|going|ready|tired|excited|a bit|a little|feeling|thinking|just)|has (?:just|already|to)|"
    r"had|was|were|did|does not know|let|just|(?:on|in|at|around|during|last|this) [^,]{1,40},? (?:they|I|we)\b)\b",
    re.IGNORECASE,
)
_POINTS_EN: Final = re.compile(
    r"\b(?:you|your|yours|yourself|I|me|my|we|us|our)\b"
    r"|\b(?:that|this|these|those) (?!(?:year|kind|sort)\b)[a-z]"
    r"|\b(?:it|they|them|other|others|another|something|anything|somewhere|someone|stuff|things|such|as well|too|etc)\b"
    r"|\b(?:today|tonight|yesterday|tomorrow|this (?:morning|afternoon|evening|week|weekend)|last night|just now|"
    r"right now|at the moment|next (?:week|weekend|month|time))\b",
    re.IGNORECASE,
)
_COURTESY_EN: Final = re.compile(
    r"\b(?:thank|thanks|recommend\w*|suggest\w*|advice|your help|chat\w*|conversation|nice to|glad|great idea|"
    r"good idea|sounds|helpful|do (?:my|their) best|try (?:out |to |it|some)?)\b",
    re.IGNORECASE,
)
_ENDS_EN: Final = re.compile(r"\b(?:and|or|but|the|an?|to|of|with|for|so|very|like|now and|in|at|as|because|that)$")
_ADDRESSED_EN: Final = re.compile(
    r"(?:please|don'?t|do not|never|always|call|answer|reply|respond|speak|write|use|keep|give|explain|be|stop|avoid|"
    r"no|when|if|start|end|add|include|remind|show|address|sign|spell|put|make|skip|tell|only|translate|convert|for|"
    r"wants?|prefers?|likes?|short|brief|in)\b",
    re.IGNORECASE,
)
_ADDRESSED_ZH: Final = re.compile(
    r"(?:以后|请|别|不要|不用|叫我|称呼|回答|回复|用|每次|给我|说话|尽量|讲|写|先|直接|少|多|记得|凡是|如果|跟我|对我|希望|喜欢|"
    r"要求|想要|解释|数字|单位|涉及|推荐)"
)
_OPENS_ZH: Final = re.compile(
    r"(?:做\w{1,4}可以|当然|另外|但|而且|所以|因为|不过|然后|其实|实际上|基本上|也|都|还|这|那|它|他|她|可以|会尝试|会多|会努力|会去|会听|会试|"
    r"尝试|觉得|感觉|感到|知道|发现|认为|希望你|相信|最感兴趣|准备去|去的是|去了|看了|看到|吃了|买了|聊|见到|遇到|听说|好[的吧啊呀，,]|嗯|"
    r"谢谢|感谢|哈哈|没关系|是的|对[的啊，,]|通常会考虑|一直在考虑|瑜伽|音乐和)"
)
_POINTS_ZH: Final = re.compile(
    r"[你您我]|今天|昨天|明天|刚刚|刚才|今晚|晚上(?:打算|准备|要)|这[个些种样次本部首家里]|那[个些种样次本部首家里]|"
    r"它|其他|其它|一些(?:其|新)|新的技能|之类|什么的|等等|谢谢|感谢|推荐|建议|聊天|聊聊"
)
_HAPPENED_ZH: Final = re.compile(r"[去看吃买玩逛听见读参做拍遇][^，,。]{0,8}[了过](?!解)|^\d{4}年[^，,。]{0,24}了")
_ASKS_EN: Final = re.compile(
    r",? (?:is|are|can|could|should|does|do|did|which|what|how|why|when|who|where)(?:'s)? (?:a|an|the|that|this|it|"
    r"they|there|one|he|she)\b|\?"
)
_ASKS_ZH: Final = re.compile(
    r"咋|怎么|吗|哪[个家门里天]|好多(?:钱|肉|料)|堵不堵|能不能|可不可以|是不是|会不会|够不够|多少|算一年|算一算|想想|想个|"
    r"给(?:自己|她|他)(?:几个|列|写|做)|[帮替]自己|？|\?|要几天|比较省事|莫笑|厉害$|恼火$"
)
"""A question or request said in one breath with a statement."""
_STATES_EN: Final = re.compile(
    r"(?!(?:Its|This|Thats|Perhaps|Always|Sometimes|Besides|Thanks|Lots|Yes|Was|Guess|As|Us|Is|Has|Does|Needs|Hopes|"
    r"Lets|Sounds|Looks|Seems|Feels|Means|Gets to|Gotta)\b)[A-Z][a-z]+(?<!s)s\b(?!,)"
    r"|Is (?:an? |the |from |in |on |at |not an? |vegan|vegetarian|married|single|divorced|retired|planning |allergic |"
    r"scared |afraid )"
    r"|Has (?:(?:got |only )?(?:an? |the |no |\d|two |three |four |five |six |some ))"
    r"|Has been (?:an? |in |at |with |married |[a-z]+ing .{0,60}\b(?:since|for) )"
    r"|(?:Does not|Doesn't|Never|Always|Often|Usually|Mostly|Can|Cannot|Can't|Born|Grew up|Moved|Graduated|Studied|"
    r"Married|Divorced|Retired|Allergic|Vegan|Owns?|Prefer|Want to|Wants to|Plans to|Goal|Name|From) "
    r"|(?:Not a fan|Don'?t (?:like|eat|drink)|Won't (?:eat|drink|buy|pay)|Needs to|Saving up|Hoping to|Have an? ) "
    r"|(?!(?:It|That|This|What|There|Here|Life|Everything|Nothing|Someone)\b)[A-Z][a-z]+"
    r"(?:'s (?:a|an|in|at|on|from|got)| (?:is|has|does|lives|works|likes|hates|plays|takes|goes|studies|runs|owns|"
    r"only|won't)) "
    r"|(?:Their|The) [\w' -]{1,40}? (?:is|are|has|have) (?!just\b|so\b|really\b|such\b|amazing|great|awesome|the best)"
)
"""The beginning of a user's sentence that tells what is so, and not how they felt that day."""
_CALLS: Final = re.compile(
    r"^[A-Z][a-z]+, |, [A-Z][a-z]+[.!]?$|\b(?:gotta|gonna|wanna|haha|lol|for sure|no matter what)\b"
)
"""Words that address somebody else, or are said in passing."""
_PAIRS: Final = (("“", "”"), ("《", "》"), ("(", ")"), ("（", "）"), ("「", "」"))
_DAY_EN: Final = re.compile(
    r"\b(?:(?P<day>\d{1,2}) )?(?P<month>January|February|March|April|May|June|July|August|September|October|November|"
    r"December) (?P<year>\d{4})\b"
)
_DAY_ZH: Final = re.compile(r"(?P<year>\d{4})年(?:(?P<month>\d{1,2})月)?(?:(?P<day>\d{1,2})[日号])?")
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def is_eligible(content: str, *, addressed: bool = False, free: bool = False) -> bool:
    """Whether a statement reads as a line by itself.

    An ``addressed`` one says how the assistant is to answer, a ``free`` one is a sentence of the user in which no rule
    found what it states.
    """
    text = content.strip()
    if not text or len(text) > MOST_CHARS or _number_of_words(text) < FEWEST_WORDS or _is_cut(text):
        return False
    chinese = bool(cjk_characters(text))
    if addressed:
        return (_ADDRESSED_ZH if chinese else _ADDRESSED_EN).match(text) is not None and _is_about_answers(text)
    if free and (_CALLS.search(text) or not (chinese or _STATES_EN.match(text) or last_day_named(text))):
        return False
    return _reads_alone_zh(text) if chinese else _reads_alone_en(text)


def last_day_named(text: str) -> date | None:
    """The last day that a text names by its date: of a month or a year its last day; None without a date."""
    found = [_parse_day(match, _MONTHS.index(match["month"]) + 1) for match in _DAY_EN.finditer(text)]
    found += [_parse_day(match, int(match["month"] or 12)) for match in _DAY_ZH.finditer(text)]
    return max((day for day in found if day is not None), default=None)


def _is_about_answers(text: str) -> bool:
    """Whether a text names a feature of answers, or how somebody wants to be called."""
    topics = topics_of([*tokenize(text), *cjk_characters(text)])
    return "answers" in topics or "name" in topics


def _number_of_words(text: str) -> int:
    return max(len(text.split()), len(cjk_characters(text)))


def _parse_day(match: re.Match[str], month: int) -> date | None:
    year, day = int(match["year"]), match["day"]
    try:
        if day:
            return date(year, month, int(day))
        return date(year + month // 12, month % 12 + 1, 1) - date.resolution
    except ValueError:
        return None


def _reads_alone_en(text: str) -> bool:
    first, _, _ = text.partition(" ")
    if is_past_tense(first) and first.lower() not in _LASTING_PAST:
        return False
    patterns = (_POINTS_EN, _COURTESY_EN, _ASKS_EN)
    return _OPENS_EN.match(text) is None and not any(pattern.search(text) for pattern in patterns)


def _reads_alone_zh(text: str) -> bool:
    return not (_OPENS_ZH.match(text) or _POINTS_ZH.search(text) or _HAPPENED_ZH.search(text) or _ASKS_ZH.search(text))


def _is_cut(text: str) -> bool:
    """Whether a text ends in the middle, or holds one half of a pair of marks."""
    halves = any(text.count(left) != text.count(right) for left, right in _PAIRS) or text.count('"') % 2 == 1
    return halves or text.endswith((",", "，", ":", "：", "…")) or _ENDS_EN.search(text.rstrip(".")) is not None
