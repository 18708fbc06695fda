"""Chinese rules, most telling first. The speaker is 我 or left out; 我妹妹 or 他 at the start is somebody else."""

from __future__ import annotations

from typing import Final

from memory.evolution.facts_zh import FACTS
from memory.evolution.rule import Rule, Strength
from memory.evolution.rule_phrases_zh import (
    ADV,
    END,
    JOB,
    JUDGED,
    LIKE,
    ME,
    MONEY,
    ONCE,
    POINTING,
    SELF,
    THING,
    VERBS,
    N,
    p,
)
from memory.evolution.traits_zh import TRAITS

CORRECTIONS: Final = (
    Rule("zh.not_this_job", p(rf"^我(?:现在|其实)*不是(?P<old>{JOB})[,，]\s*(?:而)?(?:我)?(?:现在|"
                              rf"其实)*是(?:一?[名个位])?(?P<value>{JOB}){END}"),
         "job", "职业：{value}，不是{old}", "work", strength=Strength.EXPLICIT, whole=True, replaces=True),
    Rule("zh.switch_language", p(r"^(?:请|麻烦|你|给我|帮我)*(?:换成|改成|改用|换)(?P<value>中文|英文|英语|汉语|"
                                 r"普通话|粤语|日语)(?:来)?(?:回答|回复|说|讲)?(?:吧|我)*$"),
         "language.reply", "用{value}回答", "language", "preference", "preference", Strength.EXPLICIT, whole=True,
         replaces=True, for_now=True),
    Rule("zh.not_but_answer", p(r"^(?:并)?不是(?P<old>[^,，是]{1,20}?)[,，]\s*(?:而)?(?:其实)?是(?P<value>[^,，]{1,"
                                r"20}?)(?:了|啦|哦|呀|啊|吧)*$"),
         "infer:likes", "{value}，不是{old}", "preference", "preference", "preference", Strength.EXPLICIT, whole=True,
         replaces=True, answers=True),
    Rule("zh.not_but", p(rf"^(?:我)?(?:现在)?(?:喜欢的|想要的|要的|偏好的|说的|关注的|"
                         rf"指的)?(?:并)?不是(?P<old>[^,，是]{{1,20}}?)[,，]\s*(?:而)?(?:我)?(?:现在|如今|其实|"
                         rf"更)*(?:{LIKE}|想要|要的是|偏好|关注)(?:的是)?{THING}{END}"),
         "infer:likes", "喜欢{value}，不是{old}", "preference", "preference", "preference", Strength.EXPLICIT,
         whole=True, replaces=True),
    Rule("zh.no_longer_now", p(rf"^(?=.*(?:现在|如今|不再|已经|最近|了[,，]))(?:我)?(?:现在|如今|已经|最近)*(?:不再|"
                               rf"不太?|没那么)(?:怎么)?(?:{LIKE}|想要)(?P<old>[^,，]{{1,20}}?)了?[,，]\s*(?:而是|"
                               rf"反而|改)?(?:我)?(?:现在|如今|更|开始|改|转而|变得)*(?:{LIKE}|想要|偏好|"
                               rf"倾向于?){THING}{END}"),
         "infer:likes", "不再喜欢{old}，喜欢{value}", "preference", "preference", "preference", Strength.EXPLICIT,
         whole=True, replaces=True),
    Rule("zh.used_to_now", p(rf"^(?:我)?(?:以前|之前|过去|原来|曾经|从前|小时候)(?:很|最|特别)?(?:{LIKE}|关注|想要|"
                             rf"偏好)(?P<old>[^,，]{{1,20}}?)[,，]\s*(?:但是?|可是|不过)?(?:我)?(?:现在|如今|"
                             rf"最近)(?:却|则|更|已经|改|转而|变得)*(?:{LIKE}|关注|想要|偏好|"
                             rf"喜欢的是){THING}{END}"),
         "infer:likes", "现在喜欢{value}，不再喜欢{old}", "preference", "preference", "preference", Strength.EXPLICIT,
         whole=True, replaces=True),
    Rule("zh.switch", p(rf"^(?:请|帮我|给我|我|想|要|把)*(?:从(?P<old>[^,，]{{1,20}}?))?(?:换成|改成|改为|换为|改用|"
                        rf"改喝|改吃){THING}{END}"),
         "infer:likes", "换成{value}", "preference", "preference", "preference", Strength.EXPLICIT, whole=True,
         replaces=True),
    Rule("zh.swap", p(rf"^(?:请|帮我|我|想|要)*把(?P<old>[^,，]{{1,20}}?)(?:换成|换为){THING}{END}"),
         "infer:likes", "把{old}换成{value}", "preference", "preference", "preference", Strength.EXPLICIT, whole=True,
         replaces=True),
)  # fmt: skip

