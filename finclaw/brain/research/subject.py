"""What a piece of research is about: an asset, an event or a theme (M-2)."""

from __future__ import annotations

import re
from collections.abc import Collection

from finclaw.brain.intent import entities
from finclaw.brain.names import Group, asset_in
from finclaw.brain.research.reading import sentences
from memory.models import ObjectKind
from memory.research.types import CognitionObject

_EVENT = re.compile(
    r"\b(?:earnings|results|fomc|rate (?:cut|hike|decision)|merger|acquisition|ipo|election|tariffs?|sanctions?"
    r"|recall|launch|strike|default|downgrade|upgrade|split|buyback|lawsuit|ban)\b"
    r"|财报|业绩|议息|加息|降息|并购|收购|上市|选举|制裁|召回|发布会|罢工|违约|下调评级|上调评级|回购|诉讼|禁令|事件",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:please\s+)?(?:can you\s+)?(?:analy[sz]e|assess|review|research|check|audit|map|read|challenge|summari[sz]e"
    r"|evaluate|explain|look (?:at|into))\s+(?:the\s+)?"
    r"|^(?:请|帮我|帮忙)*(?:分析|研究|看看|评估|检查|审计|梳理|总结)?一?下?",
    re.IGNORECASE,
)
_MARKS = " \t.,;:!?。，；：！？、"
_POSSESSIVE = re.compile(r"['’]s\b")
_NAME_CHARS = 60


def object_of(prompt: str, names: Collection[Group] = ()) -> CognitionObject:
    """The cognition object of a prompt: the asset it names first, else the event, else the theme of its first sentence.

    An event keeps the asset in its name: "NVDA earnings" is not NVDA. ``names`` are the organisation's own.
    """
    first = next(iter(sentences(prompt)), prompt)
    topic = _LEAD.sub("", first).strip(_MARKS)[:_NAME_CHARS].strip(_MARKS) or prompt.strip()[:_NAME_CHARS]
    asset = next(filter(None, (_asset_of(one, names) for one in sentences(prompt))), "")
    event = _EVENT.search(first)
    if event is not None:
        return CognitionObject(ObjectKind.EVENT, f"{asset} {event.group()}".strip() if asset else topic)
    if asset:
        return CognitionObject(ObjectKind.ASSET, asset)
    return CognitionObject(ObjectKind.THEME, topic)


def _asset_of(sentence: str, names: Collection[Group]) -> str:
    plain = _POSSESSIVE.sub("", sentence)
    return asset_in(plain, names) or next(iter(entities(plain).get("tickers", ())), "")
