"""Grammar of Chinese questions about oneself: known parts become symbols, and what is left over decides."""

from __future__ import annotations

import re
from typing import Final

from finclaw.brain.self_questions.question_topics_zh import CLAUSES, NOUNS

_MINE: Final = (
    r"(?:我(?:们)?(?:自己|本人|个人|这个人)?(?:现在|目前|平时|平常|当前|最近|今年|以后|将来|未来|日常"
    r"|私人)?(?:家里?的|家|屋头)?的?(?:个人|整体|具体|基本|目前|现在|当前|日常|主要|最近|近期|各种|所有"
    r"|全部|一些|那些)?的?)"
)
_SELF: Final = re.compile(
    r"我(?:这个?人|这人|自己|本人|个人|这个用户|这家伙)?(?:到底|究竟)?是(?:谁|个?什么(?:样的?)?人"
    r"|个?怎(?:么)?样的?(?:一个)?人|啥人|哪个|何许人也?|何人|哪位)"
    r"|我(?:这个人|这人)?(?:是)?(?:什么|啥)(?:样的?)?(?:一个)?人|我(?:这个人|这人)(?:怎么样|如何)"
    r"|我(?:谁)(?:啊|呀|呢)"
)
_ME: Final = re.compile(
    r"(?:我(?:们)?|本人|俺|咱|鄙人|在下)(?:这个?人|这人|自己|本人|个人|这位用户"
    r"|这个用户)?(?:的)?(?:(?:各种|所有|全部|一切|相关|有关|个人|具体|详细|基本|私人)的?)?"
    r"(?:一切|情况|信息|资料|事情?|事儿|所有|全部|档案|记录|背景|画像|生活|个人信息|点滴|方方面面|状况"
    r"|内容|东西|细节|特点|数据|故事|为人|记忆|人)?"
)
_STORE: Final = re.compile(
    r"(?:你(?:的)?|您(?:的)?)?(?:长期)?(?:记忆(?:库|里|中)?|笔记(?:本)?|档案|数据库|资料库|小本本"
    r"|备忘录?|存档|脑子|脑袋|心里|心目中|心中|那里|那儿|这里|手里|手上|眼里|眼中|印象|本子|系统|后台"
    r"|知识库|画像|肚子|名下)(?:里面?"
    r"|中|上|当中|里头)?"
)
_KNOWING: Final = re.compile(
    r"(?:听我说过|总结出|注意到|知道|晓得|了解|记得|记住|记下|记录|记着|记有|记过|记了|存有|存了|存着"
    r"|存下|存过|保存|留存|留下|留有|掌握|清楚|认识|认得|学到|学会|得知|听说|熟悉|印象|收集|搜集|留意"
    r"|积累|写了|写着|写过|写下|知晓|明白|摸清|获取|获得|知悉|储存|收录|理解|把握|发现|有数|记|存|懂"
    r"|攒)(?:住|到|下来?|过|着|了|得)*"
)
_TOLD_BY_ME: Final = re.compile(
    r"我(?:之前|以前|上次|曾经?|都|已经?|刚才){0,3}(?:跟|和|对|向|给|同)?(?:你|您)?(?:都|已经?){0,2}(?:说|告诉"
    r"|提|讲|聊|透露|分享|交代)(?:到|起|及)?(?:了|过)(?:你|您)?(?:的)?"
)
_ASKING: Final = re.compile(
    r"(?:给(?:我|俺)(?:看一?看|讲一?讲|说一?说|听听|看|讲|说|列|总结|汇报|介绍|来)|让我(?:看一?看|听听"
    r"|知道|了解)|列(?:出来?|一下|举|个)?|告诉(?:我|俺|咱)?|说一?说|讲一?讲|谈一?谈|聊一?聊|看一?看"
    r"|念一?念|数一?数|报一?报|提醒我|查一?查|想知道|想了解|帮(?:我|忙)|翻一下|翻出来|说出来?|问一下"
    r"|考考你|总结|概括|归纳|介绍|描述|形容|描绘|展示|显示|复述|回顾|回忆|盘点|梳理|汇总|整理|汇报"
    r"|查看|想看|想听听|想听|翻翻|请问|问问|说|讲|报|问)"
)
_QUESTION: Final = re.compile(
    r"(?:什么样|啥样|怎样的|怎么样|哪方面|有没有|模样|样子|形象|什么|啥子|哪些|哪几|多少|一些|有些|几样"
    r"|几件|几条|没有|全部|所有|一切|多深|怎样|怎么|如何|哪儿|哪里|清单|列表|概况|总览|摘要|小结|程度"
    r"|内容|东西|信息|资料|情况|细节|要点|事情|事儿|方面|记录|数据|全面|详细|具体|啥|些|几|吗|呢|么|嘛"
    r"|不|没|都|全|多|哪|事|点|条|深)"
)
_YOU: Final = re.compile(r"你们?|您|finclaw|助手|ai|机器人|小爪|阁下|贵")
_FILLERS: Final = re.compile(
    r"彻底|聊了|透|久|谢谢(?:你|您)?(?:啦|了)?|到现在为止|到目前为止|迄今为止|截至目前|可不可以|辛苦(?:了|啦)?|现阶段"
    r"|到今天|一下下?|一会儿?|能不能|是不是|早上好|下午好|晚上好|在不在|实际上|这么久|这么多|这些天"
    r"|亲爱的|小助手|什么样|行不行|好不好|关于|对于|有关|相关|至于|针对|围绕|到底|究竟|现在|目前|当前"
    r"|迄今|至今|截止|为止|麻烦|劳驾|拜托|可以|能否|可否|是否|能够|愿意|想要|听听|帮忙|里面|当中|之中"
    r"|以及|或者?|方面|你好|您好|哈喽|哈啰|早安|晚安|在吗|多谢|感谢|谢啦|谢了|好的|那么|另外|顺便|对了"
    r"|话说|所以|其实|真的|其中|平时|平常|通常|一般|最近|以来|之前|以前|上次|从前|我们|咱们|聊天|对话"
    r"|交流|谈话|一直|每次|通过|根据|按照|依据|已经|曾经|主要|大概|大致|大体|简单|简要|简短|快速|仔细"
    r"|完整|逐条|一一|稍微|随便|好奇|有点|有没|老师|朋友|兄弟|同学|哪怕|句话|几句|作为|身为|个人|而言"
    r"|来说|来讲|觉得|看来|出来|起来|么样|怎么|好吗|可好|成吗|行吗|嘻嘻|哈哈|嘿嘿|自己|本人|特别|非常"
    r"|十分|比较|足够|嗯嗯|哎呀|地方|部分|时候|今天|昨天|准确|确切|肯定|应该|可能|就|到|一|下|的|地|得"
    r"|了|过|着|呀|啊|吧|哈|哦|噢|喔|啦|嘞|哟|呗|哇|耶|诶|欸|哎|嗯|唔|额|呃|请|能|可|会|要|想|帮|把|将"
    r"|给|来|还|也|是|有|在|里|中|上|和|跟|与|及|、|嗨|早|喂|好|那|这|真|聊|从|凭|依|已|曾|稍|先|再|又"
    r"|只|仅|嘿|个|份|张|次|遍|回|句|话|用|对|目|方|看|心|当|成|出|起|行|呐|叭|鸭|捏|滴|嗷|吼|咧|撒|噻"
    r"|嗦|伐|不|没|人|之|其|所|以|便|即|更|最|很|太|挺|蛮|够|唉|时|日|号"
)
_CONTRARY: Final = re.compile(
    r"忘掉|忘了|忘记|删|清除|抹掉|别记|不要记|别再|为什么|为啥|怎么知道|怎么会|从哪|谁告诉"
    r"|什么时候知道|想知道我|还想了解|需要知道|需要了解|你自己|你是谁|他|她|它|请记住|帮我记|给我记"
    r"|记一下|记下来(?!的)|别人|大家|人家"
)
_DIRECT: Final = frozenset(
    {"plans", "hobbies", "tastes", "allergies", "investing", "routine", "people", "pets", "answers"}
)
_DIRECTLY: Final = re.compile(r"什么|哪些|啥|哪几")
_OF_MANY: Final = frozenset({"investing", "tastes"})
"""Of these a question asks for one, which recall answers (我关注什么？), or for all (我都喜欢什么？)."""
_ALL_OF_THEM: Final = re.compile(r"都|哪些|些什么|些啥|哪几|全部|所有")
_OPEN_MEMORY: Final = re.compile(
    r"(?:你|您)(?:现在|目前|到底|究竟|还|都|已经|一共|总共)*(?:记得|记住|记下|记了|记录|存了|保存"
    r"|学到)(?:了|过|着|下来)?(?:些|哪些|什么|啥|多少|些什么|些啥)"
)
_CURIOUS: Final = re.compile(r"我(?:只是|就是)?(?:很|有点|比较)?(?:好奇|想问问?|问一?下)")
_ABOUT_ME: Final = re.compile(r"(?:关于|有关|对)我(?![的家们])")
_OWN_FILE: Final = re.compile(r"我的?(?:个人|所有|全部)?的?(?:信息|资料|档案|记忆|画像|记录|数据)")
_PUNCTUATION: Final = re.compile(r"[\W_]+")
_OWN_NOUN: Final = re.compile(
    r"我(?:的|家的)(?!什么|啥|哪|一些)([\u4e00-\u9fffa-z0-9]{1,8}?)(?:你|您|吗|呢|么|嘛|有?(?:什么"
    r"|哪些|多少|啥)|的(?:事"
    r"|情况|信息)|[\W]|$|知道|了解|记)"
)


