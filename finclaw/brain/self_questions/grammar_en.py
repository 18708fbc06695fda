"""Grammar of English questions about oneself: known parts become symbols, and what is left over decides."""

# ruff: noqa: SIM905 - word lists read best as text

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from finclaw.brain.self_questions.question_topics_en import CLAUSES, NOUNS

_ADJECTIVES: Final = (
    "current|present|personal|general|overall|private|own|various|different|dear|whole|entire|little"
    "|close|immediate|daily|recent|past"
    "|favou?rite|usual|upcoming|future|new|old|real|main|particular|professional|day-to-day|basic"
    "|stated|known|long-term|short-term|physical|financial"
)
_WHO_AM_I: Final = re.compile(
    r"\bwho(?:m)?(?: exactly)?(?: do you (?:think|believe|say|reckon))?(?: that)? (?:am i|i am|i'm)\b"
    r"|\b(?:what|which)(?: kind| sort| type) of (?:a )?(?:person|human|user|guy|man|woman) (?:am i"
    r"|i am|i'm|do you think i am)\b"
    r"|\bwho you(?:\'re| are) (?:talking|speaking|chatting) (?:to|with)\b|\bwhat am i like\b"
    r"|\bwhat i(?:'m| am) like\b|\bwhat makes me(?: me| tick)\b"
)
_ME: Final = re.compile(
    r"\b(?:me|myself)(?: personally| as a (?:person|user|human(?: being)?|customer"
    r"|client))?(?: and (?:my )?(?:life|self))?\b|\bmy(?:self| (?:own )?(?:person|life|self|story"
    r"|situation|circumstances|personal (?:details|data|info(?:rmation)?|facts)"
    r"|details|info(?:rmation)?|data|facts|particulars))\b|\byours truly\b|\babout i\b|\bthis user\b"
    r"|\bwhere i stand\b"
)
_STORE: Final = re.compile(
    r"\b(?:(?:in|on|from|within|inside|into) )?(?:(?:your|my|the|that|those|these|any|all(?: the)?"
    r"|some|a) )?(?:(?:long-term|stored|saved|own|personal|complete|full|internal|little|memory"
    r"|user) ){0,3}"
    r"(?:memory|memories|memory bank|notes?|notebook|files?|records?|database|profile|portrait|dossier"
    r"|storage|logs?|archives?|data|entries|brain|head|knowledge|mind|recollections?|entry"
    r"|memory store|knowledge base|picture|impression|systems?|cards?)\b(?!')"
)
_KNOWING: Final = re.compile(
    r"\b(?:(?:have|has|had|'ve|got)(?: you)?(?: got)?(?: anything| something| everything| all)?(?: on"
    r"| about| down| for)(?= (?:me|my|file|record)\b)"
    r"|(?:know|knows|knew|known|remember(?:ed|s|ing)?|recall(?:ed|s|ing)?|recollect(?:ed)?|learn(?:ed"
    r"|t|ing)?|noted?|noting|note down|noted down|jotted(?: down)?|written down|wrote down"
    r"|record(?:ed|ing)?|stor(?:e|ed|ing)|sav(?:e|ed|ing)|kept|keep|keeping|pick(?:ed)? up|gather(?:ed"
    r"|ing)?|collect(?:ed|ing)?|figured? out|found out|find out|worked out|memoris(?:e|ed)|memoriz(?:e"
    r"|ed)"
    r"|(?:un)?aware of|hold(?:ing)?|retain(?:ed|ing)?|got|have|having|understand|understood|gleaned?"
    r"|discovered|heard|made of|make of|on (?:file|record)|filed(?: away)?|logged|tracked|track"
    r"|familiar with"
    r"|acquainted with|take away|taken away|captured|registered|informed|been told|was told|were told"
    r"|see in|deduced|inferred|clocked|keep track|remembering|in store|hear|think you know"
    r"|write down|writing down|wrote|written)\b)"
)
_TOLD_BY_ME: Final = re.compile(
    r"\b(?:(?:have|did|'ve|had) )?i(?:'ve| have| had)? (?:ever |already |actually |just "
    r"|previously )?(?:told|tell|said|say|mention(?:ed)?|shared?|given|give|gave|let you know"
    r"|revealed?|disclosed?|talked|spoken|talk|confided)(?: (?:to|with))?(?: you)?\b"
)
_ASKING: Final = re.compile(
    r"\b(?:(?:tell|show|give|remind|send|read|list|let|get|hand"
    r"|bring)(?: (?:it )?(?:back )?(?:to )?(?:me|us))(?: (?:know|see|have|hear))?|tell|show|give"
    r"|remind|list|recap|describe|summari[sz]e|share|say|recite|go over|run (?:me )?through"
    r"|walk (?:me )?through|run down"
    r"|spell out|lay out|go through|fill me in|brief me|update me|catch me up|lay it out|introduce"
    r"|enumerate|display|print|dump|pull up|bring up|read out|read back|look up|check|quiz me|see|hear"
    r"|view|review|know(?= what you)|spill|refresh my memory|present|report)\b"
    r"|\b(?:telling|showing|giving|listing|sharing|reminding|recapping|summari[sz]ing)(?: (?:me|us))?\b"
    r"|\bsum (?:me|myself) up\b|\brecap me\b|\bpaint (?:me )?a picture\b|\bhow would you (?:describe"
    r"|summari[sz]e|characteri[sz]e|sum up)\b"
    r"|\bin (?:a |one |two |three |a few |a couple of |\d )?(?:few |single )?(?:words?|sentences?"
    r"|lines?|paragraphs?|bullet points?)\b"
)
_QUESTION: Final = re.compile(
    r"\b(?:what(?:'s|'re| is| are| all)?|whats|which|how (?:much|well|many|far|detailed|good)|who(?:'s"
    r"|'re| is| are)?|anything|everything|something|all|whatever|things?|stuff|facts?|details?"
    r"|information|info|points?|lot|list|summary|recap"
    r"|overview|rundown|bits?|any|some|many|much|items?|bullet points?|a description|description"
    r"|snapshot|the gist|gist|highlights?|low-?down|scoop|dirt|essentials|key points|story|breakdown"
    r"|digest|sketch|report|statements?|what have|the extent|extent"
    r"|pieces)\b"
)
_AUXILIARY: Final = re.compile(
    r"(?:^|[:.,!;] )\W{0,4}(?:(?:so|and|but|hey|hi|hello|ok|okay|well|now|then|um|hmm|please|finclaw|oh|actually"
    r"|btw)\W{1,4}){0,4}(?:do|does|did|have|has|had|can|could|would|will|is|are|may|might|am|got|any|ever)\b"
)
_YOU: Final = re.compile(r"\b(?:you(?:'ve|'re|'d|'ll)?|u|ya|your|yours|finclaw|thee|y'all|app|assistant)\b")
_PHRASES: Final = re.compile(
    r"\bi(?:'d| would)(?: really)? (?:like|love|want)(?: you)? to\b|\bi (?:want|wanna"
    r"|need)(?: you)?(?: to)?\b|\bi(?:'m| am| was)?(?: just)? (?:curious|wondering|wonder"
    r"|interested)(?: (?:to know|to hear|to see|about|in|if|whether))?\b"
    r"|\bto be (?:clear|sure|honest|specific)\b|\b(?:as|so) far as you (?:know|can tell|remember"
    r"|recall|are aware)\b|\bup (?:to|until|till) (?:now|this point|today)\b|\buntil now\b"
    r"|\bat (?:this|the) (?:point|moment|present)\b|\bby now\b|\bso far\b"
    r"|\b(?:from|in|during|over|across|based on|through)(?: all)?(?: of)? ?(?:our|the|my|previous|past"
    r"|earlier|these|those)?(?: (?:previous|past|earlier|last|other|prior|many|recent|old"
    r"|whole))*(?: (?:chats?|conversations?|talks?|discussions?|messages|sessions?|exchanges?|time))\b"
    r"|\b(?:when|if) it comes to\b|\b(?:with|in) regards? to\b|\bin terms of\b|\bon the (?:subject"
    r"|topic|matter) of\b|\bthe (?:subject|topic|matter) of\b|\bregarding\b|\bconcerning\b|\baccording to\b"
    r"|\brelated to\b|\brelating to\b|\bhaving to do with\b|\bto do with\b"
    r"|\bby (?:the way|heart|any chance)\b|\bin (?:short|brief|detail|full|general|total|a nutshell"
    r"|one go|a list|bullet points|a few words|your (?:own )?words|plain words|a sentence|order)\b"
    r"|\bat all\b|\bof course\b|\bfor me\b(?=[.?! ]*$)|\bgood (?:morning|afternoon|evening|day"
    r"|night)\b"
    r"|\bthank you(?: (?:very|so) much)?\b|\bthanks(?: (?:a lot|so much|in advance|a bunch"
    r"|a million))?\b|\bmany thanks\b|\bcheers\b|\bone (?:more )?(?:question|thing)\b"
    r"|\bquick (?:question|check|one)\b|\bif (?:you )?(?:don't mind|possible|may i ask|any)\b"
    r"|\bdo me a favou?r\b|\bfrom (?:before|last time|memory)\b"
    r"|\b(?:that )?you(?:'ve| have)? (?:still |currently |already )?(?=(?:know|remember|recall|hold"
    r"|keep|have|got|learned|learnt|noted|stored|saved|kept|gathered|collected|picked))"
    r"|\bin my (?:own )?words\b|\blong time no see\b|\bnice to (?:see|meet) you(?: again)?\b|\bi(?:'m"
    r"| am) back\b|\bit's me(?: again)?\b|\bstart(?:ing)? with\b|\bout of (?:curiosity|interest)\b"
    r"|\bas of (?:now|today)\b|\bto date\b|\band so on\b|\betc\b|\bside of (?:things|my life|life)\b"
    r"|\bpart of my life\b|\bwise\b"
)
_FILLERS: Final = frozenset(
    (
        "a an the of on about for to in at with from is are was were be been being do does did have has had "
        "can could would will may might should shall that this it so and or but ok okay well now then um uh "
        "hmm hey hi hello yo greetings dear please pls plz kindly just really actually exactly precisely "
        "currently presently already still yet again also too even only ever right quick quickly briefly "
        "short brief honest honestly basically literally specifically particular mainly mostly oh ah there "
        "here buddy friend mate pal sir thanks thank thx ty cheers lol haha hehe btw there's that's it's "
        "let's let us we if whether i'm i am my our me myself regards especially overall altogether total "
        "complete full entire whole every each one ones bit some more most important key main relevant known "
        "stored saved personal specific lately recently today tonight tomorrow's morning afternoon evening "
        "good nice great sure yes yeah yep no gonna wanna gotta as far by when got go ahead back out up down "
        "over through into its everybody everyone curious wonder wondering maybe perhaps possibly simply e.g. "
        "i.e. vs plus including incl along detail details detailed long longer term memory's kind sort sorts "
        "kinds type types area areas topic topics subject subjects matter matters aspect aspects side field "
        "together thoroughly properly correctly accurately truly anyway though although than any less within "
        "i've i'd you'd fast clearly deep deeply deeper level closely intimately better best heart dearest "
        "folks man dude bro alright like listen look remind latest newest date current today's"
    ).split()
)
_CONTRARY: Final = re.compile(
    r"\b(?:yourself|he|she|himself|herself|themselves|forget|delete|erase|stop|don't|do not|never|not|isn't"
    r"|wasn't|haven't|hasn't|won't|can't|cannot|why|when did|how do you know|how did you|where did"
    r"|who told|who else|else knows|should i|need to know)\b"
)
_PASSIVE: Final = re.compile(
    r"\b(?:is|are|'s|was|been|has been|have been) (?:\w+ )?(?:stored|saved|kept|known|recorded|noted"
    r"|remembered|on file|on record)\b"
)
_THEY_ASK: Final = re.compile(
    r"\b(?:you|they|he|she|people)(?:'d| would| do)? (?:want|like|need|love) to (?:know|learn|hear)\b"
)
_TELLS: Final = re.compile(
    r"\A\W{0,4}(?:(?:so|and|but|hey|hi|ok|okay|well|just curious|good morning|hello|finclaw)\W{1,4}){0,4}i(?:'ve"
    r"|'m| know| told| have| said| am)\b(?! (?:want|wanna|would|curious|wondering|interested|just))"
)
_ASKS_WHAT: Final = re.compile(r"\b(?:what|which|how|everything|anything|curious|wondering)\b")
_COURTESY: Final = re.compile(
    r"\bthank you\b|\b(?:hi|hello|hey|morning|ok|so|well|please)[\s,]+finclaw\b|\bfinclaw\s*[,:!]"
)
_INVERTED: Final = (
    (re.compile(r"\b(?:do|did) i\b"), "i"),
    (re.compile(r"(?<!who )(?<!person )\bam i\b(?! like)"), "i am"),
)
_DIRECT: Final = frozenset(
    {"plans", "hobbies", "tastes", "allergies", "investing", "routine", "people", "pets", "answers"}
)
"""Topics whose list "What are my …?" asks for without a word of remembering."""
_DIRECTLY: Final = re.compile(
    r"\A\W{0,4}(?:(?:so|and|hey|hi|ok|okay|well|please|finclaw)\W{1,4}){0,4}(?:what(?:'s| is| are|'re)|which are"
    r"|who(?:'s| is| are|'re)|list|show me|tell me)\b"
)
_ABOUT_ME: Final = re.compile(
    r"\babout (?:me|myself)\b|\bof me\b|\bme up\b|\b(?:describe|recap) me\b|\bme to myself\b|\bon me\b"
    r"|\bprofile me\b|\bfor me as\b|\bmy (?:profile|file|dossier|portrait|memories|record)\b"
)
_OPEN_MEMORY: Final = re.compile(
    r"\b(?:remember(?:ed)?|recall|noted|learn(?:ed|t)|stored|saved|recorded|kept|retained|memoris?zed)\b"
)
_WORD: Final = re.compile(r"[^\W_]+(?:['.-][^\W_]+)*")
_OWN_NOUN: Final = re.compile(
    r"\b(?:about|on|regarding|of) (?:my|our) ((?:[a-z-]+ ){0,2}[a-z-]+)[\W]*(?:(?:please|thanks|then"
    r"|so far|now|again|at all)[\W]*)*$"
)


