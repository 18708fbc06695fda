"""What research says in its own voice, in both languages, the same to everybody (M-6)."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from finclaw.brain.research.objective import Language
from finclaw.brain.research.reading import names_source
from memory.research.types import Statement

_Texts = MappingProxyType[str, str]
_EN: Final = _Texts(
    {
        "made_of": "Made of your own words alone: {count} statements, {dated} with a date, {sourced} that"
        " name their source. Nothing outside was looked up.",
        "nothing": "Your words hold no evidence: no figure, no date and no source. Nothing outside was looked up; add"
        " what you have read, with dates, and run it again.",
        "by_rule": "No language model took part: sentences were sorted by their wording, none was written.",
        "partly_by_rule": "The language model failed on a part, which was sorted by wording instead.",
        "unfounded": "{count} statements of the model were left out: they held figures that your words do not.",
        "later": "{count} statements speak of a time after {as_of} and were left out: nobody could know them then.",
        "no_thesis": "No thesis was stated. What is asked: {asked}",
        "no_thesis_nor_question": "No thesis was stated.",
        "unchanged": "The thesis stays as it was.",
        "turned": "The thesis is another one now.",
        "changes": "{new} new, {gone} no longer named.",
        "has_it_come": "Has this come about: {condition}",
        "told": "What you told me",
        "evidence": "Evidence",
        "market": "Market and economy",
        "risks": "Risks",
        "counter_thesis": "The other side",
        "invalidators": "What would end it",
        "conditions": "To be settled first",
        "undated": "Without a date",
        "unsourced": "Without a source",
        "for": "Speaks for it",
        "against": "Speaks against it",
        "open": "Open questions",
        "effects": "Effects on the market",
    }
)
_ZH: Final = _Texts(
    {
        "made_of": "仅由您自己的话整理而成:共{count}条陈述,其中{dated}条有日期,{sourced}条注明来源。"
        "没有查阅任何外部资料。",
        "nothing": "您的话里没有证据:没有数字、日期或来源。没有查阅任何外部资料;请补充您读到的内容和日期后重新运行。",
        "by_rule": "没有语言模型参与:句子按措辞归类,没有新写任何内容。",
        "partly_by_rule": "语言模型在某一部分失败,该部分改为按措辞归类。",
        "unfounded": "模型的{count}条陈述未被采用:其中的数字不在您的话里。",
        "later": "{count}条陈述所说的时间晚于{as_of},当时不可能知道,因此未被采用。",
        "no_thesis": "没有陈述论点。所问的是:{asked}",
        "no_thesis_nor_question": "没有陈述论点。",
        "unchanged": "论点没有变化。",
        "turned": "论点已经改变。",
        "changes": "新增{new}条,不再提及{gone}条。",
        "has_it_come": "是否已经出现:{condition}",
        "told": "您告诉过我的",
        "evidence": "证据",
        "market": "市场与宏观",
        "risks": "风险",
        "counter_thesis": "反方观点",
        "invalidators": "失效条件",
        "conditions": "需先确认",
        "undated": "没有日期",
        "unsourced": "没有来源",
        "for": "支持",
        "against": "反对",
        "open": "未决问题",
        "effects": "对市场的影响",
    }
)
_BY_LANGUAGE: Final = MappingProxyType[Language, _Texts]({"en": _EN, "zh": _ZH})


def words(language: Language, key: str, **values: object) -> str:
    """A text of ours, filled in. Raises ``KeyError`` for a key that is none."""
    return _BY_LANGUAGE[language][key].format(**values)


def quality_note(
    language: Language, evidence: Sequence[Statement], *, by_rule: bool, partly: bool, unfounded: int, later: int,
    as_of: str = "",
) -> str:  # fmt: skip
    """What the evidence is worth, told by counting: no preference has a say in it (seed A §7.2)."""
    dated = sum(one.dated_at is not None for one in evidence)
    sourced = sum(names_source(one.text) for one in evidence)
    notes = [
        words(language, "made_of", count=len(evidence), dated=dated, sourced=sourced)
        if evidence
        else words(language, "nothing")
    ]
    notes += [words(language, "by_rule")] if by_rule else [words(language, "partly_by_rule")] if partly else []
    notes += [words(language, "unfounded", count=unfounded)] if unfounded else []
    notes += [words(language, "later", count=later, as_of=as_of)] if later else []
    return ("" if language == "zh" else " ").join(notes)
