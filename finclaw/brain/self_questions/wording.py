"""The wording of answers about oneself, in both languages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, Literal

from django.urls import reverse
from django.utils import timezone

from finclaw.brain.material.objective import Language
from finclaw.brain.self_questions.listing import (
    ListedStatement,
    QuotedListing,
    StatementListing,
    is_past,
    quote_listing,
)
from finclaw.brain.self_questions.topics import SECTIONS
from memory.models import MemoryItem

AnswerKey = Literal[
    "everything",
    "topic",
    "nothing",
    "nothing_temporary",
    "nothing_of_topic",
    "off",
    "unsure",
    "more",
    "more_unsure",
    "all",
    "older",
    "group",
    "told",
    "added",
    "picked_up",
    "concluded",
    "not_sure",
    "past",
    "since",
    "source",
    "source_page",
    "which",
    "which_wrong",
    "what_is_right",
    "correct_page",
    "corrected",
    "gone",
    "forget_preview",
    "forget_it",
    "forget_all",
    "forget_page",
]
_SAID: Final[dict[AnswerKey, tuple[str, str]]] = {
    "everything": ("Here is what I remember about you:", "关于你，我记得这些："),
    "topic": ("Here is what I remember about {topic}:", "关于{topic}，我记得这些："),
    "nothing": (
        "I don’t remember anything about you yet. Tell me something, like where you live or what you do, or {add}.",
        "我还没有记住关于你的任何事。你可以告诉我，比如住在哪里、做什么工作，或者{add}。",
    ),
    "nothing_temporary": (
        "I don’t remember anything about you, and this chat is temporary: nothing said here is kept.",
        "我还没有记住关于你的任何事。这是临时对话，这里说的内容不会保留。",
    ),
    "nothing_of_topic": (
        "I don’t remember anything about {topic}. {all}",
        "关于{topic}，我没有记住任何内容。{all}",
    ),
    "off": (
        "I don’t remember anything about you: you have not allowed me to learn. You can change that under {privacy}.",
        "我没有记住关于你的任何事：你没有允许我学习。可以在{privacy}里更改。",
    ),
    "unsure": ("Not sure yet, {review}:", "还不确定，{review}："),
    "more": ("and {count} more", "还有 {count} 条"),
    "more_unsure": ("and {count} more I am not sure about", "还有 {count} 条不确定的"),
    "all": ("See all I remember", "查看我记得的全部内容"),
    "older": ("Older memories are in the list, too: {all}.", "更早的记忆也在列表里：{all}。"),
    "group": ("Only what you told this group is listed here.", "这里只列出你在这个群里说过的内容。"),
    "told": ("you told me, {day}", "你告诉我的，{day}"),
    "added": ("added by you, {day}", "你自己添加的，{day}"),
    "picked_up": ("from a chat, {day}", "从对话中记下，{day}"),
    "concluded": ("from several chats, {day}", "从多次对话中归纳，{day}"),
    "not_sure": ("not certain", "不确定"),
    "past": ("that day has passed", "日子已过"),
    "since": ("“{text}”: since {day}.", "“{text}”：从{day}起。"),
    "source": ("“{text}”: {origin}. {page}", "“{text}”：{origin}。{page}"),
    "source_page": ("See what you said", "查看你的原话"),
    "which": (
        "Which one do you mean? Say it in a word or two, or by its number.",
        "你指的是哪一条？可以说第几条，或者说个关键词。",
    ),
    "which_wrong": (
        "Which one is wrong, and what is right? For example: “the second one is wrong, it’s Leeds”.",
        "哪一条不对，正确的是什么？比如：“第二条不对，是利兹”。",
    ),
    "what_is_right": (
        "What should “{text}” say instead? Tell me the whole sentence, {page} or {forget}.",
        "“{text}”应该怎么说才对？告诉我完整的一句话，或者{page}，或者{forget}。",
    ),
    "correct_page": ("correct it here", "在这里更正"),
    "corrected": ("Corrected: {new} (was: {old}).", "已更正：{new}（原来是：{old}）。"),
    "gone": (
        "That has changed meanwhile, so I left it as it is.",
        "这条内容刚刚有了变化，所以我没有改动。",
    ),
    "forget_preview": (
        "Nothing is forgotten yet. Here you see what would go, and confirm it:",
        "还没有忘记任何内容。在这里可以先看会忘记什么，再确认：",
    ),
    "forget_it": ("forget it", "忘记这条"),
    "forget_all": (
        "Nothing is forgotten yet. Here you see everything that would go, and confirm it: {page}.",
        "还没有忘记任何内容。在这里可以先看会忘记哪些内容，再确认：{page}。",
    ),
    "forget_page": ("forget everything I learned", "忘记我学到的一切"),
}
_LINKED: Final[dict[str, tuple[str, str]]] = {
    "add": ("add it yourself", "自己添加"),
    "privacy": ("Privacy", "隐私设置"),
    "review": ("please say yes or no", "请告诉我对不对"),
}
_TOPIC: Final[dict[str, tuple[str, str]]] = {
    "who": ("who you are", "你是谁"),
    "name": ("your name", "你的名字"),
    "age": ("your age", "你的年龄"),
    "birthday": ("your birthday", "你的生日"),
    "origin": ("where you are from", "你的家乡"),
    "work": ("your work", "你的工作"),
    "study": ("your studies", "你的学习"),
    "family": ("your family", "你的家人"),
    "partner": ("your partner", "你的另一半"),
    "children": ("your children", "你的孩子"),
    "parents": ("your parents", "你的父母"),
    "siblings": ("your brothers and sisters", "你的兄弟姐妹"),
    "friends": ("your friends and colleagues", "你的朋友和同事"),
    "people": ("the people in your life", "你身边的人"),
    "pets": ("your pets", "你的宠物"),
    "home": ("your home", "你的住处"),
    "health": ("your health", "你的健康"),
    "allergies": ("your allergies", "你的过敏情况"),
    "food": ("what you eat and drink", "你的饮食"),
    "money": ("your money", "你的财务"),
    "investing": ("your positions and how you invest", "你的持仓与投资"),
    "music": ("your taste in music", "你的音乐喜好"),
    "books": ("what you read", "你的阅读"),
    "films": ("what you watch", "你看的影视"),
    "games": ("the games you play", "你玩的游戏"),
    "sport": ("your sports", "你的运动"),
    "hobbies": ("your hobbies", "你的爱好"),
    "tastes": ("what you like and dislike", "你的喜好"),
    "travel": ("your travels", "你的旅行"),
    "transport": ("how you get around", "你的出行"),
    "belongings": ("what you own and use", "你拥有和使用的东西"),
    "languages": ("your languages", "你的语言"),
    "routine": ("your routine", "你的日程和习惯"),
    "opinions": ("your views", "你的看法"),
    "past": ("your past", "你的经历"),
    "plans": ("your plans", "你的计划"),
    "answers": ("how you like to be answered", "你希望我怎么回答"),
    "other": ("what fits nowhere else", "其他零碎的事"),
}


def phrase(key: AnswerKey, language: Language, **values: object) -> str:
    """A fixed sentence of the answers, with ``values`` filled in."""
    return _SAID[key][language == "zh"].format(**values)


def link(label: str, name: str, *arguments: object) -> str:
    """A Markdown link to one of the pages."""
    return f"[{label}]({reverse(name, args=arguments)})"


def describe_day(at: datetime, language: Language) -> str:
    """A day in the user's time zone, in words."""
    day = timezone.localtime(at)
    return f"{day.year}年{day.month}月{day.day}日" if language == "zh" else f"{day.day} {day:%b %Y}"


