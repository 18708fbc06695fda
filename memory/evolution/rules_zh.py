"""Chinese rules, most telling first. The speaker is 我 or left out; 我妹妹 or 他 at the start is somebody else."""

from __future__ import annotations

import re
from typing import Final

from memory.evolution.rule import Rule, Strength
from memory.evolution.traits_zh import TRAITS

_ADV = (
    r"(?:现在|目前|如今|平时|平常|日常|一直|从小|从来|都|也|还|很|最|特别|非常|比较|更|更加|超级?|真的|真|其实|个人|"
    r"主要|通常|一般|经常|常常|挺|蛮|只|总|"
    r"有点|有些|十分|相当|确实|就|可|太|最近|本身|已经|自己|是|倒|尤其|极其|向来|始终|会|比起来)*"
)
_SINCE = r"(?:最近|现在|目前|如今|平时|平常|近来|近期|这段时间|闲暇时间?|有空的?时候?|业余时间|周末|今年|这两年)?"
_I = rf"^{_SINCE}(?:我|本人|俺|咱)?{_ADV}"
_ME = rf"^{_SINCE}(?:我|本人|俺|咱){_ADV}"
_MY = rf"^{_SINCE}我"
_POINTING = (
    r"(?!(?:你|您|这|那|它|他|她|哪|什么|怎|听(?=$|你|您|起来|到|说|的|上去)|的|里面|其中|一件|自己|和你|跟你|与你|"
    r"上了?$|的是?$|吗|过$|的?话))"
)
_THING = rf"{_POINTING}(?P<value>[^,，。？?]{{1,40}}?)"
_END = r"(?:[、\s]?什么的|了|啦|呢|哦|呀|啊|吧|的说|而已|哈|的哦)*$"
_N = r"[\d一二两三四五六七八九十几百千万]+"
_ONCE = (
    r"(?>现在|已经|就|刚才?|最近|近期|今[天早晚]|昨[天晚]|前(?:[天晚]|几天|不久|阵子|段时间)|不久前|上{1,2}个?(?:周|"
    r"星期|礼拜)[一二三四五六日天末]?|上{1,2}个?月[初中底末]?|"
    rf"(?:[今去前]|\d{{4}})年(?:年?[初中底末]|[春夏秋冬]天)?|\d{{1,2}}月份?(?:\d{{1,2}}[日号])?|(?:{_N}|半)个?多?(?:月|"
    rf"年|周|星期|天)[之以]?前)*"
)
"""A time at which something happened, said before it; ``_SINCE`` is for what lasts."""
_CLOCK = (
    r"(?:早上|上午|中午|下午|晚上|凌晨|傍晚|夜里|每天|每晚|早晨)?\s*[\d一二两三四五六七八九十]{1,3}(?:点|[:：]\d{2})"
)
_KIN = (
    r"(?:老婆|妻子|太太|老公|丈夫|爱人|女朋友|男朋友|对象|儿子|女儿|孙子|孙女|外孙|外孙女|侄子|侄女|外甥|孩子|爸爸|"
    r"妈妈|父亲|母亲|哥哥|弟弟|姐姐|妹妹|奶奶|爷爷|外婆|外公|老板|猫|狗|狗狗|猫咪|宠物)"
)
_AMOUNT = (
    rf"(?:每个?[月年天周])?(?:大概|大约|约|差不多)?(?:{_N}|\d[\d,.]*)\s*(?:万|千|百|亿)?(?:元|块钱?|人民币|美元|美金|"
    rf"港币|%|％|岁|年|个月|天|小时|公斤|斤|厘米|米|公里|平米|平方米|人|股|点|左右|以内|多){{0,3}}"
)
_NAMED = (
    r"(?!什么|外卖|车|你|您|他|她|我|不|了|个|人|滴滴|醒|苦|停|大家|好|出|做)(?:[\u4e00-\u9fff·]{1,6}|"
    r"[A-Za-z][\w .-]{0,20})"
)
_OFTEN = (
    r"(?:每天(?:早上|晚上|中午|下午|早晨|傍晚)?|每晚|每周(?:[一二三四五六日天末]|\w次)?(?:早上|晚上|下午|上午)?|"
    r"每个?(?:周末|月|星期\w?|早上|晚上)|每逢周末|周末(?:早上|晚上)?(?!.*[了过])|睡前|饭后|下班后|放学后|经常|常常|"
    r"时常|通常|一般|总是|习惯|坚持|平时|偶尔)"
)
_DOES = (
    r"(?:喝|吃|看|读|听|写|画|练|跑步?|游泳|打|踢|骑|爬|逛|玩|学|锻炼|健身|散步|冥想|瑜伽|运动|早起|熬夜|加班|上班|"
    r"做(?!了|过|的|不)|打坐|阅读|复盘|记账|午睡|钓鱼|下厨|种|养|弹|拉|唱|跳|去|花(?=[^,，]{1,12}(?:来|时间)))"
)
_SKILL = (
    r"(?:[拉弹吹打敲](?!电话|算|扰|开|招呼|车|个|工|败|动|赢)[^,，的了你]{1,6}|下(?:象棋|围棋|国际象棋|五子棋|棋)|开车|"
    r"骑马|骑自行车|游泳|滑雪|滑冰|冲浪|潜水|编程|写代码|画画|唱歌|跳舞|做饭|烹饪|烘焙|修车|速记|书法|瑜伽|太极拳?|"
    r"武术|街舞)"
)
_AIM = (
    r"(?:去(?!看看|哪|一个|旅[游行](?:放松|玩|散心|一下|了|$))[^,，。]{0,12}(?:旅[行游]|游玩|留学|读书|生活|定居|度假|"
    r"工作|发展|攀登|徒步|登山|爬)[^,，。]{0,8}|成为[^,，]{2,12}|学习?(?=[^,，]{2,12}的?技能)|当[^,，]{2,10}|"
    r"学(?!习?你)[^,，]{1,12}|考(?!虑)[^,，]{1,12}|开一?[家间个][^,，]{2,10}|换(?:个|一[个份])?(?:新的?)?工作|找(?:个|"
    r"一[个份])?新?工作|"
    r"创业|出国[^,，]{0,6}|留学|买(?!些|点|一些|东西)[^,，]{1,10}|养一?[只条][^,，]{1,6}|结婚|辞职|跳槽|转行|考研|读研|"
    r"减肥|减重|戒[烟酒糖]|搬(?:家|到|去)[^,，]{0,8}|退休|写(?:一?[本部])[^,，]{1,8}|攒钱[^,，]{0,8}|读(?:研|博)|"
    r"参加[^,，]{2,12}|报名?[^,，]{2,10})"
)
_JOB = (
    r"[^,，的]{0,8}?(?:老师|教师|医生|护士|工程师|程序员|设计师|律师|会计师?|分析师|交易员|作家|艺术家|音乐家|摄影师|"
    r"记者|经理|主管|顾问|科学家|"
    r"研究员|教授|厨师|司机|飞行员|农民|建筑师|药剂师|心理咨询师|编辑|翻译|创业者|自由职业者|销售|公务员|军人|警察|"
    r"学生|研究生|博士生|大学生|高中生|"
    r"教练|店长|老板|产品经理|运营|开发者|架构师|基金经理|投资者|投资人|股民|退休人员|家庭主妇|全职妈妈|实习生|演员|"
    r"歌手|画家|导演|主播|博主)"
)
_CITY = (
    r"(?:北京|上海|天津|重庆|广州|深圳|杭州|南京|苏州|成都|武汉|西安|长沙|郑州|青岛|济南|大连|沈阳|哈尔滨|长春|厦门|"
    r"福州|宁波|无锡|常州|合肥|昆明|贵阳|南宁|海口|三亚|"
    r"南昌|太原|石家庄|兰州|西宁|银川|乌鲁木齐|拉萨|呼和浩特|东莞|佛山|珠海|温州|嘉兴|绍兴|烟台|徐州|昆山|香港|澳门|"
    r"台北|台湾|东京|大阪|首尔|新加坡|纽约|伦敦|巴黎|柏林|"
    r"慕尼黑|汉堡|悉尼|墨尔本|多伦多|温哥华|旧金山|硅谷|洛杉矶|西雅图|波士顿|迪拜|曼谷|中国|美国|英国|德国|法国|日本|"
    r"韩国|加拿大|澳大利亚|澳洲|欧洲)"
)
_DISTRICT = r"(?:浦东|浦西|陆家嘴|张江|虹桥|徐汇|静安|中关村|国贸|朝阳|海淀|望京|金融街|南山|福田|天河|滨江|光谷|高新)"
_WHERE = (
    rf"(?:(?:{_CITY}市?)?(?:{_DISTRICT}|[^,，家]{{1,5}}(?:(?<![超门夜菜])市|区|县|镇|省|自治州|街道|开发区|园区))|"
    rf"{_CITY}市?|国外|海外|外地|老家|本地)(?:那边|这边|附近)?"
)
"""A place of work that names no employer; 北京银行 is none of these."""
_LIKE = (
    r"(?:喜欢上?|喜爱|热爱|钟爱|酷爱|偏爱|爱(?=[吃喝看听玩穿用读写画旅跑唱跳打])|爱好是?|着迷于|迷上了?|沉迷于?|"
    r"热衷于?)"
)
_VERBS = (
    r"(?:用|使用|回答|回复|答复|说|讲|写|给|列|先|只|按|以|称呼|叫|提醒|不要|别|请|保持|简短|简洁|详细|直接|尽量|附上|"
    r"标注|推荐|解释|翻译|总结|总是)"
)
_JUDGED = (
    r"(?:贵|便宜|高估|低估|高|低|危险|安全|有潜力|没潜力|泡沫|骗局|划算|不划算|值得|不值|无聊|有趣|好看|难看|好用|难用|"
    r"重要|没用|有用|靠谱|不靠谱|看涨|看跌|见底|见顶|合理|不合理|复杂|简单|慢|快|难|好吃|难吃|长|短|差|好)"
)
_MONEY = r"\d[\d,.]*\s*(?:[万千百亿]\s*)?(?:元|块钱?|人民币|美元|美金|港币|%|倍)?"


