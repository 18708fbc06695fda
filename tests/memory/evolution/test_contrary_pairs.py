"""What colleagues say of one thing: pairs that can both hold, none of which contradicts, and pairs that cannot."""

from __future__ import annotations

import pytest

from memory.evolution.contrary_sentences import contradict, parse_sentence

COMPATIBLE = (
    # Roles or directions swapped
    ("Deliveries to Leeds take 5 days.", "Deliveries from Leeds take 3 days."),
    ("The train from Dresden to Berlin takes 2 hours.", "The train from Berlin to Dresden takes 3 hours."),
    ("Ann does not report to Ben.", "Ben reports to Ann."),
    ("Finance doesn't approve IT's invoices.", "IT approves finance's invoices."),
    (
        "Transfers from savings to current accounts take 1 day.",
        "Transfers from current to savings accounts take 2 days.",
    ),
    ("北京到上海要5小时。", "上海到北京要6小时。"),
    ("小李不向小王汇报。", "小王向小李汇报。"),
    ("从总部寄到仓库需要两天。", "从仓库寄到总部需要三天。"),
    # Another place, time, person or speaker
    ("Our office closes at four.", "Your office closes at six."),
    ("The canteen in Leeds opens at eight.", "The canteen in York opens at nine."),
    ("Parking by the main gate costs 5 euros.", "Parking at the main gate costs 8 euros."),
    ("Orders with a deposit ship within 2 days.", "Orders without a deposit ship within 5 days."),
    ("The help desk closes at 5 on Fridays.", "The help desk closes at 6 on Thursdays."),
    ("The meeting was at 4 on Monday.", "The meeting was at 5 on Monday."),
    ("Ann gets 25 days of leave.", "Ben gets 30 days of leave."),
    ("My commute takes 20 minutes.", "My commute takes 45 minutes."),
    ("It opens at nine.", "It opens at ten."),
    ("The parcel hasn't arrived yet.", "The parcel has arrived."),
    ("Ann did not pay the invoice.", "Ann paid the invoice."),
    ("The printer on the second floor isn't working today.", "The printer on the second floor is working."),
    ("上海办公室六点关门。", "北京办公室七点关门。"),
    ("他下午三点下班。", "他下午五点下班。"),
    ("打印机现在不能用。", "打印机能用。"),
    ("试用期员工有5天年假。", "正式员工有10天年假。"),
    # Another unit, the same value, or a limit
    ("A refund takes 2 weeks.", "A refund takes 14 days."),
    ("The audit takes 1 day.", "The audit takes 24 hours."),
    ("The shop closes at 4:30.", "The shop closes at 16:30."),
    ("The fee is 1.50%.", "The fee is 1.5%."),
    ("The review is due on 3 March.", "The review is due on March 3rd."),
    ("Delivery takes at least 3 days.", "Delivery takes at least 5 days."),
    ("More than 300 people work here.", "More than 500 people work here."),
    ("退款需要两周。", "退款需要14天。"),
    ("押金是一千元。", "押金是1000元。"),
    ("公司至少有300人。", "公司至少有500人。"),
    # Additions
    ("The shop closes at six.", "The shop closes at four on Sundays."),
    ("Parking isn't free.", "Parking is free for visitors."),
    ("食堂六点关门。", "食堂周日四点关门。"),
    ("报销需要三个工作日。", "大额报销需要十个工作日。"),
    # Several hold at once
    ("The shop sells tea.", "The shop sells coffee."),
    ("Greta likes hiking.", "Greta likes sailing."),
    ("The shop sells 2 kg bags.", "The shop sells 5 kg bags."),
    ("We have 30 minute slots.", "We have 60 minute slots."),
    ("The shuttle leaves at 8.", "The shuttle leaves at 9."),
    ("There is a meeting at 3.", "There is a meeting at 4."),
    ("A course starts at nine.", "A course starts at ten."),
    ("Shifts start at 6.", "Shifts start at 14."),
    ("The canteen serves fish on Fridays.", "The canteen serves fish on Tuesdays."),
    ("The door code of the lab is 4711.", "The door code of the lab is 1508."),
    ("Some employees don't get a bonus.", "Some employees get a bonus."),
    ("A colleague of Ann's doesn't eat meat.", "A colleague of Ann's eats meat."),
    ("Employees who don't travel get a phone.", "Employees who travel get a phone."),
    ("It is fine not to wear a tie.", "It is fine to wear a tie."),
    ("The office sometimes closes at four.", "The office sometimes closes at six."),
    ("The bank opened a branch in 2019.", "The bank opened a branch in 2021."),
    ("Refunds don't take 5 days.", "Refunds don't take 10 days."),
    ("A colleague doesn't eat meat.", "A colleague eats meat."),
    ("In Leeds a shop isn't open on Sundays.", "In Leeds a shop is open on Sundays."),
    ("We have a room that seats 5 people.", "We have a room that seats 8 people."),
    ("There are rooms that seat 5 people.", "There are rooms that seat 8 people."),
    ("Ben has 5 days of leave left.", "Ben has 3 days of leave left."),
    ("The canteen, not the kiosk, sells tea.", "The canteen, the kiosk, sells tea."),
    ("No, the shop opens on Sundays.", "The shop opens on Sundays."),
    ("茶水间有茶。", "茶水间有咖啡。"),
    ("班车八点发车。", "班车九点发车。"),
    ("食堂有15元套餐。", "食堂有20元套餐。"),
    ("有的员工不加班。", "有的员工加班。"),
    ("不打卡要扣钱。", "打卡要扣钱。"),
    ("不出差的员工有午餐补贴。", "出差的员工有午餐补贴。"),
    ("员工不办卡也能用健身房。", "员工办卡也能用健身房。"),
    ("会议开了两个小时。", "会议开了三个小时。"),
    ("有个同事不吃肉。", "有个同事吃肉。"),
    ("仓库不用预约能进。", "仓库用预约能进。"),
    ("小王还有5天年假。", "小王还有3天年假。"),
    ("财务部周二发快递。", "财务部周四发快递。"),
    ("会议室在三楼。", "会议室在五楼。"),
)

