"""Which memory slots a question asks for where it shares no word with the memory, by a table in Chinese and English.

"How old am I?" asks for an age, "Which town is home?" for a place of residence.
"""
# ruff: noqa: E501 - a pattern and what it means are read together

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from foundation.text import asks_about_earlier_questions, normalize, tokenize


@dataclass(frozen=True)
class SlotQuestion:
    """One row of the table: the words of a question, the slots that answer it, and the labels such memories are filed
    under. A slot includes those below it: ``holds`` includes ``holds.aapl``.
    """

    asks: re.Pattern[str]
    slots: tuple[str, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True)
class RequestedSlots:
    """The slots that a question asks for, and the index tokens under which search finds them.

    ``past`` marks a question about how things were, ``about_questions`` one about earlier questions, ``is_open`` one
    for which of many ("What do I like?") rather than whether ("Do I like jazz?"). ``frame`` are the index tokens that
    only form the question.
    """

    slots: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    past: bool = False
    about_questions: bool = False
    is_open: bool = False
    frame: frozenset[str] = frozenset()

    def covers(self, slot: str) -> bool:
        """Whether a value of ``slot`` answers the question."""
        return bool(slot) and any(
            slot == requested or slot.startswith((f"{requested}.", f"{requested}_", f"{requested}:"))
            for requested in self.slots
        )


def requested_slots(text: str) -> RequestedSlots:
    """The slots that a message asks for."""
    said = normalize(text)
    found = [(topic, match) for topic in _TOPICS if (match := topic.asks.search(said))]
    labels = dict.fromkeys(token for topic, _ in found for label in topic.labels for token in tokenize(label))
    return RequestedSlots(
        _each_once(topic.slots for topic, _ in found),
        tuple(labels),
        past=_PAST.search(said) is not None,
        about_questions=asks_about_earlier_questions(said),
        is_open=_OPEN.search(said) is not None,
        frame=frozenset(token for _, match in found for token in tokenize(match.group())),
    )


def _each_once(slots: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(slot for some in slots for slot in some))


def _slot_question(english: str, chinese: str, slots: str, labels: str) -> SlotQuestion:
    """A table row; alternatives of both languages are separated by ``|``, English ones match whole words."""
    return SlotQuestion(re.compile(rf"\b(?:{english})\b|{chinese}"), tuple(slots.split()), tuple(labels.split()))


