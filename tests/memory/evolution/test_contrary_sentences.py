"""Two sentences contradict each other by their words alone, or are let stand beside each other."""

from __future__ import annotations

import pytest

from memory.evolution.contrary_sentences import LONGEST, contradict, contradicts_any, parse_sentence

LEEDS = "The office in Leeds closes at four on Fridays."
LEEDS_ZH = "利兹办公室周五四点关门。"


def _contradict(one: str, two: str) -> bool:
    return contradict(parse_sentence(one), parse_sentence(two))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (LEEDS, "The office in Leeds closes at six on Fridays."),
        (LEEDS, "I think the office in Leeds closes at 6 on Fridays."),
        (LEEDS, "Alice: “The office in Leeds closes at six on Fridays.”"),  # as a summary has it
        (LEEDS_ZH, "爱丽丝: “利兹办公室周五六点关门。”"),
        ("A refund takes five working days.", "A refund takes ten working days."),
        ("Every employee gets 25 days of leave.", "Every employee gets 30 days of leave."),
        ("The office is open on Saturdays.", "The office isn't open on Saturdays."),
        ("Expenses above the limit are not reimbursed.", "Expenses above the limit are reimbursed."),
        ("The canteen lunch costs $8.", "The canteen lunch costs $6.50."),
        ("The commission is 1.5%.", "The commission is 2%."),
        (LEEDS_ZH, "利兹办公室星期五六点关门。"),
        ("退款需要五个工作日。", "退款需要十个工作日。"),
        ("每位员工有25天年假。", "每位员工有三十天年假。"),
        ("食堂周六开门。", "食堂周六不开门。"),
        ("食堂的午餐是20元。", "食堂午餐是15元"),
        ("佣金是千分之三。", "佣金是千分之五。"),
        ("报销须在30天内提交。", "我记得报销须在60天内提交。"),
    ],
)
def test_another_value_or_a_denial_contradicts(one: str, two: str) -> None:
    assert _contradict(one, two)
    assert _contradict(two, one)
    assert contradicts_any(two, [parse_sentence("Somebody else said something."), parse_sentence(one)])


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (LEEDS, LEEDS),
        (LEEDS, "The office in York closes at six on Fridays."),  # another thing
        (LEEDS, "The office in Leeds closes at six on Mondays."),
        (LEEDS, "My office in Leeds closes at six on Fridays."),
        (LEEDS, "I leave the office in Leeds at six on Fridays."),
        ("The office in Leeds opens at eight.", "The office in Leeds closes at six."),
        (LEEDS, "The office in Leeds used to close at six on Fridays."),  # another time
        (LEEDS, "The office in Leeds closed at six last Friday."),
        (LEEDS, "Does the office in Leeds close at six on Fridays?"),  # nothing stated
        (LEEDS, "I wish the office in Leeds closed at six on Fridays."),
        ("The office closes at four.", "The office closes at 16."),  # the same hour
        ("Room 12 has a projector.", "Room 14 has a projector."),  # a number that is a name
        ("Bus 12 leaves at four.", "Bus 14 leaves at six."),
        ("A refund takes five working days.", "My refund took ten working days."),
        ("A refund takes five working days.", "A refund takes ten working days if you ask."),
        ("Refunds within 14 days need a receipt.", "Refunds after 30 days need a receipt."),
        ("The canteen serves noodles on Tuesdays.", "The canteen serves noodles on Thursdays."),
        ("Employees get 25 days of leave.", "Managers get 30 days of leave."),
        (LEEDS_ZH, "约克办公室周五六点关门。"),
        (LEEDS_ZH, "利兹办公室周四六点关门。"),
        (LEEDS_ZH, "我周五六点离开利兹办公室。"),
        (LEEDS_ZH, "利兹办公室以前周五六点关门。"),
        (LEEDS_ZH, "利兹办公室周五六点关门吗？"),
        ("利兹办公室下午四点关门。", "利兹办公室下午16点关门。"),
        ("三号楼有会议室。", "四号楼有会议室。"),
        ("12路公交停在公司门口。", "14路公交停在公司门口。"),
        ("第三天可以退货。", "第五天可以退货。"),
        ("食堂周六开门。", "食堂周日不开门。"),
        ("每位员工有25天年假。", "每位经理有30天年假。"),
        ("午餐是20元。", "晚餐是15元。"),
    ],
)
def test_what_may_be_true_beside_it_does_not(one: str, two: str) -> None:
    assert not _contradict(one, two)
    assert not _contradict(two, one)


@pytest.mark.parametrize("text", ["", "?", "12", "a " * LONGEST + "at six", "一" * LONGEST * 2])
def test_what_says_nothing_or_too_much_contradicts_nothing(text: str) -> None:
    assert not _contradict(text, text.replace("six", "four"))
    assert not contradicts_any(text, [parse_sentence(LEEDS)])
