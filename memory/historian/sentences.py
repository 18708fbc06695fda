"""Which sentences of a message become events, each in words that stand by themselves.

The gate of learning judges every sentence; what it would keep is told, and so is what happened to the speaker or was
decided by them, which lasts only as an event. Courtesy, questions, commands, requests to forget, suppositions and what
is about nobody named are not.
"""

# ruff: noqa: E501, SIM905 - a pattern and what it means are read on one line, and a list of words as text

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from foundation.language import without_chat_noise
from foundation.text import asks_something, tokenize
from memory.evolution.clauses import is_chinese, is_question, rule_inputs
from memory.evolution.free_statements import must_not_be_kept
from memory.evolution.gate import Judgement, judge
from memory.evolution.implicit_corrections import replacement_word
from memory.evolution.own_words import without_injected
from memory.evolution.rule_analyzer import analyze
from memory.evolution.slots import HOW_TO_ANSWER
from memory.evolution.supposition import is_supposition
from memory.evolution.types import Utterance
from memory.grammar import is_past_tense
from memory.historian.happenings import happened, is_life_event, is_past, is_planned, is_promised, with_dropped_subject
from memory.historian.protected_spans import without_quotations
from memory.historian.small_talk import is_small_talk, is_state_of_mind, is_wish, names_a_need

