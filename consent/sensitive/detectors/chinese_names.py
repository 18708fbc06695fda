"""Names of people, given as such in Chinese: 我叫…, 姓名：…"""

from __future__ import annotations

import re
from collections.abc import Iterator

from consent.sensitive.types import Finding, SensitiveKind

# The most frequent surnames (Ministry of Public Security, name report of 2020), simplified and traditional.
_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩邓冯曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢姚沈钟姜崔谭陆范汪廖石金"
    "贾夏韦付方邹熊白孟秦邱侯江尹薛闫段雷龙黎史陶贺毛郝顾龚邵万覃武钱戴严欧莫孔汤向常温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申"
    "耿关焦左柳甘祝包宁尚符舒阮柯纪梅童凌毕单季成霍苗裴路窦曲管骆翁冉蓝戚柴席桂"
    "張劉陳楊黃趙吳孫馬羅鄭謝許韓鄧馮蕭葉蘇呂盧鍾譚陸賈韋鄒龍賀顧龔萬錢戴嚴歐湯莊關紀畢單駱藍"
)
_COMPOUND = "欧阳|上官|司马|诸葛|司徒|东方|独孤|南宫|夏侯|皇甫|尉迟|公孙|慕容|令狐|长孙|宇文|端木|歐陽|司馬|諸葛|東方"
_GIVEN_CHARACTER = "(?:(?![的了来去过着们吗呢吧啊不是在我你他她它这那有个就都也很要会到上下被把])[\u4e00-\u9fff])"
_CHINESE = rf"(?:(?:{_COMPOUND})|[{_SURNAMES}]){_GIVEN_CHARACTER}{{1,2}}?"
_LATIN_WORD = r"[A-Z][a-z]{1,20}+(?:['-][A-Z]?[a-z]{1,20}+)?"
_LATIN = rf"{_LATIN_WORD}(?:[ ·]{_LATIN_WORD}){{0,2}}+"
_PAUSE = r"(?=$|[\s,.!?;:()，。！？；：、（）“”\"'])"
_GOES_ON = "(?=今年|来自|在|从|是一|想|我|住|目前|现在|做|也)"
_MY_NAME = (
    "我(?:的)?(?:名字|全名|本名|真名|真实姓名|姓名|大名|中文名|英文名)(?:叫做|叫|是|为)?|我叫做?|我名叫"
    "|本人(?:姓名|名叫|叫)?|姓名|户名|持卡人|收款人|開戶名|戶名|我的真實姓名(?:叫|是)?"
)
_GIVEN = re.compile(rf"(?:{_MY_NAME})[是为：: ]{{0,2}}(?P<name>{_CHINESE}(?:{_PAUSE}|{_GOES_ON})|{_LATIN}{_PAUSE})")
# "我是…" is followed by far more than names: three characters before a pause, and no word for a kind of person.
_I_AM = re.compile(rf"(?:^|[\s,.!?，。！？；])我是(?P<name>[{_SURNAMES}]{_GIVEN_CHARACTER}{{2}}){_PAUSE}")
_HINTS = ("我", "本人", "姓名", "户名", "戶名", "持卡人", "收款人")
_KINDS_OF_PEOPLE = frozenset("人者员派手师商客型户主党族粉迷工控友盘股头軍军的")


def find(text: str) -> Iterator[Finding]:
    """Names behind the phrases that give one: a surname and one or two characters, or capitalized Latin words."""
    if not any(hint in text for hint in _HINTS):
        return
    for match in _GIVEN.finditer(text):
        yield Finding(SensitiveKind.PERSONAL_NAME, *match.span("name"))
    for match in _I_AM.finditer(text):
        if match["name"][-1] not in _KINDS_OF_PEOPLE:
            yield Finding(SensitiveKind.PERSONAL_NAME, *match.span("name"))