def compose_answer(
    listing: StatementListing, language: Language, *, in_group: bool, may_learn: bool
) -> tuple[str, QuotedListing]:
    """The whole answer, and the statements it quotes."""
    shown = quote_listing(listing)
    if listing.is_empty:
        return _nothing_known(listing, language, may_learn=may_learn), shown
    lines = [_opening_line(listing, language)]
    headed = len(shown.sections) > 1
    for name, entries, more in shown.sections:
        lines += [f"\n{SECTIONS[name][language == 'zh']}"] if headed else []
        lines += [f"- {describe_statement(entry, language)}" for entry in entries]
        lines += [f"- {link(phrase('more', language, count=more), 'web:memories')}"] if more else []
    lines += _unsure_lines(shown, language)
    if listing.goes_on:
        lines.append("\n" + phrase("older", language, all=link(phrase("all", language), "web:memories")))
    if in_group:
        lines.append("\n" + phrase("group", language))
    return "\n".join(lines), shown


def describe_statement(entry: ListedStatement, language: Language) -> str:
    """A statement with its source, date and certainty."""
    notes = [phrase(_source_key(entry.item), language, day=describe_day(entry.item.valid_at, language))]
    notes += [] if entry.is_sure else [phrase("not_sure", language)]
    notes += [phrase("past", language)] if is_past(entry) else []
    text = " ".join(entry.text.split()).rstrip("。.")
    return f"{text}（{'，'.join(notes)}）" if language == "zh" else f"{text} ({', '.join(notes)})"


def describe_source(item: MemoryItem, language: Language) -> str:
    """Where a statement comes from, and since when."""
    return phrase(_source_key(item), language, day=describe_day(item.valid_at, language))


def describe_topic(topics: Sequence[str], named: str, language: Language) -> str:
    """The topics of a question, in words."""
    if named:
        return f"你的{named}" if language == "zh" else f"your {named}"
    return _join_words([_TOPIC[topic][language == "zh"] for topic in topics], language)


def _opening_line(listing: StatementListing, language: Language) -> str:
    if not listing.topics and not listing.named:
        return phrase("everything", language)
    return phrase("topic", language, topic=describe_topic(listing.topics, listing.named, language))


def _nothing_known(listing: StatementListing, language: Language, *, may_learn: bool) -> str:
    if not listing.may_be_read:
        return phrase("off", language, privacy=link(_linked_page("privacy", language), "web:privacy"))
    if listing.topics or listing.named:
        topic = describe_topic(listing.topics, listing.named, language)
        return phrase("nothing_of_topic", language, topic=topic, all=link(phrase("all", language), "web:memories"))
    if not may_learn:
        return phrase("nothing_temporary", language)
    return phrase("nothing", language, add=link(_linked_page("add", language), "web:memories"))


def _unsure_lines(shown: QuotedListing, language: Language) -> list[str]:
    if not shown.unsure:
        return []
    lines = ["\n" + phrase("unsure", language, review=link(_linked_page("review", language), "web:unsure"))]
    lines += [f"- {' '.join(entry.text.split())}" for entry in shown.unsure]
    more = phrase("more_unsure", language, count=shown.unsure_more)
    return [*lines, f"- {link(more, 'web:unsure')}"] if shown.unsure_more else lines


def _source_key(item: MemoryItem) -> AnswerKey:
    if item.provenance == MemoryItem.Provenance.ANALYSIS:
        return "concluded"
    if item.provenance == MemoryItem.Provenance.OBSERVATION:
        return "picked_up"
    return "told" if item.provenance_detail.get("message_ids") else "added"


def _linked_page(name: str, language: Language) -> str:
    return _LINKED[name][language == "zh"]


def _join_words(words: Iterable[str], language: Language) -> str:
    *first, last = words
    if not first:
        return last
    return f"{'、'.join(first)}和{last}" if language == "zh" else f"{', '.join(first)} and {last}"
