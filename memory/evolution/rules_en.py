"""English rules, most telling first. Each is anchored at the start of a clause: "my sister likes" is not "I like"."""

from __future__ import annotations

from typing import Final

from memory.evolution.facts_en import FACTS
from memory.evolution.rule import Rule, Strength
from memory.evolution.rule_phrases_en import (
    AM,
    END,
    JUDGED,
    MONEY,
    NOT,
    PLACE,
    SELF,
    THING,
    VERBS,
    p,
)
from memory.evolution.traits_en import DENIALS, TRAITS

CORRECTIONS: Final = (
    Rule("en.not_but", p(rf"{SELF}(?:prefer|like|want|meant?|follow|use|need) not (?!just\b|only\b|"
                         rf"merely\b)(?P<old>.{{2,40}}?),? but (?:rather )?{THING}{END}"),
         "infer:likes", "{value}, not {old}", "preference", "preference", "preference", Strength.EXPLICIT, whole=True,
         replaces=True),
    Rule("en.not_now", p(rf"^not (?P<old>[^,]{{2,40}}),? (?:but |anymore,? )?(?:I (?:now |really )?(?:prefer|like|want|"
                         rf"love)|I'm (?:now )?into)(?: now)? {THING}{END}"),
         "infer:likes", "Now prefers {value}, not {old}", "preference", "preference", "preference", Strength.EXPLICIT,
         whole=True, replaces=True),
    Rule("en.not_but_answer", p(r"^(?:it's )?not (?!just\b|only\b|merely\b)(?!.*\b(?:I|you|we|"
                                r"they)\b)(?P<old>[^,]{2,40}?),? (?:but|it's) (?:rather )?(?P<value>[^,]{2,40}?)$"),
         "infer:likes", "{Value}, not {old}", "preference", "preference", "preference", Strength.EXPLICIT, whole=True,
         replaces=True, answers=True),
    Rule("en.switch_language", p(r"^(?:please )?(?:switch|change) to (?P<value>English|Chinese|German|French|Spanish|"
                                 r"Japanese)(?:,? please)?$"),
         "language.reply", "Wants answers in {value}", "language", "preference", "preference", Strength.EXPLICIT,
         whole=True, replaces=True, for_now=True),
    Rule("en.used_to_now", p(rf"^I (?:used to|once) (?:like|love|prefer|enjoy|want|follow|"
                             rf"be into) (?P<old>[^,]{{2,40}}?),? (?:but|and|now) (?:now )?I(?:'m)? (?:now )?(?:like|"
                             rf"love|prefer|enjoy|want|into) {THING}{END}"),
         "infer:likes", "Now prefers {value}, no longer {old}", "preference", "preference", "preference",
         Strength.EXPLICIT, whole=True, replaces=True),
    Rule("en.not_anymore_now", p(rf"^(?=.*\b(?:no longer|any ?more|any longer|now|instead|rather)\b)I (?:no longer|"
                                 rf"don't|do not) (?:like|love|prefer|enjoy|want) (?P<old>[^,]{{2,40}}?)(?: any ?more|"
                                 rf" any longer)?[,;]? (?:but |now |and )*I(?:'d)? (?:now |rather )?(?:like|love|"
                                 rf"prefer|enjoy|want) {THING}{END}"),
         "infer:likes", "Now prefers {value}, no longer {old}", "preference", "preference", "preference",
         Strength.EXPLICIT, whole=True, replaces=True),
    Rule("en.switched", p(rf"^I(?:'ve| have)? (?:recently |just |now )?switched (?:over )?(?:from (?P<old>.{{2,40}}?) "
                          rf")?to {THING}{END}"),
         "infer:likes", "Switched to {value}", "preference", "preference", "preference", Strength.EXPLICIT, whole=True,
         replaces=True),
    Rule("en.instead_of", p(rf"{SELF}(?:prefer|want|like|use|drink|eat) {THING} (?:instead of|rather than|"
                            rf"and not) (?P<old>[^,]{{2,40}}?)(?P<now> now| these days)?{END}"),
         "infer:likes", "Prefers {value} rather than {old}", "preference", "preference", "preference", whole=True),
)  # fmt: skip

CHANGES: Final = (
    Rule("en.own_changed", p(rf"^my (?P<key>(?:(?!has |have )[\w'-]+ ){{0,2}}(?!has\b|have\b)[\w'-]+) (?:has |"
                             rf"have )?(?:just )?(?:changed|moved|switched|went up|went down|increased|dropped|"
                             rf"been moved)(?: from .{{1,30}}?)? to (?P<value>.{{1,40}}?){END}"),
         "{key}", "{Key}: {value}", "identity", strength=Strength.EXPLICIT, replaces=True),
    Rule("en.changed_own", p(rf"^I(?:'ve| have)? (?:just |recently |now )?(?:changed|moved|switched|raised|lowered|cut|"
                             rf"increased|reduced) my (?P<key>(?:(?!from\b)[\w'-]+ ){{0,2}}(?!from\b)[\w'-]+)(?: from "
                             rf"(?P<old>.{{1,30}}?))? to (?P<value>.{{1,40}}?){END}"),
         "{key}", "{Key}: {value}", "identity", strength=Strength.EXPLICIT, replaces=True),
)  # fmt: skip

