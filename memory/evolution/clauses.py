"""Splits an utterance into clauses that rules may read; echoes, quotations, questions and imaginings are set aside."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from foundation.text import cjk_share, normalize, split_sentences, whole_word
from memory.evolution.own_words import without_echoes
from memory.evolution.rule_phrases_en import PAST_TIME

CHINESE_SHARE: Final = 0.5
"""The share of CJK letters from which a sentence is Chinese. Below it, one that opens in English is English."""
MAX_CLAUSE: Final = 200
"""The most characters of a clause; a longer one is pasted prose, not a statement about oneself."""

LONGEST_WITHOUT_SELF: Final = 60
"""The most characters of a Chinese text whose left-out subject is the speaker.

A longer one that never says "I" is about something else.
"""

_OPENS_ENGLISH = re.compile(
    r"\W*(?:I|my|please|remember|note|from|actually|no|yes|well|always|never|not|do|are|so|should|shall)\b",
    re.IGNORECASE,
)

_HYPOTHETICAL = re.compile(
    r"(?:^|[,;] |\b(?:and|but|so) )(?:if|suppose|supposing|imagine|let'?s say|what if|in case|unless|"
    r"were I)\b"
    r"|\bI wish\b|\bas if\b|^(?:如果|假如|要是|假设|倘若|若是|万一|比如说?我|即使|就算)|[,，](?:如果|"
    r"假如|要是)",
    re.IGNORECASE,
)
_OPENS_WITH_I = re.compile(r"I\b")
_MARKED_QUESTION = re.compile(r"[?？]\W{0,40}$")
_TAG_QUESTION = re.compile(
    r"(?:\b(?:right|don'?t I|do I|am I|aren'?t I|isn'?t it|didn'?t I|huh|correct)|(?:对|是|好)(?:吧|"
    r"吗|不对|不是)|是不是|对不对)[?？]\W*$",
    re.IGNORECASE,
)
_ASKS_EN = re.compile(
    r"^(?:and |but |so |well,? |hey,? |ok,? )?(?:what|who|whom|whose|when|where|why|which|how|do|does|"
    r"did|is|are|was|were|am|"
    r"can|could|will|would|should|shall|may|might|have you|has|had|any|got any)\b",
    re.IGNORECASE,
)
_ASKS_ZH = re.compile(
    r"[吗嘛么]$|呢$|什么(?!的$)|(?<=[做干卖])什么|(?<!学)(?<!学习)(?<![不没])(?:怎么|怎样|如何)|为什么|为何|多少|哪[个些里儿家种本部]?|谁|几个|是否|有没有|"
    r"能不能|可不可以|会不会|是不是|要不要"
)

# ", and" alone may as well go on with a list.
_SPLIT_EN = re.compile(
    r"(?:(?<!\s)\s++)?(?:[;:]\s+|(?<=\s)[-–—]++\s+|,\s*(?:but|so|yet|though|although|because|since|while)\s+|"
    r",\s*and\s+(?=(?:I|my|we|our|you|your|he|she|it|they|his|her|their|this|that|these|those|there|the|not|please|"
    r"always|never|now|then|also|what|how|(?-i:[A-Z])\w+(?:'s| is| are| was| has| had))\b)|"
    r",\s+which\s+|(?<=\s)(?:is|was|me|know) why\s+(?=I\b)|,\s+(?=(?:I|my|we|it|the|not|please)\b)"
    r"|(?<=\s)(?:and|but|so)\s+(?=(?:I|I'm|I've|my|please|always|never)\b)|(?<=\s)(?:because|since|although|"
    r"though|while|whereas)\s+"
    r"|(?:,\s+|(?<=\s))(?=(?:instead of|(?:and|but) not)\s))|(?-i:(?<=[A-Z]{2})\s+(?=not [A-Z]))"
)
_VERBS = (
    "live|work|like|love|enjoy|hate|dislike|prefer|follow|track|monitor|hold|own|have|speak|drive|eat|drink|want|need|"
    "study|trade|invest|play|don't|do not|am|can't|usually|always|also|wake"
)
_SPLIT_EN_SHARED = re.compile(
    rf"(?:(?:(?<!\s)\s++)?,\s++|(?<!\s)\s++)(?:and|but)\s++"
    rf"(?=(?:also\s+|now\s+|really\s+)?(?P<verb>{_VERBS})\b(?! (?:I|me)\b))"
)
_SPLIT_ZH = re.compile(
    r"[,，;；:：](?!\s*[A-Za-z0-9.$]{1,12}\s*(?:[,，、和与及跟]|$))(?!\s*(?:名字|它)?叫)|\s{2,}|——|(?:但是|但|可是|不过|"
    r"而且|并且|同时|所以|因为|因此|另外)(?=我|也|不|更|喜|讨)"
)
_LISTED_ZH = re.compile(r"[^我你您他她它这那谁的了吗呢吧很太真都也是在有没不能会要想\s\W]{1,4}")
"""A clause of a few letters without a word of grammar in it: one of "健身，旅游，摄影"."""
_OTHERS_ZH = (
    r"(?:你|您|他|她|它|人家|大家|别人|有人|对方|我(?:的|们的?|家的?|家)?(?:老婆|妻子|太太|老公|丈夫|爱人|女友|男友|女朋友|男朋友|"
    r"对象|儿子|女儿|孩子|爸|妈|父亲|母亲|父母|哥|弟|姐|妹|奶奶|爷爷|外婆|外公|老板|上司|老师|同事|同学|朋友|邻居|室友|闺蜜|家人|猫|狗|宠物))"
)
_SELF_ZH = re.compile(r"我|本人|俺|咱")
_SUBJECT_ZH = re.compile(
    rf"^(?:(?:我|我们)?(?:知道|听说|发现|记得|看到|觉得|认为|希望|猜|想)?(?P<other>{_OTHERS_ZH})(?!好)|(?P<self>(?:最近|现在|今天)?(?:我|本人)))"
)
"""Whom a Chinese clause is about, where it says so: what follows without a subject is about the same."""
_SHARED: Final = "I "
_REQUEST = re.compile(
    r"(?:please )?(?:keep (?:it|your)|be (?:brief|concise)|make (?:it|your)|answer|reply|respond)\b"
    r"|(?:请|麻烦)?你?(?:能不能|可不可以|能|可以)(?:再|说|回答|讲|写)*(?:简短|简单|简洁|精简|详细|"
    r"具体|用(?:中文|英文|英语)(?:回答|回复))",
    re.IGNORECASE,
)
_REJECTS = re.compile(
    r"(?:(?:no|nope|wrong|that'?s (?:wrong|not (?:right|true)|incorrect)|不对|不是(?:这样)?的?|错了|"
    r"你(?:记|说|搞|弄)错了)\W*)+$",
    re.IGNORECASE,
)
_LEADERS = re.compile(
    r"^(?>(?:oh|ah|well|yeah|yes|yep|yup|hey|hi|hello|ok|okay|sure|honestly|frankly|personally|"
    r"by the way|btw|anyway|so|and|but|"
    r"also|plus|in general|generally|these days|at the moment|for me|to be honest|tbh|in fact|"
    r"as for me|right now|"
    r"nowadays|lately|recently|currently|fyi|thanks|thank you|actually|no(?=[,.!:]|\s+I\b)|wait|sorry|nope|"
    r"(?:what )?I meant(?: to say)?(?: was| is)?(?: that)?(?=[\s,:]+(?:I|my)\b)|"
    r"correction|(?:and )?(?:that'?s|which is|this is) why(?= I\b)|you know(?: that)?(?= I\b)|"
    r"(?:can|could|would|will) you(?: please)?(?= (?:keep|be|make|answer|reply|"
    rf"respond)\b)|{PAST_TIME}(?= I\b(?! (?:will|want|plan|hope|intend|am going)\b)))\b[\s,.:!]*+)+(?=\S)",
    re.IGNORECASE,
)
_LEADERS_ZH = re.compile(
    r"^(?>(?:嗯|哦|啊|呃|那个?|对了?|是的|好的|好啊|你好啊?|嗨|其实|说实话|老实说|另外|还有|而且|"
    r"并且|但是|但|可是|不过|因为|所以|同时|就是|"
    r"总之|顺便说一下|顺便|平时|一般来说|总的来说|不(?:是的?|对)?|[你我]?(?:记|说|搞|弄)?错了|谢谢你?|"
    r"我的意思是|我(?:想说|说)的是|我是说|应该是|当然)[,，、!！~\s]*+)+(?=我|本人)"
    r"|^(?:但是|但|可是|不过|而且|并且|同时|所以|因为)(?=[也更最很不]*(?:爱[吃喝看听玩]|喜欢|讨厌))"
)
_CORRECTS = re.compile(
    r"^(?:(?:no|nope|wait|sorry|correction|that'?s (?:wrong|not right|"
    r"incorrect))\b[\s,.:;!-]+(?:that'?s (?:wrong|not right)[\s,.]+)?"
    r"(?:actually[\s,]+)?(?=I\b|I'm|my\b|not\b)|actually[\s,]+(?=I\b|my\b)"
    r"|(?:(?:no|nope|wait|sorry|actually)[\s,.:;!-]+)*"
    r"(?:what )?I meant(?: to say)?(?: was| is)?(?: that)?[\s,:]+(?=(?:I|my)\b)"
    r"|(?:不|不是的?|不对|错了|[你我]?(?:记|说|搞|弄)错了|更正一下|纠正一下)[,，。!！\s]+(?=我|是|"
    r"应该)|(?:我的意思是|我(?:想说|说)的是|我是说|应该是)[,，:：]?(?=我)|(?:其实|实际上)[,，]?(?=我(?!.{0,3}[也还])))",
    re.IGNORECASE,
)
_ADDS = re.compile(
    r"\b(?:too|also|as well|either|both|besides|in addition|on top of (?:that|it))\b"
    r"|也|(?<![成首京古])都(?!市)|还(?!是)|同样",
    re.IGNORECASE,
)
_NO_ALONE = re.compile(
    r"\W*(?:(?:no|nope)[\s,.!-]+(?=(?:I|my)\b(?! meant))|(?:不|不是的?)[,，。!！\s]+(?=我))", re.IGNORECASE
)
_HEDGES_EN = re.compile(
    r"^(?:maybe|perhaps|possibly|probably|I (?:think|guess|suppose|believe)(?: that)?(?= I\b))[\s,]+"
    r"|(?<=^I )(?:(?:might|may|possibly|probably|perhaps)\s+)+",
    re.IGNORECASE,
)
_HEDGES_ZH = re.compile(
    r"^(?:(?:可能|也许|大概|或许|好像|似乎|说不定)[,，]?)+(?=我)|^我(?:想|猜|觉得)(?=我)"
    r"|(?<=^我)(?:可能|也许|大概|或许|好像|似乎|说不定)+"
)


@dataclass(frozen=True, slots=True)
class RuleInput:
    """A piece of text that rules read. Inputs with ``sentence`` are whole sentences; the others are their clauses."""

    text: str
    chinese: bool
    whole: bool
    corrects: bool = False
    hypothetical: bool = False
    shares_subject: bool = False

    @property
    def quote(self) -> str:
        """The user's exact words, without an "I" taken over from the clause before."""
        return self.text.removeprefix(_SHARED) if self.shares_subject else self.text

    @property
    def matchable(self) -> str:
        """The text that rules match. Traditional characters are folded where that keeps every position."""
        folded = normalize(self.text) if self.chinese else self.text.replace("’", "'")
        return folded if len(folded) == len(self.text) else self.text


