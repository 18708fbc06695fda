"""Chinese rules for style wishes, matched on folded text in simplified characters."""

# ruff: noqa: E501 - a rule reads best on one line

from __future__ import annotations

import re
from typing import Final

from memory.evolution.style_preferences import LASTING_ZH
from personas.wish_rules import WishRule, WishRules

CHINESE: Final = "中文|汉语|普通话|国语|华语|简体中文|繁体中文"
ENGLISH: Final = "英文|英语"
_END = r"(?:了|吧|啊|呀|哦|的|就好|就行|就可以|可以吗|好吗|行吗|吗|谢谢|一下)*"
_BIT = r"(?:一)?(?:点儿?|些)"
_ANSWER = r"(?:说话|讲话|回答|回复|语气|口气|说|讲)"
_YOU = r"(?:你|您)?"
_CALM_END = r"(?:吧|啊|呀|哦|的|就好|就行|就可以|可以吗|好吗|行吗|吗|谢谢|一下)*"
"""Without "了": what has gone back to normal by itself is told, not asked for."""
_USUAL = r"正常|默认|平时|平常|原来|原先|以前|之前|往常|一贯|本来|最初|一开始"
_LIKE_USUAL = r"(?:(?:像|跟|和|同|照|按|如)(?:你|您)?(?:平时|平常|以前|之前|原来|往常|一贯|过去)(?:的)?(?:一样|那样|那种样子|样子|一般|似的)?|一如(?:既往|往常)(?:地)?)"
_VOICE = r"(?:模式|风格|方式|人格|语气|口吻|口气|声音)"
_MANNER = r"(?:模式|风格|方式|人格|语气|口吻|口气|状态|样子|模样|那样|声音)"
_WARM = r"(?:温柔|温和|温暖|暖心|暖|亲切|友好|友善|热情|和气|和蔼|体贴|贴心|有温度|有人情味)"
_PLAIN = r"(?:正经|严肃|正式|专业|平实|稳重|务实)"
_SPEAK = r"(?:回答|回复|答复|说话|说|讲话|讲|聊天|聊|写|解释|语气|口气|风格|态度|跟我|和我|对我|给我|得|地|来|要|都|就|再|更加|更|尽量|尽可能|保持|变|多|请|麻烦|你|您|你的)*"


def _clause(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"{_SPEAK}(?:{pattern}){_END}")


def _too(what: str, *, of_anything: str) -> re.Pattern[str]:
    """An objection: "别这么…", "你太…了". What is said ``of_anything``, prices and news too, names the assistant."""
    very = r"(?:有点|有些|也|都)*(?:太|过于|这么|那么)"
    return re.compile(
        rf"(?:请|你|您|说话|回答)*(?:别|不要|不用|少)(?:再|老|总|老是|总是)*(?:说话|回答|说|讲|写|得|弄|搞)*(?:这么|那么|这样|那样|太)*(?:{what}|{of_anything}){_END}|"
        rf"(?:你|您|{_ANSWER})(?:的|得|{_ANSWER})*{very}(?:{what}|{of_anything}){_END}|{very}(?:{what}){_END}"
    )


_USING = r"(?:用|以|换成|换|改成|改用|改为|换个|变成)"


def _language(names: str) -> re.Pattern[str]:
    """ "用中文回答", "说英语", "切换回中文": of speech, and no wish to translate anything."""
    said = r"(?:回答|回复|答复|说话|说|讲话|讲|写|聊天|聊|交流|交谈|沟通|对话)"
    return re.compile(
        rf"(?:请|麻烦|你|您|都|就|要|只|跟我|和我|对我|给我|改|再)*(?:(?:用|以|使用|换成|换|改成|改用|改为|切换到|切换成|切换回|切到|切回|换回|改回|变成)(?:{names})"
        rf"(?:来)?(?:(?:跟|和|对|给)我)?{said}?(?:我)?|(?:说|讲)(?:{names})|(?:{names}){said}){_END}"
    )