RETRACTIONS: Final = (
    Rule("en.stops_following", p(rf"^I(?:'ve| have)? (?:now |already )?(?:(?:no longer|don't|do not) (?:follow|track|"
                                 rf"watch|monitor)|(?:stopped|quit) (?:following|tracking|watching|monitoring)|"
                                 rf"unfollowed) {THING}{END}"),
         "follows", "No longer follows {value}", "watch-list", strength=Strength.EXPLICIT, polarity="negative",
         many=True, replaces=True),
    Rule("en.sold_out", p(rf"^I(?:'ve| have)? (?:just |already )?(?:sold (?:all )?(?:of )?(?:my|our)|(?:no longer|"
                          rf"don't|do not) (?:hold|own)(?: any)?|closed my) {THING}(?: (?:position|shares|stock|"
                          rf"holdings))?{END}"),
         "asset:holds", "No longer holds {value}", "holding", strength=Strength.EXPLICIT, polarity="negative",
         many=True, replaces=True),
    Rule("en.no_longer_likes", p(rf"^I(?:'m| am)? (?:no longer (?:like|love|enjoy|into|prefer|want)|(?:don't|"
                                 rf"do not) (?:like|love|enjoy|want|prefer) (?=.*\bany ?more)) ?{THING}{END}"),
         "dislikes", "No longer likes {value}", "preference", "preference", "preference", Strength.EXPLICIT, many=True,
         replaces=True),
    Rule("en.no_longer_lives", p(rf"^I (?:no longer live in|don't live in) {PLACE}{END}"),
         "home", "No longer lives in {value}", "home", strength=Strength.EXPLICIT, polarity="negative", replaces=True),
    Rule("en.stopped_going", p(rf"^I(?:'ve| have)? (?:no longer|don't|do not|stopped|quit) (?:go|going|do|doing|attend|"
                               rf"attending)(?: to)?(?: the| my)? (?P<value>[\w-]+)(?: class(?:es)?| lessons?|"
                               rf" practice| sessions?)?{END}"),
         "schedule.{value}", "No longer goes to {value}", "schedule", strength=Strength.EXPLICIT, polarity="negative",
         replaces=True),
    Rule("en.left_job", p(rf"^I(?:'ve| have)? (?:no longer work (?:at|for)|don't work (?:at|for)|quit (?:my job at )?|"
                          rf"left my job at|resigned from) ?(?P<value>(?-i:[A-Z])[\w &.-]{{1,40}}?){END}"),
         "employer", "No longer works at {value}", "work", strength=Strength.EXPLICIT, polarity="negative",
         replaces=True),
)  # fmt: skip

