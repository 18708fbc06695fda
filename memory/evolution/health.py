"""What somebody states about their health waits for their word before it is kept. Pure.

Data concerning health is a special category (GDPR Art. 9) and sensitive personal information (PIPL Art. 28): consent
to learning in general does not reach it. Whoever says "remember that …" has given the word already. An allergy and
what is not eaten are left out on purpose: they guard their person in every recommendation. Only what is named here is
known; a model's own label counts as well.
"""

from __future__ import annotations

import re
from typing import Final

from foundation.text import normalize
from memory.evolution.types import Candidate

SLOT: Final = "health"
RULE: Final = "gateway.health"
CONDITIONS_EN: Final = (
    r"(?:(?:type [12] |gestational )?diabetes|asthma|adhd|add|autism|dyslexia|epilepsy|migraines?|insomnia|hay fever|"
    r"eczema|arthritis|anxiety|(?:an anxiety|an eating|a bipolar|bipolar) disorder|(?:postnatal )?depression|ptsd|"
    r"tinnitus|(?:high|low) blood pressure|hypertension|a (?:bad|weak) (?:back|knee|shoulder|heart)|"
    r"a (?:heart|thyroid|kidney|liver) (?:condition|disease)|c(?:o)?eliac disease|crohn'?s(?: disease)?|ibs|"
    r"(?:(?!an? )[a-z]+ )?cancer|leuka?emia|hiv|hepatitis(?: [abc])?|lupus|multiple sclerosis|"
    r"parkinson'?s(?: disease)?|schizophrenia|anorexia|bulimia)"
)
PATIENTS_EN: Final = (
    r"(?:(?:type [12] )?diabetic|asthmatic|epileptic|autistic|bipolar|anorexic|bulimic|hiv[- ]positive|pregnant)"
)
CONDITIONS_ZH: Final = (
    r"(?:(?:[12一二Ⅰ]型|妊娠期?)?糖尿病|哮喘|高血压|低血压|高血脂|冠心病|心脏病|鼻炎|胃病|胃炎|偏头痛|失眠症?|湿疹|关节炎|痛风|癫痫|"
    r"抑郁症?|焦虑症?|双相(?:情感)?障碍|躁郁症|强迫症|自闭症|多动症|厌食症|暴食症|精神分裂症|创伤后应激障碍|帕金森(?:病|氏症)?|"
    r"[^,，我你他她药股买了]{0,3}癌症?|白血病|肿瘤|艾滋病|乙肝|丙肝|肝炎|肾炎|红斑狼疮|甲亢|甲减|腰椎间盘突出)"
)
_OF_THE_TRADE: Final = (
    r"(?!-|\W*(?:[\w-]+ ){0,2}(?:stocks?|shares|drugs?|medicines?|vaccines?|compan(?:y|ies)|makers?|funds?|etfs?|"
    r"sector|market|industry|research|trials?|patients|charit(?:y|ies)|positions?|insurance)\b)"
)
_STATED: Final = re.compile(
    rf"\bI(?:'ve| have| had| got)(?: had| got| also| just| now)* {CONDITIONS_EN}\b{_OF_THE_TRADE}"
    r"|\bI(?:'m| am|'ve| have| was| had)?(?: been| just| recently| also)*"
    rf" (?:suffer(?:ing)? from|liv(?:e|ing) with|diagnosed with|battling|treated for) {CONDITIONS_EN}\b{_OF_THE_TRADE}"
    rf"|\bI(?:'m| am)(?: an?)? {PATIENTS_EN}\b{_OF_THE_TRADE}"
    rf"|我[^,，。你他她]{{0,4}}(?:有|得了?|患|确诊|查出|诊断|犯)[^,，。药股]{{0,5}}{CONDITIONS_ZH}"
    r"(?!症?的?(?:药|股|企|概念|板块|公司|研究|基金|行业|相关|产品|领域|治疗|疫苗|保险))"
    rf"|我是[^,，。]{{0,3}}{CONDITIONS_ZH}(?:患者|病人)|我(?:已经|现在|刚)*怀孕",
    re.IGNORECASE,
)
_ASKED_TO_REMEMBER: Final = ("en.remember:", "zh.remember:")


def must_be_asked(candidate: Candidate) -> bool:
    """Whether a candidate says something of its person's health that they did not ask to have remembered."""
    if candidate.attributes["polarity"] == "negative" or candidate.rule.startswith(_ASKED_TO_REMEMBER):
        return False
    labelled = SLOT in (candidate.attributes["slot"], candidate.category)
    return labelled or _STATED.search(normalize(candidate.quote)) is not None