LEAST_TAUGHT: Final = 0.3
"""Chance of teaching something from which a correction is told."""
SURELY_TAUGHT: Final = 0.6
"""Chance of teaching something from which a sentence is told of which no rule says what it tells. An event is read
alone and for good, so that it takes more than a statement, which can be asked about.
"""
LEAST_OWN: Final = 0.7
"""Chance that it is the speaker's own claim below which such a sentence is not told."""
LEAST_OWN_OF_KIN: Final = 0.3
"""The same of one that is about somebody of theirs: to the gate that is news of others as often as not."""
SURE_OF_THE_PAST: Final = 0.9
"""The same of what was or came to pass: without its time or a name it is as a rule a part of something told before."""
LEAST_STATED: Final = 0.05
"""Chance of teaching something below which a sentence is not told even where the rules of learning find a statement."""
LONGEST: Final = 400
"""Characters. What is longer is prose pasted in."""
LEAST_CHANGE: Final = 0.5
"""Chance of changing something from which a sentence of the kind "correction" corrects an earlier one."""
_TASK: Final = re.compile(
    r"\A\W{0,4}(?:(?:please|can you|could you|help me) )?(?:translate|rewrite|rephrase|improve|edit|proofread|polish|draft|write|summari[sz]e|role-?play|let'?s (?:play|pretend)|imagine|continue|carry on|fix (?:this|the|my)|correct (?:this|my))\b"
    r"|\b(?:in the story|carry on the story|continue in this voice|fix spelling|spelling only|make (?:that|it|this) (?:funnier|shorter|longer|better|more))\b"
    r"|\A\W{0,4}(?:请|麻烦)?(?:你|帮我|给我)?(?:把这|将这)?[^,，。]{0,6}(?:翻译|润色|改写|续写|扮演|写一[篇封段首个]|编一个)",
    re.IGNORECASE,
)
"""A message in which words are given to be worked on: they tell nothing of their speaker."""
_CAPTION: Final = re.compile(
    r"\[\s?(?:picture|image|photo|video|file|attachment|图片|照片|视频|文件|表情)\b", re.IGNORECASE
)
FEWEST_LEFT: Final = 3
"""Index tokens of what is left of a sentence without its last clauses."""
_SOME_DAY: Final = datetime(2000, 1, 1, tzinfo=UTC)  # for words whose days do not matter
FEWEST_TOKENS: Final = 2
"""Index tokens of a sentence. A single word is understood by nobody later."""

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
_ASKS_TO_JOIN: Final = re.compile(r"吧[。！!~～]?\Z|\A(?:let's|please|来|请)(?!自)\b", re.IGNORECASE)
_LINK: Final = re.compile(
    r"\A(?:(?:but|and|so|also|however|besides(?=,)|then|plus|anyway|moreover|furthermore|in addition(?=,)|additionally|at the same time|in fact|actually|meanwhile|therefore|after that|on the other hand|most importantly|what's more|as for me|for example|for instance|personally|especially|honestly|the fact is|to be honest|ok(?:ay)?|luckily|fortunately|unfortunately|first(?:ly)?|second(?:ly)?|finally|lastly|by the way|oh|well|yes|no),?\s+)++(?=\S)"
    r"|\A(?:但是|但|不过|而且|所以|然后|另外|还有|其实|因此|于是|同时|可是|并且|此外|总之|后来|接着|最后|最终|首先|其次|只是|比如|例如|对了|顺便说一下|说实话|实际上|事实上|很好|恩|嗯|对呀|对|是呀|可(?=我))+[,，:：]?(?=\S)",
    re.IGNORECASE,
)
"""What ties a sentence to the one before it."""
_FORGETS: Final = re.compile(
    r"\A(?:(?:please|can you|could you|would you|now|and|just|you can|i want you to|i'd like you to)[\s,]+)*+(?:forget|delete|erase|remove|stop remembering|don'?t (?:remember|keep|store)|do not (?:remember|keep|store))\b"
    r"|\A(?:请|麻烦|你|帮我|可以|能不能|都|就|把)*+[^,，。]{0,20}(?:忘掉|忘了|忘记|删掉|删除|删了|抹掉|清除|别记|不要记|不用记)",
    re.IGNORECASE,
)
_REJECTS: Final = re.compile(
    r"\A(?:(?:no|nope|sorry|wait|actually|oops|well)[\s,.!-]+)*+(?:(?:that|this|it)(?:'s| is| was)(?: all)? (?:wrong|not (?:right|true|correct|what i (?:said|meant))|incorrect|a mistake)|you(?:'re| are| were)? (?:got (?:it|that) )?(?:wrong|mistaken)|i was wrong|correction|(?<=actually )(?=I|my)|(?<=actually, )(?=I|my)|(?<=no, )(?=I (?!haven't|didn't|don't|am not|'m not|can't|never|won't)|my)|(?<=sorry, )(?=\w))\b[\s,.:;!-]*"
    r"|\A(?:不|不是的?|不对|错了|[你我]?(?:记|说|搞|弄)错了|更正一下|纠正一下|我(?:想说|说|指)的是|应该是|我的意思是)[,，。!！:：\s]*",
    re.IGNORECASE,
)
_ADDRESSES_THE_READER: Final = re.compile(r"\b(?:AI|chat ?bot|assistant|companion)\b|AI伴侣|助手|机器人", re.IGNORECASE)
_SECOND_PERSON: Final = re.compile(r"\b(?:you|your|yours|yourself|you're|you've|you'll|you'd)\b|[你您]", re.IGNORECASE)
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
_OWN_SUBJECT: Final = re.compile(
    r"\A(?:[^,.!?;]{0,60},\s)?(?:(?:[Ii]n|[Aa]t|[Oo]n|[Ff]or|[Aa]fter|[Ss]ince|[Dd]uring|[Bb]efore|[Bb]y|[Ff]rom|[Ww]ith|[Ll]ast|[Tt]his|[Nn]ext|[Ee]very|[Oo]ne of|[Ss]ome of|[Mm]ost of)\s(?:(?!\b(?:me|myself|my)\b)[\w'’-]+\s){0,4}?|(?:[Tt]oday|[Yy]esterday|[Ss]ometimes|[Nn]ow|[Oo]nce|[Bb]oth|[Tt]hen|[A-Za-z]+ly)\s)?(?:I\b|I['’]|[Mm]y\b|[Mm]ine\b)"
    r"|\A[^,，。！？A-Za-z]{0,16}?(?<![让给帮使令对])[我俺咱]"
)
"""How a sentence begins that is about its speaker, or somebody or something of theirs: not "Travel teaches me much"."""
_FIRST_PERSON: Final = re.compile(r"\b(?:I|I'm|I've|I'll|I'd|[Mm]y|[Mm]e|mine|myself)\b|我(?!们)|咱|俺|本人")
_KIN: Final = re.compile(
    r"my [a-z]+\b|我(?:的)?[^,，。我是在有]{1,4}(?:是|在|有|叫|住|喜欢|想|会|打算|刚|去)", re.IGNORECASE
)
_WE: Final = re.compile(r"\b(?:we|us|our|ours|we're|we've|let's)\b|我们|咱们", re.IGNORECASE)
_GOES_ON: Final = re.compile(r"(?:he|she|they|his|her|their|we|our)\b|[他她]|我们|咱们", re.IGNORECASE)
"""How a sentence opens that goes on with the one before: a model, which reads both, may tell it by name."""
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


