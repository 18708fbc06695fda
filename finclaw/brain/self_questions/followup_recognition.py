"""Recognises follow-ups on a listed statement: since when, from where, forget it, correct it. Pure.

Chinese and English, by the words of the whole message: "since when have you been open?" is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from foundation.text import normalize, tokenize

FollowUpKind = Literal["since", "source", "forget", "forget_all", "correct"]
LONGEST: Final = 300
_POLITE: Final = re.compile(
    r"\A(?:(?:no|ok(?:ay)?|so|and|but|hey|hi|please|pls|well|wait|actually|sorry|hmm|oh|finclaw|then"
    r"|now)\b[\s,.!:;-]{0,4}){1,4}"
    r"|[\s,.!?]{0,4}\b(?:please|thanks|thank you|then|again|exactly|though|cheers)[\s.!?]{0,4}\Z"
    r"|\A(?:(?:请|麻烦你?|那个?|嗯|哦|呃|好的?|对了|等等|等下|不好意思)[\s,，。!！]{0,4}){1,4}|(?:吧|呀|啊"
    r"|了吧|谢谢|好吗|可以吗|行吗|呢)[\s。!！?？]{0,4}\Z"
)
_SINCE: Final = re.compile(
    r"since when(?: is (?:that|this|it))?|from when(?: on)?|when was (?:that|this|it)|when is (?:that"
    r"|this) from|how long (?:ago )?(?:have you known|is that|was that|ago|has that been)"
    r"|(?:when|how long ago) (?:did|have) i (?:say|tell you|mention|told you|said)(?: you)?(?: (?:that"
    r"|this|it|so|all that|all this|those things))?"
    r"|when did you (?:learn|note|hear|save|find out|remember)(?: (?:that|this|it|about (?:that|this"
    r"|it)))?|what date(?: was that)?"
    r"|(?:这|那)?(?:是)?(?:什么|啥)时候(?:的事|说的|的|讲的|记的|告诉你的|知道的|记下来?的|开始的)?"
    r"|(?:我|你)(?:是)?(?:什么|啥)时候(?:说|告诉你|跟你说|讲|提|知道|记下?)(?:的|过)?(?:这些?|那些?"
    r"|这件事|这个)?(?:的)?"
    r"|从(?:什么|啥)时候(?:开始|起)?(?:的)?|多久(?:以前|之前|了)(?:的事|说的)?|哪天(?:说的|的事|记的)?"
    r"|何时(?:的事|说的)?"
)
_SOURCE: Final = re.compile(
    r"(?:who|where) (?:told|said) (?:you )?(?:that|this|so|it)|who (?:told you|says|said)(?: (?:that"
    r"|this|so|it|about (?:that|this|it)))?|says who"
    r"|how (?:do|did|would|can|come) you (?:know|learn|find out|remember)(?: (?:that|this|it|all that"
    r"|all this|about (?:that|this|it)|those things))?"
    r"|where (?:did|do) you (?:get|have|learn|hear|know) (?:that|this|it|all that|all this)(?: from)?"
    r"|where(?:'s| is| does) (?:that|this|it) (?:from|come from)|from where|why do you (?:know|think"
    r"|believe) (?:that|this|it|so)"
    r"|what makes you (?:think|say|believe) (?:that|this|so)|what(?:'s| is) (?:the|your) source"
    r"|did i (?:tell you|say|mention) (?:that|this)"
    r"|(?:是)?谁(?:告诉|跟|和|对)你(?:说)?(?:的|说的|讲的)?(?:这些?|那些?)?|你(?:是)?(?:怎么|从哪(?:里"
    r"|儿)?|哪(?:里|儿))(?:知道|听说|得知|晓得|了解|听来|看来|得来)(?:到)?(?:的|这些?|那些?|这个"
    r"|这件事)*(?:的)?"
    r"|(?:这些?|那些?)?(?:是)?(?:从)?哪(?:里|儿)?(?:来|听来|得来|知道)的|(?:这|那)?(?:是)?我(?:告诉你"
    r"|说)的吗|(?:有|凭)什么(?:根据|依据)|来源(?:是什么|呢)?|(?:谁|是谁)说的"
)
_FORGET: Final = re.compile(
    r"\A(?:(?:can|could|would|will) you (?:please )?|i(?:'d like| want) you to |you (?:can|should"
    r"|may) |just )?(?:forget|erase|delete|remove|drop|scrap)(?: about)?(?: the (?:fact|bit|part"
    r"|thing))?(?: that)?\b(?P<what>.*)\Z"
    r"|\A(?:do not|don't) (?:remember|keep|store|save)(?: the (?:fact|bit|part|thing))?(?: that)?\b(?P<kept>.*)\Z"
)
_FORGET_ZH: Final = re.compile(
    r"\A(?:请|麻烦|帮我|给我|你|您|能不能|可以|能|就|都|赶紧|快){0,4}(?:忘掉|忘了|忘记|删掉|删除|删了"
    r"|抹掉|清除|去掉|别记|不要记|别再记|不要再记)(?:住|得|着|了|关于)?(?P<what>.*)\Z"
    r"|\A(?:请|麻烦|帮我|给我|你|您|能不能|可以|能){0,4}(?:把|将)(?P<kept>.+?)(?:忘掉|忘了|忘记|删掉"
    r"|删除|删了|抹掉|清除|去掉)(?:吧|好吗|吗)?\Z"
)
_POINTING: Final = re.compile(
    r"(?:about )?(?:that|this|it|these|those|them|one|ones|all of (?:it|that|them|this)|the (?:last"
    r"|above)(?: one| thing| memory)?|what you just (?:said|listed)|this (?:one|thing|fact|memory)"
    r"|that (?:one|thing|fact|memory|again))?"
    r"|(?:这|那|这个|那个|这些|那些|这条|那条|这件事|那件事|它|这一条|刚才那条|上面(?:的|那条|这些)?"
    r"|刚才(?:的|那个|说的)?)?(?:的)?"
)
_EVERYTHING: Final = re.compile(
    r"(?:about )?(?:everything|all|it all)(?: (?:that )?(?:you (?:know|remember|learned|have|saved"
    r"|noted)|about me|of it|of me|on me)){0,3}"
    r"|what(?:ever)? you (?:know|remember|learned|have|saved|noted)(?: (?:about|of|on) me)?"
    r"|(?:about )?me|my (?:whole |entire )?(?:memory|memories|data|profile|file)|all (?:my"
    r"|your) (?:memories|notes|data)(?: (?:about|on) me)?"
    r"|(?:关于)?我(?:的)?(?:一切|所有(?:的)?(?:事|信息|记忆|东西)?|全部(?:的)?(?:事|信息|记忆)?|事情?"
    r"|信息|资料|记忆|档案)?|(?:所有|一切|全部)(?:的)?(?:关于我的)?(?:事|信息|记忆|内容|东西)?"
    r"|你(?:所)?(?:知道|记得|记住)的(?:关于我的)?(?:一切|所有|全部|事|东西)*"
)
_WRONG: Final = re.compile(
    r"\A(?:no[,.! ]+)?(?:(?:(?:but )?(?:that|this|it)(?:'s| is| was)|(?P<ordinal>the \w+ (?:one|line"
    r"|item|point)) is|you(?:'re| are)|you (?:got|have|had) (?:that|this|it|me))"
    r" (?:(?:all|just|simply|completely|totally|quite|not quite) )?(?:wrong|not right|not true"
    r"|not correct|incorrect|false|outdated|mistaken|right any ?more|old|out of date)|not (?:true"
    r"|right|correct)|wrong|incorrect)(?P<rest>.*)\Z"
    r"|\Ano[,.!;: ]+(?P<no>(?:it(?:'s| is)|it was) .*)\Z"
)
_WRONG_ZH: Final = re.compile(
    r"\A(?:(?P<ordinal>第[一二三四五六七八九十\d]+(?:条|个|点|项))?(?:这|那|这个|那个|这条|那条"
    r"|你)?(?:是)?(?:不对|错了?|错的|不正确|不是(?:的|这样的?)?|说错了?|记错了?|弄错了?|搞错了?|不准确"
    r"|过时了))(?P<rest>.*)\Z"
)
_INSTEAD: Final = re.compile(
    r"\A[\s,.;:!-]*(?:(?:it(?:'s| is| should be| ought to be| was)|make (?:it|that)|should be|rather"
    r"|i meant|the (?:right|correct) (?:one|answer|thing) is|it's actually)\s+)(?:actually |now "
    r"|rather |really )?(?P<value>[^\s].{0,120}?)[\s.!]*\Z"
)
_INSTEAD_ZH: Final = re.compile(
    r"\A[\s,，。;；:：!！]*(?:(?:应该|其实|现在|正确的)?(?:是|在|叫|为)|改成|应为"
    r"|应该为)(?P<value>[^\s，。,].{0,60}?)(?:才对|才是|的)?[\s。!！]*\Z"
)
_ORDINALS: Final = {
    word: number
    for number, words in enumerate(
        ("first 1st 一", "second 2nd 二 两", "third 3rd 三", "fourth 4th 四", "fifth 5th 五", "sixth 6th 六",
         "seventh 7th 七", "eighth 8th 八", "ninth 9th 九", "tenth 10th 十"),
        1,
    )
    for word in words.split()
}  # fmt: skip
_ORDINAL: Final = re.compile(
    r"\b(?:the )?(?P<en>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|\d(?:st"
    r"|nd|rd|th))(?: (?:one|line|item|point|thing|memory|entry))?\b"
    r"|(?:number|no\.?|#) ?(?P<number>\d{1,2})\b|第(?P<zh>[一二两三四五六七八九十]|\d{1,2})(?:条|个|点"
    r"|项)?|(?P<last>最后(?:一)?(?:条|个|点|项))"
)
LAST: Final = -1


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What the user wants. ``ordinal`` counts from 1 where a list entry is named, -1 for the last, 0 for none;
    ``words`` say which statement otherwise; ``value`` is the right value, "" where it is not given.
    """

    kind: FollowUpKind
    ordinal: int = 0
    words: str = ""
    value: str = ""

    @property
    def is_pointing(self) -> bool:
        """Whether it refers to what was just said without naming it."""
        return not self.ordinal and not self.words


