"""English rules for style wishes. Patterns match a whole clause, so that talk about others and markets is no wish."""

# ruff: noqa: E501 - a rule reads best on one line

from __future__ import annotations

import re
from typing import Final

from memory.evolution.style_preferences import LASTING_EN
from personas.wish_rules import WishRule, WishRules

CHINESE: Final = "chinese|mandarin"
ENGLISH: Final = "english"


def _clause(pattern: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:{pattern})(?: (?:please|now|again|with me|to me|for me|for now|thanks|then))*", re.IGNORECASE
    )


_BE = r"(?:be|stay|sound|get|go|keep|act|speak|talk|answer|reply|respond|write)(?: to me)?"
_DEGREE = r"(?:(?:a (?:bit|little|lot|touch)|more|much|very|really|rather|as|some(?:what)?) )*"
_ANSWERS = r"(?:answers?|repl(?:y|ies)|responses?|explanations?)"
_GIVE = rf"(?:give me|I(?:'d)? (?:prefer|want|like|would like)|I'd like|use|keep your {_ANSWERS}|make (?:it|that|your {_ANSWERS}))"
_TOO = r"(?:(?:so|that|too|all|such|a bit|a little|way) )*"
_BEING = r"(?:be|being|sound(?:ing)?|act(?:ing)?|speak(?:ing)?|talk(?:ing)?|answer(?:ing)?|reply(?:ing)?|respond(?:ing)?|writ(?:e|ing))"
_MANNER = r"(?:mode|style|persona|personality|way|tone|voice|manner|self)"
_WARM = (
    r"(?:warm(?:er|ly|th)?|friendl(?:y|ier)|kind(?:er|ly|ness)?|gentl(?:e|er|y)|nice(?:r|ly)?|caring|supportive|"
    r"encouraging|affectionate|empathetic|compassionate)"
)
_PLAIN = r"(?:serious(?:ly)?|sober(?:ly)?|matter-of-fact|plain(?:ly)?|professional(?:ly)?|formal(?:ly)?|business-?like)"
_LIKE_USUAL = (
    r"(?:(?:like|as) (?:usual|before)|(?:like|as|the way) you (?:(?:usually|normally|always) (?:do|are|speak|talk|answer)|"
    r"did(?: before)?|used to|were(?: before)?)|like your(?: old| usual| normal)? ?self)"
)
_USUAL = (
    rf"(?:(?:the |your |my )?(?:usual|normal|default|regular|standard|ordinary|original|old|previous)(?: {_MANNER})?(?: of (?:speaking|talking|answering))?|"
    r"yourself|your ?self|(?:how|the way|what|who) (?:you|it|things) (?:(?:usually |normally )?(?:were|was|are|is|do|used to be|did))(?: before)?|before)"
)
_FAREWELL = rf"(?:stay|keep|get) {_DEGREE}warm(?:er)?"  # is said of the weather
_POSITION = rf"(?:go|stay|get|keep) {_DEGREE}short"  # is taken in a market


def _too(what: str) -> re.Pattern[str]:
    """An objection: "stop being so …", "you are too …"."""
    return _clause(
        rf"(?:(?:stop|quit|don't|do not) {_BEING} {_TOO}(?:{what})|(?:you(?:'re| are)(?: being)?|your {_ANSWERS} (?:is|are))"
        rf" (?:way |a bit |a little )?too (?:{what}))"
    )


def _language(names: str) -> re.Pattern[str]:
    """ "Reply in Chinese", "speak English", "switch back to Chinese": of speech, and no wish to translate anything."""
    named = rf"(?:(?:simplified |traditional |plain )?(?:{names}))"
    return _clause(
        rf"(?:{_BE}|(?:{_GIVE}) {_ANSWERS})?(?: to me| me)? ?(?:only |always |back )?in {named}(?: only)?|(?:speak|talk|use|write)(?: to me in)? (?:only )?{named}(?: only)?|"
        rf"(?:switch|change|go|turn)(?: back| over)? (?:in)?to {named}|{named} (?:only|please)|back to {named}"
    )