RULES: Final = WishRules(
    language="zh",
    split=re.compile(r"[,，;；、\s]+"),
    leaders=re.compile(r"^(?>请|麻烦(?:你)?|(?:你|您)?(?:能不能|可不可以|可以|能)|那|那么|好的?|嗯|对了|还有|另外|我(?:希望|想要?|要)(?:你|您))+"),
    lasting=LASTING_ZH,
    habit=re.compile(r"每次|一直|总是|永远"),
    reports=re.compile(r"(?<=[^我你您想要话来])(?<!就是)说$|(?:告诉|提醒|劝|叮嘱)我$|写道$"),
    command=re.compile(
        rf"(?:切换|切|换|改|变|调|转)?(?:回)?(?:到|成|为|用|进入)?{_SPEAK}(?:用|以|按)?"
        rf"(?:(?P<mode>理性|偶像|混合|平衡|严格|(?:温暖|温柔)(?=的?(?:模式|风格|人格)))的?{_MANNER}|"
        rf"(?P<trait>理性|理智|逻辑|客观|冷静|文艺|诗意|活泼|元气|俏皮|可爱|有趣|幽默|平衡|严格){_BIT})(?:来)?(?:(?:跟|和|对|给)我)?(?:回答|回复|说话|说|聊天|聊|交流)*{_END}"
    ),
    words={
        "理性": "rational", "理智": "rational", "逻辑": "rational", "客观": "rational", "冷静": "rational",
        "偶像": "idol", "文艺": "idol", "诗意": "idol", "活泼": "idol", "元气": "idol", "俏皮": "idol", "可爱": "idol",
        "有趣": "idol", "幽默": "idol", "温暖": "idol", "温柔": "idol",
        "混合": "hybrid", "平衡": "hybrid", "严格": "strict",
    },
    back=re.compile(
        rf"{_YOU}(?:(?:{_LIKE_USUAL}|正常)(?:地)?(?:来)?(?:(?:跟|和|对|给)我)?(?:回答|回复|说话|讲话|聊天|聊|交流)了?|"
        rf"(?:切换|切|换|改|变|调|转|恢复|回)(?:回)?(?:到|成|为|用)?{_YOU}(?:的)?(?:{_USUAL})的?(?:说话|讲话|回答|回复)?的?{_VOICE}|"
        rf"用(?:回)?{_YOU}(?:的)?(?:{_USUAL})的?(?:说话|讲话|回答|回复)?的?{_MANNER}(?:来)?(?:(?:跟|和|对|给)我)?(?:回答|回复|说话|说|聊天|聊|交流)?|"
        rf"(?:做|变)回{_YOU}(?:自己|本色)|(?:退出|取消|关闭|关掉|结束)(?:这个|现在的|当前的?)?(?:理性|偶像|温暖|温柔|混合|平衡|严格|这种)?(?:模式|风格|人格)|"
        rf"(?:别|不要|不用|不必)(?:再)?(?:这样|这么|用这种(?:语气|方式|风格))(?:说话|讲话|回答|回复|聊天|聊)了?){_CALM_END}"
    ),
    back_alone=re.compile(
        rf"{_YOU}(?:(?:恢复|回归|回复)(?:成|到)?(?:正常|默认|原样|原状|原来|平时|平常|往常|常态)(?:的)?{_MANNER}?|"
        rf"(?:回|回到|变回|换回|切回|改回|调回|变回到|切换回)(?:到)?{_YOU}(?:的)?(?:{_USUAL}|普通)(?:的)?(?:{_MANNER}|你|自己)?|"
        rf"(?:变|换|切|改|调|还原|转)回(?:来|去)|还原|做(?:你)?自己|(?:说话|语气|回答)?正常{_BIT}|{_LIKE_USUAL}(?:就好|就行|就可以)?|照旧|照常|老样子|"
        rf"(?:{_USUAL})(?:的)?{_MANNER}){_CALM_END}"
    ),
    as_now=re.compile(
        rf"(?:请|你|您|都|就|也|要|继续|保持)*(?:(?:这么|这样|照这样|像这样|按这样)(?:子)?(?:来|地|跟我|给我|对我)*(?:回复|回答|答复|说话|说|讲|写|聊)(?:我)?|"
        rf"(?:保持|用|按|照|按照)?(?:这个|这种|现在的|现在这种)(?:风格|语气|方式|样子|口气)(?:来|跟我|给我)*(?:回复|回答|说话|说|聊|写)?){_END}"
    ),
    wishes=(
        WishRule(_too("啰嗦|罗嗦|冗长|多废话|废话", of_anything="长|详细"), "reply_length", "concise", correction=True),
        WishRule(_too("简短|简略|敷衍|笼统", of_anything="短"), "reply_length", "detailed", correction=True),
        WishRule(_too("文艺|诗意|肉麻|煽情|卖萌", of_anything="活泼|夸张|热情|随便|情绪化"), "reply_tone", "plain", correction=True, mode="rational"),
        WishRule(_too("冷冰冰|生硬|死板", of_anything="冷淡|冷漠|机械|凶|严肃|官方"), "reply_tone", "warm", correction=True, mode="hybrid"),
        WishRule(_clause(rf"(?:简短|简洁|精简|简明|简单|短){_BIT}|简短|简洁|说重点|讲重点|长话短说"), "reply_length", "concise"),
        WishRule(_clause(rf"(?:详细|具体|细致|展开|深入){_BIT}|(?:详细|展开)(?:回答|回复|说|讲|解释)"), "reply_length", "detailed"),
        WishRule(_clause(r"(?:用|列|分)(?:成)?(?:要点|条目|列表|分点|点|条)(?:来)?(?:回答|回复|列出|列|说|讲|写)?"), "reply_structure", "points"),
        WishRule(
            re.compile(rf"(?:请|你)*(?:(?:别|不要|不用)(?:再)?(?:用|列|分)(?:要点|条目|列表|分点|点|条)(?:来)?(?:回答|回复|说|写)?|用(?:完整的?)?(?:句子|段落)(?:来)?(?:回答|回复|说|写)?){_END}"),
            "reply_structure",
            "prose",
        ),
        WishRule(
            _clause(rf"{_WARM}{_BIT}|{_WARM}(?:地|的(?:语气|口吻|口气|方式|态度))?(?:来)?(?:(?:跟|和|对|给)我)?(?:回答|回复|说话|讲话|聊天|聊)|{_USING}{_WARM}{_BIT}?的?(?:语气|口吻|口气|态度)(?:来)?(?:(?:跟|和|对|给)我)?(?:回答|回复|说话|讲话|聊天|聊)?"),
            "reply_tone",
            "warm",
            mode="idol",
        ),
        WishRule(
            re.compile(rf"(?:{_SPEAK}(?:{_USING})?{_PLAIN}{_BIT}(?:的?(?:语气|口吻|口气|态度))?|{_SPEAK}{_USING}{_PLAIN}的?(?:语气|口吻|口气|态度)(?:回答|回复|说话|讲话|聊天|聊)?){_END}"),
            "reply_tone",
            "plain",
            mode="rational",
        ),
        WishRule(re.compile(rf"(?:请|你)*(?:别|不要|不用)(?:再)?(?:用表情(?:符号)?|开玩笑|用感叹号){_END}"), "reply_tone", "plain"),
        WishRule(_language(CHINESE), "reply_language", "zh"),
        WishRule(_language(ENGLISH), "reply_language", "en"),
    ),
    suggestions=(
        (re.compile(r"只(?:要|给我?|看)(?:数字|数据|结论|答案)|不用解释|不要解释|列(?:个|一个)?清单"), "strict"),
        (
            re.compile(r"鼓励(?:一下)?我|给我打打?气|安慰(?:一下)?我|头脑风暴|我(?:现在|今天)?(?:好|很|太|有点)(?:累(?![计积加])|难过|沮丧|失落|焦虑)|写(?:一)?(?:首|个|篇|句)?(?:诗|故事|歌|口号|标语|祝福)"),
            "idol",
        ),
        (
            re.compile(r"报错|错误(?:信息|代码)|排查|调试|计算|算(?:一下|一算|算)|对比|比较一下|估值|该不该|要不要(?:买|卖|加仓|减仓)|利弊|决策|做(?:个)?决定|哪个(?:更|比较)(?:好|便宜|安全|划算)"),
            "rational",
        ),
    ),
)  # fmt: skip