def _topic_patterns(words: dict[str, str], before: str = "", after: str = "") -> list[tuple[str, re.Pattern[str]]]:
    return [(topic, re.compile(f"{before}(?:{alternatives}){after}")) for topic, alternatives in words.items()]


_CLAUSES: Final = _topic_patterns(CLAUSES)
_NOUNS: Final = _topic_patterns(NOUNS, _MINE, r"(?:这?方面|这?一?块|的?(?:事情?|事儿|情况|信息|资料|问题|状况|内容))?")
_BARE: Final = _topic_patterns(
    NOUNS,
    r"(?<![\u4e00-\u9fff])(?:关于|有关|对|在)?",
    r"(?:这?方面|这?一?块|上|的?(?:事情?|事儿|情况|信息|资料|问题|状况|内容))",
)
_JOINED: Final = [
    (
        topic,
        re.compile(
            f"(?<=§)(?:和|跟|与|及|以及|、|或|还有|,|，)+(?:我的?)?(?:{alternatives})|(?:{alternatives})(?:和"
            f"|跟|与|及|以及|、|或)+(?=§)"
        ),
    )
    for topic, alternatives in NOUNS.items()
]
_NARROW: Final = {
    "name": re.compile(r"我的?名字|我的?姓名|我叫(?:什么|啥)"),
    "age": re.compile(r"我的?(?:年龄|岁数)|我(?:今年)?(?:多大|几岁|多少岁)"),
    "birthday": re.compile(r"我的?生日|我(?:是)?(?:哪年|哪天|什么时候)出生"),
    "origin": re.compile(r"我的?(?:籍贯|老家|家乡|国籍)|我是哪(?:里|儿)(?:的)?人|我来自"),
}