_PAST: Final = re.compile(
    r"\bused to\b|\bprevious(?:ly)?\b|\bformer(?:ly)?\b|\b(?:back then|in the past|originally|at first)\b"
    r"|\bdid i\b.{0,120}\bin \d{4}\b"
    r"|\b(?:did|was|were|had)\b.{0,120}\bbefore\b|\bbefore\W*\Z|以前|我们?之前|\A之前|过去|曾经|原来|原先|当初|那时"
)
"""How a question asks for what was, not for what is."""
_OPEN: Final = re.compile(r"\b(?:what|which|who|whom)\b|什么|哪|谁")
_WHICH: Final = "(?:which|what)"
_ZH_WHICH: Final = "(?:什么|哪[个些种支家门款部位座只]?)"
_TOPICS: Final = (
    _slot_question(
        rf"where (?:do|did|am) i (?:now |currently |still )?(?:liv\w+|resid\w+|based|mov\w+)"
        rf"|{_WHICH} (?:city|town|country|place) (?:do i|am i|is)"
        r"|my (?:home|city|town|address)|do i live",
        f"(?:住在?|居住在?|生活在?|定居在?|(?<!老)家在|搬[到去]了?)(?:哪|什么地方|什么城市)"
        f"|在(?:哪[里儿]?|什么地方)(?:居?住|生活|定居)|{_ZH_WHICH}城市|我的?(?:住址|住处|家)",
        "home", "home",
    ),
    _slot_question(
        rf"my (?:job|occupation|profession|career|line of work|work)|for a living|what do i do"
        rf"|do i (?:still )?(?:work|have a job)"
        rf"|where do i work|{_WHICH} (?:field|industry) do i",
        f"我的?(?:职业|工作|岗位|行当)|我(?:是)?(?:做|干|从事)什么|{_ZH_WHICH}行业",
        "job job_status field business employer", "work",
    ),
    _slot_question(
        rf"my (?:employer|company|workplace|firm)|who (?:do i work for|employs me)|where do i work"
        rf"|{_WHICH} (?:company|firm)",
        f"我的?(?:公司|单位|雇主|东家)|{_ZH_WHICH}(?:公司|单位|企业)|在哪(?:里|儿)?(?:上班|工作|任职)",
        "employer business", "work",
    ),
    _slot_question(r"how old|my age", "多大(?:了|年纪|岁数)?[?？]?$|几岁|多少岁|我的?(?:年龄|岁数|年纪)", "age", "identity"),
    _slot_question(r"my birthday|when was i born", "我的?生日|我(?:是)?(?:哪天|什么时候|哪年)(?:出)?生", "birthday", "identity"),
    _slot_question(
        r"where (?:am|do) i (?:come )?from|my (?:origin|home ?town|home country)|where did i grow up",
        "(?:是|来自)哪(?:里|儿)(?:的)?人?|我的?(?:老家|籍贯|家乡)", "origin hometown", "identity",
    ),
    _slot_question(
        r"my name|call me|what am i called", "(?:怎么|如何)(?:称呼|叫)我|我叫什么|我的?(?:名字|称呼)", "address name", "identity",
    ),
    _slot_question(
        r"(?:am i|my) (?:married|single|marital)|do i have a (?:wife|husband|partner|spouse)",
        "结婚了|单身|已婚|婚姻|有对象", "marital", "family",
    ),
    _slot_question(
        rf"(?:may|can|could|should) i (?:eat|drink|have|avoid)|foods? (?:should|can|must)|my diet|allerg\w+"
        rf"|(?:a|an|some|any|{_WHICH}) (?:\w+ )?(?:dish|meal|recipe|dessert|snack|menu|food|cake|breakfast|lunch"
        rf"|dinner)(?:e?s)?",
        "能吃|可以吃|忌口|过敏|饮食|(?:推荐|做|来|点|吃).{0,12}(?:菜|餐|甜点|点心|零食|食谱|饭|蛋糕)", "diet allergy", "diet",
    ),
    _slot_question(
        rf"{_WHICH} languages?(?: should| shall| to| do you| will you).{{0,12}}(?:answer|reply|respond|speak|use)"
        r"|my answers|kind of answers|answers? (?:i want|should)",
        "(?:什么|哪种)语言.{0,4}回答|回答.{0,8}(?:什么样|怎样|哪种|简短|详细)|怎么回答",
        "reply_style language.reply instruction", "preference language instruction",
    ),
    _slot_question(
        rf"(?:{_WHICH}|how many) languages",
        f"(?:{_ZH_WHICH}|几[种门])(?:语言|方言|外语)", "language.speaks learning", "language hobby",
    ),
    _slot_question(
        r"my (?:budget|limit)|(?:how much|what) (?:money )?(?:can|could|may) i (?:spend|afford|pay)|money can i",
        "预算|(?:能|可以|最多)(?:花|付|出)多少", "budget constraint.limit", "constraint",
    ),
    _slot_question(
        r"(?:how much|what) risk|my risk|risk (?:appetite|tolerance|preference|profile)", "风险(?:偏好|承受|等级)|多大(?:的)?风险",
        "risk", "finance",
    ),
    _slot_question(r"(?:my|investment|time) horizon|how long .{0,20}invest", "投资期限|(?:长|短|中)线还是", "horizon", "finance"),
    _slot_question(
        rf"(?:{_WHICH}|how many|how much)\b.{{0,30}} (?:do i|i) (?:still )?(?:hold|own|have)"
        rf"|my (?:holdings?|positions?|portfolio|shares|stocks)",
        f"持有(?:{_ZH_WHICH}|多少)|我的?(?:持仓|仓位|股票)|多少(?:股|手)", "holds", "holding",
    ),
    _slot_question(
        r"do i (?:follow|track|watch|monitor)|am i (?:following|tracking|watching|monitoring)|my watch ?-?list",
        "(?:关注|跟踪|追踪|盯)(?:着|了)?(?:什么|哪|谁)|自选", "follows", "watch-list",
    ),
    _slot_question(
        rf"{_WHICH} (?:car|vehicle|bike|phone|camera|laptop|computer)|do i (?:drive|ride)",
        f"(?:开|骑)(?:的是)?{_ZH_WHICH}车|{_ZH_WHICH}(?:车|手机|相机|电脑)", "possession", "possession",
    ),
    _slot_question(
        rf"{_WHICH} (?:apps?|software|platforms?|tools?|brokers?|banks?)",
        f"{_ZH_WHICH}(?:软件|平台|工具|券商|银行|应用)", "uses", "habit",
    ),
    _slot_question(
        rf"{_WHICH} (?:\w+ )?(?:sports?|hobb\w+|games?|instruments?|music|films?|movies?|books?|bands?|clubs?|teams?"
        rf"|authors?|artists?|colou?rs?|songs?|foods?)"
        r"|my (?:hobb\w+|favou?rites?)|in my (?:free|spare) time"
        r"|(?:do|am) i (?!not )(?:\w+ )?(?:love|like|enjoy|prefer|collect|into|fond of|keen on|support|drink|eat"
        r"|watch|listen to)",
        f"{_ZH_WHICH}(?:运动|爱好|音乐|电影|乐器|游戏|书|乐队|球队|作家|歌手|颜色|歌)"
        f"|(?<!不)(?<!不太)(?<!不怎么)(?:喜欢|爱|支持)[^,，。！!]{{0,6}}?{_ZH_WHICH}"
        f"|我[^,，。！!我你能可该不]{{0,4}}[喝吃看听玩]{_ZH_WHICH}|我的?(?:爱好|兴趣)",
        "likes favourite activity skills", "preference hobby identity",
    ),
    _slot_question(
        r"do i (?:\w+ )?(?:dislike|hate|avoid|not (?:\w+ )?(?:like|eat|drink|enjoy))"
        r"|(?:do not|don'?t|can'?t|cannot) i (?:\w+ )?(?:like|eat|drink|enjoy|stand|bear)|my dislikes",
        f"(?:不(?:太|怎么|能)?(?:喜欢|爱|吃|喝)|讨厌|反感)[^,，。！!]{{0,6}}?{_ZH_WHICH}",
        "dislikes diet allergy", "preference diet",
    ),
    _slot_question(
        r"when do i|what time do i|how often do i|on (?:which|what) days?|my (?:routine|schedule|appointments?)",
        "几点|哪[几]?天|星期几|周几|多久.{0,4}一次|什么时候", "schedule appointment", "schedule",
    ),
    _slot_question(
        rf"do i study|my (?:major|degree|studies|subject)|{_WHICH} (?:university|school|college)",
        f"(?:学的|学|读)(?:是)?{_ZH_WHICH}专业|我的?专业|{_ZH_WHICH}(?:大学|学校)",
        "studies school education", "work history",
    ),
    _slot_question(r"am i (?:learning|training|studying|preparing)", "在(?:学|备考|练)(?:习)?(?:什么|哪)", "learning", "hobby"),
    _slot_question(r"my (?:goal|aim|plan|dream)s?|i saving", "我的?(?:目标|计划|梦想)|攒钱", "goal", "goal"),
    _slot_question(
        r"(?:my|the) (?:wife|husband|partner|son|daughter|dog|cat|pet|kid|child|children|mother|father|brother"
        r"|sister)(?:s|'s)?",
        "我(?:的|家的?)?(?:老婆|妻子|老公|丈夫|儿子|女儿|孩子|狗|猫|宠物|妈妈|爸爸|哥哥|弟弟|姐姐|妹妹)", "family", "family",
    ),
)  # fmt: skip
