"""Recognises statements about the user's health, which are kept only after the user confirms them. Pure.

Data concerning health is a special category (GDPR Art. 9) and sensitive personal information (PIPL Art. 28): consent to
learning in general does not reach it. Whoever says "remember that …" has confirmed already. Conditions, diagnoses and
medication are asked about; a bad night or a worry before an exam is an everyday complaint. An allergy and what is not
eaten are left out on purpose: they guard the user in every recommendation. Only what is named here is known; a model's
own label counts as well.
"""

from __future__ import annotations

import re
from typing import Final

from foundation.text import normalize
from memory.evolution.types import StatementCandidate

SLOT: Final = "health"
RULE: Final = "gateway.health"
CONDITIONS_EN: Final = (
    r"(?:(?:type [12] |gestational )?diabetes|asthma|adhd|add|autism|dyslexia|epilepsy|migraines?|hay fever|eczema|"
    r"insomnia(?! (?:last night|tonight|before))|anxiety(?! (?:about|over|before|when))|arthritis|"
    r"(?:an anxiety|an eating|a bipolar|bipolar) disorder|(?:postnatal )?depression|ptsd|"
    r"tinnitus|(?:high|low) blood pressure|hypertension|a (?:bad|weak) (?:back|knee|shoulder|heart)|"
    r"a (?:heart|thyroid|kidney|liver) (?:condition|disease)|c(?:o)?eliac disease|crohn'?s(?: disease)?|ibs|"
    r"(?:(?!an? )[a-z]+ )?cancer|leuka?emia|hiv|hepatitis(?: [abc])?|lupus|multiple sclerosis|"
    r"parkinson'?s(?: disease)?|schizophrenia|anorexia|bulimia)"
)
PATIENTS_EN: Final = (
    r"(?:(?:type [12] )?diabetic|asthmatic|epileptic|autistic|bipolar|anorexic|bulimic|hiv[- ]positive|pregnant)"
)
CONDITIONS_ZH: Final = (
    r"(?:(?:[12一二Ⅰ]型|妊娠期?)?糖尿病|哮喘|高血压|低血压|高血脂|冠心病|心脏病|鼻炎|胃病|胃炎|偏头痛|失眠症|湿疹|关节炎|痛风|癫痫|"
    r"抑郁症|焦虑症|(?:[重中轻]度|慢性|长期|产后|(?<=[患有诊])|(?<=[断诊]为)|(?<=[患诊得]了)|(?<=查出))(?:失眠|抑郁|焦虑)|双相(?:情感)?障碍|躁郁症|强迫症|自闭症|多动症|厌食症|暴食症|精神分裂症|创伤后应激障碍|帕金森(?:病|氏症)?|"
    r"[^,，我你他她药股买了]{0,3}癌症?|白血病|肿瘤|艾滋病|乙肝|丙肝|肝炎|肾炎|红斑狼疮|甲亢|甲减|腰椎间盘突出)"
)
MEDICATION_EN: Final = (
    r"(?:insulin|metformin|statins?|beta[- ]blockers?|blood thinners?|warfarin|lithium|ssris?|sertraline|fluoxetine|"
    r"prozac|zoloft|xanax|ritalin|adderall|levothyroxine|anti-?(?:depressants?|psychotics?|convulsants?|coagulants?)|"
    r"(?:(?:blood pressure|heart|thyroid|anxiety|sleeping|prescription|psychiatric|diabetes|asthma|adhd) )?"
    r"(?:medication|meds)|(?:blood pressure|heart|thyroid|sleeping) (?:pills|tablets)|chemo(?:therapy)?|dialysis)"
)
MEDICATION_ZH: Final = (
    r"(?:胰岛素|二甲双胍|优甲乐|舍曲林|氟西汀|百忧解|阿普唑仑|安眠药|"
    r"(?:降[压糖脂]|抗(?:抑郁|焦虑|癫痫|凝|精神病)|处方|心脏病|糖尿病|高血压|甲状腺)药|化疗|放疗|透析)"
)
_OF_THE_TRADE: Final = (
    r"(?!-|\W{0,4}(?:[\w-]{1,30} ){0,2}(?:stocks?|shares|drugs?|medicines?|vaccines?|compan(?:y|ies)|makers?|funds?|"
    r"etfs?|sector|market|industry|research|trials?|patients|charit(?:y|ies)|positions?|insurance)\b)"
)
_NOT_OF_THE_TRADE_ZH: Final = (
    r"(?!症?的?(?:药|股|企|概念|板块|公司|研究|基金|行业|相关|产品|领域|治疗|疫苗|保险|市场|生产商))"
)
_I: Final = r"\bI(?:\b(?:(?!\b(?:my|his|her|their|who|whose)\b)[^.!?;]){1,80}(?:\b(?:and|but)|,))?"
"""The speaker, before what they say of themselves or what is joined to that: "I'm 34 and" has asthma."""
_ALSO: Final = r"(?: been| also| just| now| still| currently| recently)*"
_ME: Final = r"我(?:[^。！？!?;；你他她妈爸]{1,40}[,，])?[^,，。你他她]{0,4}"
_STATED: Final = re.compile(
    rf"{_I}(?:(?:'ve| have| has| had| got)(?: had| got| also| just| now)* {CONDITIONS_EN}\b{_OF_THE_TRADE}"
    rf"|(?:'m| am| is|'ve| have| has| was| had)?{_ALSO}"
    rf" (?:suffer(?:s|ing)? from|liv(?:e|es|ing) with|diagnosed with|battling|treated for) {CONDITIONS_EN}\b"
    rf"{_OF_THE_TRADE}"
    rf"|(?:'m| am| is)(?: an?)? {PATIENTS_EN}\b{_OF_THE_TRADE}"
    rf"|(?:'m| am| is|'ve| have| has| was)?{_ALSO} (?:on|put on|takes?|taking|took|injects?|injecting|prescribed)"
    rf"(?: my| the| some| daily| \d+ ?mg(?: of)?)* {MEDICATION_EN}\b{_OF_THE_TRADE})"
    rf"|\bmy {CONDITIONS_EN}\b{_OF_THE_TRADE}"
    rf"|{_ME}(?:(?<!没)有|得了?|患|确诊|查出|诊断|犯)[^,，。药股]{{0,5}}{CONDITIONS_ZH}{_NOT_OF_THE_TRADE_ZH}"
    rf"|{_ME}(?:吃|服|打|注射|用|做|接受)[^,，。股]{{0,6}}{MEDICATION_ZH}{_NOT_OF_THE_TRADE_ZH}"
    rf"|我的?{CONDITIONS_ZH}{_NOT_OF_THE_TRADE_ZH}"
    rf"|我是[^,，。]{{0,3}}{CONDITIONS_ZH}(?:患者|病人)|我(?:已经|现在|刚)*怀孕",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    rf"\b(?:{CONDITIONS_EN}|{PATIENTS_EN}|{MEDICATION_EN})\b|{CONDITIONS_ZH}|{MEDICATION_ZH}|怀孕", re.IGNORECASE
)
_COMPLAINT: Final = re.compile(
    r"\b(?:(?:can't|cannot|can not|couldn't|could not) sleep|sleepless|sle(?:ep|pt) (?:badly|poorly)|anxious|nervous|"
    r"worried|stressed|tired|exhausted|hung ?over|headaches?|stomach ?aches?|sore throat|a cold|anxiety|insomnia)\b"
    r"|失眠|焦虑|抑郁|睡不着|没睡好|睡得不好|压力|紧张|疲[惫劳]|好?累|[头胃肚腰]子?[疼痛]|嗓子疼|感冒|发烧|咳嗽",
    re.IGNORECASE,
)
_ASKED_TO_REMEMBER: Final = ("en.remember:", "zh.remember:")


def states_health(text: str) -> bool:
    """Whether a first-person text states a condition of the speaker, or what they take against one."""
    return _STATED.search(normalize(text)) is not None


def names_health(text: str) -> bool:
    """Whether a text names a condition, a patient or a medication, whosever."""
    return _NAMED.search(normalize(text)) is not None


def needs_confirmation(candidate: StatementCandidate) -> bool:
    """Whether a candidate states the user's health and the user did not ask to have it remembered."""
    if candidate.attributes["polarity"] == "negative" or candidate.rule.startswith(_ASKED_TO_REMEMBER):
        return False
    if candidate.by_model and _NAMED.search(normalize(f"{candidate.content} {candidate.attributes['value']}")):
        return True  # a model may say of one message what another told
    labelled = SLOT in (candidate.attributes["slot"], candidate.category)
    return (labelled and not is_everyday_complaint(candidate.quote)) or states_health(candidate.quote)


def is_everyday_complaint(quote: str) -> bool:
    """Whether a text that was labelled as health names an everyday complaint, and no condition."""
    words = normalize(quote)
    return _COMPLAINT.search(words) is not None and _NAMED.search(words) is None