RULES: Final = WishRules(
    language="en",
    split=re.compile(
        r"(?:(?<!\s)\s++)?[,;]\s++|(?<!\s)\s++(?:and|but|so)\s++(?=(?:be|keep|use|stop|don't|do|make|give|answer|reply|speak|talk|go|switch|please)\b)"
    ),
    leaders=re.compile(
        r"^(?:(?:please|can you|could you|would you|will you|I want you to|I'd like you to|(?:can|could|may|shall) we|you (?:should|can|may)|let's|ok(?:ay)?|"
        r"I wish you (?:would|were)|thanks|thank you|great|good|fine|enough(?: of (?:that|this))?|all ?right|that's enough|hey|and|but|so|also|now|just|actually|no)\b[\s,]*)+",
        re.IGNORECASE,
    ),
    lasting=LASTING_EN,
    habit=re.compile(r"always|every time", re.IGNORECASE),
    reports=re.compile(r"(?<!\bI )(?<!\bI'd )(?:\b(?:said|says|say|wrote)|\b(?:told|tells|advised) (?:me|us|him|her|them))$", re.IGNORECASE),
    command=_clause(
        rf"(?:{_BE}|become) {_DEGREE}(?P<trait>rational(?:ly)?|logical(?:ly)?|analytical(?:ly)?|objective(?:ly)?|factual(?:ly)?|level-headed|"
        r"poetic(?:ally)?|playful(?:ly)?|cheerful(?:ly)?|creative(?:ly)?|lively|upbeat|strict(?:ly)?|balanced)"
        r"|(?:(?:switch|change|turn|go|set it)(?: back| over)? (?:in)?to|use|try|enter|stay in|go in|back to|in)? ?(?:the |your |a )?"
        r"(?P<mode>rational|idol|warm|hybrid|balanced|strict) (?:mode|style|persona)"
    ),
    words={
        "rational": "rational", "rationally": "rational", "logical": "rational", "logically": "rational",
        "analytical": "rational", "analytically": "rational", "objective": "rational", "objectively": "rational",
        "factual": "rational", "factually": "rational", "level-headed": "rational",
        "idol": "idol", "poetic": "idol", "poetically": "idol", "playful": "idol", "playfully": "idol",
        "cheerful": "idol", "cheerfully": "idol", "creative": "idol", "creatively": "idol", "lively": "idol",
        "upbeat": "idol", "warm": "idol",
        "hybrid": "hybrid", "balanced": "hybrid", "strict": "strict", "strictly": "strict",
    },
    back=_clause(
        rf"(?:be|stay|act|sound|speak|talk|answer|reply|respond|write|go back to (?:being|speaking|talking|answering)|start (?:being|speaking|talking|answering))"
        rf"(?: to me)? (?:(?:just|completely) )?(?:yourself|your(?: old| usual| normal)? ?self|normal(?:ly)?|{_LIKE_USUAL})"
        rf"|(?:(?:go|come|get|turn|move)(?: it)? back|return|revert|(?:switch|change)(?: (?:it|your (?:tone|style|mode|voice)))?(?: back)?) to (?:being )?{_USUAL}"
        rf"|(?:use|resume|restore|take|in) (?:the |your )(?:usual|normal|default|regular|standard|ordinary|original|old|previous) {_MANNER}(?: of (?:speaking|talking|answering))?"
        rf"|(?:reset|clear|drop|end|leave|exit|cancel|undo|turn off|switch off) (?:the |your |this |that )(?:\w+ )?(?:mode|style|persona|personality|tone)"
    ),
    back_alone=_clause(
        rf"back to (?:being )?{_USUAL}|(?:normal|yourself) again|{_LIKE_USUAL}|(?:the |your )?(?:usual|normal|default) {_MANNER}"
        r"|(?:switch|change|turn|go) back|(?:reset|undo) (?:it|that|this)"
    ),
    as_now=_clause(
        r"(?:keep )?(?:answer|reply|respond|talk|speak|write|answering|replying|talking|speaking|writing)(?: to me| me)? "
        r"(?:like (?:this|that)|this way|in this (?:way|style|tone))|(?:keep|stay with) this (?:way|style|tone)"
    ),
    wishes=(
        WishRule(_too("verbose|wordy|long|long-winded|talkative|detailed"), "reply_length", "concise", correction=True),
        WishRule(_too("terse|curt|short|brief|vague"), "reply_length", "detailed", correction=True),
        WishRule(_too("poetic|playful|cheesy|flowery|emotional|dramatic|cute|enthusiastic|informal|chatty"), "reply_tone", "plain", correction=True, mode="rational"),
        WishRule(_too("cold|robotic|stiff|harsh|distant|dry|formal"), "reply_tone", "warm", correction=True, mode="hybrid"),
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
        WishRule(
            _clause(
                rf"(?!{_FAREWELL}){_BE} (?:with )?{_DEGREE}{_WARM}|(?:{_BE} in|use|take|adopt|in|with|I(?:'d)? (?:prefer|want)|I'd like) (?:an? |the )?{_DEGREE}{_WARM} {_MANNER}|"
                rf"{_BE} (?:to me )?like (?:a|my) (?:(?:good|old|close|best) )?friend|{_DEGREE}(?:warmer|friendlier|kinder|gentler|nicer)"
            ),
            "reply_tone",
            "warm",
            mode="idol",
        ),
        WishRule(
            _clause(rf"{_BE} {_DEGREE}{_PLAIN}|(?:{_BE} in|use|take|adopt|in|with) (?:an? |the )?{_DEGREE}{_PLAIN} {_MANNER}"),
            "reply_tone",
            "plain",
            mode="rational",
        ),
        WishRule(
            _clause(r"(?:no|without|don't use|do not use|stop using) (?:any )?(?:emojis?|jokes|exclamation marks|small talk)"),
            "reply_tone",
            "plain",
        ),
        WishRule(_language(CHINESE), "reply_language", "zh"),
        WishRule(_language(ENGLISH), "reply_language", "en"),
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
