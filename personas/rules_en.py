"""English ways to say how one wants to be spoken to. Patterns read a whole clause, so that talk about others, markets
and third persons is no wish.
"""

# ruff: noqa: E501 - a rule reads best on one line

from __future__ import annotations

import re
from typing import Final

from personas.rules import DEFAULT, Rules, WishRule


def _clause(pattern: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:{pattern})(?: (?:please|now|again|with me|to me|for me|for now|thanks|then))*", re.IGNORECASE
    )


_BE = r"(?:be|stay|sound|get|go|keep|act|speak|talk|answer|reply|respond|write)(?: to me)?"
_DEGREE = r"(?:(?:a (?:bit|little)|more|much|very|really|rather|as) )*"
_ANSWERS = r"(?:answers?|repl(?:y|ies)|responses?|explanations?)"
_GIVE = rf"(?:give me|I(?:'d)? (?:prefer|want|like|would like)|I'd like|use|keep your {_ANSWERS}|make (?:it|that|your {_ANSWERS}))"
_TOO = r"(?:(?:so|that|too|all|such|a bit|a little|way) )*"
_BEING = r"(?:be|being|sound(?:ing)?|act(?:ing)?|speak(?:ing)?|talk(?:ing)?|answer(?:ing)?|reply(?:ing)?|respond(?:ing)?|writ(?:e|ing))"
_POSITION = rf"(?:go|stay|get|keep) {_DEGREE}short"  # is taken in a market


def _too(what: str) -> re.Pattern[str]:
    """An objection: "stop being so …", "you are too …"."""
    return _clause(
        rf"(?:(?:stop|quit|don't|do not) {_BEING} {_TOO}(?:{what})|(?:you(?:'re| are)(?: being)?|your {_ANSWERS} (?:is|are))"
        rf" (?:way |a bit |a little )?too (?:{what}))"
    )