def read_followup(text: str) -> FollowUp | None:
    """The follow-up that a message asks, or None. Linear in the length of the message."""
    if len(text) > LONGEST:
        return None
    whole = " ".join(normalize(text).replace("’", "'").split())
    said = _strip_politeness(whole)
    if _SINCE.fullmatch(said):
        return FollowUp("since")
    if _SOURCE.fullmatch(said):
        return FollowUp("source")
    wanted = _read_forget(said) or _read_correction(whole) or _read_correction(said)
    return replace(wanted, value=_as_written(wanted.value, text)) if wanted and wanted.value else wanted


def match_words(words: str, texts: Sequence[str]) -> list[int]:
    """Indices of the texts meant by ``words``: those that hold all their content terms, else most of them."""
    wanted = frozenset(tokenize(words))
    if not wanted:
        return []
    shares = [len(wanted & frozenset(tokenize(text))) / len(wanted) for text in texts]
    best = max(shares, default=0.0)
    return [number for number, share in enumerate(shares) if share == best and share > 1 / 2]


def _as_written(value: str, text: str) -> str:
    """The value in the capitalisation of the message."""
    at = text.casefold().find(value.casefold())
    return text[at : at + len(value)] if at >= 0 else value


def _strip_politeness(text: str) -> str:
    """The text without polite phrases and closing punctuation."""
    shorter = _POLITE.sub("", text)
    return shorter.strip(" ,.!?;:，。！？；：~～") or text