CHANGES: Final = (
    Rule("zh.own_changed", p(rf"^(?:我(?:的|把)?|把我?的?|(?=[^,，]{{2,3}}改[成到]))(?:每个?[月周年天]的?)?(?P<key>"
                             rf"(?!把|从|想|要|请|帮|现在)[^,，我你他她]{{1,10}}?)(?:现在|已经|"
                             rf"最近)*(?:从(?P<old>[^,，]{{1,12}}?))?(?:改成|改为|换成|换为|变成|调到|调整为|调整到|"
                             rf"提高到|降到|降低到|涨到|减到|改到|挪到|移到)了?(?P<value>(?!什么|这|那|"
                             rf"你)[^,，]{{1,20}}?){END}"),
         "{key}", "{key}：{value}", "identity", strength=Strength.EXPLICIT, replaces=True),
    Rule("zh.own_is_now", p(rf"^我的(?P<key>[^,，我你他她是]{{1,10}}?)(?:现在|如今|已经)(?:是|"
                            rf"叫){POINTING}(?P<value>[^,，]{{1,20}}?){END}"),
         "{key}", "{key}：{value}", "identity", strength=Strength.EXPLICIT, replaces=True),
)  # fmt: skip

RETRACTIONS: Final = (
    Rule("zh.stops_following", p(rf"^(?:我)?(?:现在|已经|以后|最近)*(?:不再?|别再|没再|没有再|取消)(?:关注|跟踪|追踪|"
                                 rf"盯|盯着)(?:对)?{THING}(?:的关注)?{END}"),
         "follows", "不再关注{value}", "watch-list", strength=Strength.EXPLICIT, polarity="negative", many=True,
         replaces=True),
    Rule("zh.sold_out", p(rf"^{ONCE}(?:我{ONCE})?(?:清仓|清掉|卖光|卖掉|全卖|不再持有|抛掉|清空)了?(?:所有|"
                          rf"全部)?(?:的)?{THING}{END}"),
         "asset:holds", "不再持有{value}", "holding", strength=Strength.EXPLICIT, polarity="negative", many=True,
         replaces=True, happened=True),
    Rule("zh.sold_all_of", p(rf"^{ONCE}(?:我{ONCE})?把(?:手里|手上|所有|全部)?(?:的)?{POINTING}(?P<value>[^,，]{{1,"
                             rf"20}}?)(?:的股票|的仓位)?(?:全部?|都|已经)*(?:清仓|卖光|卖掉|抛掉|抛光|清掉|清空|卖完|"
                             rf"出清|全卖){END}"),
         "asset:holds", "不再持有{value}", "holding", strength=Strength.EXPLICIT, polarity="negative", many=True,
         replaces=True, happened=True),
    Rule("zh.no_longer_likes", p(rf"^(?:我)?(?:(?:现在|如今|已经)+不|不再|已经?不|早就?不)(?:太|怎么|"
                                 rf"那么)?{LIKE}{THING}{END}"),
         "dislikes", "不再喜欢{value}", "preference", "preference", "preference", Strength.EXPLICIT, many=True,
         replaces=True),
    Rule("zh.no_longer_lives", p(rf"^我(?:现在|已经|早就?)*(?:不住在?|搬离了?|离开了?){THING}{END}"),
         "home", "不住在{value}了", "home", strength=Strength.EXPLICIT, polarity="negative", replaces=True),
    Rule("zh.stopped_going", p(r"^我(?:现在|已经|最近)*(?:不再|不|没再|停止)(?:去|练|上|学|打|做)(?P<value>瑜伽|"
                               r"健身房?|游泳|羽毛球|篮球|足球|网球|钢琴|吉他|小提琴|普拉提|拳击|舞蹈|书法)课?了$"),
         "schedule.{value}", "不再去{value}", "schedule", strength=Strength.EXPLICIT, polarity="negative",
         replaces=True),
    Rule("zh.left_job", p(rf"^我(?:现在|已经|刚)*(?:不在|从)(?P<value>[^,，]{{2,20}}?)(?:上班|工作|任职|离职|"
                          rf"辞职){END}"),
         "employer", "不在{value}工作了", "work", strength=Strength.EXPLICIT, polarity="negative", replaces=True),
)  # fmt: skip

