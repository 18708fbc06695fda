"""What somebody says in a chat that tells nothing of what happened to them, or of what they are: promises to try
something, agreement, moods, opinions, talk of the chat itself.
"""

# ruff: noqa: E501 - a pattern and what it means are read on one line

from __future__ import annotations

import re
from typing import Final

_PROMISE: Final = re.compile(
    r"\bI(?:'m| am) (?:fine|okay|ok|good|in|sure|ready)\b|\bI(?:'ll| will| would| could| can|'d)(?: (?:definitely|also|probably|certainly|surely|have to|try to|do my best to|make sure to|go|seriously|carefully|like to|love to))*\s(?:try|give|take|consider|check|study|work|pay|search|look|think|keep|see|do|find|remember|have|let|continue|talk|share|go|come|read|watch|listen|be|get|send)\b(?![^.]{0,60}\b(?:tomorrow|tonight|next|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|in [A-Z]|this)\b)"
    r"|我(?:[也就还]|一定|以后|今后)*会(?:再|多|去|好好|认真|虚心|努力|继续|试着)*(?:尝试|试|看|考虑|注意|努力|好好|认真|虚心|查|找|参加|加油|珍惜|做到|记)|我[也还]?可以(?:再|去)?[试尝]|我(?:会|要|想)(?:继续|好好|多多)?(?:努力|加油|坚持)|我[将会要](?:再|多|去)?(?:尝试|试)|[会能可以]?(?:尝试|试试|试一试)(?:看|一下)?$",
    re.IGNORECASE,
)
"""What somebody answers to advice: "I will give it a try", "我会去试试"."""
_VAGUE: Final = re.compile(
    r"\b(?:an?|some|the|my)(?: [\w-]+)? (?:problems?|troubles?|difficult(?:y|ies)|questions?|issues?|challenges?)\b[^,]{0,12}(?:,|$| and I| lately| recently| today)"
    r"|\b(?:take a look|the key point|a lot of (?:useful|inspiration)|good idea|great idea|makes? (?:me|sense)|have fun|our (?:chat|conversation))\b"
    r"|\b(?:today|it)(?:'s| is) (?:a )?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\bweather\b|今天是(?:星期|周|礼拜)|天气"
    r"|\bnew (?:skills?|hobby|hobbies|things?|activity|activities|experiences?)\b(?! (?:like|such|called|of|in|-))|新的?(?:技能|东西|事物|爱好)"
    r"|(?:一[些个点]|个|些|上的)(?:小)?(?:困难|麻烦|问题|困惑|烦恼)|聊天|对话|聊聊|有道理|建议|推荐|受益|收获",
    re.IGNORECASE,
)
"""What says that there is something, and not what."""
_ATTITUDE: Final = re.compile(
    r"\bagree\b|\bcouldn't agree more\b|\b(?:never|won't|not going to|will not|not gonna|not) (?:ever )?(?:give up|giving up|quit)\b"
    r"|\bstay(?:ing|s)? (?:positive|strong|focused|motivated|true)\b|\bpush(?:ing)? (?:forward|on|through)\b"
    r"|\bkeep(?:ing)? (?:on |at it|going|pushing|trying|fighting|using|working|growing|moving|dreaming|it up)"
    r"|\bmake a (?:change|difference)\b|\b(?:can't|cannot) wait\b|\bup for (?:it|the challenge)\b|\bgrateful\b|\bthankful\b"
    r"|\bproud\b|\bhappy for\b|\bglad (?:to|that|we|you)\b|\blook(?:ing)? forward to\b(?! (?:my|visiting|moving|going|starting))"
    r"|同意|不会放弃|坚持下去|继续努力|感激|期待(?:着|与|和)?$",
    re.IGNORECASE,
)
"""Agreement, thanks and resolve: how somebody takes what was said, and nothing that happened."""
_ADVERBS: Final = (
    r"(?:(?:really|so|very|just|also|always|still|truly|totally|super|pretty|quite|a bit|a little|kind of|kinda|sort of|"
    r"definitely|certainly|often|sometimes|even|too|more|feeling|been|absolutely|extremely|incredibly|all|now|\w+ly)\s+){0,4}+"
)
_EMOTIONS: Final = (
    r"(?:excited|happy|happier|sad|thrilled|stoked|tired|exhausted|stressed|anxious|nervous|worried|scared|afraid|glad|"
    r"proud|lucky|blessed|inspired|motivated|determined|confident|hopeful|optimistic|upset|down|low|lost|confused|"
    r"overwhelmed|bored|lonely|amazed|impressed|moved|touched|relaxed|calm|keen|eager|curious|pumped|hyped|psyched|"
    r"honou?red|relieved|frustrated|disappointed|discouraged|unsure|uncertain|content|satisfied|delighted|surprised|"
    r"depressed|comfortable|uncomfortable|ready|unhappy|angry|annoyed|jealous|embarrassed|fulfilled|energi[sz]ed|"
    r"appreciative|speechless|jittery|swamped|drained|good|great|better|fine|okay|ok|well|positive|free|alive|busy)"
)
_STATE_OF_MIND: Final = re.compile(
    r"\A(?:[^,.!?]{1,40},\s|sometimes |lately |recently )?(?:and |but )?I(?:['’](?:m|ve|d)| am| was| have| had| do| did)?(?: not|n['’]t)? "
    rf"{_ADVERBS}(?:"
    r"(?:feel|felt|feeling|hope|hoped|hoping|wish|wished|believe|believed|guess|guessed|know|knew|understand|understood|"
    r"appreciate|appreciated|wonder|wondered|wondering|doubt|admire|agree|mean|trust|realized?|realised?|suppose|expect|"
    r"imagine|bet|care|believing|struggling|needed?|relate)\b"
    r"|(?:think|thought|thinking)\b(?! (?:about|of) (?:\w+ing|my (?:own )?(?:business|wedding)|an?)\b)"
    rf")|\A(?:[^,.!?]{{1,40}},\s|sometimes |lately |recently )?(?:and |but )?I(?:['’]m| am| was|['’]ve been| have been| had been|['’]ve felt| get| got| became)(?: not|n['’]t)? {_ADVERBS}{_EMOTIONS}\b(?! (?:at|in) \w)"
    r"|\b(?:feel|feels|felt|feeling) (?:like|as if|that|so|very|really)\b",
    re.IGNORECASE,
)
"""A sentence whose first verb says what its speaker feels or thinks: a state of mind, and no event in Vendler's sense."""
_STATE_OF_MIND_CHINESE: Final = re.compile(
    r"\A(?:[^,，。！？我]{0,12}[,，])?(?:最近|近来|现在|今天|有时候?|其实|总是|一直)?我?(?:自己)?(?:最近|近来|现在|今天|真的|总是|一直|有时候?|有点|也|很|都|还是|非常|经常|基本上|已经|好像)*(?:觉得|感觉|感到|认为|以为|希望|相信|害怕|担心|明白|知道|理解|意识到|迫不及待|兴奋|开心|高兴|难过|着迷|沉浸|想(?:谈|聊|问|请教|和你|跟你))"
)
_EVALUATION: Final = re.compile(
    r"\A(?!.{0,60}\bI\b)[^,.!?;]{0,60}\b(?:is|are|was|were|be) (?:such |really |always |definitely |truly )*(?:an? |the )?(?:\w+ )?(?:great|good|wonderful|nice|perfect|best|amazing|awesome|important|essential|key|worth|awesome|beautiful) ?(?:way|thing|place|time|feeling|idea|choice|reminder|to|for|that|when|how|[.!]|\Z)",
    re.IGNORECASE,
)
"""What praises something in general: "Travel is a great way to learn"."""
_WISH: Final = re.compile(
    r"\bI(?:['’](?:m|d|ve)| am| would| was| have)? (?:(?:also|really|just|still|always|been|only|do|definitely)\s){0,3}+"
    r"(?:want(?:ed)?|need(?:ed)?|hope|hoping|wish|dream(?:ing)?|aim(?:ing)?|try(?:ing)?|tried|looking|eager) (?:to|of|for|more)\b"
    r"|\bI(?:['’]d| would) (?:\w+ )?(?:like|love) to\b"
    r"|我(?:也|还|最近|现在|一直|真的|很|都|非常|特别)*(?:想(?![念起到法象])|希望|需要|梦想|努力)"
)
"""What somebody wishes: of what they are up to it says little, unless it is sure that it teaches something."""
_NEEDS: Final = re.compile(
    r"\bI(?:['’](?:m|d|ve)| am| would| was| have)?(?: been| also| really| just| not| like to)* ?(?:want|need|don['’]t know|do not know|looking|look|hoping|hope|trying|try|wondering|struggling|confused|sure|can['’]t decide|have no idea|considering|find(?:ing)?(?: it)?)\b|"
    r"我(?:也|还|最近|现在|一直)*(?:想|要|需要|不知道|不确定|不太|打算|在考虑|正在考虑|在找)",
    re.IGNORECASE,
)


def is_small_talk(text: str) -> bool:
    """Whether a sentence promises to try something, agrees, gives thanks, or names nothing."""
    return any(pattern.search(text) for pattern in (_PROMISE, _VAGUE, _ATTITUDE))


def is_state_of_mind(text: str) -> bool:
    """Whether a sentence says how its speaker feels, or what they think of something: "I feel lost", "我觉得很好"."""
    return (
        _STATE_OF_MIND.search(text) is not None
        or _STATE_OF_MIND_CHINESE.match(text) is not None
        or _EVALUATION.search(text) is not None
    )


def is_wish(text: str) -> bool:
    """Whether a sentence says what its speaker would have, or strives for: "I want to inspire people"."""
    return _WISH.search(text) is not None


def names_a_need(text: str) -> bool:
    """Whether a sentence says what its speaker wants or does not know: before a question it is part of the question."""
    return _NEEDS.search(text) is not None
