"""Chinese rules for what users are, can, lack and gave up."""

from __future__ import annotations

import re
from typing import Final

from memory.evolution.health_statements import CONDITIONS_ZH
from memory.evolution.rule import Rule, Strength

_NOW = r"(?:现在|目前|已经|一直|还|也|都|其实|最近|从小|就|有点|有些|特别|很|非常|比较|真的)*"
_AMOUNT = (
    r"(?:大概|大约|约|差不多)?(?:\d[\d,.]*|[一二两三四五六七八九十百千万]+)\s*(?:[万千百米亿]\d*)?(?:元|块钱?|美元|"
    r"港币|公斤|斤|厘米|cm|CM|kg|码|号)?"
)
_ABLE = (
    r"(?:开车|游泳|做饭|做菜|骑(?:自行)?车|滑雪|滑冰|唱歌|跳舞|喝酒|打麻将|打字|编程|写代码|说?英语|说?日语|说?法语|"
    r"说?粤语|弹[^,，]{1,4}|拉[^,，]{1,4}琴|下棋|下围棋)"
)
_WHEN = (
    r"(?:\d{1,2}月\d{1,2}[日号]?|(?:下+个?|这|本)?(?:周|星期|礼拜)[一二三四五六日天末]|明天|后天|大后天|"
    r"下个?月(?:\d{1,2}[日号])?|明年|今年(?:年底)?|年底|月底|\d{1,2}[日号])"
)
_OCCASION = (
    r"(?:考试|结婚|面试|出差|体检|开会|搬家|生日|过生日|手术|做手术|答辩|毕业|婚礼|比赛|演出|复诊|值班|旅行|"
    r"去[^,，]{2,8}(?:出差|旅[游行]|开会))"
)
_DROP = r"(?:也|都|就|的|了|啦|呢|哦|呀|啊|吧|哈)*$"


