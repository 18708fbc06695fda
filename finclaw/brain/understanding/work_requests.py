"""Recognises requests to have a piece of work done, by rules in Chinese and English.

Only plain requests count: an order or polite question that names the work and its subject. Questions, statements, talk
about finished work, standing wishes and refusals do not; where nothing is started, the user is answered and can ask
again.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from finclaw.brain.understanding.aliases import asset_in
from finclaw.brain.understanding.finance import is_financial, tickers_in
from foundation.text import normalize, split_sentences

WorkKind = Literal["research", "other"]
FIRST: Final = 3
LAST: Final = 2
READ_CHARACTERS: Final = 300  # of a sentence

# --- English, normalized to lower case ---------------------------------------------------------------------------
_POLITE_EN = (
    r"(?:(?:can|could|will|would) you(?: please| kindly)?|would you mind|may i (?:ask you to|have)|can i (?:get|have))"
)
_LEAD_EN = (
    r"\W*(?>(?:hi|hey|hello|ok|okay|yes|sure|great|thanks|now|then|so|and|also|first|next|please|kindly|just|finclaw"
    r"|let'?s|go ahead and"
    rf"|help me(?: to)?|i(?:'d| would) like you to|i (?:want|need) you to|{_POLITE_EN})\b[\s,!:]*+)*"
)
_DO_EN = (
    r"(?:run|do|make|start|build|prepare|create|generate|produce|perform|conduct|launch|kick off|write(?: up)?"
    r"|draw up|put together|give|get|show|take|carry out)(?: (?:me|us))?"
)
_WORK_EN = (  # names of this work only
    r"(?:snapshots?(?! tests?\b)|(?:risk |counter-?)challenge|(?:evidence |source |fact )audit|fact[- ]check"
    r"|narrative maps?|maps? of (?:the )?(?:competing )?narratives"
    r"|pre[- ]?(?:execution|trade) (?:check(?:list|point)?|review)|thread refresh)"
)
_WORK_OF_TRADE_EN = (  # names that need a financial object
    r"(?:challenge|stress[- ]tests?|bear case|red[- ]team(?:ing)?|audit|checkpoint|check before (?:i|we)"
    r"|impact (?:read(?:ing)?|analysis|assessment|report|study)|piece of research|research)"
)
_KIND_EN = (
    r"(?:quick|short|brief|full|fresh|new|proper|detailed|thorough|complete|simple|good|risk|evidence|counter"
    r"|narrative|impact|latest|real|nice)"
)
_OBJECT_EN = r"(?:on|of|for|about|over|against|into|to|around|before|:)"
_NEEDED_EN = r"(?:i(?:'d| would) like|i (?:need|want)|(?:can|could|may) i (?:get|have))"
_VIEW_EN = (
    r"(?:thes[ie]s|views?|ideas?|opinions?|arguments?|case|assumptions?|take|positions?|reasoning|conclusions?"
    r"|hypothesis|stance|theory|story|valuation|logic|plan|conviction)"
)
_EVIDENCE_EN = r"(?:evidence|sources?|claims?|figures?|facts?|numbers|data)"
_ONE_EN = r"(?:(?:an?|another|the|some|one)(?: more)? )?"
_SUBJECT_EN = r"(?!(?:on|of|for|about|in|at|with|to|and|from|by|my|his|her|their)\b)[\w.&'’-]+"
_RESEARCH_EN: Final = re.compile(
    rf"{_LEAD_EN}(?P<asked>"
    rf"(?:{_DO_EN}|{_NEEDED_EN}) {_ONE_EN}(?:{_KIND_EN},? )*{_WORK_EN} {_OBJECT_EN} ?\S"
    rf"|(?:{_DO_EN}|{_NEEDED_EN}) (?:an?|another|one) (?:{_KIND_EN} )*(?!{_KIND_EN} ){_SUBJECT_EN} "
    rf"(?:{_SUBJECT_EN} ){{0,3}}?{_WORK_EN}(?=\W*(?:$|please\b|for (?:me|us)\b|now\b|today\b))"
    rf"|(?:challenge|stress[- ]?test|red[- ]team|poke holes in|argue against|attack|steel[- ]?man) "
    rf"(?!yourself\b|themselves\b)(?:[\w.&'’-]+ ){{1,8}}?{_VIEW_EN}\b"
    rf"|(?:challenge|stress[- ]?test|red[- ]team|poke holes in|argue against) (?:this|that)\b\W*$"
    rf"|(?:audit|fact[- ]?check|verify|double[- ]check) (?:[\w.&'’-]+ ){{0,4}}?(?:evidence|sources?|claims?)\b"
    rf"|(?:audit|fact[- ]?check|verify) (?:this|that)\b\W*$"
    rf"|fact[- ]?check (?:this|that|these)\b"
    rf"|map (?:out )?(?:[\w.&'’-]+ ){{0,4}}?(?:narratives|story ?lines)\b"
    rf"|(?:refresh|update|revisit|look again at|take another look at) (?:my|the|this|our|that) "
    rf"(?:[\w.&'’/-]+ ){{0,6}}?threads?\b(?! (?:pools?|counts?|safety)\b)"
    r")"
)
_OF_TRADE_EN: Final = re.compile(
    rf"{_LEAD_EN}(?P<asked>"
    rf"(?:{_DO_EN}|{_NEEDED_EN}) {_ONE_EN}(?:{_KIND_EN},? )*{_WORK_OF_TRADE_EN} {_OBJECT_EN} ?\S"
    rf"|(?:audit|fact[- ]?check|verify|double[- ]check) (?:[\w.&'’-]+ ){{0,4}}?{_EVIDENCE_EN}\b"
    r")"
)
_BARE_EN: Final = re.compile(
    rf"{_LEAD_EN}(?:research|(?:run |take |do )?snapshot|stress[- ]?test|red[- ]?team) (?P<object>\S.*)"
)
_RESEARCHED_EN: Final = re.compile(
    rf"{_LEAD_EN}(?:(?<=please )|(?<=can you )|(?<=could you )|(?<=would you )|(?<=will you )|(?<=want you to )"
    rf"|(?<=need you to )|(?<=like you to )|(?<=for me ))research (?P<asked>[\w.&'’$-])"
)
_GOES_ON: Final = re.compile(
    r"\W*$|['’]s\b|[:,.;(]|\W+(?:stocks?|shares?|and|or|vs|versus|for|in|on|before|after|to|please|prices?|earnings"
    r"|results|margins?|valuation|now|today)\b"
)
_PREDICATE_EN: Final = re.compile(
    r"\b(?:is|isn't|are|aren't|was|wasn't|were|will|would|can|could|should|might|must|has|had|does|did|takes?|took"
    r"|fails?|failed|wins?|won|comes?|came|goes|went"
    r"|shows?|showed|says?|said|makes|made|gets|got|needs|seems?|looks|sounds|feels|helps|helped|works|worked|costs?"
    r"|remains|became|means|meant|matters|gives|gave|started|finished|ended|passed|taught|turned)\b"
)
_CLAUSE_EN: Final = re.compile(
    r"[:,;(—]|\b(?:that|because|since|as|which|who|whose|if|whether|when|while|how|why|what|where|before|after|than"
    r"|and|but|i|we|they)\b"
)
_ASKS_EN: Final = re.compile(r"\b(?:please|kindly|you|help me)\b")
_OF_MACHINES: Final = re.compile(
    r"\b(?:databases?|postgres|vms?|virtual machines?|servers?|repos?|repository|code|codebase|jest|docker|disks?"
    r"|backups?|screens?|web ?pages?|weather|kubernetes|cluster)\b"
    r"|数据库|虚拟机|服务器|系统|网页|网站|代码|磁盘|天气|集群|屏幕"
)
_OTHER_EN: Final = re.compile(
    rf"{_LEAD_EN}(?:"
    r"book (?:me |us )?(?:an? |the )?(?:[\w-]+ ){0,2}(?:flight|hotel|table|ticket|taxi|room|train|appointment)\b"
    r"|send (?:an? |the )?(?:e-?mail|text|sms|fax|letter)\b"
    r"|(?:make|create|generate|produce|build|design|draw|paint|render)(?: (?:me|us))? "
    r"(?:an? |the |some )?(?:[\w-]+ ){0,2}(?:posters?|pictures?|images?|logos?|videos?|slides?|slide deck|powerpoint"
    r"|websites?|banners?|flyers?)\b"
    r")"
)
_NOT_NOW_EN: Final = re.compile(
    r"\b(?:always|never|from now on|in (?:the )?future|whenever|every ?time|each time|more often|by default"
    r"|in (?:your|all) (?:answers?|replies)|when(?:ever)? (?:i|you) (?:ask|answer|talk|tell)|usually)\b"
)
_IS_POLITE_EN: Final = re.compile(
    rf"\W*(?:(?:hi|hey|hello|ok|okay|so|and|please|finclaw|thanks)\b[\s,!]*)*{_POLITE_EN}\b"
)

# --- Chinese -----------------------------------------------------------------------------------------------------
_POLITE_ZH = (
    r"(?:你|您)?(?:(?:能不能|能否|可不可以|可否|能|可以|可)(?:请)?(?:你|您)?(?:帮|给|替|为)(?:我|我们)"
    r"|可以麻烦(?:你|您)|能麻烦(?:你|您))"
)
_HELP_ZH = (
    r"(?:请|麻烦|劳烦|烦请|帮忙|拜托)(?:你|您)?|(?:请)?(?:你|您)?(?:来)?(?:帮|给|替|为)(?:我|我们)(?:来)?"
    r"|我(?:想要?|要|需要|希望)(?:让|请)?(?:你|您)(?:来)?(?:帮我|给我)?"
)
_LEAD_ZH = (
    rf"\W*(?:(?:你好|您好|嗨|好的?|行|那就?|然后|接着|现在|马上|先|再|来|谢谢|finclaw"
    rf"|在?(?:我)?(?:买入|卖出|下单|交易|行动|操作|投资)之?前|{_POLITE_ZH}|{_HELP_ZH})[\s,!:]*)*"
)
_DO_ZH = r"(?:做|作|出|跑|生成|写|准备|整理|运行|开始|启动|弄|搞|进行|来|建)(?:出|成)?(?!了|过|的|完|法)"
_ONE_ZH = r"(?:上)?(?:一|1|这|个)?(?:份|个|次|下|张|轮|篇|项)?"
_WORK_ZH = (
    r"(?:快照|风险(?:挑战|质疑|压力测试)|反方论证|(?:证据|来源)(?:审计|核查|核实|查证|检查)"
    r"|叙事(?:图谱|梳理|地图|分析)|(?:执行|交易|下单|买入|卖出)前的?(?:检查|核对|清单)|事前检查)"
)
_WORK_OF_TRADE_ZH = (
    r"(?:压力测试|挑战|(?:数据|事实)?(?:审计|核查|核实|查证)|(?:行动|投资|操作)前的?(?:检查|核对|清单)|检查点"
    r"|影响的?(?:解读|分析|评估)|(?:专题)?(?:研究|调研)(?!员|院|所|机构|报告显示))"
)
_KIND_ZH = r"(?:详细|完整|简短|简单|新|快速|最新|全面|深入|好|专业|仔细|认真)的?"
_ABOUT_ZH = r"(?:对|就|针对|关于|围绕|把|将|为|给)[^,。;!?]{1,30}?"
_VIEW_ZH = r"(?:观点|看法|论点|逻辑|判断|假设|想法|结论|理由|论证|立场|thesis|估值)"
_EVIDENCE_ZH = r"(?:证据|来源|数据|说法|论据|事实|依据|出处)"
_THREAD_ZH = r"(?:线程(?!池|数|安全|锁|模型)|threads?|跟踪(?:的)?(?:主题|课题|问题|线)|研究(?:线|主题|专题))"
_AGAIN_ZH = r"(?:一下|下|一遍|一次)?"


def _having_made_zh(work: str) -> str:
    """Pattern for having a piece of such work done, in Chinese."""
    return (
        rf"(?:{_ABOUT_ZH}{_DO_ZH}{_ONE_ZH}(?:{_KIND_ZH})*{work}"
        rf"|{_DO_ZH}{_ONE_ZH}(?!{_KIND_ZH}?{work})[^,。;!?]{{1,30}}?的?{work}"
        rf"|(?:我(?:需要|想要|要)|给我)一?(?:份|个|次|张)(?!{_KIND_ZH}?{work})[^,。;!?]{{1,30}}?的?{work})"
    )


_RESEARCH_ZH: Final = re.compile(
    rf"{_LEAD_ZH}(?P<asked>{_having_made_zh(_WORK_ZH)}"
    rf"|{_ABOUT_ZH}{_VIEW_ZH}{_DO_ZH}{_ONE_ZH}(?:压力测试|挑战)"
    rf"|(?:挑战|质疑|反驳|驳斥){_AGAIN_ZH}(?!自己|自我|他|她|别人|人家|对方|权威|传统)[^,。;!?]{{0,20}}?{_VIEW_ZH}"
    rf"|(?:挑战|质疑|反驳|核实|审计|核查|查证)(?:一下|下|一遍)?(?:这个|这些|那个|那些)\W*$"
    rf"|(?:审计|核查|核实|查证|审查|验证){_AGAIN_ZH}[^,。;!?]{{0,24}}?(?:证据|来源|说法|论据|依据|出处)"
    rf"|(?:梳理|整理|画出?){_AGAIN_ZH}[^,。;!?]{{0,20}}?(?:叙事|故事线|多空观点)"
    rf"|(?:刷新|更新|跟进|重新(?:看|评估)(?:一下|看)?){_AGAIN_ZH}[^,。;!?]{{0,20}}?{_THREAD_ZH}"
    r")"
)
_OF_TRADE_ZH: Final = re.compile(
    rf"{_LEAD_ZH}(?P<asked>{_having_made_zh(_WORK_OF_TRADE_ZH)}"
    rf"|(?:{_ABOUT_ZH})?(?:压力测试|唱(?:唱|一下)?反调){_AGAIN_ZH}[^,。;!?]{{0,20}}$"
    rf"|(?:审计|核查|核实|查证|审查|验证){_AGAIN_ZH}[^,。;!?]{{0,24}}?{_EVIDENCE_ZH}"
    r")"
)
_ASKED_RESEARCH_ZH: Final = re.compile(
    rf"{_LEAD_ZH}(?:{_POLITE_ZH}|{_HELP_ZH})(?:好好)?(?P<asked>(?:研究|调研){_AGAIN_ZH}(?!生|所|院|了|过)[^,。;!?])"
)
_PREDICATE_ZH: Final = re.compile(
    r"^(?:的(?!来源|可靠|真实|准确|数据|证据|依据|出处|逻辑|看法|观点)|要|需|多|怎)"
    r"|^[^,:;。!?]{0,16}?(?:(?<!还)是(?!否|真是|不是)|很|太|真难|让|不容易|不礼貌|的(?:人|公司|机构|团队|同事|文章)"
    r"|失败|成功|结束|完成|来了|花了|了$)"
)
_OTHER_ZH: Final = re.compile(
    rf"{_LEAD_ZH}(?:"
    r"(?:预?订|订购|买)(?:一)?(?:张|个|间|桌)?[^,。;!?]{0,12}(?:机票|酒店|车票|火车票|餐厅|电影票|座位)"
    r"|(?:发|寄)(?:一)?(?:封|个|条)?[^,。;!?]{0,12}(?:邮件|短信|传真)"
    rf"|(?:{_DO_ZH}|画|设计|制作){_ONE_ZH}[^,。;!?]{{0,12}}(?:海报|图片|视频|幻灯片|ppt|网站|logo|小红书文案"
    rf"|短视频脚本)"
    r")"
)
_NOT_NOW_ZH: Final = re.compile(
    r"以后|总是|每次|今后|从现在起|平时|一直|下次|经常|上次|之前(?:我|你|已|做|说|问|帮)|昨天|刚才|刚刚|已经|了吗"
    r"|过吗|了没|是什么|怎么|如何|为什么|多久|多少|要不要|该不该|需不需要|别|不要|不用"
)
_IS_POLITE_ZH: Final = re.compile(rf"\W*(?:(?:你好|您好|嗨|那|请问)[\s,!]*)*(?:{_POLITE_ZH}|{_HELP_ZH})")

_QUESTION: Final = re.compile(r"[?]\W{0,40}$|[吗呢么]\W*$")


def requested_work(text: str) -> WorkKind | None:
    """The kind of work that the first requesting sentence asks for: research, something else, or None."""
    return next(filter(None, map(_work_in_sentence, _sentences_read(text))), None)


def request_sentence(text: str) -> str:
    """The sentence that asks for work, normalized; without a plain one, everything that is read of the message."""
    read = _sentences_read(text)
    return _fold_sentence(next(filter(_work_in_sentence, read), "\n".join(read)))


def _sentences_read(text: str) -> list[str]:
    """The first and last sentences of a message: requests stand at an end, the material between is not read."""
    sentences = split_sentences(text)
    read = sentences if len(sentences) <= FIRST + LAST else [*sentences[:FIRST], *sentences[-LAST:]]
    return [sentence[:READ_CHARACTERS] for sentence in read]


def _fold_sentence(sentence: str) -> str:
    return normalize(sentence).replace("’", "'")


def _work_in_sentence(sentence: str) -> WorkKind | None:
    said = _fold_sentence(sentence)
    if _NOT_NOW_EN.search(said) or _NOT_NOW_ZH.search(said):
        return None
    if _QUESTION.search(said) and not (_IS_POLITE_EN.match(said) or _IS_POLITE_ZH.match(said)):
        return None
    if _OTHER_EN.match(said) or _OTHER_ZH.match(said):
        return "other"
    return "research" if _asks_for_research(sentence, said) else None


def _asks_for_research(sentence: str, said: str) -> bool:
    if _OF_MACHINES.search(said):
        return False
    found = _RESEARCH_EN.match(said) or (is_financial(sentence) and _match_trade_en(said)) or None
    if found:
        return bool(_ASKS_EN.search(said[: found.start("asked")])) or not _goes_on_as_statement(
            said[found.end("asked") - 1 :]
        )
    found = _RESEARCH_ZH.match(said) or (is_financial(sentence) and _match_trade_zh(said)) or None
    if found:
        return _PREDICATE_ZH.search(said[found.end("asked") :]) is None
    return _names_asset_alone(sentence, said)


def _match_trade_en(said: str) -> re.Match[str] | None:
    return _OF_TRADE_EN.match(said) or _RESEARCHED_EN.match(said)


def _match_trade_zh(said: str) -> re.Match[str] | None:
    return _OF_TRADE_ZH.match(said) or _ASKED_RESEARCH_ZH.match(said)


def _goes_on_as_statement(rest: str) -> bool:
    """Whether the main clause goes on as a statement, as in "research takes time"."""
    return _PREDICATE_EN.search(_CLAUSE_EN.split(rest, maxsplit=1)[0]) is not None


def _names_asset_alone(sentence: str, said: str) -> bool:
    """Whether a bare verb is followed by an asset, as in "research NVDA"."""
    found = _BARE_EN.match(said)
    if found is None or _goes_on_as_statement(found["object"]):
        return False
    names = [asset_in(sentence), *tickers_in(sentence)]
    named = next((name.lower() for name in names if name and found["object"].lstrip("$").startswith(name.lower())), "")
    return bool(named) and _GOES_ON.match(found["object"].lstrip("$")[len(named) :]) is not None
