"""Whether a sentence can be read alone, or takes its meaning from what was said before it.

Two degrees. What ``points_back`` has no meaning without the sentence before ("the same", "这样"). What ``leans_back`` has
one, but leaves open of what: a definite noun phrase that nothing in the sentence introduces ("the exhibitions"), a
comparison without its other side ("other museums"), a verb that stands for one said before ("I don't").
"""

# ruff: noqa: E501, SIM905 - a pattern and what it means are read on one line, and a list of words as text

from __future__ import annotations

import re
from typing import Final

from memory.rewriting.protected_spans import without_quotations

_POINTS_BACK: Final = re.compile(
    r"\b(?:this|these|those|such|next time|last time|at first|that day|the (?:most|best|worst|hardest|first|last) (?:[\w-]+ )?(?:part|thing|one|moment|step)|the (?:same|other|others|former|latter|above)|another one|each other(?= too)|both of|all of (?:it|them)|likewise|that (?:one|way|kind|sort|part|thing|idea|place|movie|book|feeling|experience|moment|person|trip|point|sounds?|is|was|would|really|makes?|made))\b|\b(?:that|so|not)[.!]?$"
    r"|\b(?:to|do|did|does|have|can|could|will|would|is|are|was|too much)[.!]?$|^(?:that|it|which|who|because|since|although|though|while|when|if|as|unless|until|except)\b"
    r"|[这那该此](?!么多年)|上一?次|下一?次|听着|听起来|最[^,，。]{1,8}的(?:地方|部分|一点|事情)?就?是(?!《)|记下来|上述|以上|前者|后者|同样|也是如此|如此|^(?:因为|由于|虽然|尽管|如果|要是|即使|每当|除了|既然|只要|只有|不仅|不但|而|却|就是|特别是|尤其是|包括|并|和|或)",
    re.IGNORECASE,
)
"""Words that nobody understands without the sentence before."""
_SHELLS: Final = (
    r"(?:situation|event|options?|idea|offer|advice|suggestions?|experience|challenge|opportunity|process|feeling|result|"
    r"issue|problem|matter|topic|moment|journey|goal|task|step|place|person|thing|way|part|difference|message)s?"
)
"""Nouns that stand for what was said before (Schmid 2000, English Abstract Nouns as Conceptual Shells), and their like."""
_ANAPHORA: Final = re.compile(
    rf"(?<!and )\bthe (?:[\w-]+ )?{_SHELLS}\b(?! (?:of|to|where|that|who|in|at|for|with|from|when|is|I)\b)"
    r"|\b(?:with|of|for|from|to|about|in|on|at|through|during|after|before|by|into|over|like|do|did|doing|done) that\b"
    r"|\b(?:spread|shared?|get|got|loved?|used?|take|took|make|made|had|join(?:ed)?|see|saw|need|want(?:ed)?|enjoy(?:ed)?) that\b"
    r"|\A(?:at|during|after|before|in|for|from) the (?!(?:morning|evening|afternoon|night|summer|winter|spring|fall|autumn|past|future|mornings|evenings)\b)[a-z]+,"
    r"|\A(?:in the meantime|meanwhile|at the (?:time|same time|end)|growing up|afterwards?)\b"
    r"|\b(?:about|of|on|for|with|from|at|by) it\b(?=[.!,]|$)|\bsimilar$|\bsomething(?:\s[-–—]|[.!]*\Z)|\AI (?:really |just |absolutely )?(?:love|loved|like|liked|adore) the\b|\b(?:something|anything) similar\b|\AThe (?![^,]{0,40}\b(?:I|my)\b)"
    r"|\b(?:someone|somebody|something) (?:who|that|else|like|awesome|amazing|great|new|good|special|different)\b",
    re.IGNORECASE,
)
"""Definite words for what was spoken of before."""
_DEFINITE: Final = re.compile(
    r"(?<!\bplay )(?<!\bplaying )\bthe (?P<noun>(?:(?!the\b)[A-Za-z'’-]+ ){0,2}[A-Za-z'’-]+)", re.IGNORECASE
)
_UNIQUE: Final = frozenset(
    (
        "afternoon afternoons air airport army autumn baby bank bar beach beginning bus cafe carnival cat cello "
        "children church cinema city clinic club coast community country countryside day days dentist doctor dog "
        "door drums earth east economy end environment evening evenings fair fall family festival floor flu flute "
        "forest future garden government guitar gym hills holidays hospital house internet kids kitchen lake "
        "library mall market meantime media metro moment month moon morning mornings mountains movies museum music "
        "news newspaper night nights north ocean office outdoors park past phone piano playground police pool pub "
        "radio rain river road sea sky snow south spring square stage stars state store street subway summer sun "
        "supermarket table team temple theater theatre time town train vet village violin wall water way weather "
        "web week weekdays weekend weekends west whole winter woods world year years zoo"
    ).split()
)
"""Nouns whose "the" needs nothing said before it: the one of its kind, or of everybody's surroundings, and the weak
definites of institutions, "go to the gym" (Hawkins 1978; Carlson and Sussman 2005).
"""
_AFTER_A_NOUN: Final = frozenset(
    (
        " last next this that yesterday today tomorrow tonight and or but in on at with to for from of by is are was "
        "were be been has had have will would can could so because while when as it i my we they who which really very "
        "just also after before during until since every together again"
    ).split(" ")
)
"""Words, or nothing, before which a noun phrase has come to its head."""
_POSTMODIFIED: Final = re.compile(
    r"\s*(?:of|that|who|which|where|when|called|named|between|about|near|behind|I|I'm|I've|my|we)\b"
    r"|\s*(?:in|at|on|from|for|with|to) (?:my|our|an?|[\"“《])|\s*(?:in|at|on|from|for|with|to) (?=(?-i:[A-Z]))"
    r"|['’]s\b",
    re.IGNORECASE,
)
"""What tells after a noun which one is meant."""
_INTRODUCED: Final = re.compile(
    r"\b(?:went|visited|attended|joined|tried|watched|cooked|climbed|travell?ed|saw|had|did)\s(?=[a-z])"
    r"|\b(?:an?|some|new|two|three|four|five|several|many)\s(?!(?:bit|lot|few|little|while|great time)\b)"
    r"|\b(?:to|in|at|from|through|of|visit(?:ed)?|watch(?:ed|ing)?|read(?:ing)?|play(?:ed|ing)?)\s+(?:\"|“|(?-i:[A-Z]))",
    re.IGNORECASE,
)
"""What brings something into a sentence to which a definite noun phrase after it belongs: "a restaurant … the food"."""
_BOUNDARY: Final = re.compile(r"[,;:]|\b(?:and|but|so|because|where|while|since)\b|\s[-–—]\s", re.IGNORECASE)
_RELATIVE: Final = re.compile(
    r"(?<!and )(?<!or )(?<!any )(?<!every )(?<!no )(?<!each )(?<!with )(?<!the )\bothers?\b(?! than\b| people\b| hand\b|wise\b)"
    r"|\banother\b(?! (?:day|week|month|year|country|city|job|company)\b)"
    r"|\beach\b(?! (?:other|day|week|month|year|morning|night|evening|time|weekend|summer|winter)\b)"
    r"|\b(?:neither|the rest|again|further|instead|even more|some more|any more|(?:a few|one|two|three) more|related|certain|respective|corresponding|aforementioned)\b"
    r"|\b(?:be|is|are|was|were) (?:also |very |really |so )?(?:helpful|useful|effective)\b|\bspecific\b|\b(?:during|on|for|of|after|before|in) my (?:trip|visit|stay|journey|travels?|speech|presentation|work)\b"
    r"|\bboth\b(?! (?:\w+ ){1,4}and\b)|\beither\b(?! (?:\w+ ){1,4}or\b)"
    r"|\b(?:more|less|fewer) (?:energy|time|space|confidence|motivation|options|people|money|details?|information|practice|support|fun)\b(?![^.]{0,40}\bthan\b)",
    re.IGNORECASE,
)
"""Comparisons whose other side was said before, and words for members of a set that was named before."""
_STANDS_FOR_A_VERB: Final = re.compile(
    r"\b(?:do|does|did|is|are|was|were|am|have|has|had|can|could|will|would|should)(?:n['’]t| not)?[.!;,](?=\s|\Z)",
    re.IGNORECASE,
)
_LEANS_CHINESE: Final = re.compile(
    r"每(?:[本家个道部首种件条座位次部]|一)(?!(?:人|月|星期|礼拜|周末|周[一二三四五六日天]?|季度|小时|晚上|早上|天|年)|[天年])|其[他它余中]|另[一外]|剩下|别的|两者|相关的?(?!性)|各自|里面|再次"
    r"|^(?:在)?[^,，。]{1,10}的时候[,，]|^(?:之后|当时|期间|结果|最终|一共|总共)|好多了|(?:城市|小说|书|店|片|剧|文章|故事)里|有(?:所|一?些|很大的?)?帮助|进去|出来后|具体",
)