TASTES: Final = (
    Rule("en.constraint_limit", p(rf"^(?:please |but |so )*(?:(?:nothing|no\w* (?:\w+ )?|anything)?\s?(?:I (?:don't|"
                                  rf"do not) want (?:anything )?|I (?:can't|cannot|won't) (?:spend|pay|"
                                  rf"afford) )?(?:above|over|more than|under|below|at most|up to|no more than|"
                                  rf"less than|costlier than|older than)) (?P<value>{MONEY})(?:please|only|per \w+|"
                                  rf"each)?(?: (?:in|on|for|of) [\w ]{{2,25}}?)?{END}"),
         "constraint.limit", "{quote}", "constraint", "preference", "preference", Strength.EXPLICIT),
    Rule("en.constraint_avoid", p(rf"^(?:please )?(?:don't|do not|never) (?:show|recommend|suggest|offer|send|"
                                  rf"tell)(?: me)?(?: any(?:thing)?| about)* {THING}{END}"),
         "constraint.avoid", "Do not recommend {value}", "constraint", "preference", "preference", Strength.EXPLICIT),
    Rule("en.wants_reply", p(rf"^I(?:'d like| would like| want|'d prefer)(?: you to (?:give me|give|use|write|"
                             rf"answer with|answer in|reply in))? (?P<value>(?:[\w-]+ ){{0,4}}(?:answers?|repl(?:y|"
                             rf"ies)|responses?|explanations?|English|Chinese|concise|brief|direct)){END}"),
         "infer:reply_style", "Wants {value}", "preference", "preference", "preference", Strength.EXPLICIT),
    Rule("en.prefers_to", p(rf"(?:{SELF}(?:now )?prefer|^I'd (?:rather|prefer)(?: to)?(?: have)?) {THING} (?:to|over|"
                            rf"than) (?P<old>[^,]{{2,40}}?){END}"),
         "infer:likes", "Prefers {value} to {old}", "preference", "preference", "preference"),
    Rule("en.now_prefers", p(rf"^I(?:'d)? (?:now (?:prefer|like|want|love)|(?:prefer|like|"
                             rf"love)(?= .* now$)) {THING}(?: now)?{END}"),
         "infer:likes", "Now prefers {value}", "preference", "preference", "preference", Strength.EXPLICIT,
         replaces=True),
    Rule("en.prefers", p(rf"(?:{SELF}prefer|^I'd prefer) {THING}{END}"), "infer:likes", "Prefers {value}", "preference",
         "preference", "preference", many=True),
    Rule("en.dislikes", p(rf"(?:(?:{NOT}(?:like|enjoy|love|care for)|{SELF}(?:dislike|hate|detest|loathe|can't stand|"
                          rf"cannot stand)|{AM}not (?:a (?:big |huge )?fan of|into|keen on|"
                          rf"interested in))) {THING}{END}"),
         "dislikes", "Dislikes {value}", "preference", "preference", "preference", many=True),
    Rule("en.likes", p(rf"(?:{SELF}(?:like|love|enjoy|adore|collect)|{AM}(?:into|(?<=all )about|fond of|keen on|"
                       rf"crazy about|passionate about|interested in|fascinated by|obsessed with|hooked on|a (?:big |"
                       rf"huge |real |massive )?fan of)|^I've (?:always|long) (?:loved|liked|enjoyed|been (?:into|"
                       rf"passionate about|interested in|fascinated by)|had an? (?:love|passion|thing|soft spot) for)|"
                       rf"^I(?:'ve| have) been (?:really )?(?:into|interested in|passionate about|obsessed with)|"
                       rf"^I have an? (?:passion|love|soft spot) for) {THING}(?: since .+| for (?:years|ages|"
                       rf"as long as .+|\w+ (?:years|months)))?{END}"),
         "infer:likes", "Likes {value}", "preference", "preference", "preference", many=True),
    Rule("en.opinion", p(rf"^I (?:\w+ly )?(?:(?:think|believe|feel|reckon|guess|find|consider)(?=.* (?:is|are|looks?|"
                         rf"seems?|will be|has become)\b)|find|consider) (?:that )?(?P<value>(?!(?:it|that|this|you|"
                         rf"your|we|he|she|they|there|I|these|those|everyone|the[yi]r|about|of|so|"
                         rf"my)\b)(?P<key>[\w .&'-]{{2,40}}?) (?:(?:is|are|looks?|seems?|will be|"
                         rf"has become) )?(?:still |way |very |really |far |so |a bit |quite |pretty |rather |much |"
                         rf"currently )*(?:{JUDGED})\b.{{0,40}})$"),
         "opinion:{key}", "Thinks {value}", "opinion", "insight", "opinion"),
    Rule("en.reply_length", p(r"^(?:please |could you |can you |and )?(?P<value>(?:keep (?:it|your (?:answers?|"
                              r"replies))|be|make (?:it|that|your answers?)|answer) (?:\w+ )?(?:short|shorter|brief|"
                              r"briefer|concise|simple|simpler|more detailed|detailed|longer|"
                              r"to the point))(?:,? please)?$"),
         "reply_style", "{quote}", "preference", "preference", "preference", Strength.IMPLIED, for_now=True),
    Rule("en.reply_language", p(r"^(?:please )?(?:answer |reply |respond |speak |write )?in (?P<value>English|Chinese|"
                                r"German|French|Spanish|Japanese)(?:,? please)?$"),
         "language.reply", "Wants answers in {value}", "language", "preference", "preference", Strength.IMPLIED,
         for_now=True),
)  # fmt: skip

INSTRUCTIONS: Final = (
    Rule("en.from_now_on", p(r"^(?:please )?(?:from now on|going forward|from here on|for future reference|"
                             r"in (?:the )?future|next time),? (?P<value>(?:(?!I'll\b|we\b|I will\b|I'm\b).){4,150})$"),
         "infer:instruction", "{Value}", "instruction", "preference", "preference", Strength.EXPLICIT, whole=True),
    Rule("en.always", p(rf"^(?:please )?(?P<value>(?:always|never) {VERBS}\b.{{2,150}}|"
                        rf"{VERBS}\b.{{2,100}} (?:from now on|every time|in future|going forward))$"),
         "infer:instruction", "{Value}", "instruction", "preference", "preference", Strength.EXPLICIT, whole=True),
    Rule("en.remember_to", p(rf"^(?:please )?(?:remember|don't forget) to (?P<value>(?:always )?{VERBS}\b.{{2,150}})$"),
         "infer:instruction", "{Value}", "instruction", "preference", "preference", Strength.EXPLICIT, whole=True),
    Rule("en.remember", p(r"^(?:please |can you |could you )?(?:remember|note|keep in mind|bear in mind|don't forget|"
                          r"make a note)(?:,| that|:) ?(?P<value>(?=.*(?:\b(?:I|I'm|my|me|mine|we|our)\b|\d|"
                          r"(?-i:[A-Z])))(?!(?:you|it|when|how|to)\b)(?:(?!\byou\b).){4,180})$"),
         "note", "{Value}", "note", "observation", "fact", Strength.EXPLICIT, whole=True),
)  # fmt: skip

STATEMENTS: Final = (*CHANGES, *RETRACTIONS, *DENIALS, *FACTS, *TRAITS, *TASTES)
"""The rules for what a clause may state, in the order in which they are tried."""
RULES: Final = (*INSTRUCTIONS, *CORRECTIONS, *STATEMENTS)