def _longest_first(alternatives: str) -> str:
    """Alternatives sorted so that none matches before a longer one that contains it."""
    parts, depth = [""], 0
    for character in alternatives:
        depth += (character == "(") - (character == ")")
        if character == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return "|".join(sorted(parts, key=len, reverse=True))


def _topic_patterns(words: dict[str, str]) -> list[tuple[str, re.Pattern[str]]]:
    """A pattern for each topic, the longest noun first."""
    return [
        (topic, re.compile(rf"\b(?:{_longest_first(alternatives)})\b(?!'s|')")) for topic, alternatives in words.items()
    ]


_CLAUSES: Final = _topic_patterns(CLAUSES)
_NOUNS: Final = [
    (topic, re.compile(rf"\b(?:my|our)(?: (?:{_ADJECTIVES}))* (?:{_longest_first(alternatives)})\b(?!'|-)"))
    for topic, alternatives in NOUNS.items()
]
_BARE: Final = {topic: rf"\b(?:{_longest_first(alternatives)})\b(?!'|-)" for topic, alternatives in NOUNS.items()}
_JOINED: Final = [
    (topic, re.compile(rf"(?<=§)\s*+(?:,|and|or|&|/)+\s*+(?:and |or )?{noun}|{noun}\s*+(?:,|and|or|&|/)\s*+(?=§)"))
    for topic, noun in _BARE.items()
]
_NEAR: Final = [
    (topic, re.compile(rf"(?:\b(?:and|about|on|for|of|to|,|:|under|in|-)\s*+){noun}")) for topic, noun in _BARE.items()
]
_NARROW: Final = {
    "name": re.compile(r"\bmy (?:name|nickname)\b|\bwhat i(?:'m| am) called\b|\bwhat my name is\b"),
    "age": re.compile(r"\bmy age\b|\bhow old i am\b"),
    "birthday": re.compile(r"\bmy (?:birthday|date of birth)\b|\bwhen (?:i was born|my birthday is)\b"),
    "origin": re.compile(
        r"\bmy origins?\b|\bwhere i(?:'m| am) (?:from|originally from)\b|\bwhere i (?:come from|was born|grew up)\b"
    ),
}