def rule_inputs(text: str) -> Iterator[list[RuleInput]]:
    """The inputs for rules: each sentence that states something, then its clauses."""
    rejected = False
    own = without_echoes(text)
    of_another = len(own) > LONGEST_WITHOUT_SELF and _SELF_ZH.search(own) is None
    for sentence in split_sentences(own):
        if not asks_for_agreement(sentence):
            yield list(_inputs_of_sentence(sentence, rejected, of_another))
        rejected = _REJECTS.match(sentence) is not None


def is_chinese(sentence: str) -> bool:
    """Whether the Chinese rules read a sentence: "我 follow BTC" is Chinese, "I follow 贵州茅台" is English."""
    share = cjk_share(sentence)
    return share >= CHINESE_SHARE or (share > 0 and not _OPENS_ENGLISH.match(sentence))


def asks_for_agreement(sentence: str) -> bool:
    """Whether a statement ends with a "right?", which makes it a question."""
    return _TAG_QUESTION.search(sentence) is not None


def body_of(sentence: str, *, chinese: bool) -> str:
    """The sentence without the mark at its end and the words that only lead into it ("By the way, ")."""
    bare = sentence.strip().rstrip('.!?。！？…~～ "”')
    return (_LEADERS_ZH if chinese else _LEADERS).sub("", bare)


