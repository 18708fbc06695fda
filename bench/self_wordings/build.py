"""Write out the wordings of questions about oneself, and of what is none, from their families.

    python -m bench.self_wordings.build

A family is one way to say it, with places for a topic (``{T}``), somebody or something else. It is filled in a fixed
number of ways, with openers and tails as people add them; the same families give the same lines.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
FILLED: Final = {"+": 10, "T": 14, "-": 8}
_TOPICS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "en": {
        "work": ("my work", "my job", "my career", "what i do for a living", "where i work"),
        "family": ("my family", "my relatives", "who is in my family"),
        "children": ("my kids", "my children"),
        "partner": ("my wife", "my husband", "my relationship"),
        "friends": ("my friends", "my colleagues"),
        "pets": ("my pets", "my dog"),
        "home": ("where i live", "my home", "my living situation"),
        "health": ("my health", "my medical history"),
        "allergies": ("my allergies",),
        "food": ("my diet", "what i eat", "my eating habits"),
        "money": ("my finances", "my savings", "my budget"),
        "investing": ("my investments", "my positions", "my portfolio", "how i invest"),
        "music": ("my taste in music",),
        "books": ("what i read",),
        "sport": ("my workouts", "my sports"),
        "hobbies": ("my hobbies", "my interests", "what i do for fun"),
        "tastes": ("what i like", "my preferences", "my likes and dislikes"),
        "travel": ("my travels", "my trips", "my holiday plans"),
        "transport": ("my commute", "my car"),
        "languages": ("the languages i speak", "my languages"),
        "routine": ("my daily routine", "my schedule", "my habits"),
        "plans": ("my plans", "my goals", "what i want to achieve"),
        "answers": ("how i like to be answered", "my reply preferences"),
        "birthday": ("my birthday",),
        "study": ("my studies", "my education"),
    },
    "zh": {
        "work": ("我的工作", "我的职业", "我做什么工作"),
        "family": ("我的家人", "我家里的情况", "我的家庭"),
        "children": ("我的孩子",),
        "partner": ("我的对象", "我老公", "我的感情状况"),
        "friends": ("我的朋友", "我的同事"),
        "pets": ("我的宠物", "我养的猫"),
        "home": ("我住在哪里", "我的住处"),
        "health": ("我的健康状况", "我的身体情况"),
        "allergies": ("我对什么过敏",),
        "food": ("我的饮食习惯", "我的口味"),
        "money": ("我的财务状况", "我的收入"),
        "investing": ("我的投资", "我的持仓", "我的投资偏好"),
        "music": ("我听什么音乐",),
        "books": ("我的阅读喜好",),
        "sport": ("我的运动习惯",),
        "hobbies": ("我的爱好", "我的兴趣爱好"),
        "tastes": ("我喜欢什么", "我的喜好"),
        "travel": ("我的旅行计划", "我去过的地方"),
        "transport": ("我的车", "我的通勤方式"),
        "languages": ("我会哪些语言",),
        "routine": ("我的作息", "我的日程"),
        "plans": ("我的计划", "我的目标", "我接下来的打算"),
        "answers": ("我喜欢的回答方式",),
        "birthday": ("我的生日",),
        "study": ("我的学业",),
    },
}
_FILL: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "en": {
        "X": (
            "Nvidia",
            "the war",
            "quantum computing",
            "gold",
            "that film",
            "interest rates",
            "Roman history",
            "TSMC",
            "black holes",
        ),
        "P": ("Anna", "Mr Hughes", "Elon Musk", "Priya", "the new boss"),
        "K": ("sister", "wife", "brother", "mum", "dog", "son", "landlord", "boss"),
        "D": ("Friday", "the 12th", "Monday", "3 May"),
        "C": ("Leeds", "Japan", "Toronto", "Portugal"),
        "F": ("sushi", "lentil soup", "oat milk", "garlic"),
        "J": ("nurse", "plumber", "data analyst", "lawyer"),
        "so far": ("so far", "up to now", "until now", ""),
    },
    "zh": {
        "X": ("英伟达", "量子计算", "黄金", "那部电影", "利率", "罗马史", "台积电", "比特币"),
        "P": ("小王", "李总", "马斯克", "老张", "隔壁王叔"),
        "K": ("妹妹", "老婆", "哥哥", "妈妈", "儿子", "老板"),
        "D": ("周五", "12号", "周一", "五月三号"),
        "C": ("成都", "日本", "多伦多", "青岛"),
        "F": ("寿司", "红烧肉", "豆浆", "大蒜"),
        "J": ("护士", "律师", "会计", "程序员"),
    },
}
_OPENERS: Final = {
    "en": (
        "",
        "",
        "",
        "",
        "hi! ",
        "hey, ",
        "ok so ",
        "hello finclaw, ",
        "quick question: ",
        "good morning. ",
        "just curious, ",
    ),
    "zh": ("", "", "", "", "你好，", "嗨，", "那个，", "请问", "早上好！", "对了，", "我好奇，"),
}
_TAILS: Final = {
    "en": ("?", "", "?", ".", "? thanks", ", please", "? thank you!", " lol", "? cheers", "??"),
    "zh": ("？", "", "呀？", "？谢谢", "呢？", "。", "啊", "，谢谢啦", "？辛苦了"),
}
_PLACE: Final = re.compile(r"\{([^{}]{1,10})\}")


def wordings(language: str) -> Iterator[dict[str, str]]:
    """Lines of ``{"family", "label", "text"}``: the label is ``all``, a topic, or ``none``."""
    families = (HERE / f"families_{language}.txt").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(families):
        sort, template = line.split(" ", 1)
        chance = random.Random(f"{language}{number}")
        seen: set[str] = set()
        for _ in range(FILLED[sort]):
            label, text = _filled(template, sort, language, chance)
            if text not in seen:
                seen.add(text)
                yield {"family": f"{language}{number}", "label": label, "text": text}


def _filled(template: str, sort: str, language: str, chance: random.Random) -> tuple[str, str]:
    label = {"+": "all", "-": "none", "T": ""}[sort]
    if sort == "T":
        label = chance.choice(sorted(_TOPICS[language]))
        template = template.replace("{T}", chance.choice(_TOPICS[language][label]))
    text = _PLACE.sub(lambda place: chance.choice(_FILL[language][place[1]]), template).strip()
    whole = chance.choice(_OPENERS[language]) + text + chance.choice(_TAILS[language])
    return label, whole[0].upper() + whole[1:] if chance.random() < 0.4 else whole


def main() -> None:
    """Write both files."""
    for language in ("en", "zh"):
        lines = [json.dumps(wording, ensure_ascii=False) for wording in wordings(language)]
        (HERE / f"{language}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
