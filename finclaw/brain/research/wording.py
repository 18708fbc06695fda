"""Fixed texts of research results, in both languages, the same for everybody."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final

from finclaw.brain.material.citations import names_source
from finclaw.brain.material.objective import Language
from memory.research.types import ResearchStatement

_Texts = MappingProxyType[str, str]
_EN: Final = _Texts(
    {
        "made_of": "Made of your own words alone. Evidence: {count} found, {dated} with a date, {sourced} with a"
        " source named. Nothing outside was looked up.",
        "by_model": "Written by a language model from your words, and not checked. Evidence: {count} found,"
        " {dated} with a date, {sourced} with a source named. Nothing outside was looked up.",
        "not_shown": "This kind of result does not repeat the evidence.",
        "cut": "{count} more statements of your words were left out for length.",
        "one_cut": "1 more statement of your words was left out for length.",
        "unnamed": "What was asked",
        "nothing": "Your words hold no evidence: no figure, no date and no source. Nothing outside was looked up; add"
        " what you have read, with dates, and run it again.",
        "by_rule": "No language model took part: sentences were sorted by their wording, none was written.",
        "partly_by_rule": "The language model failed on a part, which was sorted by wording instead.",
        "unfounded": "{count} statements of the model were left out: they held figures that your words do not.",
        "later": "{count} statements speak of a time after {as_of} and were left out: nobody could know them then.",
        "aside": "{count} sentences of yours are neither evidence nor about the market, neither a risk nor a condition,"
        " neither a question nor a view, and were left aside.",
        "one_aside": "1 sentence of yours is neither evidence nor about the market, neither a risk nor a condition,"
        " neither a question nor a view, and was left aside.",
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
        "neither": "Neither for nor against",
        "open": "Open questions",
        "effects": "Effects on the market",
        "your_style": "You research this like this: “{said}”. Which of the risks above does it look at, and which not?",
        "your_positions": "You said of what you hold: “{said}”. Count it in before you decide.",
        "your_constraint": "You said: “{said}”. Does this decision keep to it?",
        "your_horizon": "You named a time horizon: “{said}”. Does this decision fit it?",
        "your_thread": "Your thread “{said}” follows the same thing.",
    }
)
_ZH: Final = _Texts(
    {
        "made_of": "仅由您自己的话整理而成。证据：共{count}条，其中{dated}条有日期，{sourced}条注明来源。"
        "没有查阅任何外部资料。",
        "by_model": "由语言模型根据您的话写成，未经核实。证据：共{count}条，其中{dated}条有日期，{sourced}条注明来源。"
        "没有查阅任何外部资料。",
        "not_shown": "这类结果不再重复列出这些证据。",
        "cut": "您的话中另有{count}条因篇幅未列出。",
        "one_cut": "您的话中另有1条因篇幅未列出。",
        "unnamed": "所问的事",
        "nothing": "您的话里没有证据：没有数字、日期或来源。没有查阅任何外部资料；请补充您读到的内容和日期后重新运行。",
        "by_rule": "没有语言模型参与：句子按措辞归类，没有新写任何内容。",
        "partly_by_rule": "语言模型在某一部分失败，该部分改为按措辞归类。",
        "unfounded": "模型的{count}条陈述未被采用：其中的数字不在您的话里。",
        "later": "{count}条陈述所说的时间晚于{as_of}，当时不可能知道，因此未被采用。",
        "aside": "您有{count}句话既不是证据、市场情况、风险或条件，也不是问题或观点，未予采用。",
        "one_aside": "您有1句话既不是证据、市场情况、风险或条件，也不是问题或观点，未予采用。",
        "no_thesis": "没有陈述论点。所问的是：{asked}",
        "no_thesis_nor_question": "没有陈述论点。",
        "unchanged": "论点没有变化。",
        "turned": "论点已经改变。",
        "changes": "新增{new}条，不再提及{gone}条。",
        "has_it_come": "是否已经出现：{condition}",
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
        "neither": "未表态",
        "open": "未决问题",
        "effects": "对市场的影响",
        "your_style": "您这样做研究：“{said}”。上面的风险，哪些在它的视野之内，哪些不在？",
        "your_positions": "关于持仓，您说过：“{said}”。做决定之前请把它考虑在内。",
        "your_constraint": "您说过：“{said}”。这个决定符合吗？",
        "your_horizon": "您说的时间跨度是：“{said}”。这个决定与之相符吗？",
        "your_thread": "您的研究线“{said}”跟踪的是同一件事。",
    }
)
_BY_LANGUAGE: Final = MappingProxyType[Language, _Texts]({"en": _EN, "zh": _ZH})


def phrase(language: Language, key: str, **values: object) -> str:
    """A fixed text, filled in. Raises ``KeyError`` for an unknown key."""
    return _BY_LANGUAGE[language][key].format(**values)


@dataclass(frozen=True)
class EvidenceQuality:
    """What there is to say about the quality of a result: its ``evidence``, whether the result ``shows`` it, whether
    all or part was made ``by_rule``, and how many statements were left out, and why.
    """

    evidence: Sequence[ResearchStatement]
    shows: bool
    by_rule: bool
    partly_by_rule: bool
    unfounded: int = 0
    later: int = 0
    cut: int = 0
    aside: int = 0
    as_of: str = ""


def quality_note(language: Language, quality: EvidenceQuality) -> str:
    """The quality of the evidence in sentences, by counting; no preference enters it."""
    said = partial(phrase, language)
    notes = [*_evidence_sentences(language, quality)]
    if quality.by_rule or quality.partly_by_rule:
        notes.append(said("by_rule" if quality.by_rule else "partly_by_rule"))
    if quality.cut:
        notes.append(said("one_cut" if quality.cut == 1 else "cut", count=quality.cut))
    if quality.by_rule and quality.aside:
        notes.append(said("one_aside" if quality.aside == 1 else "aside", count=quality.aside))
    if quality.unfounded:
        notes.append(said("unfounded", count=quality.unfounded))
    if quality.later:
        notes.append(said("later", count=quality.later, as_of=quality.as_of))
    return ("" if language == "zh" else " ").join(notes)


def _evidence_sentences(language: Language, quality: EvidenceQuality) -> Iterator[str]:
    if quality.by_rule and not quality.evidence:
        yield phrase(language, "nothing")
        return
    dated = sum(statement.dated_at is not None for statement in quality.evidence)
    sourced = sum(names_source(statement.text) for statement in quality.evidence)
    made = "made_of" if quality.by_rule else "by_model"
    yield phrase(language, made, count=len(quality.evidence), dated=dated, sourced=sourced)
    if quality.evidence and not quality.shows:
        yield phrase(language, "not_shown")
