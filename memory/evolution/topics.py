"""The fields of life that a statement is about, by its words. Pure.

A new statement may change an old one of the same field.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from foundation.text import tokenize

_ENGLISH: Final = {
    "employment": (
        "work job employer boss manager shift ward office company promote promotion hire contract salary "
        "wage pay paid freelance retire retired unemployed redundant redundancy career team colleague client "
        "intern internship role self-employed apprentice apprenticeship overtime permanent firm commute "
        "remote fired quit resign partner lead"
    ),
    "home": (
        "live living move moved home house flat apartment rent rented landlord mortgage tenant lease room "
        "bedroom garden neighbour neighbor neighbourhood roommate flatmate housemate dorm kitchen balcony "
        "address street city town village renovate renovation condo basement loft"
    ),
    "family": (
        "wife husband partner married marry marriage divorce divorced engaged wedding kid kids child "
        "children son daughter baby pregnant mother mum mom mam father dad brother sister twin grandson "
        "granddaughter grandchild niece nephew aunt uncle cousin boyfriend girlfriend fiance fiancee single "
        "dating separated parent family"
    ),
    "health": (
        "allergic allergy doctor gp hospital surgery operation knee hip blood pressure diabetes diabetic "
        "asthma pill tablet medicine medication dose mg therapy therapist physio migraine sleep weight kilo "
        "diagnosis diagnosed celiac injury depression anxiety glasses hearing dentist tooth teeth vaccine "
        "cancer pain cholesterol insulin injection"
    ),
    "diet": (
        "eat eating food vegan vegetarian meat fish chicken beef pork gluten dairy milk sugar coffee tea "
        "drink drinking alcohol beer wine whisky spicy breakfast lunch dinner supper diet cook cooking snack "
        "cheese egg bread fasting smoke smoking cigarette vape keto nut lactose dessert chocolate salt"
    ),
    "holdings": (
        "share stock position hold holding long short sold sell bought buy etf fund bond pension isa 401k "
        "ira savings saving deposit invest investment portfolio broker crypto bitcoin btc eth coin option "
        "call put hedge gold dividend leverage margin futures risk trade trading stop allocation cash loan "
        "debt"
    ),
    "answers": (
        "answer reply respond write bullet emoji formal short brief english chinese language spelling format "
        "table summary call address tone sign explain suggest recommend remind mention step jargon markdown "
        "units metric celsius font paragraph headline heading joke"
    ),
    "schedule": (
        "monday tuesday wednesday thursday friday saturday sunday week weekend month appointment meeting "
        "deadline morning evening afternoon night class lesson session o'clock am pm tomorrow date cancel "
        "cancelled postponed rescheduled booked booking exam interview"
    ),
    "travel": "trip travel flight fly flying holiday vacation hotel cruise train visa passport abroad ticket tour",
    "transport": (
        "car drive driving bike bicycle bus tram tube train van truck motorbike scooter licence license "
        "parking park cycle walk"
    ),
    "pets": "dog cat hen puppy kitten rabbit hamster fish bird horse goat pet breed vet tortoise parrot",
    "sport": (
        "gym run running swim swimming yoga football tennis netball marathon climb climbing train training "
        "golf hike hiking boxing cycling pilates badminton squash team club league lift lifting"
    ),
    "study": (
        "study studying degree university college school course class major minor exam thesis phd gpa learn "
        "learning teach teacher student semester certificate grade tutor language duolingo"
    ),
    "tools": (
        "phone iphone android samsung laptop computer app software subscription netflix spotify bank account "
        "windows mac linux excel python game console camera tv"
    ),
    "hobby": (
        "read reading book music guitar piano violin sing choir paint painting knit sewing garden gardening "
        "play playing film movie podcast photography chess cook baking collect board instrument band writing"
    ),
    "name": "name called surname nickname spell spelled spelling",
    "age": "age old birthday born turn turned year",
}
_CHINESE: Final = {
    "employment": (
        "工作 上班 公司 单位 老板 领导 同事 辞职 离职 跳槽 入职 转正 升职 工资 薪水 加班 退休 失业 裁员 合同 "
        "出差 项目 岗位 职位 兼职 实习 打工 调到 调去 调岗 客户 员工 创业 站点 白班 夜班 科室 班主 部门 团队 "
        "远程"
    ),
    "home": (
        "搬家 搬到 搬去 住在 住处 房子 租房 房租 房东 房贷 小区 公寓 宿舍 新家 老家 地址 买房 卖房 装修 楼层 "
        "院子 合租 室友 舍友 屋头 城市 换房 搬"
    ),
    "family": (
        "老公 老婆 爱人 妻子 丈夫 媳妇 结婚 离婚 订婚 订亲 对象 男友 女友 男朋 女朋 朋友 分手 单身 孩子 儿子 "
        "女儿 闺女 囡儿 小子 宝宝 怀孕 二胎 妈妈 爸爸 母亲 父亲 爹娘 公婆 岳母 哥哥 弟弟 姐姐 妹妹 爷爷 奶奶 "
        "外婆 外公 姥姥 姥爷 孙子 孙女 女婿 侄女 表弟 表姐 娃 爹 娘"
    ),
    "health": (
        "过敏 医生 医院 手术 吃药 药 血压 血糖 糖尿 高血 尿酸 胃病 腰椎 颈椎 膝盖 体检 复查 睡眠 失眠 体重 "
        "公斤 减肥 哮喘 牙齿 近视 助听 康复 月经 焦虑 抑郁 疫苗 住院 检查 血脂 确诊 眼睛 鼻炎"
    ),
    "diet": (
        "吃素 吃肉 素食 吃辣 忌口 不吃 咖啡 奶茶 喝茶 牛奶 喝酒 戒酒 抽烟 戒烟 白酒 啤酒 早餐 早饭 午饭 晚饭 "
        "晚餐 海鲜 花生 香菜 甜 辣 糖 饮食 生酮 轻断 火锅 面食 米饭 水果 吃 喝 烟 酒 食"
    ),
    "holdings": (
        "股票 炒股 基金 持仓 仓位 持有 定投 买入 卖出 清仓 加仓 减仓 割肉 止损 止盈 满仓 空仓 定期 存款 存单 "
        "理财 债券 国债 黄金 比特 币 期货 期权 美股 港股 a股 养老 保险 贷款 房贷 欠款 借给 风险 长线 短线 "
        "利率 收益 投资 账户 万元 余额 割了 股"
    ),
    "answers": (
        "回答 回复 称呼 叫我 表格 分点 表情 简短 简洁 详细 中文 英文 英语 语气 格式 写 用词 术语 步骤 结论 "
        "提醒 推荐 建议 繁体 简体 粤语 大白 白话 公式 例子 莫写 别写 别用 不要 小标 标题 单位"
    ),
    "schedule": (
        "周一 周二 周三 周四 周五 周六 周日 周末 星期 礼拜 下周 下月 上午 下午 晚上 早上 每天 每周 每月 月底 "
        "约了 预约 改到 改成 取消 推迟 提前 日程 开会 会议 考试 面试 延期 改期 点钟"
    ),
    "travel": "旅游 旅行 机票 飞 酒店 出国 签证 护照 高铁 火车 自驾 景区 行程 去玩 过年",
    "transport": "开车 买车 换车 车子 车牌 驾照 地铁 公交 骑车 电动 单车 摩托 三轮 停车 通勤 车",
    "pets": "养狗 养猫 狗狗 猫咪 小狗 小猫 宠物 兔子 仓鼠 金鱼 鸟 狗 猫 鸡",
    "sport": "健身 跑步 游泳 瑜伽 篮球 足球 羽毛 网球 乒乓 爬山 徒步 马拉 太极 广场 八段 球队 私教 锻炼 打球",
    "study": (
        "学校 大学 专业 考研 读研 博士 硕士 论文 导师 学习 课程 培训 考证 成绩 年级 小学 初中 高中 学期 转学 "
        "读书 补习 老师 学生 留学 保研 学 课"
    ),
    "tools": "手机 苹果 安卓 华为 小米 电脑 软件 会员 订阅 微信 银行 卡 账号 相机 电视 游戏 平板",
    "hobby": (
        "看书 读书 音乐 吉他 钢琴 唱歌 画画 书法 追剧 电影 小说 摄影 下棋 麻将 钓鱼 种菜 种花 听歌 写作 爱好 兴趣 手工"
    ),
    "name": "名字 姓 叫做 小名 网名 字写",
    "age": "岁 生日 出生 属 年纪 今年",
}
_PERSONS: Final = {
    "partner": (
        "wife husband hubby partner boyfriend girlfriend fiance fiancee spouse 老公 老婆 爱人 媳妇 妻子 丈夫 "
        "对象 男友 女友"
    ),
    "child": "son daughter kid kids child children baby 儿子 女儿 闺女 囡儿 小子 孩子 宝宝 娃 小孩",
    "mother": "mother mum mom mam mama amma 妈 母亲 娘 阿妈 老妈",
    "father": "father dad daddy papa 爸 父亲 爹 阿爸 老爸",
    "sibling": "brother sister bro sis 哥 弟 姐 妹 兄",
    "grandparent": "grandma grandpa granny nan nana gran grandfather grandmother 爷爷 奶奶 外婆 外公 姥姥 姥爷 阿婆",
    "grandchild": "grandson granddaughter grandchild grandkid grandkids 孙",
    "friend": "friend mate roommate flatmate housemate roomie 朋友 室友 舍友 闺蜜 同学",
    "colleague": "boss manager colleague coworker team report 老板 领导 同事 主任 护士长 站长 徒弟",
}


def _build_index(words_by_name: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """The index from a token or Chinese character to the names it stands for."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for name, words in words_by_name:
        for token in (token for word in words.split() for token in tokenize(word)):
            found[token].add(name)
    return {token: frozenset(names) for token, names in found.items()}


_TOPICS: Final = _build_index((*_ENGLISH.items(), *_CHINESE.items()))
_WHO: Final = _build_index(_PERSONS.items())


def topics_of(tokens: Iterable[str]) -> frozenset[str]:
    """The fields of life that index tokens and single Chinese characters belong to."""
    return frozenset().union(*(_TOPICS[token] for token in tokens if token in _TOPICS))


def persons_of(tokens: Iterable[str]) -> frozenset[str]:
    """The people close to the speaker that the tokens name, by relation."""
    return frozenset().union(*(_WHO[token] for token in tokens if token in _WHO))
