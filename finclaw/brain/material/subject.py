"""Finds what a piece of research is about: an asset, an event or a theme.

The sentence that asks decides; a cited source, or a name in pasted material, is not the object.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from finclaw.brain.material.citations import names_source
from finclaw.brain.material.reading import asking_sentence, request_sentences, sentences
from finclaw.brain.understanding.aliases import AliasGroup, asset_in, other_names
from finclaw.brain.understanding.intent import entities
from foundation.text import normalize, tokenize, whole_word
from memory.models import ObjectKind
from memory.research.types import CognitionObject

_EVENT = re.compile(
    r"\b(?:earnings|results|fomc|(?:fed|ecb|boj|policy|opec\+?) (?:meeting|decision)|rate (?:cut|hike|decision)"
    r"|merger|acquisition|ipo|election|tariffs?|sanctions?"
    r"|recall|launch|strike|default|downgrade|upgrade|split|buyback|lawsuit|ban)\b"
    r"|财报|业绩|议息|关税|加息|降息|并购|收购|上市|选举|制裁|召回|发布会|罢工|违约|下调评级|上调评级|回购|诉讼|禁令"
    r"|事件",
    re.IGNORECASE,
)
_PIECE = "snapshot|challenge|audit|check|map|read(?:ing)?|analysis|stress[- ]test|research"
_LEAD = re.compile(
    r"^what (?:do|does|would|will|did) (?:the\s++)?(?=.* means? for\b)"
    r"|^(?:please\s++)?(?:can you\s++)?(?:analy[sz]e|assess|review|research|check|audit|map|read|challenge|summari[sz]e"
    r"|evaluate|explain|(?:take a )?look (?:at|into))\s++(?:the\s++)?"
    r"|^(?:please\s++|can you\s++|i(?:'d like| need| want)\s++)*"
    r"(?:(?:run|do|make|prepare|create|give|get)\s++(?:me\s++)?)?an?\s++"
    rf"(?:[\w-]+\s++){{0,2}}?(?:{_PIECE})\s++(?:on|of|for|about|over|against|into)\s++(?:the\s++)?"
    r"|^(?:请|麻烦你?|帮我|帮忙|给我|我需要)*(?:(?:做|来|出|跑)?一?[份个次]|分析|研究|看看|评估|检查|审计|核实|挑战"
    r"|质疑"
    r"|梳理|总结)?一?下?(?:关于)?",
    re.IGNORECASE,
)
_AROUND = re.compile(  # what is said of the object, before it and after it
    r"^(?:(?:my|the|our|your)\s+)?(?:evidence|case|claims?|sources?|narratives?|stor(?:y|ies)|story ?lines?|thesis"
    r"|view|risks?|figures|facts)"
    r"\s+(?:behind|for|of|on|about|against|around|in|to)\s+(?:the\s+)?"
    r"|^(?:which|what)\s+(?:narratives?|stor(?:y|ies)|views?|camps|risks?)\b.{0,20}?\b(?:about|on|around|over|for)\s+"
    r"|^(?:the\s+)?(?:claim|idea|view|thesis|notion)\s+that\s+|(?<!\s)\s++means? for\b.*$"
    r"|(?<!\s)\s++(?:before|ahead of|after)\s++(?:the|its|my)\b.*$"
    r"|^(?:市场|各方|大家)?(?:对于?|关于|围绕)|(?:对[^，,。]{2,20}?)?意味着什么.*$"
    r"|的?(?:各种)?(?:叙事|看法|观点|讨论|研究快照|快照|研究|逻辑|证据)$",
    re.IGNORECASE,
)
_NO_TOPIC = re.compile(
    r"(?:\b(?:my|our|your|this|that|these|those|the|it|its|is|are|was|be|a|an|i|we|me|of|for|on|in|to|at|with|and|or"
    r"|here|there|thesis|case"
    r"|view|idea|decision|reasoning|evidence|claims?|sources?|figures?|facts?|notes?|material|risks?|weak|spots?"
    r"|holes?|narratives?|what"
    r"|which|where|who|how|why|when|could|can|might|would|should|will|do|does|did|go|goes|gone|wrong|check|before"
    r"|buy|sell|act|think|say"
    r"|please|challenge|audit|verify|review|look|compete|solid|reliable|good|missing|below|above|following)\b"
    r"|我|的|这些?|那些?|这个|以下|上面|下面|论点|观点|逻辑|判断|看法|证据|数据|说法|来源|材料|决定|叙事|风险|哪些?"
    r"|哪里|什么|如何|怎么|有|吗|呢|是|一下|可靠|可能|出错|会|请|帮|挑战|质疑"
    r"|核实|审计|检查|下单|买入|卖出|之?前|要|过一遍|清单|[\s\W])+",
    re.IGNORECASE,
)
_CITED = re.compile(  # the source that is cited, or a list of those affected
    r"\b(?:according to|as per|citing)\s+(?:the\s+)?(?-i:[A-Z])[\w.&'’-]*(?:\s+(?-i:[A-Z])[\w.&'’-]*)*,?\s*"
    r"|(?:按照?|根据|依据|参考|来自)[^，,。]{1,12}?的(?:数据|报告|说法|口径|资料|研报)[，,]?"
    r"|[(（][^()（）,，、]*+[,，、][^()（）]*+[)）]",
    re.IGNORECASE,
)
_MARKS = " \t.,;:!?。，；：！？、"
_POSSESSIVE = re.compile(r"['’]s\b")
_NAME_CHARS = 60
_SHORT_TICKER = re.compile(r"[A-Z]{1,3}")  # also an ordinary word, unless in capitals


def find_object(prompt: str, names: Collection[AliasGroup] = ()) -> CognitionObject:
    """The object of a prompt: the event it asks about, else the asset, else the theme.

    Read from the asking sentence; where that has no topic ("What could go wrong?"), from the first sentence of the
    user's own that has one. An event keeps the asset in its name: "NVDA earnings" is not NVDA. ``names`` are the
    organisation's own.
    """
    own = [_CITED.sub("", sentence) for sentence in _own_sentences(prompt)]
    about = next((sentence for sentence in own if has_topic(sentence, names)), _CITED.sub("", asking_sentence(prompt)))
    topic = _topic_of(about) or prompt.strip()[:_NAME_CHARS]
    asset, event = _asset_in_sentence(about, names), _EVENT.search(about)
    if event is not None:
        return CognitionObject(ObjectKind.EVENT, f"{asset} {event.group()}".strip() if asset else topic)
    return CognitionObject(ObjectKind.ASSET, asset) if asset else CognitionObject(ObjectKind.THEME, topic)


def find_asset(prompt: str, names: Collection[AliasGroup] = ()) -> str:
    """The first asset anywhere in a prompt; "" for none."""
    return next(filter(None, (_asset_in_sentence(sentence, names) for sentence in sentences(prompt))), "")


def _own_sentences(prompt: str) -> list[str]:
    """The requests, then the other sentences that cite no source: a question may rest on what is said before it."""
    requests = request_sentences(prompt)
    return [
        *requests,
        *(sentence for sentence in sentences(prompt) if sentence not in requests and not names_source(sentence)),
    ]


def has_topic(sentence: str, names: Collection[AliasGroup]) -> bool:
    """Whether a sentence names an asset, or anything besides words of asking and of research."""
    return bool(_asset_in_sentence(sentence, names)) or _NO_TOPIC.fullmatch(_topic_of(sentence)) is None


def _topic_of(sentence: str) -> str:
    topic = _LEAD.sub("", sentence).strip(_MARKS)
    for _ in range(2):  # "the evidence behind the claim that"
        topic = _AROUND.sub("", topic).strip(_MARKS)
    return topic[:_NAME_CHARS].strip(_MARKS)


def speaks_of(text: str, name: str, names: Collection[AliasGroup] = ()) -> bool:
    """Whether a sentence of the text mentions ``name``: all its words in any order, each as written or by
    another name.
    """
    return any(_names_object(_POSSESSIVE.sub("", sentence), name, names) for sentence in sentences(text))


def _names_object(sentence: str, name: str, names: Collection[AliasGroup]) -> bool:
    others = other_names(sentence, names)
    if _SHORT_TICKER.fullmatch(name):
        ticker = whole_word(name, before="A-Za-z0-9.", after="A-Za-z0-9")
        return name in others or ticker.search(sentence) is not None
    wanted = set(tokenize(name))
    if wanted:
        return wanted <= {*tokenize(sentence), *(token for other in others for token in tokenize(other))}
    return normalize(name) in normalize(sentence)


def _asset_in_sentence(sentence: str, names: Collection[AliasGroup]) -> str:
    plain = _POSSESSIVE.sub("", sentence)
    return asset_in(plain, names) or next(iter(entities(plain).get("tickers", ())), "")
