"""English rules for what users are, can, lack and gave up."""

from __future__ import annotations

from typing import Final

from memory.evolution.health_statements import CONDITIONS_EN, PATIENTS_EN
from memory.evolution.rule import Rule, Strength
from memory.evolution.rule_phrases_en import AGO, AM, DATE, DIET, END, FREE, JOBS, KIN, MONEY, NAME, NATIVE, SELF, p

_CANNOT = r"(?:can't|cannot|can not|don't know how to)"
_ABLE = (
    r"(?:swim|drive|cook|sing|dance|ski|code|program|sew|knit|juggle|whistle|ride (?:a )?(?:bike|bicycle|horses?|"
    r"motorcycle)|play (?:the )?[a-z]+|speak (?-i:[A-Z])[a-z]+|touch[- ]type|read music|draw)"
)
_DATED = rf"(?: (?:in \d{{4}}|on {DATE}|\d+ years ago|last \w+|this \w+|when I was .+))?"

TRAITS: Final = (
    Rule("en.we_have", p(rf"^we(?:'ve| have)(?: got)? (?P<value>(?:\d+|an?|one|two|three|four|five|six|seven|"
                         rf"eight) (?:[\w-]+ ){{0,2}}{KIN}s?(?:,? (?:named|called) [^,]+)?){END}"), "family",
         "Has {value}", "family"),
    Rule("en.lives_near", p(rf"^(?:I|we) (?:now |currently )?live (?P<value>in an? (?:[\w-]+ ){{0,3}}(?:town|village|"
                            rf"city|suburb|house|flat|apartment|farm|cottage|studio|condo|cabin)(?: (?:near|in|outside|"
                            rf"of|by|on) (?:the )?(?-i:[A-Z])[\w' -]+)?){END}"), "housing", "Lives {value}", "home"),
    Rule("en.rents", p(rf"^(?:I|we) (?:rent|own|share) (?P<value>an? (?:[\w-]+ ){{0,3}}(?:flat|apartment|studio|house|"
                       rf"room|condo|cottage)\b{FREE}{{0,40}}?){END}"), "housing", "{quote}", "home"),
    Rule("en.lives_with", p(rf"^(?:I|we) (?:now |still |currently )?live (?P<value>alone|by myself|on my own|"
                            rf"with (?:my |two |three |a )[\w' -]{{3,40}}?){END}"), "household", "Lives {value}",
         "family"),
    Rule("en.from_a", p(r"^I(?:'m| am| come) (?:originally )?from (?P<value>an? (?:[\w-]+ ){0,3}(?:town|village|city|"
                        r"farm|family)(?: (?:near|in|outside|of) (?-i:[A-Z])[\w' -]+)?)$"), "origin", "From {value}",
         "identity"),
    Rule("en.born", p(rf"^I was born (?:in|on) (?P<value>\d{{4}}|{DATE})$"), "born", "Born: {value}", "identity"),
    Rule("en.turned", p(rf"^I(?:'ve| have)? (?:just |recently )?(?:turned|will turn) (?P<value>\d{{2}}){AGO}$"), "age",
         "Turned {value} {when}", "identity"),
    Rule("en.tall", p(rf"{AM}(?P<value>\d[\d.' ]*(?:cm|m|feet|foot|ft|'|meters?|metres?)(?: ?\d{{1,2}})?)(?: tall)?$"),
         "height", "Height: {value}", "identity"),
    Rule("en.is_native", p(rf"{AM}(?:an? )?(?P<value>(?:half[- ])?{NATIVE}(?:[- ](?:and|American|born) ?{NATIVE}?)?)$"),
         "nationality", "Is {value}", "identity"),
    Rule("en.trait", p(rf"{AM}(?P<value>left-handed|right-handed|ambidextrous|colou?r-?blind|(?:near|short|far|"
                       rf"long)-?sighted|dyslexic|deaf|hard of hearing|shy|introverted|extroverted|a heavy sleeper|"
                       rf"a light sleeper|bilingual){END}"), "identity", "Is {value}", "identity"),
    Rule("en.condition", p(rf"^I(?:'ve| have)? (?:got |suffer from |was diagnosed with |"
                           rf"been diagnosed with )?(?P<value>{CONDITIONS_EN}){AGO}{END}"), "health", "Has {value}",
         "health"),
    Rule("en.patient", p(rf"{AM}(?:an? )?(?P<value>{PATIENTS_EN}){END}"), "health", "Is {value}", "health"),
    Rule("en.member", p(rf"{AM}(?P<value>in (?:an? (?:[\w-]+ )?(?:band|choir|book club|club|team|orchestra|union|"
                        rf"long-distance relationship|relationship)|my (?:first|second|third|fourth|final|last|"
                        rf"\d\w+) year(?: (?:of|at) [\w ]{{3,30}})?|(?:college|university|grad school|high school|"
                        rf"medical school|law school|the (?:army|navy|air force)))){END}"), "identity", "Is {value}",
         "identity"),
    Rule("en.in_group", p(rf"^I (?:play|sing|perform|dance) (?P<value>in (?:an? |the )(?:[\w-]+ )?(?:band|choir|"
                          rf"orchestra|quartet|team|league|troupe)\b{FREE}{{0,40}}?){END}"), "activity", "{quote}",
         "hobby"),
    Rule("en.work_mode", p(rf"{SELF}work (?P<value>remotely|from home|part[- ]time|full[- ]time|(?:the )?night shifts?|"
                           rf"shifts|freelance|as a freelancer|abroad){END}"), "work_mode", "Works {value}", "work"),
    Rule("en.income", p(rf"^I (?:currently )?(?:earn|make) (?:about |around |roughly |"
                        rf"over )?(?P<value>{MONEY}(?: ?(?:a|per|an) (?:month|year|hour|week))|\d[\d,.]*k)$"), "income",
         "Earns {value}", "finance"),
    Rule("en.customer", p(rf"^I (?:bank|invest|trade|fly|shop)(?: mostly)? (?:with|through|at) (?P<value>{NAME}){END}"),
         "uses", "{quote}", "habit"),
    Rule("en.supports", p(rf"{SELF}(?:support|root for|barrack for|cheer for) (?P<value>(?:the )?{NAME}){END}"),
         "likes", "Supports {value}", "preference", "preference", "preference"),
    Rule("en.speaks_some", p(rf"^I (?:can |also )*speak (?:fluent |some |a little |a bit of |"
                             rf"basic )?(?P<value>(?-i:[A-Z])[a-z]+(?:(?:,| and|, and) (?-i:[A-Z])[a-z]+)*){END}"),
         "language.speaks", "Speaks {value}", "language", many=True),
    Rule("en.can", p(rf"^I can (?:also )?(?P<value>{_ABLE}){END}"), "skills", "Can {value}", "hobby"),
    Rule("en.cannot", p(rf"^I {_CANNOT} (?P<value>{_ABLE}){END}"), "cannot", "Cannot {value}", "hobby"),
    Rule("en.not_drink", p(r"^I (?:don't|do not|never) (?P<value>drink|smoke|vape|gamble)(?: alcohol)?(?: at all)?$"),
         "diet.avoids", "Does not {value}", "diet"),
    Rule("en.tries_to", p(rf"{AM}trying to (?P<value>(?:lose|gain|eat|drink|quit|stop|cut (?:down|back)|save|learn|"
                          rf"get (?:fit|in shape)|build|sleep|walk|exercise|spend|reduce|read) {FREE}{{3,50}}?){END}"),
         "goal", "Trying to {value}", "goal"),
    Rule("en.plans_on", p(rf"^I (?:plan on|intend on|am set on|look forward to) (?P<value>(?:moving|buying|selling|"
                          rf"getting|starting|studying|travel+ing|retiring|changing|quitting|visiting|opening|"
                          rf"learning) {FREE}{{3,60}}?){END}"), "goal", "{quote}", "goal"),
    Rule("en.got_married", p(rf"^(?:I|we) got (?P<value>married|divorced|engaged){_DATED}$"), "marital", "{quote}",
         "family", happened=True),
    Rule("en.lost_kin", p(rf"^my (?P<key>{KIN}) (?P<value>died|passed away){_DATED}{END}"), "{key}.died", "{quote}",
         "family"),
    Rule("en.has_no", p(rf"^I (?:have no|don't have(?: any| an?)?|do not have(?: any| an?)?) (?P<value>kids|children|"
                        rf"pets?|siblings|brothers(?: or sisters)?|sisters|car|driver'?s? licen[cs]e|allergies|tv|"
                        rf"smartphone|debts?|credit cards?|mortgage){END}"), "has_not", "Does not have {value}",
         "identity"),
    Rule("en.gave_up", p(rf"^I(?:'ve| have)? (?:just |recently |finally )?(?:quit|stopped|gave up|"
                         rf"given up) (?P<value>(?:(?:eating|drinking) (?!it\b|that\b)[a-z]\w+(?: \w+)?|smoking|"
                         rf"drinking|vaping|gambling|alcohol|caffeine|coffee|sugar|meat|dairy|gluten|soda|carbs|sweets|"
                         rf"chocolate|fast food|social media)){AGO}{END}"), "diet.avoids", "{quote}", "diet"),
    Rule("en.commutes", p(rf"^I (?:always |usually |mostly )?(?P<value>(?:take|ride|catch) the (?:bus|train|tube|"
                          rf"subway|metro|tram|ferry)|(?:drive|walk|cycle|bike) to work)\b(?: .{{2,30}})?{END}"),
         "commute", "{quote}", "habit"),
)  # fmt: skip