CONTRARY = (
    ("Deliveries to Leeds take 5 days.", "Deliveries to Leeds take 3 days."),
    ("The help desk closes at 5 pm.", "The help desk closes at 6 pm."),
    ("The warehouse is open from 9 to 5.", "The warehouse is open from 9 to 6."),
    ("Every employee gets 25 days of leave.", "I think every employee gets 28 days of leave."),
    ("The stand-up is at 9:30.", "The stand-up is at 10."),
    ("The deadline for expenses is the 15th of each month.", "The deadline for expenses is the 20th of each month."),
    ("The budget review is on Tuesday.", "The budget review is on Thursday."),
    ("The contract ends on 31 March.", "The contract ends on 30 June."),
    ("Expenses must be handed in within 30 days.", "Expenses must be handed in within 60 days."),
    ("Parking costs €5 a day.", "Parking costs €8 a day."),
    ("The Leeds office doesn't open on Saturdays.", "The Leeds office opens on Saturdays."),
    ("Interns are not paid.", "Interns are paid."),
    ("There is no canteen in Leeds.", "There is a canteen in Leeds."),
    ("Visitors can't use the gym.", "Visitors can use the gym."),
    ("Ann doesn't report to Ben.", "Ann reports to Ben."),
    ("The travel budget is 2,000 euros.", "The travel budget is 3,000 euros."),
    ("It takes five days to get a visa.", "It takes ten days to get a visa."),
    ("The office closes at four on Fridays.", "On Fridays the office closes at six."),
    ("北京到上海要5小时。", "北京到上海要6小时。"),
    ("总部食堂下午两点关门。", "我记得总部食堂下午一点关门。"),
    ("新员工的试用期是三个月。", "新员工试用期是6个月。"),
    ("报销单要在15天内交。", "报销单要在30天内交。"),
    ("停车费每小时5元。", "停车费每小时8元。"),
    ("发薪日是每月10号。", "发薪日是每月15号。"),
    ("部门例会定在周二。", "部门例会定在周四。"),
    ("实习生没有年假。", "实习生有年假。"),
    ("访客不能进机房。", "访客能进机房。"),
    ("利兹办公室周六不开门。", "利兹办公室周六开门。"),
    ("午餐20元。", "午餐25元。"),
    ("利率是3%。", "利率是4%。"),
    ("食堂6:30开门。", "食堂7:00开门。"),
    ("公司九点上班。", "我们公司九点半上班。"),
)
UNNOTICED = {
    "It takes ten days to get a visa.",
    "On Fridays the office closes at six.",
    "我们公司九点半上班。",
}
"""Contrary sentences that are let stand: of an "it" that may be another, and in another order or with another word."""


@pytest.mark.parametrize(("one", "two"), COMPATIBLE)
def test_what_can_hold_beside_it_does_not_contradict(one: str, two: str) -> None:
    compared = parse_sentence(one), parse_sentence(two)
    assert not contradict(*compared)
    assert not contradict(*reversed(compared))


@pytest.mark.parametrize(("one", "two"), CONTRARY)
def test_what_cannot_hold_beside_it_contradicts(one: str, two: str) -> None:
    compared = parse_sentence(one), parse_sentence(two)
    assert contradict(*compared) == (two not in UNNOTICED)
    assert contradict(*reversed(compared)) == (two not in UNNOTICED)