def _read_forget(said: str) -> FollowUp | None:
    match = _FORGET.match(said) or _FORGET_ZH.match(said)
    if match is None:
        return None
    what = (match["what"] or match["kept"] or "").strip(" ,.!?;:，。！？；：")
    if _EVERYTHING.fullmatch(what):
        return FollowUp("forget_all")
    ordinal, left = _split_ordinal(what)
    words = "" if _POINTING.fullmatch(left) else left
    return FollowUp("forget", ordinal, "" if ordinal else words)


def _read_correction(said: str) -> FollowUp | None:
    match = _WRONG.match(said) or _WRONG_ZH.match(said)
    if match is None:
        return None
    found = match.groupdict()
    rest = found.get("rest") or found.get("no") or ""
    ordinal = _split_ordinal(found.get("ordinal") or "")[0]
    instead = _INSTEAD.match(rest) or _INSTEAD_ZH.match(rest)
    if instead is None and rest.strip(" ,.!?;:，。！？；：的了啊呀"):
        return None  # a whole sentence, which learning reads
    return FollowUp("correct", ordinal, value=instead["value"].strip() if instead else "")


def _split_ordinal(what: str) -> tuple[int, str]:
    match = _ORDINAL.search(what)
    if match is None:
        return 0, what
    left = f"{what[: match.start()]} {what[match.end() :]}".strip()
    if match["last"] or match["en"] == "last":
        return LAST, left
    word = match["en"] or match["zh"] or match["number"]
    return (int(word) if word.isdigit() else _ORDINALS.get(word, 0)), left