def clauses_of(sentence: str) -> list[str]:
    """The clauses of a sentence, in order, verbatim."""
    chinese = is_chinese(sentence)
    body = body_of(sentence, chinese=chinese)
    return [part.strip() for part in (_split_chinese(body) if chinese else _SPLIT_EN.split(body)) if part.strip()]


def without_hedge(clause: RuleInput) -> RuleInput:
    """The clause without its "maybe"; the clause itself where it has none."""
    text = (_HEDGES_ZH if clause.chinese else _HEDGES_EN).sub("", clause.text)
    return clause if text == clause.text else replace(clause, text=text)


def is_question(text: str) -> bool:
    """Whether a sentence or clause is a question; a polite request for a form of answer is none."""
    chinese = is_chinese(text)
    clauses = _split_clauses(body_of(text, chinese=chinese), chinese)
    return bool(clauses) and _is_question(text, clauses[-1], chinese)


def is_addition(clause: str) -> bool:
    """Whether a clause says that it adds to what was said before: "I like coffee too"."""
    return _ADDS.search(clause) is not None


def may_answer(text: str, before: str) -> bool:
    """Whether a message may be just a "no" to the question that ends the message before it."""
    return before.rstrip().endswith(("?", "？")) and _NO_ALONE.match(text) is not None