DENIALS: Final = (
    Rule("en.no_longer_diet", p(rf"{AM}(?:no longer|not) (?:an? )?(?P<value>{DIET}){END}"), "diet", "No longer {value}",
         "diet", strength=Strength.EXPLICIT, polarity="negative", replaces=True),
    Rule("en.no_longer_job", p(rf"{AM}(?:no longer|not) (?P<value>an? {JOBS}){END}"), "job", "No longer {value}",
         "work", strength=Strength.EXPLICIT, polarity="negative", replaces=True),
    Rule("en.no_longer_married", p(rf"{AM}(?:no longer|not) (?P<value>married|single|engaged){END}"), "marital",
         "Not {value}", "family"),
    Rule("en.hates_when", p(r"^I (?:really )?(?:hate|dislike|can't stand|don't like) it when (?P<value>(?!(?:you|it|"
                            r"that|this)\b).{4,60})$"), "dislikes", "Dislikes it when {value}", "preference",
         "preference", "preference"),
    Rule("en.hates_being", p(rf"^I (?:really )?(?:hate|dislike|can't stand|don't like) (?P<value>being {FREE}{{3,"
                             rf"50}}?){END}"), "dislikes", "Dislikes {value}", "preference", "preference",
         "preference"),
    Rule("en.rather", p(rf"^I(?:'d| would) rather (?P<value>(?!(?:not|be|you|it|"
                        rf"have)\b){FREE}{{2,40}}?) than (?P<old>{FREE}{{2,40}}?){END}"), "likes",
         "Would rather {value} than {old}", "preference", "preference", "preference"),
    Rule("en.dont", p(r"^(?:please )?(?P<value>(?:don't|do not|never|stop) (?:use|using|call(?:ing)? me|add(?:ing)?|"
                      r"includ(?:e|ing)|repeat(?:ing)?|apologi[sz](?:e|ing)|translat(?:e|"
                      r"ing))\b.{2,60}?)(?:,? please)?$"), "instruction", "{Value}", "instruction", "preference",
         "preference", Strength.IMPLIED, for_now=True),
    Rule("en.answer_form", p(r"^(?:please )?(?P<value>keep (?:your |the )?(?:answers|replies|responses) (?:under|below|"
                             r"within|shorter than|to) .{3,30}|use (?:metric|imperial|plain|simple|british|american|"
                             r"24-hour|bullet)\b.{0,30}|no (?:emojis?|jargon|markdown|bullet points|small talk|"
                             r"tables))(?:,? please)?$"), "infer:instruction", "{Value}", "instruction", "preference",
         "preference", Strength.IMPLIED, for_now=True),
)  # fmt: skip
"""The rules for what is denied or not wanted."""
