"""What the offline analyzer finds: one row per statement, Chinese and English."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.evolution.rule_analyzer import analyze
from memory.evolution.types import StatementCandidate, Utterance

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def said(text: str, after: str = "") -> list[StatementCandidate]:
    return analyze(Utterance(text, "Alice", NOW, after))


def slots_and_values(candidates: list[StatementCandidate]) -> list[tuple[str, str]]:
    return [(found.attributes["slot"], found.attributes["value"]) for found in candidates]


DECLARED = [
    ("I prefer window seats", "likes", "window seats", "preference"),
    ("I prefer concise answers", "reply_style", "concise answers", "preference"),
    ("I really enjoy hiking", "likes", "hiking", "preference"),
    ("I'm a huge fan of Lord of the Rings", "likes", "Lord of the Rings", "preference"),
    ("I can't stand long emails", "dislikes", "long emails", "preference"),
    ("I'm not a fan of bonds", "dislikes", "bonds", "preference"),
    ("I follow BTC", "follows", "BTC", "preference"),
    ("I live in Berlin with my wife", "home", "Berlin", "fact"),
    ("I work as a nurse in Berlin", "job", "a nurse", "fact"),
    ("I'm a software engineer at Siemens", "job", "a software engineer at Siemens", "fact"),
    ("I'm a conservative investor", "risk", "conservative investor", "preference"),
    ("I'm 34 years old", "age", "34", "fact"),
    ("I have two kids and a dog named Max", "family", "two kids and a dog named Max", "fact"),
    ("I’m allergic to cats", "allergy", "cats", "fact"),
    ("I'm allergic to wasps, makes me swell up", "allergy", "wasps", "fact"),
    ("I'm vegan", "diet", "vegan", "fact"),
    ("I don't eat pork", "diet.avoids", "pork", "fact"),
    ("I hold 200 shares of AAPL", "holds.aapl", "200 shares of AAPL", "fact"),
    ("I wake up at 6 every day", "schedule.wake_up", "at 6 every day", "fact"),
    ("I've been investing for ten years", "experience", "investing for ten years", "fact"),
    ("My time horizon is 5 years", "horizon", "5 years", "preference"),
    ("my favourite colour is blue", "favourite_colour", "blue", "fact"),
    ("Harry Potter is my favorite book", "favourite_book", "Harry Potter", "preference"),
    ("I think Tesla is overpriced", "opinion:tesla", "Tesla is overpriced", "opinion"),
    ("I'm learning German now", "learning", "German", "fact"),
    ("My name is Ana Silva", "name", "Ana Silva", "fact"),
    ("I'm retired", "job_status", "retired", "fact"),
    ("I'm happily married", "marital", "happily married", "fact"),
    ("I teach physics in Sofia", "teaches", "physics", "fact"),
    ("I run a small chess club", "business", "a small chess club", "fact"),
    ("I'm a single mom of two", "family", "a single mom of two", "fact"),
    ("I have three grandchildren", "family", "three grandchildren", "fact"),
    ("My daughter is 7", "daughter.age", "7", "fact"),
    ("My mother is Irish", "mother", "Irish", "fact"),
    ("My daughter is called Eve", "daughter.name", "Eve", "fact"),
    ("My adviser is called Helen", "adviser", "Helen", "fact"),
    ("My car is a Tesla Model 3", "car", "a Tesla Model 3", "fact"),
    ("My stop loss is 5 percent", "stop_loss", "5 percent", "fact"),
    ("My flight is on 3 December", "flight", "on 3 December", "fact"),
    ("I have an exam on 20 January", "appointment", "an exam on 20 January", "fact"),
    ("I drive a Volvo", "possession", "a Volvo", "fact"),
    ("I drink coffee every morning", "likes", "coffee", "fact"),
    ("I work nights on weekends", "schedule", "nights on weekends", "fact"),
    ("I go to yoga every Tuesday", "schedule.yoga", "every Tuesday", "fact"),
    ("I call my mother twice a week", "schedule", "call my mother twice a week", "fact"),
    ("I usually play board games", "schedule", "play board games", "fact"),
    ("I grow tomatoes on my balcony", "activity", "grow tomatoes on my balcony", "fact"),
    ("I volunteer at an animal shelter", "activity", "volunteer at an animal shelter", "fact"),
    ("I use Interactive Brokers for my trades", "uses", "Interactive Brokers", "fact"),
    ("I mostly buy bonds", "invests", "bonds", "fact"),
    ("I invest for income", "investment_goal", "income", "fact"),
    ("I track the FTSE 250", "follows", "the FTSE 250", "preference"),
    ("I've always wanted to learn Spanish", "goal", "learn Spanish", "fact"),
    ("I'm thinking about opening a café", "goal", "opening a café", "fact"),
    ("I'm saving for a house", "goal", "for a house", "fact"),
    ("I've been to Tokyo twice", "visited", "Tokyo", "fact"),
    ("I've never been to Tokyo", "not_visited", "Tokyo", "fact"),
    ("I graduated from MIT", "education", "graduated from MIT", "fact"),
    ("I used to work in retail", "past", "work in retail", "fact"),
    ("I'm scared of heights", "fears", "heights", "fact"),
    ("I'm a night owl", "identity", "a night owl", "fact"),
    ("I just joined a choir last week", "doing", "a choir", "fact"),
    ("I've been taking a drawing class", "doing", "taking a drawing class", "fact"),
    ("Cooking is my passion", "likes", "Cooking", "preference"),
    ("The Hobbit is one of my favorites", "likes", "The Hobbit", "preference"),
    ("That's why I love hiking", "likes", "hiking", "preference"),
    ("I've been into dancing since I was a kid", "likes", "dancing", "preference"),
    ("You know I love live music", "likes", "live music", "preference"),
    ("It reminded me why I love writing", "likes", "writing", "preference"),
    ("I wanna start a dance studio", "goal", "start a dance studio", "fact"),
    ("I'm learning how to play the violin", "learning", "play the violin", "fact"),
    ("We have two cats", "family", "two cats", "fact"),
    ("We live in a small town near Leeds", "housing", "in a small town near Leeds", "fact"),
    ("I live with my sister", "household", "with my sister", "fact"),
    ("I was born in 1990", "born", "1990", "fact"),
    ("I'm left-handed", "identity", "left-handed", "fact"),
    ("I'm half Greek", "nationality", "half Greek", "fact"),
    ("I have asthma", "health", "asthma", "fact"),
    ("I can speak Portuguese", "language.speaks", "Portuguese", "fact"),
    ("I can't swim", "cannot", "swim", "fact"),
    ("I work remotely", "work_mode", "remotely", "fact"),
    ("I earn 4000 a month", "income", "4000 a month", "fact"),
    ("I play in a band called The Reds", "activity", "in a band called The Reds", "fact"),
    ("I support Arsenal", "likes", "Arsenal", "preference"),
    ("I don't drink", "diet.avoids", "drink", "fact"),
    ("I'm trying to lose weight", "goal", "lose weight", "fact"),
    ("I got married in 2019", "marital", "married", "fact"),
    ("My dad passed away in 2020", "dad.died", "passed away", "fact"),
    ("I don't have any pets", "has_not", "pets", "fact"),
    ("I quit smoking two years ago", "diet.avoids", "smoking", "fact"),
    ("I hate it when people are late", "dislikes", "people are late", "preference"),
    ("I'd rather walk than drive", "likes", "walk", "preference"),
    ("I'm not married", "marital", "married", "fact"),
    ("我喜欢吃辣", "likes", "吃辣", "preference"),
    ("我是天蝎座的", "星座", "天蝎座", "fact"),
    ("我身高175", "身高", "175", "fact"),
    ("我一个人住", "household", "一个人住", "fact"),
    ("我是独生子", "identity", "独生子", "fact"),
    ("我特别怕狗", "fears", "狗", "fact"),
    ("我支持皇马", "likes", "皇马", "preference"),
    ("我不会开车", "cannot", "开车", "fact"),
    ("我没有孩子", "has_not", "孩子", "fact"),
    ("我没结婚", "marital", "结婚", "fact"),
    ("我不再吃肉了", "diet.avoids", "肉", "fact"),
    ("我正在减肥", "doing", "减肥", "fact"),
    ("我坐地铁上班", "commute", "坐地铁上班", "fact"),
    ("我去过日本", "visited", "日本", "fact"),
    ("我从来没去过日本", "not_visited", "日本", "fact"),
    ("我毕业于清华大学", "education", "毕业于清华大学", "fact"),
    ("我是学计算机的", "studies", "计算机", "fact"),
    ("我和我老婆结婚十年了", "experience", "结婚十年", "fact"),
    ("我6月18号结婚", "appointment", "结婚", "fact"),
    ("我爸爸去年去世了", "爸爸.去世", "去世", "fact"),
    ("我们家养了一条金毛，叫球球", "family", "一条金毛，叫球球", "fact"),
    ("我受够了加班", "dislikes", "加班", "preference"),
    ("你好，我叫李雪", "name", "李雪", "fact"),
    ("我的名字是王峰", "name", "王峰", "fact"),
    ("我女儿叫朵朵", "女儿.名字", "朵朵", "fact"),
    ("我有三个孙子", "family", "三个孙子", "fact"),
    ("我养了一只猫，叫豆豆", "family", "一只猫，叫豆豆", "fact"),
    ("我的理财顾问叫小张", "理财顾问", "小张", "fact"),
    ("我的房租是每个月3000元", "房租", "每个月3000元", "fact"),
    ("我的车是特斯拉", "车", "特斯拉", "fact"),
    ("我在阿里工作了五年", "employer", "阿里", "fact"),
    ("我在上海长大", "origin", "上海", "fact"),
    ("大家都叫我阿强", "nickname", "阿强", "fact"),
    ("我平时喜欢看书", "likes", "看书", "preference"),
    ("我的止损线是5%", "止损线", "5%", "fact"),
    ("我每个月定投3000元", "定投", "3000元", "fact"),
    ("我1月20日有考试", "appointment", "考试", "fact"),
    ("我在苏州买了一套房", "possession", "一套房", "fact"),
    ("我每天早上喝咖啡", "likes", "咖啡", "fact"),
    ("我周末晚上上班", "schedule", "周末晚上上班", "fact"),
    ("我经常自己做饭", "schedule", "经常自己做饭", "fact"),
    ("我每周二晚上练瑜伽", "schedule.瑜伽", "每周二晚上", "fact"),
    ("我会拉大提琴", "skills", "拉大提琴", "fact"),
    ("我最近学会了游泳", "skills", "游泳", "fact"),
    ("我在阳台上种了番茄和罗勒", "activity", "番茄和罗勒", "fact"),
    ("我用华泰证券的软件下单", "uses", "华泰证券的软件下单", "fact"),
    ("我主要买国债", "invests", "国债", "fact"),
    ("我在攒钱买房", "goal", "攒钱买房", "fact"),
    ("我打算明年去日本旅行", "goal", "去日本旅行", "fact"),
    ("最近我在学英语", "learning", "英语", "fact"),
    ("最近我在学习如何做面食", "learning", "做面食", "fact"),
    ("我一直想去冰岛", "goal", "去冰岛", "fact"),
    ("我最近在看《活着》", "doing", "《活着》", "fact"),
    ("我报名了一个摄影班", "doing", "一个摄影班", "fact"),
    ("我的性格比较内向", "性格", "内向", "fact"),
    ("我现在在阿里巴巴上班", "employer", "阿里巴巴", "fact"),
    ("我开了一家棋社", "business", "一家棋社", "fact"),
    ("我喜欢听爵士乐", "likes", "听爵士乐", "preference"),
    ("我喜歡簡約風格", "style", "簡約風格", "preference"),
    ("我更喜欢简短的回答", "reply_style", "简短的回答", "preference"),
    ("我讨厌长篇大论", "dislikes", "长篇大论", "preference"),
    ("我对比特币很感兴趣", "likes", "比特币", "preference"),
    ("我对期权没兴趣", "dislikes", "期权", "preference"),
    ("我住在北京", "home", "北京", "fact"),
    ("我在腾讯工作", "employer", "腾讯", "fact"),
    ("我是一名护士", "job", "护士", "fact"),
    ("我是保守型投资者", "risk", "保守型", "preference"),
    ("我的风险承受能力较低", "risk", "较低", "preference"),
    ("我风险偏好中等偏高", "risk", "中等偏高", "preference"),
    ("我女儿今年五岁", "女儿.年龄", "五岁", "fact"),
    ("我今年30岁", "age", "30", "fact"),
    ("我有两个孩子", "family", "两个孩子", "fact"),
    ("我不吃香菜", "diet.avoids", "香菜", "fact"),
    ("我吃素", "diet", "吃素", "fact"),
    ("我持有200股腾讯", "holds.腾讯", "200股腾讯", "fact"),
    ("我重仓茅台", "holds.茅台", "茅台", "fact"),
    ("我每天早上6点起床", "schedule.起床", "每天早上6点起床", "fact"),
    ("我做短线", "horizon", "短线", "preference"),
    ("我的生日是5月3日", "生日", "5月3日", "fact"),
    ("我儿子今年5岁", "儿子.年龄", "5岁", "fact"),
    ("我最喜欢的电影是《肖申克的救赎》", "favourite.电影", "《肖申克的救赎》", "preference"),
    ("我觉得茅台太贵了", "opinion:茅台", "茅台太贵了", "opinion"),
    ("我也很喜欢科幻电影，如果你喜欢可以去看一下", "likes", "科幻电影", "preference"),
]


@pytest.mark.parametrize(("text", "slot", "value", "epistemic"), DECLARED)
def test_a_mention_in_passing_is_an_observation_worth_one_half(
    text: str, slot: str, value: str, epistemic: str
) -> None:
    [found] = said(text)
    assert (found.attributes["slot"], found.attributes["value"]) == (slot, value)
    assert found.epistemic_type == epistemic
    assert (found.provenance, found.confidence) == ("observation", 0.5)


EXPLICIT = [
    ("Please remember that I prefer short answers", "reply_style", "short answers"),
    ("Remember: my wife's birthday is May 3", "wife.birthday", "May 3"),
    ("Note that I'm diabetic", "diet", "diabetic"),
    ("From now on, answer in Chinese.", "language.reply", "answer in Chinese"),
    ("Always cite your sources", "instruction", "Always cite your sources"),
    ("I'd like concise answers", "reply_style", "concise answers"),
    ("nothing above 500", "constraint.limit", "500"),
    ("I don't want anything over $500 please", "constraint.limit", "$500"),
    ("My budget is 500 euros", "budget", "500 euros"),
    ("Don't recommend crypto", "constraint.avoid", "crypto"),
    ("Sorry, call me Al", "address", "Al"),
    ("请记住：我老婆的生日是5月3日", "老婆生日", "5月3日"),
    ("记住我对花生过敏", "allergy", "花生"),
    ("记得我是左撇子", "identity", "左撇子"),
    ("记得我的车停在B2", "note", "我的车停在B2"),
    ("以后都用中文回答", "language.reply", "用中文回答"),
    ("从现在开始，请用英文回复", "language.reply", "用英文回复"),
    ("我希望你回答简洁一点", "reply_style", "回答简洁一点"),
    ("超过500的不要", "constraint.limit", "超过500的"),
    ("股票不要超过10%", "constraint.limit.股票", "10%"),
    ("I don't want more than 10 percent in stocks", "constraint.limit", "10 percent"),
    ("以后回答简短一点", "reply_style", "回答简短一点"),
    ("预算500以内", "budget", "500以内"),
    ("别给我推荐期权", "constraint.avoid", "期权"),
    ("叫我小王就好", "address", "小王"),
]


@pytest.mark.parametrize(("text", "slot", "value"), EXPLICIT)
def test_an_instruction_or_a_constraint_is_confirmed_by_the_user(text: str, slot: str, value: str) -> None:
    [found] = said(text)
    assert (found.attributes["slot"], found.attributes["value"]) == (slot, value)
    assert (found.provenance, found.confidence) == ("confirmed_by_user", 0.9)


CHANGES = [
    ("不是运动风，我现在喜欢简约的", "style", "简约的", "运动风"),
    ("我现在不喜欢运动风了，喜欢简约的", "style", "简约的", "运动风"),
    ("我以前喜欢咖啡，但现在更喜欢茶", "likes", "茶", "咖啡"),
    ("把咖啡换成茶", "likes", "茶", "咖啡"),
    ("我不是学生，是老师", "job", "老师", "学生"),
    ("换成简约风", "style", "简约风", None),
    ("其实我住在深圳", "home", "深圳", None),
    ("不对，我住在深圳", "home", "深圳", None),
    ("not sporty, I now like minimalist clothes", "style", "minimalist clothes", "sporty"),
    ("I prefer not tea, but coffee", "likes", "coffee", "tea"),
    ("I don't like coffee anymore, I now prefer tea", "likes", "tea", "coffee"),
    ("I used to like jazz, but now I love techno", "likes", "techno", "jazz"),
    ("I switched from coffee to green tea", "likes", "green tea", "coffee"),
    ("Actually, I live in Munich now.", "home", "Munich", None),
    ("That's wrong. I live in Munich", "home", "Munich", None),
    ("Switch to English please", "language.reply", "English", None),
    ("Actually, my stop loss is 5 percent.", "stop_loss", "5 percent", None),
    ("My yoga class moved to Thursdays", "schedule.yoga", "Thursdays", None),
    ("I changed my budget from 300 to 500 euros", "budget", "500 euros", "300"),
    ("我把闹钟改成6点了", "schedule.闹钟", "6点", None),
    ("My rent went up to 1350", "rent", "1350", None),
    ("我的瑜伽改成每周四晚上了", "schedule.瑜伽", "每周四晚上", None),
    ("我每个月定投改成5000元了", "定投", "5000元", None),
    ("我的理财顾问换成小刘了", "理财顾问", "小刘", None),
]


@pytest.mark.parametrize(("text", "slot", "value", "old"), CHANGES)
def test_a_correction_replaces_and_is_confirmed(text: str, slot: str, value: str, old: str | None) -> None:
    [found] = said(text)
    assert (found.attributes["slot"], found.attributes["value"]) == (slot, value)
    assert (found.replaces, found.replaced_value) == (True, old)
    assert (found.provenance, found.confidence) == ("confirmed_by_user", 0.9)


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("I no longer follow BTC", "follows", "BTC"),
        ("I stopped following TSLA", "follows", "TSLA"),
        ("I sold all my TSLA shares", "holds.tsla", "TSLA"),
        ("I no longer live in Berlin", "home", "Berlin"),
        ("I'm no longer vegan", "diet", "vegan"),
        ("I stopped going to the gym", "schedule.gym", "gym"),
        ("我不再去健身房了", "schedule.健身房", "健身房"),
        ("I'm not a teacher anymore", "job", "a teacher"),
        ("我不再关注BTC了", "follows", "BTC"),
        ("我清仓了腾讯", "holds.腾讯", "腾讯"),
        ("我把比特币卖光了", "holds.比特币", "比特币"),
        ("我把贵州茅台清仓了", "holds.贵州茅台", "贵州茅台"),
        ("我从阿里离职了", "employer", "阿里"),
    ],
)
def test_taking_a_value_back_is_negative(text: str, slot: str, value: str) -> None:
    [found] = said(text)
    assert (found.attributes["slot"], found.attributes["value"]) == (slot, value)
    assert found.attributes["polarity"] == "negative"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "I prefer concise answers and I follow BTC",
            [("reply_style", "concise answers"), ("follows", "BTC")],
        ),
        ("I like hiking; I hate running", [("likes", "hiking"), ("dislikes", "running")]),
        ("I like tea and hate coffee", [("likes", "tea"), ("dislikes", "coffee")]),
        ("I hold BTC and ETH", [("holds.btc", "BTC"), ("holds.eth", "ETH")]),
        ("我在上海工作，喜欢喝咖啡", [("employer.place", "上海"), ("likes", "喝咖啡")]),
        ("我喜欢吃辣，但不喜欢甜食", [("likes", "吃辣"), ("dislikes", "甜食")]),
        ("我喜欢晴朗、温暖的天气", [("likes", "晴朗、温暖的天气")]),
        ("I love action and horror films", [("likes", "action and horror films")]),
        (
            "I enjoy reading, watching movies, and exploring nature",
            [("likes", "reading"), ("likes", "watching movies"), ("likes", "exploring nature")],
        ),
        ("I love the peace and love theme", []),
        ("I've been to Rome, Paris and Vienna", [("visited", "Rome"), ("visited", "Paris"), ("visited", "Vienna")]),
        ("我叫小李，今年28岁，住在南京", [("name", "小李"), ("age", "28"), ("home", "南京")]),
        (
            "我喜欢唱歌，健身，旅游，摄影",
            [("likes", "唱歌"), ("likes", "健身"), ("likes", "旅游"), ("likes", "摄影")],
        ),
    ],
)
def test_joined_statements_come_apart(text: str, expected: list[tuple[str, str]]) -> None:
    assert slots_and_values(said(text)) == expected


@pytest.mark.parametrize("text", ["我关注 BTC, 600519.SH 和 贵州茅台", "I follow BTC, 600519.SH and 贵州茅台"])
def test_a_watch_list_is_one_candidate_per_name(text: str) -> None:
    assert slots_and_values(said(text)) == [
        ("follows", "BTC"),
        ("follows", "600519.SH"),
        ("follows", "贵州茅台"),
    ]


@pytest.mark.parametrize(
    ("reply", "question", "slot"),
    [
        ("yes", "Do you prefer concise answers?", "reply_style"),
        ("Yes please.", "Should I always answer in Chinese?", "language.reply"),
        ("Yes, exactly", "So you live in Berlin, right?", "home"),
        ("对", "你喜欢简约风吗？", "style"),
        ("好的", "要不要我以后都用中文回答？", "language.reply"),
        ("嗯，对", "您不吃辣，对吗？", "diet.avoids"),
    ],
)
def test_a_yes_confirms_what_was_asked(reply: str, question: str, slot: str) -> None:
    [found] = said(reply, after=question)
    assert found.attributes["slot"] == slot
    assert (found.provenance, found.confidence) == ("confirmed_by_user", 0.9)
    assert found.rule.startswith("confirmed:")


@pytest.mark.parametrize(
    "text",
    [
        "keep it short please",
        "Could you answer in English?",
        "能简短一点吗？",
        "请用英文回答",
        "Please don't use emojis",
        "Use metric units",
        "Keep answers under 100 words",
        "请不要用表情符号",
        "回答控制在100字以内",
        "用公制单位",
    ],
)
def test_a_single_request_is_only_a_signal(text: str) -> None:
    [found] = said(text)
    assert found.provenance == "observation"
    assert found.confidence < 0.5


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I prefer concise answers", "Prefers concise answers"),
        ("I wake up at 6 every day", "Wakes up at 6 every day"),
        ("我现在不喜欢运动风了，喜欢简约的", "不再喜欢运动风，喜欢简约的"),
        ("我对花生过敏", "对花生过敏"),
        ("no more than 300 please", "No more than 300"),
        ("I love Despicable Me", "Likes Despicable Me"),
        ("I like US stocks", "Likes US stocks"),
        ("I'm gonna learn Rust", "Is going to learn Rust"),
        ("I just lost my job", "Lost their job"),
        ("I love watching our pets play", "Likes watching their pets play"),
        ("I'm thinking of moving to Lyon", "Is thinking of moving to Lyon"),
        ("I've been running farther to de-stress, which has been great", "Has been running farther to de-stress"),
        ("最近我在考虑换工作", "在考虑换工作"),
        ("I started playing the guitar five years ago", "Started playing the guitar in 2021"),
        ("I joined a gym last month", "Joined a gym in October 2026"),
        ("我下个月想去西班牙旅行", "2026年12月想去西班牙旅行"),
        ("我下周三要考试", "2026年11月25日要考试"),
        ("我喜欢拍我的猫", "喜欢拍自己的猫"),
    ],
)
def test_content_reads_alone_in_the_users_own_words(text: str, content: str) -> None:
    assert [found.content for found in said(text)] == [content]


ONCE_ZH = ["昨天", "上周", "上周三", "上个月", "去年年底", "前几天", "三年前", "半年前", "2023年5月", "最近"]


@pytest.mark.parametrize("when", ONCE_ZH)
@pytest.mark.parametrize(
    ("happened", "slot", "value"),
    [
        ("搬到深圳了", "home", "深圳"),
        ("从北京搬到了深圳", "home", "深圳"),
        ("买了100股茅台", "holds.茅台", "100股茅台"),
    ],
)
def test_whatever_time_is_named_what_happened_is_found(when: str, happened: str, slot: str, value: str) -> None:
    for text in (f"我{when}{happened}", f"{when}我{happened}"):
        assert slots_and_values(said(text)) == [(slot, value)]


def test_a_time_before_a_purchase_leaves_no_second_self() -> None:
    [found] = said("去年我在杭州买了一套房")
    assert found.content == "2025年在杭州买了一套房"


def test_and_such_ends_a_list_and_asks_nothing() -> None:
    assert slots_and_values(said("我喜欢爬山、游泳什么的")) == [("likes", "爬山"), ("likes", "游泳")]
    assert said("我是做什么的") == []


def test_the_quote_is_the_exact_clause_and_time_is_when_it_was_said() -> None:
    text = "Well, I live in Berlin and work as a nurse."
    for found in said(text):
        assert found.quote in text
        assert found.valid_at == NOW


def test_a_comparison_does_not_put_the_lesser_liked_thing_away() -> None:
    [found] = said("I prefer tea over coffee")
    assert found.replaced_value is None
