"""Recognizes small talk (greetings, thanks, goodbyes) by its words, in English and Chinese.

A message is small talk where nothing is left of it over these words; so "Hi, where do I live?" is a question.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from foundation.text import normalize

SmallTalk = Literal["greeting", "how_are_you", "thanks", "goodbye", "praise", "apology", "who_are_you", "agreed"]

LONGEST: Final = 120
_KINDS: Final[tuple[tuple[SmallTalk, str], ...]] = (
    (
        "who_are_you",
        r"who are you|what are you|what(?:'s| is) your name|what can you do(?: for me)?|what do you do"
        r"|how can you help(?: me)?"
        r"|introduce yourself|are you (?:a (?:bot|robot|human|person)|an ai|human|real)"
        r"|你是谁|您是谁|你是(?:什么|啥)|你叫(?:什么|啥)(?:名字)?|你能(?:做|干|帮我做)(?:什么|些什么|啥)"
        r"|你会(?:什么|些什么|做什么|干什么|干啥|啥)|你有什么用"
        r"|自我介绍(?:一下)?|介绍一下你自己|你是(?:机器人|真人|人|ai)吗?",
    ),
    (
        "how_are_you",
        r"how are (?:you(?: doing)?|things)|how(?:'s| is) (?:it going|everything|life|your day(?: going)?)"
        r"|how do you do|what's up|whats up|sup|wassup|you ok(?:ay)?|you alright"
        r"|how have you been|how(?:'re| are) ya|how you doing"
        r"|你好吗|您好吗|你(?:最近|今天|近来|还)?(?:怎么样|过得怎么样|过得好吗|好不好|还好吗|咋样)"
        r"|最近(?:怎么样|好吗|如何|咋样)|近来可好|吃了吗|吃了没|忙吗|忙什么呢",
    ),
    (
        "goodbye",
        r"(?:good)?bye(?: bye)?|see (?:you|ya)(?: (?:later|soon|tomorrow|around|then))?|good ?night"
        r"|talk (?:to you )?(?:later|soon|tomorrow)|(?:that's|that is) (?:all|it)(?: for (?:now|today))?"
        r"|have a (?:good|nice|great|lovely) (?:one|day|night|evening|weekend)|take care|gotta go"
        r"|i have to go|i(?:'m| am) off|catch you later|cya|ttyl|later|farewell|until (?:next time"
        r"|tomorrow)|sleep well"
        r"|再见|拜拜?|拜拜了|晚安|回头见|回见|明天见|下次(?:见|聊|再聊)|先这样(?:吧)?|就这样(?:吧)?"
        r"|我先走了|我走了|下了|撤了|改天(?:聊|再聊)|回头(?:聊|再聊)|睡了|我去睡了|886|88",
    ),
    (
        "thanks",
        r"thanks?(?: (?:a lot|a million|a bunch|so much|very much|again|anyway|for (?:that|this|your help"
        r"|the help|everything|it)))?|thank you(?: (?:so much|very much|again|kindly|for (?:that|this"
        r"|your help|the help|everything)))?"
        r"|thx|ty|tysm|cheers|much appreciated|i appreciate (?:it|that|this)|many thanks|appreciated"
        r"|great,? thanks|ta"
        r"|谢谢(?:你|您|啦|了|哈|哦|呀)*|多谢(?:了|啦)?|感谢(?:你|您)?|谢啦|谢了|辛苦(?:你|您)?(?:了|啦)?"
        r"|麻烦(?:你|您)?了|感恩|谢谢你的帮助|3q|thank",
    ),
    (
        "apology",
        r"(?:i'm |i am )?(?:so |very )?sorry(?: about that)?|my (?:bad|mistake)|apologi[sz]es"
        r"|i apologi[sz]e|不好意思|对不起|抱歉|我的错",
    ),
    (
        "praise",
        r"(?:that's |that is |this is |it's |you(?:'re| are) )?(?:so |very |really |just )?(?:great"
        r"|awesome|nice|cool|perfect|excellent|amazing|brilliant|wonderful|helpful|clever|smart|kind"
        r"|lovely|funny|fantastic|the best|impressive)"
        r"|good (?:job|work|bot|point|one|stuff)|well done|nice (?:one|work|job)|love it|wow|you rock|good to know"
        r"|真?(?:不错|棒|厉害|好用|聪明)|太(?:棒|好|厉害|强)了?|很(?:好|棒|聪明|厉害)|你真(?:好|棒|聪明"
        r"|厉害|行)|牛(?:逼|啊)?|厉害(?:了)?|好极了|完美|赞|666|绝了|可以啊",
    ),
    (
        "greeting",
        r"hi(?:ya| there)?|hello(?: there)?|hey(?: there| you)?|yo|howdy|greetings|good (?:morning"
        r"|afternoon|evening|day)|morning|evening|afternoon|hi again|hello again|long time no see"
        r"|nice to meet you"
        r"|is (?:any(?:one|body)|someone) (?:there|here|home)|(?:are )?you there|i'm back|g'day|gday|test(?:ing)?"
        r"|你好(?:呀|啊|哦|吖)?|您好|嗨|哈[喽啰罗](?:啊)?|早上好|早安|早啊?|上午好|中午好|下午好|晚上好"
        r"|在吗|在不在|在么|在嘛|有人吗|我(?:又)?(?:回)?来了|好久不见|幸会|很高兴认识你|大家好|喂",
    ),
    (
        "agreed",
        r"ok(?:ay)?(?: then)?|k|kk|okey|alright|all right|sure|fine|got it|i see|understood|right|yes|yeah"
        r"|yep|yup|no|nope|nah|cool|hm+|mm+|uh ?huh|aha|oh|ah|haha+|hehe+|lol|lmao|interesting|true"
        r"|exactly|indeed|sounds good|makes sense|fair enough|never ?mind|no worries|no problem"
        r"|好(?:的|吧|嘞|滴|哒|呀|啊|咧)?|行(?:吧)?|嗯+(?:呢|哪)?|哦+|噢|知道了|明白了?|收到|了解了?"
        r"|可以(?:的)?|没(?:事|问题|关系)|不用了|算了|哈哈+|嘿嘿+|呵呵+|是(?:的|啊|呀)|对(?:的|啊|呀)?"
        r"|没错|不是|不|原来如此|这样啊|有意思|懂了",
    ),
)
_PARTS: Final = [(kind, re.compile(rf"(?<![a-z0-9'])(?:{words})(?![a-z0-9'])")) for kind, words in _KINDS]
_FILLERS: Final = re.compile(
    r"(?<![a-z'])(?:finclaw|there|everyone|all|again|then|for now|today|so|very|much|and|you too|you"
    r"|my friend|friend|buddy|mate|dear|please|well|now|just|then|to you|too|a lot|here"
    r"|it's me)(?![a-z'])"
    r"|[呀啊哦噢哈啦呢吧嘛吗了的哟喔诶欸嘞咯呐]|你|您|朋友|亲|小助手|助手|今天|先|那|我"
)


def small_talk_in(text: str) -> SmallTalk | None:
    """The kind of small talk that a message is; None where it says or asks anything else. Linear in its length."""
    if len(text) > LONGEST:
        return None
    left = " ".join(normalize(text).replace("’", "'").split())
    found: list[SmallTalk] = []
    for kind, pattern in _PARTS:
        left, number = pattern.subn(" ", left)
        found += [kind] * min(number, 1)
    if not found or any(character.isalnum() for character in _FILLERS.sub(" ", left)):
        return None
    return found[0] if found != ["greeting", "agreed"] else "greeting"