@dataclass(frozen=True, slots=True)
class EventSentence:
    """A sentence that is told: ``quote`` as it stands in the message, ``text`` without what ties it to the others.

    ``shorter`` are the same words with less and less of what is said behind them, where the rest adds a remark only.
    One that ``needs_anchor`` tells of a happening or a plan that means something to a reader only with its time or a
    name.
    """

    quote: str
    text: str
    judgement: Judgement
    shorter: tuple[str, ...] = ()
    needs_anchor: bool = False


@dataclass(frozen=True, slots=True)
class SentenceReading:
    """A sentence of a message, and how it is told, if it is. One that ``takes_back`` corrects what was said before or
    asks to have it forgotten: its ``content`` says what. One that ``only_rejects`` says that something is wrong, and no
    more.
    """

    quote: str
    told: EventSentence | None = None
    takes_back: bool = False
    content: str = ""
    only_rejects: bool = False


def read_sentences(message: str, addressee: str = "") -> list[SentenceReading]:
    """Every sentence of a message, in order. To be called outside any transaction: sentences are embedded.

    The name of its ``addressee`` is no part of a sentence that calls them. Raises ``EmbeddingUnavailable``; linear in
    the length of the message.
    """
    readings: list[SentenceReading] = []
    is_rejected = False
    is_task = _TASK.search(message) is not None
    judgements = judge(without_injected(message))
    for at, judgement in enumerate(judgements):
        sentence = judgement.sentence
        if sentence not in message or _CAPTION.match(sentence):
            continue
        text = _strip_call(sentence, addressee)
        forgets = _FORGETS.match(text)
        corrects = is_rejected or opens_with_rejection(text) or _is_correction(judgement)
        is_bare = _says_only_that_it_is_wrong(text)
        content = text[forgets.end() :] if forgets else strip_connectives(text)
        goes_on = bool(readings and readings[-1].told) and _GOES_ON.match(text) is not None
        asks_next = names_a_need(text) and any(
            asks_something(later.sentence) or is_question(later.sentence) for later in judgements[at + 1 : at + 3]
        )
        is_silent = is_task or (asks_next and judgement.band != "remember") or replacement_word(sentence)
        told = None if is_silent else _event_sentence(judgement, text, corrects=corrects, goes_on=goes_on)
        takes_back = (bool(forgets) or corrects) and not is_bare
        readings.append(SentenceReading(sentence, told, takes_back, content.strip(" ,，:："), is_bare))
        is_rejected = is_bare
    return readings


def event_sentences_of(message: str) -> list[EventSentence]:
    """The sentences of a message that may become events, in order. Raises like ``read_sentences``."""
    return [one.told for one in read_sentences(message) if one.told is not None]


def _says_only_that_it_is_wrong(text: str) -> bool:
    mark = _REJECTS.match(text)
    return mark is not None and not text[mark.end() :].strip(" .!。！,，")


def _is_correction(judgement: Judgement) -> bool:
    return judgement.kind == "correction" and judgement.change >= LEAST_CHANGE and judgement.teaches >= LEAST_TAUGHT


def asks_to_forget(sentence: str) -> bool:
    """Whether a sentence asks to have something forgotten."""
    return _FORGETS.match(sentence.strip()) is not None


def opens_with_rejection(sentence: str) -> bool:
    """Whether a sentence begins by saying that something said before is wrong."""
    return _REJECTS.match(sentence.strip()) is not None