def _inputs_of_sentence(sentence: str, rejected: bool, of_another: bool) -> Iterator[RuleInput]:
    chinese = is_chinese(sentence)
    corrects = rejected or _CORRECTS.search(sentence) is not None
    hypothetical = _HYPOTHETICAL.search(sentence) is not None
    body = body_of(sentence, chinese=chinese)
    clauses = _split_clauses(body, chinese)
    if clauses and _is_question(sentence, clauses[-1], chinese):
        clauses.pop()
    elif len(body) <= MAX_CLAUSE:
        yield RuleInput(body, chinese, True, corrects, hypothetical)
    imagined = False
    for clause in clauses:
        imagined = imagined or _HYPOTHETICAL.search(clause) is not None
        subject = _SUBJECT_ZH.match(clause) if chinese else None
        of_another = subject["other"] is not None if subject else of_another
        theirs = chinese and of_another and subject is None
        if len(clause) <= MAX_CLAUSE and not theirs and not _is_question_clause(clause, chinese):
            yield RuleInput(clause, chinese, False, corrects, imagined, clause not in body)


def _split_clauses(body: str, chinese: bool) -> list[str]:
    if chinese:
        return [_LEADERS_ZH.sub("", part.strip()) for part in _split_chinese(body) if part.strip()]
    return [clause for part in _SPLIT_EN.split(body) for clause in _shared_subject(_LEADERS.sub("", part.strip()))]


def _split_chinese(body: str) -> list[str]:
    """The clauses of a sentence; a list of two or more short words stays with the clause that begins it."""
    ends = [*((mark.start(), mark.end()) for mark in _SPLIT_ZH.finditer(body)), (len(body), len(body))]
    parts = [(begin, end) for (_, begin), (end, _) in zip([(0, 0), *ends], ends, strict=False)]
    listed = [_LISTED_ZH.fullmatch(body[begin:end].strip()) is not None for begin, end in parts]
    joined = [parts[0]]
    for at, (begin, end) in enumerate(parts[1:], 1):
        if listed[at] and (listed[at - 1] or listed[at + 1 : at + 2] == [True]) and not (at == 1 and listed[0]):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((begin, end))
    return [body[begin:end] for begin, end in joined]


def _shared_subject(clause: str) -> Iterator[str]:
    """Whether a verb after "and" shares the subject of the clause before.

    "I like tea and hate coffee" is two statements of one subject; in "I love the peace and love theme" the second
    "love" is no verb.
    """
    if not _OPENS_WITH_I.match(clause):
        if clause:
            yield clause
        return
    begin = 0
    for mark in _SPLIT_EN_SHARED.finditer(clause):
        if whole_word(mark["verb"], ignores_case=True).search(clause[: mark.start()]) is None:
            yield (_SHARED if begin else "") + clause[begin : mark.start()]
            begin = mark.end()
    yield (_SHARED if begin else "") + clause[begin:]


def _is_question(sentence: str, last: str, chinese: bool) -> bool:
    if _REQUEST.match(last):
        return False
    return bool(_MARKED_QUESTION.search(sentence)) or _is_question_clause(last, chinese)


def _is_question_clause(clause: str, chinese: bool) -> bool:
    if _REQUEST.match(clause):
        return False
    return (_ASKS_ZH if chinese else _ASKS_EN).search(clause) is not None