RULES: Final = Rules(
    language="en",
    split=re.compile(r"\s*[,;]\s+|\s+(?:and|but|so)\s+(?=(?:be|keep|use|stop|don't|do|make|give|answer|please)\b)"),
    leaders=re.compile(
        r"^(?:(?:please|can you|could you|would you|will you|I want you to|I'd like you to|you (?:should|can|may)|let's|ok(?:ay)?|"
        r"hey|and|but|so|also|now|just|actually|no)\b[\s,]*)+",
        re.IGNORECASE,
    ),
    lasting=re.compile(
        r"\b(?:from now on|from here on|going forward|in (?:the )?future|(?<!don't )(?<!not )(?<!never )(?:always|every time)|by default|permanently|"
        r"remember to|for good)\b[\s,]*",
        re.IGNORECASE,
    ),
    habit=re.compile(r"always|every time", re.IGNORECASE),
    reports=re.compile(r"(?<!\bI )(?<!\bI'd )(?:\b(?:said|says|say|wrote)|\b(?:told|tells|advised) (?:me|us|him|her|them))$", re.IGNORECASE),
    command=re.compile(
        r"(?:(?:be|stay|sound|get|go|act|speak|talk|answer|reply|respond)(?: to me)? "
        rf"{_DEGREE}(?P<trait>rational(?:ly)?|logical(?:ly)?|analytical(?:ly)?|poetic(?:ally)?|playful(?:ly)?|cheerful(?:ly)?|strict(?:ly)?|normal(?:ly)?|yourself)"
        r"|(?:(?:switch|change|turn|go)(?: back| over)? (?:in)?to|use|try|enter|stay in|go in|back to|in)? ?(?:the |your )?"
        r"(?P<mode>rational|idol|hybrid|strict|default|normal|usual) (?:mode|style|persona|way|tone))"
        r"(?: (?:please|now|again|with me|for now|back))*",
        re.IGNORECASE,
    ),
    words={
        "rational": "rational", "rationally": "rational", "logical": "rational", "logically": "rational",
        "analytical": "rational", "analytically": "rational",
        "idol": "idol", "poetic": "idol", "poetically": "idol", "playful": "idol", "playfully": "idol",
        "cheerful": "idol", "cheerfully": "idol",
        "hybrid": "hybrid", "strict": "strict", "strictly": "strict",
        "default": DEFAULT, "normal": DEFAULT, "normally": DEFAULT, "usual": DEFAULT, "yourself": DEFAULT,
    },
    as_now=_clause(
        r"(?:keep )?(?:answer|reply|respond|talk|speak|write|answering|replying|talking|speaking|writing)(?: to me| me)? "
        r"(?:like (?:this|that)|this way|in this (?:way|style|tone))|(?:keep|stay with) this (?:way|style|tone)"
    ),
    wishes=(
        WishRule(_too("verbose|wordy|long|long-winded|talkative|detailed"), "reply_length", "concise", correction=True),
        WishRule(_too("terse|curt|short|brief|vague"), "reply_length", "detailed", correction=True),
        WishRule(_too("poetic|playful|cheesy|flowery|emotional|dramatic|cute|enthusiastic|informal|chatty"), "reply_tone", "plain", correction=True),
        WishRule(_too("cold|robotic|stiff|harsh|distant|dry|formal"), "reply_tone", "warm", correction=True),
        WishRule(
            _clause(
                rf"(?!{_POSITION}){_BE} {_DEGREE}(?:brief(?:er|ly)?|concise(?:ly)?|short(?:er)?|to the point)|(?:keep|make) (?:it|that|your {_ANSWERS}) "
                rf"{_DEGREE}(?:short(?:er)?|brief(?:er)?|concise)|{_GIVE} {_DEGREE}(?:short(?:er)?|brief(?:er)?|concise) {_ANSWERS}|"
                rf"(?:shorter|more concise|less detail)(?: {_ANSWERS})?"
            ),
            "reply_length",
            "concise",
        ),
        WishRule(
            _clause(
                rf"{_BE} (?:in )?{_DEGREE}(?:detailed|detail|depth|thorough(?:ly)?|length)|(?:keep|make) (?:it|that|your {_ANSWERS}) "
                rf"{_DEGREE}(?:longer|detailed)|{_GIVE} {_DEGREE}(?:long(?:er)?|detailed|in-depth) {_ANSWERS}|(?:give me )?more details?"
            ),
            "reply_length",
            "detailed",
        ),
        WishRule(
            _clause(
                rf"(?:{_BE} )?(?:in|with|using) {_DEGREE}(?:bullet points|bullets|numbered lists?)|use {_DEGREE}(?:bullet points|bullets|numbered lists?)"
            ),
            "reply_structure",
            "points",
        ),
        WishRule(
            _clause(
                rf"(?:{_BE} )?(?:no|without|don't use|do not use|stop using) (?:any )?(?:bullet points|bullets|lists)|"
                rf"{_BE} in (?:prose|whole sentences|full sentences|paragraphs)"
            ),
            "reply_structure",
            "prose",
        ),
        WishRule(_clause(rf"{_BE} {_DEGREE}(?:warm(?:er|ly)?|friendl(?:y|ier)|kind(?:er|ly)?|gentl(?:e|er|y)|encouraging)"), "reply_tone", "warm"),
        WishRule(
            _clause(
                rf"{_BE} {_DEGREE}(?:serious(?:ly)?|sober(?:ly)?|matter-of-fact|plain(?:ly)?|professional(?:ly)?)|"
                r"(?:no|without|don't use|do not use|stop using) (?:any )?(?:emojis?|jokes|exclamation marks|small talk)"
            ),
            "reply_tone",
            "plain",
        ),
    ),
    suggestions=(
        (re.compile(r"\b(?:just|only) the (?:numbers?|figures?|facts|answer)\b|\bno explanations?\b|\bchecklist\b", re.IGNORECASE), "strict"),
        (
            re.compile(
                r"\b(?:cheer me up|encourage me|motivate me|brainstorm|I(?:'m| am) (?:so |really |feeling )?(?:sad|exhausted|"
                r"discouraged|overwhelmed|down(?!\W*\d| (?:about|almost|around|by|for|from|more|nearly|on|over|to|with)\b))|write (?:me )?(?:a|an|some) (?:\w+ )?(?:poem|story|song|slogan|toast))\b",
                re.IGNORECASE,
            ),
            "idol",
        ),
        (
            re.compile(
                r"\b(?:traceback|stack trace|debug\w*|exception|error (?:message|code)|calculate|compute|compare|valuation|dcf|"
                r"pros and cons|decide|decision|should I (?:buy|sell|hold|keep)|which (?:one )?(?:is (?:better|cheaper|safer)|should I))\b",
                re.IGNORECASE,
            ),
            "rational",
        ),
    ),
)  # fmt: skip