def _p(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


TRAITS: Final = (
    Rule("zh.sign", _p(r"^我(?:是)?(?P<value>(?:白羊|金牛|双子|巨蟹|狮子|处女|天秤|天蝎|射手|摩羯|水瓶|"
                       r"双鱼)座)(?:的)?$"), "星座", "星座：{value}", "identity"),
    Rule("zh.zodiac", _p(r"^我(?:是)?属(?P<value>[鼠牛虎兔龙蛇马羊猴鸡狗猪])(?:的)?$"), "属相", "属{value}",
         "identity"),
    Rule("zh.measures", _p(rf"^我(?:的)?(?:现在|目前|净)*(?P<key>身高|体重|月薪|年薪|工资|月收入|年收入|房租|房贷|车贷|"
                           rf"鞋码)(?:是|大概|大约|约|为|有)*(?P<value>{_AMOUNT})(?:左右|多)?$"), "{key}",
         "{key}：{value}", "identity"),
    Rule("zh.household", _p(rf"^我{_NOW}(?P<value>一个人住|独居|(?:和|跟)[^,，你]{{1,8}}(?:一起)?住(?:在一起)?|"
                            rf"合租){_DROP}"), "household", "{value}", "family"),
    Rule("zh.only_child", _p(r"^我是(?P<value>独生子女?|独生女|双胞胎|家里(?:的)?老[大二三小幺]|左撇子|路痴|夜猫子|"
                             r"急性子|吃货|工作狂|色盲|色弱|[^,，]{1,4}(?:球迷|歌迷|影迷|粉丝|发烧友))$"), "identity",
         "是{value}", "identity"),
    Rule("zh.eyes", _p(r"^我(?:有点|有些|有|是|天生)*(?P<value>近视|远视|散光|色盲|色弱|恐高|晕车|晕船|社恐|"
                       r"脸盲)(?:症)?(?:的)?$"), "identity", "有{value}", "identity"),
    Rule("zh.condition", _p(rf"^我{_NOW}(?:有点|有些|有|是|天生|刚|被|得了?|患上?了?|犯了?|查出了?|确诊了?|诊断出?了?|"
                            rf"为)*(?P<value>{CONDITIONS_ZH})(?:患者|病人)?{_DROP}"), "health", "有{value}", "health"),
    Rule("zh.pregnant", _p(rf"^我{_NOW}刚?(?P<value>怀孕)(?:了|[\d一二两三四五六七八九十]+个?[多周月]+)*{_DROP}"),
         "health", "{value}", "health"),
    Rule("zh.fears", _p(rf"^我{_NOW}(?:怕|害怕|恐惧)(?P<value>(?!你|他|她|它|自己|这|那|的|什么|是|"
                        rf"麻烦)[^,，]{{1,10}}?){_DROP}"), "fears", "怕{value}", "identity"),
    Rule("zh.supports", _p(rf"^我{_NOW}(?:支持|是(?=[^,，]{{2,8}}的?球迷))(?P<value>(?!你|他|她|这|那|"
                           rf"一下)[^,，]{{2,10}}?)(?:队|的球迷)?{_DROP}"), "likes", "支持{value}", "preference",
         "preference", "preference"),
    Rule("zh.cannot", _p(rf"^我{_NOW}(?:不会|不太会|不怎么会|还不会|学不会)(?P<value>{_ABLE}){_DROP}"), "cannot",
         "不会{value}", "hobby"),
    Rule("zh.has_no", _p(rf"^我{_NOW}(?:没有?|还没有?)(?P<value>孩子|小孩|子女|兄弟姐妹|兄弟|姐妹|宠物|车|房子?|驾照|"
                         rf"对象|男朋友|女朋友|信用卡|贷款|房贷|过敏史?){_DROP}"), "has_not", "没有{value}",
         "identity"),
    Rule("zh.not_married", _p(rf"^我{_NOW}(?:没|还没|没有|还没有)(?P<value>结婚|成家|离婚|对象){_DROP}"), "marital",
         "没有{value}", "family"),
    Rule("zh.gave_up", _p(rf"^我{_NOW}(?:(?:不再|再也不)(?:吃|喝|抽)|戒掉?了|戒)(?P<value>(?!掉|备|"
                          rf"指)[^,，我你]{{1,8}}?){_DROP}"), "diet.avoids", "{quote}", "diet"),
    Rule("zh.now_doing", _p(rf"^我{_NOW}(?:正在|在)(?P<value>减肥|健身|备孕|装修|戒烟|戒酒|戒糖|找工作|创业|考驾照|"
                            rf"看房|还房贷|坐月子|休产假|休假|写论文|实习){_DROP}"), "doing", "在{value}", "hobby"),
    Rule("zh.commutes", _p(rf"^我{_NOW}(?:每天|平时|一般|都)*(?P<value>(?:坐|乘|开|骑|走)[^,，你]{{0,6}}(?:去)?(?:上班|"
                           rf"上下班|通勤|上学)){_DROP}"), "commute", "{value}", "habit"),
    Rule("zh.visited", _p(rf"^我(?:之前|以前|曾经?|已经|也|都)*(?:去过|到过)(?P<value>(?!你|那|这|很多|不少|"
                          rf"一[次趟])[^,，]{{2,10}}?)(?:[两三几\d]次|旅[游行]|玩)?{_DROP}"), "visited", "去过{value}",
         "travel", many=True),
    Rule("zh.not_visited", _p(rf"^我(?:还|从来|从|一直|都)*没(?:有)?(?:去|到)过(?P<value>(?!你|那|这|"
                              rf"很多)[^,，]{{2,10}}?){_DROP}"), "not_visited", "没去过{value}", "travel", many=True),
    Rule("zh.graduated", _p(r"^我(?:是)?(?P<value>毕业于[^,，]{3,16}|从[^,，]{3,16}?毕业)(?:的|了)?$"), "education",
         "{quote}", "work"),
    Rule("zh.studied", _p(r"^我(?:是学|(?:大学|本科|研究生|硕士|博士)(?:是学|[读学念]的?是?))(?P<value>(?!会|到|的|习|"
                          r"过|着|了|什么|你)[^,，的]{2,10}?)(?:专业)?的?$"), "studies", "学习{value}", "work"),
    Rule("zh.married_for", _p(r"^我(?:和|跟)(?:我)?(?:老婆|妻子|太太|老公|丈夫|爱人|先生)(?:已经)?(?P<value>(?:结婚|"
                              r"在一起|认识)(?:了|快|有)*[\d一二两三四五六七八九十]+多?年)(?:了|多)*$"), "experience",
         "{value}", "family"),
    Rule("zh.occasion", _p(rf"^我(?:在)?(?P<when>{_WHEN})(?:早上|上午|中午|下午|晚上)?(?:要|有|得|会|去|"
                           rf"参加)*(?P<value>{_OCCASION}){_DROP}"), "appointment", "{quote}", "schedule"),
    Rule("zh.kin_died", _p(r"^我(?:的|家的?)?(?P<key>爸爸?|妈妈?|父亲|母亲|爷爷|奶奶|外公|外婆|姥姥|姥爷|老公|老婆|狗|"
                           r"猫|狗狗|猫咪)(?:在?(?:去年|今年|前年|上个?月|\d{4}年))?(?:就|已经)*(?P<value>去世|过世|走|"
                           r"死|不在)了$"), "{key}.去世", "{quote}", "family"),
    Rule("zh.family_pets", _p(r"^我们家(?:里)?(?:现在)?(?:有|养了?|养着)(?P<value>(?:一|两|二|三|四|五|\d)(?:个|只|条|"
                              r"位)[^,，]{1,8}(?:[,，]\s*(?:名字|它)?叫[^,，]{1,12})?)$"), "family", "有{value}",
         "family"),
    Rule("zh.sick_of", _p(rf"^我{_NOW}(?:受够了|烦透了|最烦)(?P<value>(?!你|这|那|他|她)[^,，]{{1,12}}?){_DROP}"),
         "dislikes", "不喜欢{value}", "preference", "preference", "preference"),
    Rule("zh.dont_use", _p(r"^(?:请|以后|麻烦)*(?P<value>(?:不要|别|不用|少)(?:再)?(?:用|使用|加|附|放|叫我|称呼我|"
                           r"重复|道歉)[^,，]{1,15}?)(?:了|啦|好吗|吗|谢谢)*$"), "instruction", "{value}",
         "instruction", "preference", "preference", Strength.IMPLIED, for_now=True),
    Rule("zh.answer_form", _p(r"^(?:请|以后|麻烦)*(?P<value>(?:回答|回复|答案)(?:请)?(?:控制在|不超过|"
                              r"不要超过)[^,，]{2,12}|用(?:公制|英制|24小时制|简体|繁体)[^,，]{0,8})$"),
         "infer:instruction", "{value}", "instruction", "preference", "preference", Strength.IMPLIED, for_now=True),
)  # fmt: skip