_KNOW: Final = re.compile(r"\bknow\b")
_TELL_ABOUT: Final = re.compile(r"\b(?:tell|remind) (?:me|us) (?:all |everything |something |more )?about\b")


def read_english(said: str) -> tuple[tuple[str, ...], str, bool] | None:
    """The topics asked for, an unknown noun behind "my", and whether a word of remembering is missing; None for any
    other message.
    """
    if _CONTRARY.search(said) or _THEY_ASK.search(said) or (_TELLS.search(said) and not _ASKS_WHAT.search(said)):
        return None
    left, topics = _extract_topics(_declarative_order(said))
    left = _PHRASES.sub(" ", left)
    is_who = _WHO_AM_I.search(left) is not None
    left = _WHO_AM_I.sub(" ", left)
    told = _TOLD_BY_ME.search(left) is not None
    left = _TOLD_BY_ME.sub(" ", left)
    named = "" if topics else _own_noun(left)
    if named:
        left = left.replace(f"my {named}", " ").replace(f"our {named}", " ")
    asks_of_me = _ABOUT_ME.search(said) is not None
    addressed = _YOU.search(_COURTESY.sub(" ", said)) is not None
    without_request = _ASKING.sub(" ", left)
    knows = told or _KNOWING.search(without_request) is not None or (addressed and _KNOW.search(said) is not None)
    stored = _STORE.search(without_request) is not None
    mentions_me = is_who or _ME.search(without_request) is not None
    if (mentions_me or stored) and not topics:
        without_request, topics = _extract_bare_topics(without_request)
    may_add = asks_of_me and addressed and (knows or stored or "?" in said)
    if len(_leftover(without_request)) > may_add:
        return None
    if not _is_asked(said, left, is_who=is_who):
        return None
    knows_passively = _PASSIVE.search(said) is not None
    target = is_who or mentions_me or asks_of_me or bool(topics) or bool(named)
    if (
        target
        and (knows or stored or is_who)
        and (addressed or stored or told or is_who or knows_passively or _ASKING.search(left))
    ):
        return topics, named, False
    if asks_of_me or (topics and _TELL_ABOUT.search(said)):
        return (topics, named, False) if target else None
    if topics and set(topics) <= _DIRECT and _DIRECTLY.search(said):
        return topics, named, True
    is_open = not named and ((told and addressed) or (knows and addressed and _OPEN_MEMORY.search(said)))
    return ((), "", False) if is_open else None


