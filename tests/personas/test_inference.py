"""What people say about how they want to be spoken to, in English and Chinese, and what is none (P-2, P-4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.language import ParsedMessage
from personas.message_wishes import LONGEST_WISH, infer_wishes
from personas.types import MessageWishes, Mode
from personas.wish_rules import CLAUSE_RULES, ClauseRules
from personas.wording import PREFERENCES


def _asked(found: MessageWishes) -> str | None:
    if found.request is None or found.request.source == "rule":
        return None
    return found.request.mode or "default"


def _suggested(found: MessageWishes) -> Mode | None:
    return found.request.mode if found.request and found.request.source == "rule" else None


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("be rational", "rational"),
        ("Be a bit more rational please.", "rational"),
        ("Could you be more rational?", "rational"),
        ("OK, switch to strict mode.", "strict"),
        ("Use the idol mode from now on.", "idol"),
        ("Hybrid mode, please", "hybrid"),
        ("Go back to normal mode.", "default"),
        ("What moved NVDA today? And be more playful.", "idol"),
        ("理性一点", "rational"),
        ("请理性一点。", "rational"),
        ("請理性一點", "rational"),
        ("切换到严格模式", "strict"),
        ("以后用偶像模式跟我说话", "idol"),
        ("用混合的方式回答", "hybrid"),
        ("今天大盘怎么样？回答活泼一点", "idol"),
        ("恢复默认模式", "default"),
        ("be warm", "idol"),
        ("Please be friendlier", "idol"),
        ("Use a warmer tone with me", "idol"),
        ("Talk to me like a friend", "idol"),
        ("Warm mode please", "idol"),
        ("Balanced mode", "hybrid"),
        ("Be more objective", "rational"),
        ("Be more professional", "rational"),
        ("温柔一点", "idol"),
        ("请亲切一点", "idol"),
        ("請溫柔一點", "idol"),
        ("用温柔的语气跟我说话", "idol"),
        ("改成亲切一点的语气", "idol"),
        ("温暖模式", "idol"),
        ("客观一点", "rational"),
        ("严肃一点", "rational"),
    ],
)
def test_a_command_names_its_mode(text: str, mode: str) -> None:
    assert _asked(infer_wishes(ParsedMessage(text))) == mode


@pytest.mark.parametrize(
    "text",
    [
        "back to usual.",
        "Back to normal!",
        "Be yourself again",
        "Thanks, back to normal please",
        "Speak normally again",
        "Go back to how you were before",
        "Switch back",
        "Talk like you usually do",
        "Can we go back to normal?",
        "Return to your usual style",
        "Reset your tone",
        "as before",
        "恢复正常",
        "请恢复正常吧",
        "變回原來的樣子",
        "像平时一样",
        "像平时一样说话",
        "跟以前一样就好",
        "你可以正常说话了",
        "做回你自己",
        "变回来吧",
        "换回平时的语气",
        "退出严格模式",
        "别这样说话了",
    ],
)
def test_a_word_asks_for_the_usual_way(text: str) -> None:
    assert _asked(infer_wishes(ParsedMessage(text))) == "default"


@pytest.mark.parametrize(
    "text",
    [
        "The market is back to normal",
        "Prices jumped, back to normal now",
        "As usual, the market fell",
        "I want to go back to normal",
        "The shop is back to its usual hours",
        "I switched back",
        "Stay warm!",
        "Copper is back to usual levels",
        "warm weather",
        "I like kind people",
        "What is warm mode?",
        "市场恢复正常",
        "恢复正常了",
        "供应链中断，恢复正常了",
        "停工三天，恢复到正常状态",
        "像以前一样，股价又跌了",
        "一切照旧",
        "她很温柔",
    ],
)
def test_what_is_usual_or_warm_elsewhere_is_no_command(text: str) -> None:
    assert infer_wishes(ParsedMessage(text)).request is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Reply in Chinese", "zh"),
        ("in English please", "en"),
        ("Speak Chinese to me", "zh"),
        ("switch back to English", "en"),
        ("用英文回答", "en"),
        ("请说中文", "zh"),
        ("切换到英文", "en"),
        ("以后都用中文回复我", "zh"),
        ("Translate this into Chinese", None),
        ("I speak Chinese", None),
        ("我说英语", None),
        ("用英文怎么说", None),
        ("Chinese", None),
    ],
)
def test_a_language_is_wished_for(text: str, language: str | None) -> None:
    assert {one.key: one.value for one in infer_wishes(ParsedMessage(text)).signals} == (
        {"reply_language": language} if language else {}
    )


@pytest.mark.parametrize(
    ("text", "only"),
    [
        ("be warm", True),
        ("Thanks! Be warm, and keep it short.", True),
        ("From now on reply in Chinese", True),
        ("温柔一点，用要点回答", True),
        ("Be warm. What do I follow?", False),
        ("I follow BTC, be brief", False),
        ("Should I sell?", False),
        ("My boss said: be warm", False),
        ("", False),
    ],
)
def test_whether_a_message_says_anything_else_is_told(text: str, only: bool) -> None:
    assert infer_wishes(ParsedMessage(text)).wishes_only is only


@pytest.mark.parametrize(
    "text",
    [
        "Markets will be rational again.",
        'My boss said "be rational".',
        "What does rational mode do?",
        "Don't be rational",
        "Investors should be more rational.",
        "I will be strict with my budget.",
        "我觉得市场会理性一点",
        "客户说：理性一点",
        "别理性一点",
        "他希望我理性一点",
        "严格模式是什么？",
        "严格控制仓位",
        "My mentor said, be rational.",
        "老师说，理性一点",
        "Explain rational numbers to me.",
        "理性消费是什么意思？",
        "混合模式的车省油吗",
        "别总是理性一点",
        "我以后都要理性一点",
        "市场以后理性一点就好",
    ],
)
def test_talk_about_others_and_questions_are_no_command(text: str) -> None:
    assert _asked(infer_wishes(ParsedMessage(text))) is None


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("Should I sell my AAPL shares?", "rational"),
        ("I get this traceback, help me debug it", "rational"),
        ("I'm so exhausted today", "idol"),
        ("Write me a short poem about gold", "idol"),
        ("Just the numbers: revenue of TSMC", "strict"),
        ("这个估值怎么算", "rational"),
        ("程序报错了，帮我排查", "rational"),
        ("鼓励一下我", "idol"),
        ("只要结论", "strict"),
        ("I follow BTC.", None),
        ("今天天气不错", None),
        ("Compare AAPL with MSFT, and cheer me up", None),
        ("I'm down today", "idol"),
        ("I'm down 5% this year", None),
        ("I am down on Tesla", None),
        ("我有点累", "idol"),
        ("我有点累计亏损", None),
    ],
)
def test_what_a_message_is_about_suggests_a_mode_unless_two_disagree(text: str, mode: Mode | None) -> None:
    assert _suggested(infer_wishes(ParsedMessage(text))) == mode


@pytest.mark.parametrize(
    ("text", "wishes"),
    [
        ("keep it short", {("reply_length", "concise", False)}),
        ("Always keep your answers short.", {("reply_length", "concise", True)}),
        ("From now on, answer in bullet points", {("reply_structure", "points", True)}),
        (
            "From now on keep your answers short and use bullet points.",
            {("reply_length", "concise", True), ("reply_structure", "points", True)},
        ),
        ("More details please", {("reply_length", "detailed", False)}),
        ("Don't use bullet points", {("reply_structure", "prose", False)}),
        ("I prefer short answers", {("reply_length", "concise", False)}),
        ("Please be friendlier", {("reply_tone", "warm", False)}),
        ("Always be rational", {("mode", "rational", True)}),
        ("回答得简短一点", {("reply_length", "concise", False)}),
        ("以后都简洁一点", {("reply_length", "concise", True)}),
        ("以后請詳細一點", {("reply_length", "detailed", True)}),
        ("用要点回答", {("reply_structure", "points", False)}),
        ("记住，以后分点回答", {("reply_structure", "points", True)}),
        ("语气温柔一点", {("reply_tone", "warm", False)}),
        ("我的客户很啰嗦", set()),
        ("I keep my positions short", set()),
        ("Bullet points are fine for slides", set()),
        ("Reply to the client in more detail", set()),
        ("be brief, always", {("reply_length", "concise", True)}),
        ("简短一点，以后都这样", {("reply_length", "concise", True)}),
        ("以后别用要点回答", {("reply_structure", "prose", True)}),
        ("I always lose money, be brief", {("reply_length", "concise", False)}),
        ("From now on, I hold cash, be brief", {("reply_length", "concise", False)}),
        ("我以后想买房，简洁一点", {("reply_length", "concise", False)}),
        ("不用记住，简短一点", {("reply_length", "concise", False)}),
        ("不要总是分点回答", set()),
        ("没必要每次都详细说", set()),
        ("以后别这么啰嗦", {("reply_length", "concise", True)}),
        ("Be always brief", {("reply_length", "concise", True)}),
        ("He always says, be concise", set()),
        ("他总是说，简洁一点", set()),
    ],
)
def test_wishes_are_read_with_whether_they_are_to_last(text: str, wishes: set[tuple[str, str, bool]]) -> None:
    assert {(one.key, one.value, one.explicit) for one in infer_wishes(ParsedMessage(text)).signals} == wishes


@pytest.mark.parametrize(
    "text",
    ["Go short", "Stay short for now", "Don't go long", "Don't short", "今天涨了50%，太夸张了", "跌成这样，太凶了"],
)
def test_what_is_said_of_markets_wishes_for_nothing(text: str) -> None:
    assert infer_wishes(ParsedMessage(text)) == MessageWishes()


@pytest.mark.parametrize(
    "text", ["Always answer like this.", "以后都这么回复", "以後都這麼回覆", "以后就按这个风格回答"]
)
def test_like_this_means_as_it_is_now_and_to_last(text: str) -> None:
    (signal,) = infer_wishes(ParsedMessage(text)).signals

    assert (signal.key, signal.as_now, signal.explicit) == ("mode", True, True)


@pytest.mark.parametrize(
    ("text", "key", "value", "heard"),
    [
        ("Stop being so poetic!", "reply_tone", "plain", "rational"),
        ("You're too cold", "reply_tone", "warm", "hybrid"),
        ("You are being too verbose", "reply_length", "concise", None),
        ("别这么文艺", "reply_tone", "plain", "rational"),
        ("不要太冷冰冰的", "reply_tone", "warm", "hybrid"),
        ("太啰嗦了", "reply_length", "concise", None),
        ("别总是这么啰嗦", "reply_length", "concise", None),
        ("你总是这么啰嗦", "reply_length", "concise", None),
        ("You're always too verbose", "reply_length", "concise", None),
        ("你的回答太长了", "reply_length", "concise", None),
        ("Don't answer so long", "reply_length", "concise", None),
    ],
)
def test_an_objection_is_heard_at_once_and_marked_as_a_correction(
    text: str, key: str, value: str, heard: str | None
) -> None:
    found = infer_wishes(ParsedMessage(text))
    (signal,) = found.signals

    assert (signal.key, signal.value, signal.correction, signal.explicit) == (key, value, True, False)
    assert _asked(found) == heard


@given(st.text(max_size=300))
def test_any_text_gives_values_that_there_are(text: str) -> None:
    assert all(
        signal.as_now or (signal.key, signal.value) in PREFERENCES
        for signal in infer_wishes(ParsedMessage(text)).signals
    )


@pytest.mark.parametrize("rules", CLAUSE_RULES.values(), ids=CLAUSE_RULES)
def test_every_rule_wishes_for_something_there_is(rules: ClauseRules) -> None:
    assert all((rule.key, rule.value) in PREFERENCES for rule in rules.wishes)
    assert all(set(sentences) == {"en", "zh"} for sentences in PREFERENCES.values())


@pytest.mark.parametrize(
    "piece",
    [
        "back to ",
        "go back ",
        "in chinese ",
        "像平时",
        "恢复",
        "温柔",
        "的语气",
        "得要",
        "变得",
        "更加",
        "说话",
        "你的",
        "请你",
        "be more ",
        "please ",
        "so very ",
        "吗好",
        "说话的",
        "太也",
    ],
)
def test_no_repetition_makes_reading_take_for_ever(piece: str) -> None:
    for end in ("", "x", "一点"):
        assert infer_wishes(ParsedMessage(piece * (LONGEST_WISH // len(piece)) + end)).request is None