_TELLING: Final = re.compile(r"(?:说一?[说下]|讲一?[讲下]|谈一?谈|介绍|描述|形容|概括|总结|盘点|梳理|评价|回顾|告诉我)")


def read_chinese(said: str) -> tuple[tuple[str, ...], str, bool] | None:
    """The topics asked for, an unknown noun behind 我的, and whether a word of remembering is missing; None
    for any other message.
    """
    if _CONTRARY.search(said):
        return None
    said = _CURIOUS.sub(" ", said)
    left, topics = _extract_topics(said)
    is_who = _SELF.search(left) is not None
    left = _SELF.sub(" ", left)
    told = _TOLD_BY_ME.search(left) is not None
    left = _TOLD_BY_ME.sub(" ", left)
    named = "" if topics else _own_noun(left)
    left = left.replace(named, " ", 1) if named else left
    asks = _ASKING.search(left) is not None
    rest = _ASKING.sub(" ", left)
    stored = _STORE.search(rest) is not None
    rest = _STORE.sub(" ", rest)
    knows = told or _KNOWING.search(rest) is not None
    rest = _KNOWING.sub(" ", rest)
    mentions_me = _ME.search(rest) is not None or "自己" in rest
    rest = _ME.sub(" ", rest)
    addressed = _YOU.search(said) is not None
    rest = _YOU.sub(" ", rest)
    asks = asks or is_who or _QUESTION.search(left) is not None or "?" in said or "？" in said
    rest = _FILLERS.sub("", _QUESTION.sub("", rest))
    may_add = addressed and _ABOUT_ME.search(said) is not None
    if len(_PUNCTUATION.sub("", rest.replace("§", ""))) > may_add or not asks:
        return None
    target = is_who or mentions_me or bool(topics) or bool(named)
    if target and (knows or stored or is_who) and (addressed or stored or told or is_who or asks):
        return topics, named, False
    if target and not named and _TELLING.search(said) and (mentions_me or topics):
        return topics, named, False
    one_of_many = not _OF_MANY.isdisjoint(topics) and not _ALL_OF_THEM.search(said)
    if topics and set(topics) <= _DIRECT and _DIRECTLY.search(said) and not one_of_many:
        return topics, named, True
    if mentions_me and _OWN_FILE.search(said) and asks:
        return topics, named, False
    return ((), "", False) if told or _OPEN_MEMORY.search(said) else None


def _own_noun(text: str) -> str:
    """The noun behind 我的 that is no other part of the question."""
    match = _OWN_NOUN.search(text)
    noun = match[1] if match else ""
    for pattern in (_STORE, _KNOWING, _ASKING, _QUESTION, _YOU, _FILLERS):
        noun = pattern.sub("", noun)
    return "" if _ME.fullmatch(f"我的{noun}") else noun


def _extract_topics(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without its topics, and these; the longest name first: 我的投资组合 before 我的投资."""
    found: dict[str, None] = {}
    narrow = [name for name, pattern in _NARROW.items() if pattern.search(text)]
    while match := _longest_topic(text):
        topic, start, end = match
        found[topic] = None
        text = f"{text[:start]}§{text[end:]}"
    if not found and ("我" in text or "俺" in text):
        for topic, pattern in _BARE:
            text, number = pattern.subn("§", text)
            if number:
                found[topic] = None
    if found:
        for topic, pattern in _JOINED:
            text, number = pattern.subn("§", text)
            if number:
                found[topic] = None
    if narrow and set(found) == {"who"}:
        return text, tuple(narrow)
    return text, tuple(found)


def _longest_topic(text: str) -> tuple[str, int, int] | None:
    matches = [
        (topic, match.start(), match.end())
        for topic, pattern in (*_CLAUSES, *_NOUNS)
        if (match := pattern.search(text))
    ]
    return max(matches, key=lambda found: found[2] - found[1], default=None)