def _declarative_order(said: str) -> str:
    """The clause in declarative order: "what languages I speak" for "what languages do I speak"."""
    for pattern, order in _INVERTED:
        said = pattern.sub(order, said)
    return said


def _extract_topics(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without its topics, and these; the longest name first: "my holiday plans" before "my holiday"."""
    found: dict[str, None] = {}
    narrow = [name for name, pattern in _NARROW.items() if pattern.search(text)]
    while match := _longest_topic(text):
        topic, start, end = match
        found[topic] = None
        text = f"{text[:start]} § {text[end:]}"
    if found:
        text, more = _extract_joined_topics(text)
        found |= dict.fromkeys(more)
    if narrow and set(found) == {"who"}:
        return text, tuple(narrow)
    return text, tuple(found)


def _longest_topic(text: str) -> tuple[str, int, int] | None:
    matches = (
        (topic, match.start(), match.end())
        for topic, pattern in (*_CLAUSES, *_NOUNS)
        for match in pattern.finditer(text)
    )
    return max(matches, key=lambda found: found[2] - found[1], default=None)


def _extract_joined_topics(text: str) -> tuple[str, list[str]]:
    """Nouns that share one "my": "my work and family"."""
    more = []
    for topic, pattern in _JOINED:
        text, number = pattern.subn(" § ", text)
        if number:
            more.append(topic)
    return text, more


def _extract_bare_topics(text: str) -> tuple[str, tuple[str, ...]]:
    """Topics without "my", in a message that is about the speaker anyway: "about me and work", "work-wise"."""
    found = []
    for topic, pattern in _NEAR:
        text, number = pattern.subn(" ", text)
        if number:
            found.append(topic)
    return text, tuple(found)


def _own_noun(text: str) -> str:
    match = _OWN_NOUN.search(text)
    if match is None:
        return ""
    noun = match[1].strip()
    return "" if _STORE.fullmatch(noun) or _ME.fullmatch(f"my {noun}") or noun.split()[-1] in _FILLERS else noun


def _leftover(text: str) -> list[str]:
    for pattern in (_ME, _STORE, _KNOWING, _QUESTION, _YOU):
        text = pattern.sub(" ", text)
    return [word for word in _split_words(text) if word not in _FILLERS]


def _split_words(text: str) -> Iterable[str]:
    return _WORD.findall(text)


def _is_asked(said: str, left: str, *, is_who: bool) -> bool:
    """Whether it is a question or a request, unlike "you know me"."""
    return bool(is_who or "?" in said or _ASKING.search(left) or _AUXILIARY.search(said) or _QUESTION.search(left))
