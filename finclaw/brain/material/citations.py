"""Whether a sentence names its source, by the forms in which sources are cited; Chinese and English."""

from __future__ import annotations

import re
from typing import Final

_NAME = r"(?-i:[A-Z])[\w.&'’-]*(?: (?:of |and |& )?(?-i:[A-Z])[\w.&'’-]*){0,4}"
_PAPER = r"data|survey|figures|analysts?|research|report|note|index|tracker|poll|study|FedWatch|filings?"
_ORGAN = r"(?:社|报|日报|网|局|所|行|部|会|中心|协会|证券|公司|集团|研究院|研究所|基金|机构|通讯|媒体)"
_KNOWN = r"(?:彭博|路透|高盛|中金|中信|财新|摩根[一-鿿]{2,4}|大摩|小摩|花旗|瑞银|野村|标普|惠誉|穆迪|万得|标普全球)"
_PAPER_ZH = r"(?:公告|年报|季报|半年报|中报|财报|招股书|研报|数据|统计|调研|纪要)"
_NOBODY_ZH = (
    r"(?:我|本人|你|您|多方|空方|市场|有人|大家|投资者|专家|目前|现在|不再|并不|仍|依然|因此|所以|但|不过|如果|虽然"
    r"|因为|个人)"
)
_LABEL = (
    r"(?:risks?|notes?|thesis|view|question|evidence|however|context|background|update|bull(?: case)?|bear(?: case)?"
    r"|case|pros?|cons?|facts?|conditions?|catalysts?|valuation|material)"
)
_LABEL_ZH = r"[^：:]*(?:观点|论点|风险|问题|证据|结论|备注|利好|利空|支持|反对|条件|前提|确认|核实|分析|快照)[：:]"
_CLOSING: Final = re.compile(  # the closing bracket of a sentence: a day and usually a name
    rf"[(（](?:source[:：]? ?|来源[:：]? ?)?(?:(?=[^()（）]*\d)(?=[^()（）]*(?:(?:19|20)\d\d"
    rf"|月\s*\d+\s*[日号]))(?-i:(?=[^a-z]))[^()（）]+"
    rf"|10-[kq]|8-k|20-f|(?-i:[A-Z])[a-z]\w+(?: (?-i:[A-Z])\w+)* ?(?:filings?|report)?"
    rf"|[^()（）]{{0,12}}(?:{_ORGAN}|{_KNOWN}|{_PAPER_ZH}))"
    r"[)）]\W*$|\((?:company|annual|quarterly) (?:filing|report|press release)[^)]*\)\W*$"
    r"|\([^()]*\b(?:filings?|press release|report|transcript)\b[^()]*\d{4}\)\W*$",
    re.IGNORECASE,
)
_ENGLISH: Final = re.compile(
    r"\b(?:according to|sources?: |(?:as )?per (?:the |its |their )?(?-i:[A-Z])|reported|announced|filing|filed"
    r"|annual report"
    r"|10-[kq]|8-k|20-f)\b|\baccording to\b|\b(?<!i )(?<!we )(?<!you )(?:said|says)\b"
    rf"|^\W*(?!(?:i|we|it|this|that|they|he|she|you|if|when)\b){_NAME}(?: (?:{_PAPER}))* "
    rf"(?:warn(?:s|ed)|estimate[sd]|finds|found"
    r"|note[sd]|argue[sd]|calculate[sd]|writes|wrote|confirmed|forecasts?|sees)\b"
    rf"|\b(?:{_PAPER}) (?:shows?|showed|suggests?|finds?|found|indicates?)\b"
    rf"|^\W*(?!{_LABEL}\b){_NAME}: ",
    re.IGNORECASE,
)
_CHINESE: Final = re.compile(
    rf"根据|来源|据(?:[^，,。；;]{{1,20}}?(?:数据|统计|消息|报道|显示|称|透露)|报道|悉|了解)"
    rf"|{_PAPER_ZH}[^，,。；;]{{0,8}}?(?:显示|披露|表明|称)"
    r"|财报|公告|年报|季报|半年报|招股书|披露|公布|宣布|报道"
    rf"|(?:^|[，,。；;、\s])(?![^，,。；;、\s]{{0,6}}{_NOBODY_ZH})[^，,。；;、\s]{{2,14}}?(?:认为|指出|表示|警告"
    rf"|测算|给出)"
    rf"|^(?!{_LABEL_ZH})[^，,。；;：:]{{0,12}}(?:{_ORGAN}|{_KNOWN}|{_PAPER_ZH})[：:]"
)


def names_source(sentence: str) -> bool:
    """Whether a sentence cites a source: who said it, the paper it is in, or a closing bracket with a name or a day."""
    return any(shape.search(sentence) for shape in (_CLOSING, _ENGLISH, _CHINESE))