def _p(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


CORRECTIONS: Final = (
    Rule("zh.not_this_job", _p(rf"^我(?:现在|其实)*不是(?P<old>{_JOB})[,，]\s*(?:而)?(?:我)?(?:现在|"
                               rf"其实)*是(?:一?[名个位])?(?P<value>{_JOB}){_END}"),
         "job", "职业：{value}，不是{old}", "work", strength=Strength.EXPLICIT, whole=True, replaces=True),
    Rule("zh.switch_language", _p(r"^(?:请|麻烦|你|给我|帮我)*(?:换成|改成|改用|换)(?P<value>中文|英文|英语|汉语|"
                                  r"普通话|粤语|日语)(?:来)?(?:回答|回复|说|讲)?(?:吧|我)*$"),
         "language.reply", "用{value}回答", "language", "preference", "preference", Strength.EXPLICIT, whole=True,
         replaces=True, for_now=True),
    Rule("zh.not_but_answer", _p(r"^(?:并)?不是(?P<old>[^,，是]{1,20}?)[,，]\s*(?:而)?(?:其实)?是(?P<value>[^,，]{1,"
                                 r"20}?)(?:了|啦|哦|呀|啊|吧)*$"),
         "infer:likes", "{value}，不是{old}", "preference", "preference", "preference", Strength.EXPLICIT, whole=True,
         replaces=True, answers=True),
    Rule("zh.not_but", _p(rf"^(?:我)?(?:现在)?(?:喜欢的|想要的|要的|偏好的|说的|关注的|"
                          rf"指的)?(?:并)?不是(?P<old>[^,，是]{{1,20}}?)[,，]\s*(?:而)?(?:我)?(?:现在|如今|其实|"
                          rf"更)*(?:{_LIKE}|想要|要的是|偏好|关注)(?:的是)?{_THING}{_END}"),
         "infer:likes", "喜欢{value}，不是{old}", "preference", "preference", "preference", Strength.EXPLICIT,
         whole=True, replaces=True),
    Rule("zh.no_longer_now", _p(rf"^(?=.*(?:现在|如今|不再|已经|最近|了[,，]))(?:我)?(?:现在|如今|已经|最近)*(?:不再|"
                                rf"不太?|没那么)(?:怎么)?(?:{_LIKE}|想要)(?P<old>[^,，]{{1,20}}?)了?[,，]\s*(?:而是|"
                                rf"反而|改)?(?:我)?(?:现在|如今|更|开始|改|转而|变得)*(?:{_LIKE}|想要|偏好|"
                                rf"倾向于?){_THING}{_END}"),
         "infer:likes", "不再喜欢{old}，喜欢{value}", "preference", "preference", "preference", Strength.EXPLICIT,
         whole=True, replaces=True),
    Rule("zh.used_to_now", _p(rf"^(?:我)?(?:以前|之前|过去|原来|曾经|从前|小时候)(?:很|最|特别)?(?:{_LIKE}|关注|想要|"
                              rf"偏好)(?P<old>[^,，]{{1,20}}?)[,，]\s*(?:但是?|可是|不过)?(?:我)?(?:现在|如今|"
                              rf"最近)(?:却|则|更|已经|改|转而|变得)*(?:{_LIKE}|关注|想要|偏好|"
                              rf"喜欢的是){_THING}{_END}"),
         "infer:likes", "现在喜欢{value}，不再喜欢{old}", "preference", "preference", "preference", Strength.EXPLICIT,
         whole=True, replaces=True),
    Rule("zh.switch", _p(rf"^(?:请|帮我|给我|我|想|要|把)*(?:从(?P<old>[^,，]{{1,20}}?))?(?:换成|改成|改为|换为|改用|"
                         rf"改喝|改吃){_THING}{_END}"),
         "infer:likes", "换成{value}", "preference", "preference", "preference", Strength.EXPLICIT, whole=True,
         replaces=True),
    Rule("zh.swap", _p(rf"^(?:请|帮我|我|想|要)*把(?P<old>[^,，]{{1,20}}?)(?:换成|换为){_THING}{_END}"),
         "infer:likes", "把{old}换成{value}", "preference", "preference", "preference", Strength.EXPLICIT, whole=True,
         replaces=True),
)  # fmt: skip

CHANGES: Final = (
    Rule("zh.own_changed", _p(rf"^(?:我(?:的|把)?|把我?的?|(?=[^,，]{{2,3}}改[成到]))(?:每个?[月周年天]的?)?(?P<key>"
                              rf"(?!把|从|想|要|请|帮|现在)[^,，我你他她]{{1,10}}?)(?:现在|已经|"
                              rf"最近)*(?:从(?P<old>[^,，]{{1,12}}?))?(?:改成|改为|换成|换为|变成|调到|调整为|调整到|"
                              rf"提高到|降到|降低到|涨到|减到|改到|挪到|移到)了?(?P<value>(?!什么|这|那|"
                              rf"你)[^,，]{{1,20}}?){_END}"),
         "{key}", "{key}：{value}", "identity", strength=Strength.EXPLICIT, replaces=True),
    Rule("zh.own_is_now", _p(rf"^我的(?P<key>[^,，我你他她是]{{1,10}}?)(?:现在|如今|已经)(?:是|"
                             rf"叫){_POINTING}(?P<value>[^,，]{{1,20}}?){_END}"),
         "{key}", "{key}：{value}", "identity", strength=Strength.EXPLICIT, replaces=True),
)  # fmt: skip

RETRACTIONS: Final = (
    Rule("zh.stops_following", _p(rf"^(?:我)?(?:现在|已经|以后|最近)*(?:不再?|别再|没再|没有再|取消)(?:关注|跟踪|追踪|"
                                  rf"盯|盯着)(?:对)?{_THING}(?:的关注)?{_END}"),
         "follows", "不再关注{value}", "watch-list", strength=Strength.EXPLICIT, polarity="negative", many=True,
         replaces=True),
    Rule("zh.sold_out", _p(rf"^{_ONCE}(?:我{_ONCE})?(?:清仓|清掉|卖光|卖掉|全卖|不再持有|抛掉|清空)了?(?:所有|"
                           rf"全部)?(?:的)?{_THING}{_END}"),
         "asset:holds", "不再持有{value}", "holding", strength=Strength.EXPLICIT, polarity="negative", many=True,
         replaces=True, happened=True),
    Rule("zh.sold_all_of", _p(rf"^{_ONCE}(?:我{_ONCE})?把(?:手里|手上|所有|全部)?(?:的)?{_POINTING}(?P<value>[^,，]{{1,"
                              rf"20}}?)(?:的股票|的仓位)?(?:全部?|都|已经)*(?:清仓|卖光|卖掉|抛掉|抛光|清掉|清空|卖完|"
                              rf"出清|全卖){_END}"),
         "asset:holds", "不再持有{value}", "holding", strength=Strength.EXPLICIT, polarity="negative", many=True,
         replaces=True, happened=True),
    Rule("zh.no_longer_likes", _p(rf"^(?:我)?(?:(?:现在|如今|已经)+不|不再|已经?不|早就?不)(?:太|怎么|"
                                  rf"那么)?{_LIKE}{_THING}{_END}"),
         "dislikes", "不再喜欢{value}", "preference", "preference", "preference", Strength.EXPLICIT, many=True,
         replaces=True),
    Rule("zh.no_longer_lives", _p(rf"^我(?:现在|已经|早就?)*(?:不住在?|搬离了?|离开了?){_THING}{_END}"),
         "home", "不住在{value}了", "home", strength=Strength.EXPLICIT, polarity="negative", replaces=True),
    Rule("zh.stopped_going", _p(r"^我(?:现在|已经|最近)*(?:不再|不|没再|停止)(?:去|练|上|学|打|做)(?P<value>瑜伽|"
                                r"健身房?|游泳|羽毛球|篮球|足球|网球|钢琴|吉他|小提琴|普拉提|拳击|舞蹈|书法)课?了$"),
         "schedule.{value}", "不再去{value}", "schedule", strength=Strength.EXPLICIT, polarity="negative",
         replaces=True),
    Rule("zh.left_job", _p(rf"^我(?:现在|已经|刚)*(?:不在|从)(?P<value>[^,，]{{2,20}}?)(?:上班|工作|任职|离职|"
                           rf"辞职){_END}"),
         "employer", "不在{value}工作了", "work", strength=Strength.EXPLICIT, polarity="negative", replaces=True),
)  # fmt: skip

FACTS: Final = (
    Rule("zh.address", _p(r"^(?:请|可以|你可以|你就|就|以后)*(?:叫我|称呼我为?|喊我)(?P<value>(?!什么|起床|怎么|"
                          r"的)[^,，吧就]{1,8}?)(?:就好|就行|就可以|吧|好了|即可)*$"),
         "address", "希望被称呼为{value}", "identity", "preference", "preference", Strength.EXPLICIT),
    Rule("zh.name", _p(rf"^我(?:的名字(?:是|叫)|叫做?|名叫|姓名是?)(?P<value>{_NAMED})$"), "name", "名字：{value}",
         "identity"),
    Rule("zh.nickname", _p(rf"^(?:大家|朋友们?|同事们?|同学们?|别人|家里?人)(?:都|一般)*(?:叫|喊|"
                           rf"称呼)我(?P<value>{_NAMED})$"), "nickname", "昵称：{value}", "identity"),
    Rule("zh.age", _p(r"^(?:我)?(?:今年|现在|已经|马上)*(?P<value>\d{1,3}|[一二三四五六七八九十]{1,3})岁了?$"), "age",
         "{value}岁", "identity"),
    Rule("zh.moved", _p(rf"^{_ONCE}(?:我{_ONCE})?(?:从(?P<old>[^,，]{{2,10}}?){_ONCE})?(?:搬到了?|搬去了?|"
                        rf"迁居到?)(?P<value>(?!一起|新(?:的|家|房|居|址|公寓|小区|住|地方|办公|楼|宿舍|校|单位|城市|"
                        rf"环境|公司|区))[^,，了]{{2,15}}?)(?:住|生活|定居)?了?$"),
         "home", "住在{value}", "home", replaces=True, happened=True),
    Rule("zh.home", _p(r"^(?:我|我家|家)(?:现在|目前|一直|就)*(?:住在?|家在|在)(?P<value>(?![^,，]*(?:工作|上班|上学|"
                       r"读书|任职|就职|教书|开会|长大|[吃玩看学做等打写想忙睡]))[^,，个着]{2,15}?)(?:生活|定居|居住|"
                       r"住|长住)?(?:了?[一二两三四五六七八九十\d]+年)?了?$(?<=住|居|活|年|了|市|区|县|镇|州|京|海|圳|"
                       r"都|汉|庆|安|京|港|湾|津|岛|门|林|宁|沙|明)"), "home", "住在{value}", "home"),
    Rule("zh.home_lives", _p(r"^(?:(?:我|我家|我们家)(?:现在|目前|一直|就)*(?:住在|住(?=[^了得院校房下]))|(?:现在|"
                             r"目前)?住在)(?P<value>[^,，个着是有]{2,20}?)(?:附近|这边|那边)?了?$"), "home",
         "住在{value}", "home"),
    Rule("zh.origin", _p(r"^我(?:是|来自|老家(?:是|在)|出生在|出生于)(?P<value>(?!一|这|那|个|真|说|什么|谁|个|有|在|"
                         r"很|喜|想|最)[^,，的]{2,6}?)(?:人|本地人)?$(?<=人|京|海|圳|都|汉|庆|安|港|湾|津|岛|省|市|县|"
                         r"镇|村|州)"), "origin", "来自{value}", "identity"),
    Rule("zh.grew_up", _p(r"^我(?:从小|小时候)?(?:就)?(?:是)?在(?P<value>[^,，]{2,8}?)(?:长大|出生)(?:的)?$"), "origin",
         "在{value}长大", "identity"),
    Rule("zh.risk", _p(r"^我(?:的)?(?:现在|目前|如今|是|个|一个|属于|投资|比较|偏|很|风险偏好|风险承受能力|较|非常|"
                       r"有点)*(?P<value>保守型?|稳健型?|激进型?|风险厌恶型?|厌恶风险|不想冒险|低风险|风险偏好[高低]|"
                       r"不能承受[^,，]{1,10}|能承受[^,，]{1,10}(?:亏损|回撤|风险|损失))(?:的)?(?:投资者|投资人|"
                       r"投资)?(?:的)?$"),
         "risk", "风险偏好：{value}", "finance", "preference", "preference"),
    Rule("zh.risk_is", _p(r"^我(?:的)?(?:投资)?(?P<key>风险(?:承受(?:能力|度)|偏好|容忍度))(?:现在|目前|其实)*(?:是|为|"
                          r"属于)?(?P<value>(?:比较|相对|较|偏|很|非常|极|不)?(?:低|高|弱|强|差|小|大)|"
                          r"中等(?:偏[高低])?|中[高低]|一般|有限)(?:的)?$"),
         "risk", "{key}：{value}", "finance", "preference", "preference"),
    Rule("zh.is_job", _p(rf"^我(?:现在|目前|其实|本身)*(?:是|做|当)(?:了)?(?:一?[名个位])?(?P<value>(?!我|你|他|她|这|"
                         rf"那|因为){_JOB})(?:出身)?了?$"), "job", "职业：{value}", "work"),
    Rule("zh.job_is", _p(r"^我的?(?:职业|工作|专业)是(?P<value>[^,，]{2,20}?)$"), "job", "职业：{value}", "work"),
    Rule("zh.workplace", _p(rf"{_MY}(?:现在|目前|一直|平时|都)*在(?P<value>{_WHERE})(?:上班|工作|任职|"
                            rf"教书)(?:了?[一二两三四五六七八九十\d]+年)?了?$"), "employer.place", "在{value}工作",
         "work"),
    Rule("zh.employer", _p(rf"{_MY}(?:现在|目前|一直|平时)*(?:在|就职于|供职于)(?P<value>(?!家|这|那|一[家个]|外面|"
                           rf"线上|网上|公司|考虑|找|换|努力|忙|想)[^,，]{{2,20}}?)(?:上班|工作|任职|就职|"
                           rf"教书)(?:了?[一二两三四五六七八九十\d]+年)?了?$"), "employer", "在{value}工作", "work"),
    Rule("zh.job_status", _p(rf"^{_ONCE}我{_ONCE}被?(?P<value>失业|被裁员?|裁员|辞职|离职|退休|升职|被升职|"
                             rf"换了?工作)(?:了)?$"), "job_status", "{value}了", "work", happened=True),
    Rule("zh.engaged_in", _p(r"^我(?:现在|目前|一直|主要)*(?:从事|在做|(?<=主要)做|负责)(?P<value>(?!一|这|那|的|"
                             r"什么)[^,，]{2,20}?(?:工作|行业|业务|开发|研究|设计|运营|销售|投资|贸易))$"), "job",
         "从事{value}", "work"),
    Rule("zh.runs", _p(r"^我(?:自己|现在|和朋友)*(?:开了?|经营着?|有)(?P<value>[一两二三\d]+[家间个][^,，]{0,12}?(?:店|"
                       r"公司|餐厅|工作室|咖啡馆|门店|民宿|工厂|企业|农场|社|馆|班|坊|铺|诊所|律所|书院|学校|俱乐部|"
                       r"网站|公众号))$"), "business", "经营{value}", "work"),
    Rule("zh.studies", _p(r"^我(?:现在|目前|正|还)*在?(?P<value>[^,，]{2,20}?(?:大学|学院|中学|高中))(?:上学|读书|读研|"
                          r"念书|读博|上课|学习)$"), "school", "在{value}读书", "work"),
    Rule("zh.major", _p(r"^我(?:现在|大学|目前)*(?:学的是|主修|攻读|专业是)(?P<value>[^,，]{2,15}?)(?:专业)?(?:的)?$"),
         "studies", "学习{value}", "work"),
    Rule("zh.kin", _p(rf"^我(?:家|家里)?(?:现在|还)*(?:有|养了?|养着|领养了)(?P<value>(?:一|两|二|三|四|五|六|"
                      rf"\d)?(?:个|只|条|位|对|头|匹)(?:[^,，的]{{0,8}}的?)?(?:{_KIN}|姐妹|兄弟|双胞胎|鱼|鹦鹉|兔子|"
                      rf"仓鼠|乌龟|金毛|柯基|哈士奇|泰迪)(?:[,，]?\s*(?:名字|它)?叫[^,，]{{1,12}}|"
                      rf"在[^,，]{{1,10}})?)了?$"), "family", "有{value}", "family"),
    Rule("zh.kin_name", _p(rf"^我(?:的|家的?)?(?P<key>{_KIN})(?:的名字)?(?:叫做?|是)(?P<value>(?<=叫|做){_NAMED})$"),
         "{key}.名字", "{key}：{value}", "family"),
    Rule("zh.kin_age", _p(rf"^我(?:的|家的?)?(?P<key>{_KIN})(?:今年|已经|现在)*(?P<value>(?:\d{{1,3}}|"
                          rf"[一二三四五六七八九十]{{1,3}})(?:岁|个月)(?:半|多)?)了?$"), "{key}.年龄", "{key}：{value}",
         "family"),
    Rule("zh.kin_job", _p(rf"^我(?:的|家的?)?(?P<key>{_KIN})是(?:一?[名个位])?(?P<value>{_JOB})$"), "{key}.职业",
         "{key}：{value}", "family"),
    Rule("zh.kin_is", _p(rf"^我(?:的|家的?)?(?P<key>{_KIN}(?:的)?(?:生日|年龄|结婚纪念日))(?:是|在)(?P<value>(?:\d|"
                         rf"[一二三四五六七八九十])[^,，]{{1,15}})$"), "{key}", "{key}：{value}", "family"),
    Rule("zh.own_is", _p(r"^我的?(?P<key>车|手机|电脑|相机|母校|学校|公司|单位|部门|职位|岗位|导师|主治医生|律师|信仰|"
                         r"口头禅|生日|老家|籍贯|星座|血型|身高|体重|属相|时区|爱好|兴趣爱好|母语|最爱|偶像|座右铭|"
                         r"家乡|年龄|学历|民族|国籍|结婚纪念日|鞋码|尺码)(?:是|为|在|有)(?P<value>(?!什么|你|这|那|"
                         r"很)[^,，]{1,30})$"), "{key}", "{key}：{value}", "identity"),
    Rule("zh.character", _p(r"^我(?:的)?(?:性格|个性|脾气)?(?:是|是个|是一个|其实|本身|一直|比较|很|有点|有些|偏|"
                            r"属于)*(?P<value>内向|外向|慢热|急性子|慢性子|完美主义|社恐|乐观|悲观|急躁|温和|开朗|"
                            r"腼腆)(?:的)?(?:人|者|性格)?$"), "性格", "性格：{value}", "identity"),
    Rule("zh.marital", _p(r"^我(?:现在|目前|已经|是|还|一直|刚)*(?P<value>已婚|未婚|单身|离婚|结婚|订婚|离异)(?:的|"
                          r"状态)?了?$"), "marital", "婚姻状况：{value}", "family"),
    Rule("zh.recurring", _p(rf"^我?(?:现在|目前)?每个?(?:月|周|年|天|星期)(?:都|会|要)*(?P<key>定投|存|还房贷|还车贷|"
                            rf"还贷|攒|储蓄|投资)(?P<value>{_MONEY})(?:左右)?$"), "{key}", "{quote}", "finance"),
    Rule("zh.appointment", _p(r"^我(?:在)?(?P<when>(?:\d{4}年)?\d{1,2}月\d{1,2}[日号]?)(?:早上|上午|中午|下午|"
                              r"晚上)?(?:有|要|会|得)(?P<value>[^,，]{2,20})$"), "appointment", "{quote}", "schedule"),
    Rule("zh.owns", _p(r"^我(?:家|刚|新)?(?:有|买了|入手了|开的是|开)(?P<value>(?:一|两|二|三|\d)(?:辆|台|套|架|把|栋|"
                       r"间|部)[^,，]{1,15}?)(?:了|的)?$"), "possession", "有{value}", "possession"),
    Rule("zh.bought", _p(rf"^{_ONCE}我{_ONCE}(?:在(?P<where>[^,，]{{2,6}}?){_ONCE})?(?:买|租)了(?P<value>(?:一|两|二|"
                         rf"三|\d)(?:辆|台|套|栋|间|处|块)[^,，]{{1,10}}?)$"), "possession", "{quote}", "possession"),
    Rule("zh.allergy", _p(rf"^(?:我)?(?:从小|一直)?对{_POINTING}(?P<value>[^,，]{{1,20}}?)(?:严重)?过敏$"), "allergy",
         "对{value}过敏", "diet", many=True),
    Rule("zh.diet", _p(r"^我(?:现在|一直|平时|是|个|一个|长期|开始)*(?P<value>吃素|纯素|吃全素|素食主义者|素食者|素食|"
                       r"糖尿病患者|乳糖不耐受?|清真饮食|戒酒|戒烟)(?:的)?了?$"), "diet", "饮食：{value}", "diet"),
    Rule("zh.avoids_food", _p(rf"^(?:我)?(?:现在|一直|平时|从来|从|都|也|已经)*(?:不能?|不可以|不会|忌|不爱|不太爱|"
                              rf"不喜欢|不太能)(?P<act>吃|喝|抽)(?!亏|惊|苦|力|得|了|到|不){_THING}{_END}"),
         "diet.avoids", "不{act}{value}", "diet", many=True),
    Rule("zh.speaks", _p(r"^我(?:会说|会讲|能说|懂|精通)(?:一点|一些|流利的)?(?P<value>[^,，]{1,20}?(?:语|话|文))$"),
         "language.speaks", "会说{value}", "language", many=True),
    Rule("zh.wakes", _p(rf"^(?:我)?(?:现在|一般|通常|平时|都|习惯|基本上?|大概|会|要)*(?P<value>(?:每天|每晚|工作日|"
                        rf"早上|晚上|凌晨|早晨|中午)*{_CLOCK}[^,，]{{0,3}}(?P<key>起床|睡觉|入睡|上班|下班)){_END}"),
         "schedule.{key}", "{quote}", "schedule"),
    Rule("zh.weekly", _p(r"^(?:我)?(?:现在|一般|通常|平时|都)*(?P<value>每周[一二三四五六日天]"
                         r"(?:和周?[一二三四五六日天])?(?:早上|上午|中午|下午|晚上)?)(?:都|会|要|去)*(?:练|上|学|做|打|"
                         r"参加)?(?P<key>瑜伽|健身|游泳|羽毛球|篮球|足球|网球|钢琴|吉他|小提琴|普拉提|拳击|舞蹈|书法|"
                         r"英语|法语|日语|例会|开会|健身房)课?$"), "schedule.{key}", "{quote}", "schedule"),
    Rule("zh.schedule", _p(rf"^(?:我)?(?:现在|一般|通常|平时|都|习惯|基本上?|大概)*(?P<value>(?=.*(?:每|工作日|周末都|"
                           rf"{_CLOCK}))(?:(?:每天|每晚|每周|每个?|工作日|周末|早上|晚上|中午|"
                           rf"{_CLOCK})[^,，]{{0,8}}){{1,3}}(?:起床|睡觉|上班|下班|跑步|健身|锻炼|上课|游泳|开会|散步|"
                           rf"入睡|看盘|复盘|练习|练琴|瑜伽)(?:[^,，的了]{{0,6}}))$"), "schedule", "{value}",
         "schedule"),
    Rule("zh.tenure", _p(rf"^(?:我)?(?:已经|也|都)*(?P<value>(?:学(?!校|院)了?|练了?|炒股|投资|结婚|工作|从业|戒烟|"
                         rf"吃素|做|教(?!堂|室|会)|跑步|健身)[^,，于]{{0,12}}?(?!\d{{4}}年){_N}(?:多|来|个)?(?:年|"
                         rf"个月)(?:多)?)了?$"), "experience", "{value}", "history"),
    Rule("zh.learning", _p(rf"^{_SINCE}(?:我)?(?:最近|现在|目前|一直|也|正)*(?:正在|在|开始|想要?)(?:学习|自学|"
                           rf"学(?!习)|备考|准备考)(?:如何|怎么|怎样)?(?P<value>(?!习?$|到|会|的|校|着|你|您|他|她|"
                           rf"(?:一[门项些种个]|很多|新)*的?(?:技能|东西|知识|内容|语言)$)[^,，]{{2,20}}?)(?:呢|了|"
                           rf"的课程)?$"), "learning", "在学{value}", "hobby"),
    Rule("zh.learned", _p(rf"{_MY}(?:最近|刚|已经|还)*学会了(?P<value>(?!很多|不少|一些(?:东西|知识)|如何|怎么|放下|"
                          rf"放手|珍惜|感恩|坚强|接受|面对|独处|爱|不)[^,，]{{2,20}}?){_END}"), "skills",
         "学会了{value}", "hobby"),
    Rule("zh.enrolled", _p(rf"{_MY}(?:最近|刚|已经|还)*(?:报名|注册|报|参加|加入)(?:参加)?了(?P<value>[^,，]{{0,10}}"
                           rf"(?:课程?|班|培训|俱乐部|社团|协会|健身房|马拉松|比赛))(?:的学习)?$"), "doing",
         "报名了{value}", "hobby"),
    Rule("zh.consumes", _p(rf"^(?:我)?{_ADV}{_OFTEN}(?:都|会|要)*(?:喝|吃)(?:一?[杯碗点些])?{_THING}{_END}"), "likes",
         "{quote}", "habit"),
    Rule("zh.skill", _p(rf"^我(?:也|还|都|很)*(?:会|擅长)(?P<value>{_SKILL}){_END}"), "skills", "会{value}", "hobby"),
    Rule("zh.good_at", _p(rf"^我(?:最|比较|很|特别|非常)*擅长(?:的是)?{_THING}{_END}"), "skills", "擅长{value}",
         "hobby"),
    Rule("zh.grows", _p(rf"{_MY}(?:自己|家)?(?:在[^,，]{{1,8}}?)?(?:种|栽|养)(?:了|着)(?P<value>(?!一个|点|很|"
                        rf"{_N}年)(?![^,，]*(?:死|丢|走失|跑了))[^,，]{{1,15}}?){_END}"), "activity", "{quote}",
         "hobby"),
    Rule("zh.reading", _p(rf"{_MY}(?:最近|正|现在|还|一直|开始)*(?:在|开始)(?:看|读|追|听|玩|"
                          rf"重温)(?P<value>[^,，《]{{0,12}}(?:[,，]叫做?)?《[^》]{{1,20}}》[^,，]{{0,6}}?|"
                          rf"一些[^,，]{{2,10}}(?:书籍?|小说|漫画|电影|课程)){_END}"), "doing", "{quote}", "hobby"),
    Rule("zh.habit", _p(rf"{_MY}(?:也|还|都|一直|自己)*(?P<value>(?:{_OFTEN}(?:也|都|还)?){{1,2}}(?:会|要|自己|"
                        rf"去){{0,4}}(?:在[^,，]{{1,8}}?里?(?:会|要|自己|去){{0,4}})?{_DOES}(?![^,，]*(?:你|这|那|它|"
                        rf"建议|情况|问题))[^,，]{{0,16}}?){_END}"), "schedule", "{quote}", "habit"),
    Rule("zh.usually_at", _p(rf"{_MY}(?:一般|通常|平时)(?:都)?(?:是)?(?P<value>在[^,，]{{1,10}}?(?:里|上|中)?(?:锻炼|"
                             rf"健身|跑步|看书|学习|工作|散步|游泳|打球)[^,，]{{0,6}}?){_END}"), "schedule", "{quote}",
         "habit"),
    Rule("zh.daily_time", _p(rf"{_MY}(?P<value>每[天周晚](?:都会?|会)?(?:至少)?(?:花|抽)[^,，]{{1,12}}(?:来|"
                             rf"去)?{_DOES}[^,，]{{0,10}}?){_END}"), "schedule", "{quote}", "habit"),
    Rule("zh.uses", _p(r"^我(?:一直|平时|现在|都|主要|习惯)*用(?P<value>[^,，你我]{2,15}?(?:来)?(?:下单|交易|记账|炒股|"
                       r"办公|写作|拍照|听歌|看书|理财|写代码|画图|剪视频|做笔记|管理[^,，]{1,6}))$"), "uses",
         "用{value}", "habit"),
    Rule("zh.invests", _p(rf"^我(?:现在|目前|一直)*(?:主要|只|一般|平时|长期|大多|多半)(?:是)?(?:买|投资|投|炒|"
                          rf"配置)(?:的是)?{_THING}{_END}"), "invests", "主要投资{value}", "finance", many=True),
    Rule("zh.longs_for", _p(rf"^我(?:一直|从小|早就)(?:就|都|很|特别|非常)*想要?(?P<value>(?:去|学|做|当|成为|拥有|养|"
                            rf"看)(?!看看|你|这|那|它|些什么)[^,，]{{1,14}}?){_END}"), "goal", "一直想{value}", "goal"),
    Rule("zh.saving", _p(r"^我(?:现在|最近|正|一直|还|想|打算|要)*在?(?P<value>攒钱[^,，]{2,12}|存钱[^,，]{2,12})$"),
         "goal", "{value}", "goal"),
    Rule("zh.holds", _p(rf"^(?:{_ONCE}(?=我|买|建仓))?我?(?:现在|目前|手里|手上|一直|还|已经)*(?:持有|重仓|满仓|拿着|"
                        rf"持仓|定投|{_ONCE}(?:买入?了|建仓了?)|有)(?:了)?(?P<value>{_N}(?:多)?(?:股|手|枚|盎司|"
                        rf"万元)(?:的)?[A-Za-z\u4e00-\u9fff][^,，]{{0,15}}?|(?<=持有)[^,，]{{1,30}}?|"
                        rf"(?<=重仓)[^,，]{{1,30}}?|(?<=满仓)[^,，]{{1,30}}?|(?<=定投)[^,，]{{1,30}}?|"
                        rf"(?<=重仓了)[^,，]{{1,30}}?|(?<=持有了)[^,，]{{1,30}}?){_END}"),
         "asset:holds", "持有{value}", "holding", many=True),
    Rule("zh.follows", _p(rf"^(?:我)?(?:现在|目前|一直|都|也|还|主要|最近|长期|平时|比较|重点|每天|在|很|会|"
                          rf"特别)*(?:关注|跟踪|追踪|盯着|盯盘|留意|follow|track)(?:着|了)?(?:的(?:是|有))?(?!到|点|度|"
                          rf"这个|那|你|健康|自己|我|一下|我的){_POINTING}(?P<value>[^。？?]{{1,80}}?){_END}"),
         "follows", "关注{value}", "watch-list", "preference", "preference", many=True),
    Rule("zh.budget", _p(rf"^(?:我)?(?:的|们的)?(?P<key>预算|上限|价位)(?:是|在|为|大概|最多|不超过|控制在|只有|有|"
                         rf"大约|约|现在|目前)*(?P<value>(?:每个?[月年天周]|一个月|一年)?(?:{_MONEY}|{_N}(?:元|块钱?|"
                         rf"人民币|美元|美金|港币)?)(?:左右|以内|以下|到{_MONEY}|上下)?){_END}"),
         "budget", "预算：{value}", "constraint", "preference", "fact", Strength.EXPLICIT),
    Rule("zh.budget_of", _p(rf"^我?的?(?P<key>[^,，我你他她的是有]{{1,6}}?的?预算)(?:是|在|为|大概|最多|不超过|控制在|"
                            rf"只有|有|大约|约|现在|目前)*(?P<value>(?:{_MONEY}|{_N}(?:元|块钱?|人民币|美元|美金|"
                            rf"港币)?)(?:左右|以内|以下|到{_MONEY}|上下)?){_END}"),
         "{key}", "{key}：{value}", "constraint", "preference", "fact", Strength.EXPLICIT),
    Rule("zh.horizon", _p(r"^我(?:一般|主要|都|只|是|现在|比较|更|喜欢|偏好|打算)*(?:做|投资)?(?P<value>长线|短线|中线|"
                          r"波段|长期持有|长期投资|日内|价值投资)(?:投资|交易|操作)?(?:的)?$"),
         "horizon", "投资期限：{value}", "finance", "preference", "preference"),
    Rule("zh.goal", _p(r"^我(?:的|现在|今年|最近)*(?:目标|计划|梦想|理想)是(?P<value>(?!什么|让你)[^,，]{2,40})$"),
         "goal", "目标：{value}", "goal"),
    Rule("zh.wants", _p(rf"{_MY}(?:也|还|都|很|真的|特别|一直|最近|现在|正|正在|(?:下个?月|下周|明年|今年|年底|暑假|"
                        rf"寒假|以后|将来|未来))*(?:想要?|打算|计划|准备|希望(?:自己)?能够?|在?(?:考虑|"
                        rf"思考)(?:是否)?要?)(?:在?(?:下个?月|下周|明年|今年|年底|暑假|寒假|以后|将来|未来))?(?:自己|"
                        rf"和[^,，]{{1,6}}一起)?(?P<value>{_AIM}){_END}"), "goal", "{quote}", "goal"),
    Rule("zh.own_named", _p(rf"^我的(?P<key>[^,，我你他她是的叫]{{1,8}})(?:名字)?(?:叫做?|名叫)(?P<value>{_NAMED})$"),
         "{key}", "{key}：{value}", "identity"),
    Rule("zh.own_amount", _p(rf"^我的(?P<key>(?!感觉|意思|问题|目标)[^,，我你他她是有在为]{{1,10}}?)(?:目前|大概|大约|"
                             rf"现在)*(?:是|为|有|在|设为|设在)?(?P<value>{_AMOUNT})$"), "{key}", "{key}：{value}",
         "identity"),
)  # fmt: skip

TASTES: Final = (
    Rule("zh.constraint_limit", _p(rf"^(?P<value>(?:价格|单价|总价|市盈率|股价)?(?:超过|高于|大于|低于|少于|贵过|"
                                   rf"多于){_MONEY}(?:以上|以下)?的?)(?:[^,，]{{0,8}})?(?:都|就|一律|我)?(?:不要|"
                                   rf"不考虑|别推荐|不用推荐|不看|免谈|不行|不接受|不买|别给我看|别考虑)了?{_END}"),
         "constraint.limit", "{quote}", "constraint", "preference", "preference", Strength.EXPLICIT),
    Rule("zh.constraint_max", _p(rf"^(?:价格|单价|总价|请|最好)*(?:不要|别|不能|不可以?|不想)(?:超过|高于|"
                                 rf"低于)(?P<value>{_MONEY}){_END}"),
         "constraint.limit", "{quote}", "constraint", "preference", "preference", Strength.EXPLICIT),
    Rule("zh.constraint_on", _p(rf"^(?P<key>[^,，我你]{{1,8}}?)(?:仓位|占比|比例)?(?:不要|别|不能|不可以?|不得)(?:超过|"
                                rf"高于|低于|少于)(?P<value>{_MONEY}|{_N}成){_END}"),
         "constraint.limit.{key}", "{quote}", "constraint", "preference", "preference", Strength.EXPLICIT),
    Rule("zh.constraint_within", _p(rf"^(?:我)?(?:只要|只看|只考虑|要)(?P<value>{_MONEY}(?:以内|以下|以上|"
                                    rf"左右)的?[^,，]{{0,10}}){_END}"),
         "constraint.limit", "{quote}", "constraint", "preference", "preference", Strength.EXPLICIT),
    Rule("zh.constraint_avoid", _p(rf"^(?:请|以后|你)*(?:不要|别|不用)(?:再)?(?:给我|向我|跟我)*(?:推荐|推送|介绍|提|"
                                   rf"聊){_THING}{_END}"),
         "constraint.avoid", "不要推荐{value}", "constraint", "preference", "preference", Strength.EXPLICIT),
    Rule("zh.now_likes", _p(rf"^我?(?:现在|如今|最近)(?:更|开始|改|已经|比较|变得|转而|反而)*{_LIKE}{_THING}{_END}"),
         "infer:likes", "现在喜欢{value}", "preference", "preference", "preference", Strength.EXPLICIT, replaces=True),
    Rule("zh.favourite", _p(rf"^我(?:个人)?(?:最|特别)(?:{_LIKE}|爱)的(?P<key>[^,，是]{{1,10}}?)(?:就)?是(?!你|因为|我|"
                            rf"那|这|什么|在){_THING}{_END}"),
         "favourite.{key}", "最喜欢的{key}是{value}", "preference", "preference", "preference"),
    Rule("zh.prefers", _p(rf"{_I}(?:更(?:加)?{_LIKE}|偏好|偏向于?|倾向于?|更想要?|更愿意|宁愿){_THING}{_END}"),
         "infer:likes", "更喜欢{value}", "preference", "preference", "preference", many=True),
    Rule("zh.wants_reply", _p(rf"^(?:我)?(?:希望|想要?|想让)(?:你|您)(?:的)?(?:以后|都|能)*(?P<value>(?:回答|回复|说话|"
                              rf"解释|用|讲)[^,，]{{2,30}}?){_END}"),
         "infer:reply_style", "希望{value}", "preference", "preference", "preference", Strength.EXPLICIT),
    Rule("zh.dislikes", _p(rf"^(?:我)?(?:个人|一直|从小|真的|其实|平时|都|也|很|最|特别|非常|比较|有点|一向)*(?:(?:不|"
                           rf"不太|不怎么|不是很|并不|不大|没那么)(?:{_LIKE}|喜欢|爱(?=[吃喝看听玩穿用]))|讨厌|反感|"
                           rf"厌恶|受不了|忍受不了){_THING}{_END}"),
         "dislikes", "不喜欢{value}", "preference", "preference", "preference", many=True),
    Rule("zh.not_interested", _p(rf"^(?:我)?{_ADV}对{_POINTING}(?P<value>[^,，]{{1,20}}?)(?:不感兴趣|没有?兴趣|没感觉|"
                                 rf"无感)$"),
         "dislikes", "对{value}不感兴趣", "preference", "preference", "preference", many=True),
    Rule("zh.interested", _p(rf"{_ME}对{_POINTING}(?P<value>[^,，你]{{1,20}}?){_ADV}(?:感兴趣|有兴趣|着迷|"
                             rf"情有独钟){_END}"),
         "likes", "对{value}感兴趣", "preference", "preference", "preference", many=True),
    Rule("zh.likes", _p(rf"{_I}{_LIKE}(?:的(?:就)?(?:是|有))?{_POINTING}(?P<value>[^,，。？?]{{1,40}}?(?:[,，][^,"
                        rf"，]{{1,4}})*){_END}"),
         "infer:likes", "喜欢{value}", "preference", "preference", "preference", many=True),
    Rule("zh.opinion", _p(rf"^我(?:个人|一直|还是|真的|就|也|现在)*(?:觉得|认为|感觉|看来|以为)(?P<value>(?!你|您|这|"
                          rf"那|它|他|她|自己|我|和|跟|与|确实|很|非常|有点|今天|挺|特别|最|一|也|都|还|好|有|如果|没|"
                          rf"真的|太|比较)(?P<key>[^,，]{{2,16}}?)(?:太|有点|有些|偏|比较|挺|很|非常|过于|被|是|不|"
                          rf"实在|越来越|还是|已经|不太){{1,2}}(?:{_JUDGED})[^,，]{{0,8}})$"),
         "opinion:{key}", "觉得{value}", "opinion", "insight", "opinion"),
    Rule("zh.reply_length", _p(r"^(?:请|麻烦|你|能不能|可不可以|能|可以|你的|回答|回复|说|讲|写|"
                               r"解释)*(?P<value>(?:太长|太啰嗦|太复杂|太笼统)|(?:再)?(?:尽量|尽可能)?(?:简短|简单|"
                               r"简洁|精简|详细|直接|具体|通俗)(?:一)?(?:点|些)|说重点|长话短说)(?:了|吧|的|说|回答|"
                               r"就好|就行|谢谢|吗)*$"),
         "reply_style", "回答{value}", "preference", "preference", "preference", Strength.IMPLIED, for_now=True),
    Rule("zh.reply_language", _p(r"^(?:请|麻烦|你|能不能|可不可以|能|可以)*用(?P<value>中文|英文|英语|汉语|普通话|粤语|"
                                 r"日语)(?:来)?(?:回答|回复|说|讲|写|跟我说|和我聊)(?:我|吧|就好|一下|吗)*$"),
         "language.reply", "用{value}回答", "language", "preference", "preference", Strength.IMPLIED, for_now=True),
)  # fmt: skip

INSTRUCTIONS: Final = (
    Rule("zh.from_now_on", _p(rf"^(?:请|麻烦|你)*(?:以后|今后|从现在(?:开始|起)|从今(?:天|往后|以后)(?:起|开始)?|往后|"
                              rf"下次|每次)(?:你|请|都|就|开始|的回[答复]|跟我说话|和我聊天|"
                              rf"[,，])*(?P<value>{_VERBS}.{{1,80}})$"),
         "infer:instruction", "以后{value}", "instruction", "preference", "preference", Strength.EXPLICIT, whole=True),
    Rule("zh.always", _p(r"^(?:请|你要?|麻烦)*(?P<value>(?:总是|永远(?:不要|别)?|始终|一律|千万(?:别|不要))(?:用|回答|"
                         r"回复|给|列|按|叫|推荐|提|说|附|写|提醒|先).{1,80})$"),
         "infer:instruction", "{value}", "instruction", "preference", "preference", Strength.EXPLICIT, whole=True),
    Rule("zh.remember", _p(r"^(?:请|麻烦|你|帮我|帮忙|要|给我|一定)*(?:记住|记一下|记下来?|记得|别忘了|不要忘记|"
                           r"备注一下|记着)(?:了|一下)?[,，:：]?\s*(?P<value>(?=.*(?:我|\d|[A-Za-z]))(?!(?:你|什么|"
                           r"怎么|吗|要|多|那|这个|我们|我会|我说))[^?？]{3,100})$"),
         "note", "{value}", "note", "observation", "fact", Strength.EXPLICIT, whole=True),
)  # fmt: skip

STATEMENTS: Final = (*CHANGES, *RETRACTIONS, *FACTS, *TRAITS, *TASTES)
"""The rules for what a clause may state, in the order in which they are tried."""
RULES: Final = (*INSTRUCTIONS, *CORRECTIONS, *STATEMENTS)
