"""Chinese words that chat adds to a statement without changing what it states; all in simplified characters."""

from __future__ import annotations

from typing import Final

OPENERS: Final = (
    "对了", "话说", "那个", "嗯", "呃", "额", "哦", "噢", "喔", "啊", "哎", "唉", "哎呀", "诶", "欸", "嘿", "嗨",
    "哈哈", "说实话", "老实说", "讲真", "说真的", "顺便说一下", "顺便说一句", "顺便", "跟你说", "我跟你说", "跟你讲",
    "我跟你讲", "告诉你", "我告诉你", "和你说一声", "跟你说一声", "跟你说个事", "跟你说一下", "你知道吗", "你晓得不",
    "请记住", "请你记住", "你记住", "记住", "帮我记一下", "帮我记住", "帮我记着", "你记一下", "记一下", "麻烦记一下",
    "请记一下", "记得", "别忘了", "不要忘了", "怎么说呢", "其实吧", "然后呢", "那什么", "总之", "反正",
)  # fmt: skip
"""Before a statement. "不对" and "更正一下" are not among them: they say that something is corrected."""

CLOSERS: Final = (
    "记住这一点", "请记住这一点", "记住这点", "请记住这点", "记住了", "请记住", "你记住", "记住哦", "记住啊",
    "要记住", "你要记住", "记住", "你记一下", "帮我记一下", "帮我记住", "帮我记着", "麻烦记一下", "记一下", "记着点",
    "记着", "别忘了", "不要忘了", "你别忘了", "千万别忘", "就这样", "就是这样", "是这样的", "说真的", "真的", "讲真",
    "说实话", "老实说", "不骗你", "没骗你", "跟你说", "我跟你说", "告诉你", "你懂的", "你知道的", "供你参考",
    "仅供参考", "谢谢", "谢谢你", "谢谢啦", "多谢", "以后用得上", "以后会用到", "hhh", "hh", "lol", "233", "2333",
    "顺便说一下", "顺便说一句", "笑死", "笑死我了", "绝了", "没办法", "怎么说呢", "其实", "反正",
)  # fmt: skip
"""Behind a statement, with or without a comma before them."""

PARTICLES: Final = frozenset("嘛啦呀啊哦喔噢哈咯喽啰嘞哟呦嘿呵嘻咧捏滴诶欸哎唉")
"""Characters that close a sentence with a mood only. 吗, 呢 and 吧 are not among them: they ask or suppose."""

TAG_QUESTIONS: Final = frozenset(
    {
        "知道吗", "你知道吗", "知道吧", "你知道吧", "知道不", "晓得不", "懂吗", "懂吧", "你懂吗", "你懂吧", "明白吗",
        "对吧", "对吗", "对不对", "是吧", "是不是", "是吗", "好吗", "好吧", "行吗", "行不", "可以吗", "你说呢",
        "你说是吧", "你说是不是", "你觉得呢", "你看呢", "你怎么看", "你觉得怎么样", "怎么样", "咋样", "如何", "你呢",
        "有什么建议吗", "有建议吗", "有啥建议", "记住了吗", "记住了没", "记得吗", "能记住吗", "你能记住吗",
        "没问题吧", "是不是很", "有没有", "奇怪吗", "正常吗", "你信不", "你信吗", "你信不信", "神奇吧", "厉害吧",
        "你猜怎么着",
    }
)  # fmt: skip
"""Questions behind a statement that ask nothing about it."""

QUESTION_MARKS: Final = (
    "吗",
    "什么",
    "怎么",
    "怎样",
    "咋",
    "啥",
    "哪",
    "谁",
    "多少",
    "几",
    "呢",
    "为何",
    "是不是",
    "有没有",
    "能不能",
    "要不要",
)
"""Words of a clause that asks."""

SUPPOSING_WORDS: Final = ("如果", "要是", "假如", "假设", "万一", "的话", "若", "比如")
"""Words of a sentence whose question must stay with it."""

FILLERS: Final = ("那个那个", "就是说", "就那个", "呃", "额…", "嗯", "你知道吧", "怎么说呢")
"""Words left out wherever they stand."""

FIRST_PERSON: Final = (
    ("我们家", "我家"), ("咱们", "我"), ("我们", "我"), ("俺们", "我"), ("我哋", "我"), ("我俩", "我"),
    ("本人", "我"), ("俺", "我"), ("咱", "我"), ("阿拉", "我"), ("偶们", "我"),
)  # fmt: skip
"""Other first persons, longest first, and what the singular is."""