TASTES: Final = (
    Rule("zh.constraint_limit", p(rf"^(?P<value>(?:价格|单价|总价|市盈率|股价)?(?:超过|高于|大于|低于|少于|贵过|"
                                  rf"多于){MONEY}(?:以上|以下)?的?)(?:[^,，]{{0,8}})?(?:都|就|一律|我)?(?:不要|"
                                  rf"不考虑|别推荐|不用推荐|不看|免谈|不行|不接受|不买|别给我看|别考虑)了?{END}"),
         "constraint.limit", "{quote}", "constraint", "preference", "preference", Strength.EXPLICIT),
    Rule("zh.constraint_max", p(rf"^(?:价格|单价|总价|请|最好)*(?:不要|别|不能|不可以?|不想)(?:超过|高于|"
                                rf"低于)(?P<value>{MONEY}){END}"),
         "constraint.limit", "{quote}", "constraint", "preference", "preference", Strength.EXPLICIT),
    Rule("zh.constraint_on", p(rf"^(?P<key>[^,，我你]{{1,8}}?)(?:仓位|占比|比例)?(?:不要|别|不能|不可以?|不得)(?:超过|"
                               rf"高于|低于|少于)(?P<value>{MONEY}|{N}成){END}"),
         "constraint.limit.{key}", "{quote}", "constraint", "preference", "preference", Strength.EXPLICIT),
    Rule("zh.constraint_within", p(rf"^(?:我)?(?:只要|只看|只考虑|要)(?P<value>{MONEY}(?:以内|以下|以上|"
                                   rf"左右)的?[^,，]{{0,10}}){END}"),
         "constraint.limit", "{quote}", "constraint", "preference", "preference", Strength.EXPLICIT),
    Rule("zh.constraint_avoid", p(rf"^(?:请|以后|你)*(?:不要|别|不用)(?:再)?(?:给我|向我|跟我)*(?:推荐|推送|介绍|提|"
                                  rf"聊){THING}{END}"),
         "constraint.avoid", "不要推荐{value}", "constraint", "preference", "preference", Strength.EXPLICIT),
    Rule("zh.now_likes", p(rf"^我?(?:现在|如今|最近)(?:更|开始|改|已经|比较|变得|转而|反而)*{LIKE}{THING}{END}"),
         "infer:likes", "现在喜欢{value}", "preference", "preference", "preference", Strength.EXPLICIT, replaces=True),
    Rule("zh.favourite", p(rf"^我(?:个人)?(?:最|特别)(?:{LIKE}|爱)的(?P<key>[^,，是]{{1,10}}?)(?:就)?是(?!你|因为|我|"
                           rf"那|这|什么|在){THING}{END}"),
         "favourite.{key}", "最喜欢的{key}是{value}", "preference", "preference", "preference"),
    Rule("zh.prefers", p(rf"{SELF}(?:更(?:加)?{LIKE}|偏好|偏向于?|倾向于?|更想要?|更愿意|宁愿){THING}{END}"),
         "infer:likes", "更喜欢{value}", "preference", "preference", "preference", many=True),
    Rule("zh.wants_reply", p(rf"^(?:我)?(?:希望|想要?|想让)(?:你|您)(?:的)?(?:以后|都|能)*(?P<value>(?:回答|回复|说话|"
                             rf"解释|用|讲)[^,，]{{2,30}}?){END}"),
         "infer:reply_style", "希望{value}", "preference", "preference", "preference", Strength.EXPLICIT),
    Rule("zh.dislikes", p(rf"^(?:我)?(?:个人|一直|从小|真的|其实|平时|都|也|很|最|特别|非常|比较|有点|一向)*(?:(?:不|"
                          rf"不太|不怎么|不是很|并不|不大|没那么)(?:{LIKE}|喜欢|爱(?=[吃喝看听玩穿用]))|讨厌|反感|"
                          rf"厌恶|受不了|忍受不了){THING}{END}"),
         "dislikes", "不喜欢{value}", "preference", "preference", "preference", many=True),
    Rule("zh.not_interested", p(rf"^(?:我)?{ADV}对{POINTING}(?P<value>[^,，]{{1,20}}?)(?:不感兴趣|没有?兴趣|没感觉|"
                                rf"无感)$"),
         "dislikes", "对{value}不感兴趣", "preference", "preference", "preference", many=True),
    Rule("zh.interested", p(rf"{ME}对{POINTING}(?P<value>[^,，你]{{1,20}}?){ADV}(?:感兴趣|有兴趣|着迷|"
                            rf"情有独钟){END}"),
         "likes", "对{value}感兴趣", "preference", "preference", "preference", many=True),
    Rule("zh.likes", p(rf"{SELF}{LIKE}(?:的(?:就)?(?:是|有))?{POINTING}(?P<value>[^,，。？?]{{1,40}}?(?:[,，][^,"
                       rf"，]{{1,4}})*){END}"),
         "infer:likes", "喜欢{value}", "preference", "preference", "preference", many=True),
    Rule("zh.opinion", p(rf"^我(?:个人|一直|还是|真的|就|也|现在)*(?:觉得|认为|感觉|看来|以为)(?P<value>(?!你|您|这|"
                         rf"那|它|他|她|自己|我|和|跟|与|确实|很|非常|有点|今天|挺|特别|最|一|也|都|还|好|有|如果|没|"
                         rf"真的|太|比较)(?P<key>[^,，]{{2,16}}?)(?:太|有点|有些|偏|比较|挺|很|非常|过于|被|是|不|"
                         rf"实在|越来越|还是|已经|不太){{1,2}}(?:{JUDGED})[^,，]{{0,8}})$"),
         "opinion:{key}", "觉得{value}", "opinion", "insight", "opinion"),
    Rule("zh.reply_length", p(r"^(?:请|麻烦|你|能不能|可不可以|能|可以|你的|回答|回复|说|讲|写|"
                              r"解释)*(?P<value>(?:太长|太啰嗦|太复杂|太笼统)|(?:再)?(?:尽量|尽可能)?(?:简短|简单|"
                              r"简洁|精简|详细|直接|具体|通俗)(?:一)?(?:点|些)|说重点|长话短说)(?:了|吧|的|说|回答|"
                              r"就好|就行|谢谢|吗)*$"),
         "reply_style", "回答{value}", "preference", "preference", "preference", Strength.IMPLIED, for_now=True),
    Rule("zh.reply_language", p(r"^(?:请|麻烦|你|能不能|可不可以|能|可以)*用(?P<value>中文|英文|英语|汉语|普通话|粤语|"
                                r"日语)(?:来)?(?:回答|回复|说|讲|写|跟我说|和我聊)(?:我|吧|就好|一下|吗)*$"),
         "language.reply", "用{value}回答", "language", "preference", "preference", Strength.IMPLIED, for_now=True),
)  # fmt: skip