def _strip_call(sentence: str, name: str) -> str:
    """The sentence without the name that it opens or ends with: "Bob, I …", "I agree, Bob"."""
    for pattern in (_CALLED_BY_NAME, _CALLED_AT_THE_END):
        called = pattern.search(sentence)
        if called is not None and name.casefold().startswith(called["name"].casefold()):
            sentence = sentence[: called.start()] + sentence[called.end() :]
    return sentence


def _event_sentence(judgement: Judgement, sentence: str, *, corrects: bool, goes_on: bool) -> EventSentence | None:
    if len(sentence) > LONGEST or asks_to_forget(sentence):
        return None
    text = strip_connectives(sentence)
    if not text or _tells_nothing(judgement, text):
        return None
    is_correction = corrects and judgement.teaches >= LEAST_TAUGHT
    is_clear = is_correction or goes_on or _is_clear(judgement, text)
    if not (is_clear or _may_be_clear(judgement, text)):
        return None
    return EventSentence(judgement.sentence, text, judgement, tuple(_shortened(text)), needs_anchor=not is_clear)


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


def _tells_nothing(judgement: Judgement, text: str) -> bool:
    return (
        judgement.kind == "instruction"
        or judgement.sentence.rstrip().endswith(("?", "？"))
        or asks_something(text)
        or is_question(text)
        or must_not_be_kept(judgement, text)
        or _ADDRESSES_THE_READER.search(text) is not None
        or _ASKS_TO_JOIN.search(text) is not None
        or is_small_talk(text)
        or is_state_of_mind(text)
        or is_supposition(text)
        or any(part.hypothetical for group in rule_inputs(text) for part in group)
        or (len(tokenize(text)) < FEWEST_TOKENS and not _is_stated(text))
    )


def _is_clear(judgement: Judgement, text: str) -> bool:
    """Whether a sentence is told wherever it can be understood: what surely teaches something, by the gate or the rules
    of learning.
    """
    own = without_quotations(text)
    if not _tells_of_its_speaker(own) or is_promised(own):
        return False
    if is_wish(own):
        return judgement.band == "remember"
    if happened(own) or is_planned(own) or is_past(own):
        return is_life_event(own) or judgement.teaches >= SURE_OF_THE_PAST
    least_own = LEAST_OWN_OF_KIN if _KIN.match(own) else LEAST_OWN
    if judgement.band == "remember" or (judgement.teaches >= SURELY_TAUGHT and judgement.own >= least_own):
        return True
    return judgement.teaches >= LEAST_STATED and _is_stated(text)


def _may_be_clear(judgement: Judgement, text: str) -> bool:
    """Whether a sentence is told where it names its time, or something by which a reader knows what it is about."""
    own = without_quotations(text)
    if not _tells_of_its_speaker(own) or is_wish(own):
        return False
    may_teach = judgement.teaches >= LEAST_TAUGHT and judgement.own >= LEAST_OWN
    return may_teach or happened(own) or is_planned(own)


def _tells_of_its_speaker(own: str) -> bool:
    return _WE.search(own) is None and _FIRST_PERSON.search(own) is not None and _OWN_SUBJECT.match(own) is not None


def _is_stated(text: str) -> bool:
    """Whether the rules of learning find a statement in it that says more than how to answer."""
    found = analyze(Utterance(text, "", _SOME_DAY))
    return any(one.attributes["slot"] not in HOW_TO_ANSWER for one in found)


def _shortened(text: str) -> Iterator[str]:
    """The sentence up to its last, its last but one … clause, as long as what is cut off is a remark."""
    cuts = list(_CUT.finditer(text))[:8]
    for cut in reversed(cuts):
        if _ADVERSATIVE.match(text, cut.end()):
            return
        head = text[: cut.start()].rstrip(" ,，;；")
        if len(tokenize(head)) >= FEWEST_LEFT and _FIRST_PERSON.search(head) and is_whole(head):
            yield head


def is_whole(text: str) -> bool:
    """Whether a text ends where something ends, and closes every quotation and bracket that it opens."""
    if _OPEN_END.search(text):
        return False
    pairs = ("“”", "‘’", "《》", "「」", "（）", "()", "【】")
    return text.count('"') % 2 == 0 and all(text.count(pair[0]) == text.count(pair[1]) for pair in pairs)
