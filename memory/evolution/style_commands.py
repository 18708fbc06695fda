"""Commands to the assistant about how it speaks: "be warm", "back to usual", "换成严格模式".

They are no facts about the user; what is to hold for every answer is learned under a slot of its own.
"""

from __future__ import annotations

import re
from typing import Final

from foundation.text import normalize

LONGEST_COMMAND: Final = 80
"""The most characters of a command; a longer sentence tells something."""

_LEADERS_EN: Final = (
    r"(?:(?:please|now|then|ok(?:ay)?|thanks|and|but|so|just|(?:can|could|would|will) you|can we|(?:I want|"
    r"I'd like) you to|"
    r"you (?:should|can|may)|from now on|from here on|going forward|always)[\s,]+)*"
)
_MANNER_EN: Final = r"(?:mode|style|persona|personality|tone|voice|manner|self)"
_BACK_EN: Final = re.compile(
    rf"{_LEADERS_EN}(?:(?:(?:go|come|get|switch|change|turn)(?: it)? )?back|return|revert|reset)"
    rf"(?: (?:to )?(?:being )?(?:(?:the |your )?(?:usual|normal|default|old|original|regular)(?: {_MANNER_EN}| way)?|"
    rf"yourself|before|"
    rf"(?:how|the way|what) you (?:were|are|used to be)|(?:the |your ){_MANNER_EN}))(?: (?:again|now|please|before))*",
    re.IGNORECASE,
)
_COMMAND_EN: Final = re.compile(
    rf"{_LEADERS_EN}(?:"
    r"(?:be|sound|act|stay|become)(?: to me)?(?: (?!(?:here|there|back|born|home|in|at|on)\b)[\w'-]+){1,5}"
    r"|(?:speak|talk|answer|reply|respond)(?: [\w'-]+){0,8}"
    rf"|(?:use|try|adopt|take|enter|keep|set|change|switch|turn|go)(?: [\w'-]+){{0,5}} {_MANNER_EN}(?: [\w'-]+){{0,3}}"
    r"|(?:keep|make) (?:it|that|your (?:answers?|replies)) [\w' -]{3,30}"
    r"|(?:stop|quit|don't|do not) (?:be|being|sound|sounding|talk|talking|answer|answering|speak|"
    r"speaking)(?: [\w'-]+){0,6}"
    r")",
    re.IGNORECASE,
)
_LEADERS_ZH: Final = (
    r"(?:请|麻烦|那|好的?|嗯|还是|我(?:希望|想要?|要)(?=你|您)|你|您|能不能|可不可以|可以|能|以后|今后|从现在(?:开始|"
    r"起)|都|就|[,，])*"
)
_MANNER_ZH: Final = r"(?:模式|风格|人格|语气|口吻|口气|说话方式)"
_SPEAK_ZH: Final = r"(?:说话|讲话|回答|回复|聊天|聊|交流)"
_END_ZH: Final = r"[吧啊呀哦吗了好可以行就谢]*"
_USUAL_ZH: Final = r"(?:正常|默认|平时|平常|原来|原先|原样|以前|之前|往常|自己)"
_BACK_ZH: Final = re.compile(
    rf"{_LEADERS_ZH}(?:(?:恢复|回归|还原|做回|(?:变|换|切|切换|改|调|转)?回)(?:到|成|为)?(?:你|"
    rf"您)?(?:的)?{_USUAL_ZH}(?:的)?(?:你|样子|状态|模样|那样|方式|{_MANNER_ZH})?"
    rf"|(?:变|换|切|改|调)回[来去]|(?:像|跟|和|照)(?:你|您)?{_USUAL_ZH}(?:的)?(?:一样|那样)?(?:地)?{_SPEAK_ZH}?|"
    rf"正常(?:一?点|一?些)?{_SPEAK_ZH}?|照旧|老样子){_END_ZH}"
)
_WORD_ZH: Final = (
    r"(?:理性|理智|逻辑|客观|冷静|偶像|文艺|诗意|活泼|元气|俏皮|可爱|有趣|幽默|温柔|温和|温暖|暖心|亲切|友好|友善|热情|"
    r"和气|体贴|平衡|严格|"
    r"正经|严肃|正式|专业|平实|稳重|务实|简短|简洁|精简|详细|具体|直接|啰嗦)"
)
_BIT_ZH: Final = r"(?:一点儿?|点儿?|一些|些)"
_COMMAND_ZH: Final = re.compile(
    rf"{_LEADERS_ZH}(?:"
    rf"(?:切换|切|换|改|变|调|转|用|以|进入|退出|关闭)[到成为用个]?(?:[^,，我他她]{{0,8}}(?:模式|人格|语气|口吻|口气|"
    rf"说话方式)|{_WORD_ZH}{_BIT_ZH}?的?{_MANNER_ZH})"
    rf"(?:来)?(?:[跟和对给]我)?{_SPEAK_ZH}?"
    rf"|(?:把)?(?:你|您)?的?(?:{_SPEAK_ZH}的?)?(?:{_MANNER_ZH}|{_SPEAK_ZH})?(?:[跟和对给]我)?(?:换|改|变|调|更|再|得|"
    rf"要|成|为|用)*{_WORD_ZH}"
    rf"(?:{_BIT_ZH}的?|地(?={_SPEAK_ZH}|[跟和对给]我))(?:[跟和对给]我)?{_SPEAK_ZH}?"
    rf"|(?:别|不要|不用|少)(?:再|老是?|总是?)?[^,，我他她]{{0,6}}(?:{_SPEAK_ZH}|语气|口气|啰嗦|废话|"
    rf"表情)[^,，我]{{0,4}}"
    rf"|(?:用|说|讲)(?:中文|英文|英语|汉语|普通话)(?:来)?(?:[跟和对给]我)?(?:{_SPEAK_ZH}|说|讲)?我?"
    rf"){_END_ZH}"
)


def is_return_to_default(sentence: str) -> bool:
    """Whether a sentence only asks the assistant to speak as it usually does."""
    return _matches(sentence, _BACK_EN, _BACK_ZH)


def is_style_command(sentence: str) -> bool:
    """Whether a sentence only tells the assistant how to speak."""
    return is_return_to_default(sentence) or _matches(sentence, _COMMAND_EN, _COMMAND_ZH)


def _matches(sentence: str, *commands: re.Pattern[str]) -> bool:
    words = normalize(sentence).replace("’", "'").strip(" \t.!?,;~…。！？，；～\"'“”")
    return len(words) <= LONGEST_COMMAND and any(command.fullmatch(words) for command in commands)