INSTRUCTIONS: Final = (
    Rule("zh.from_now_on", p(rf"^(?:请|麻烦|你)*(?:以后|今后|从现在(?:开始|起)|从今(?:天|往后|以后)(?:起|开始)?|往后|"
                             rf"下次|每次)(?:你|请|都|就|开始|的回[答复]|跟我说话|和我聊天|"
                             rf"[,，])*(?P<value>{VERBS}.{{1,80}})$"),
         "infer:instruction", "以后{value}", "instruction", "preference", "preference", Strength.EXPLICIT, whole=True),
    Rule("zh.always", p(r"^(?:请|你要?|麻烦)*(?P<value>(?:总是|永远(?:不要|别)?|始终|一律|千万(?:别|不要))(?:用|回答|"
                        r"回复|给|列|按|叫|推荐|提|说|附|写|提醒|先).{1,80})$"),
         "infer:instruction", "{value}", "instruction", "preference", "preference", Strength.EXPLICIT, whole=True),
    Rule("zh.remember", p(r"^(?:请|麻烦|你|帮我|帮忙|要|给我|一定)*(?:记住|记一下|记下来?|记得|别忘了|不要忘记|"
                          r"备注一下|记着)(?:了|一下)?[,，:：]?\s*(?P<value>(?=.*(?:我|\d|[A-Za-z]))(?!(?:你|什么|"
                          r"怎么|吗|要|多|那|这个|我们|我会|我说))[^?？]{3,100})$"),
         "note", "{value}", "note", "observation", "fact", Strength.EXPLICIT, whole=True),
)  # fmt: skip

STATEMENTS: Final = (*CHANGES, *RETRACTIONS, *FACTS, *TRAITS, *TASTES)
"""The rules for what a clause may state, in the order in which they are tried."""
RULES: Final = (*INSTRUCTIONS, *CORRECTIONS, *STATEMENTS)