def points_back(text: str) -> bool:
    """Whether words of a sentence mean something only after the one before it: "this", "the same", "那个"."""
    own = without_quotations(text)
    return _POINTS_BACK.search(own) is not None or _ANAPHORA.search(own) is not None


def leans_back(text: str) -> bool:
    """Whether a sentence leaves open of what it tells: "the exhibitions", "other museums", "每个城市"."""
    own = without_quotations(text)
    return (
        _RELATIVE.search(own) is not None
        or _STANDS_FOR_A_VERB.search(own) is not None
        or _LEANS_CHINESE.search(own) is not None
        or any(_is_unexplained(match) for match in _DEFINITE.finditer(own))
    )


def _is_unexplained(match: re.Match[str]) -> bool:
    """Whether a definite noun phrase names nothing that is unique, explained behind it or introduced before it."""
    text, words = match.string, match["noun"].split()
    if words[0][:1].isupper() or _is_introduced(text, match.start()):
        return False
    end = match.start("noun")
    for word, following in zip(words, [*words[1:], ""], strict=True):
        end += len(word)
        is_head = following.lower() in _AFTER_A_NOUN
        if (is_head and word.lower().rstrip("'’") in _UNIQUE) or _POSTMODIFIED.match(text, end):
            return False
        if is_head:
            return True
        end += 1
    return True


def _is_introduced(text: str, at: int) -> bool:
    """Whether a clause before that of this place introduces something to which what it names may belong."""
    boundary = max((found.start() for found in _BOUNDARY.finditer(text, max(0, at - LOOKED_BACK), at)), default=-1)
    return boundary > 0 and _INTRODUCED.search(text, max(0, boundary - LOOKED_BACK), boundary) is not None


LOOKED_BACK: Final = 120
"""Characters before a definite noun phrase in which what it belongs to is looked for."""
