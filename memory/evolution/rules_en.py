"""English rules, most telling first. Each is anchored at the start of a clause: "my sister likes" is not "I like"."""
# ruff: noqa: E501 - a pattern and what it means are read on one line

from __future__ import annotations

import re
from typing import Final

from memory.evolution.rule import Rule, Strength

_ADV = (
    r"(?:(?:really|absolutely|also|just|still|now|currently|always|usually|mostly|mainly|generally|particularly|especially|"
    r"personally|definitely|totally|truly|both|only|do|primarily|regularly|simply|much|very|already|actually|"
    r"probably|normally|typically|often|mostly|strongly|at the moment|all)\s+)*"
)
_I = rf"^I\s+{_ADV}"
_AM = rf"^I(?:'m|\s+am)\s+{_ADV}"
_HAVE = rf"^I(?:'ve|\s+have)\s+{_ADV}"
_NOT = rf"^I\s+{_ADV}(?:don't|do not|didn't|no longer|never)\s+{_ADV}"
_POINTING = (
    r"(?!(?:it|that|this|these|those|you|your|yours|how|what|when|where|why|who|him|her|his|them|their|us|our|hear|hearing|"
    r"see|seeing you|me|myself|to$|not|both|all the|the (?!colou?r \w|outdoors|beach|mountains|sea|ocean|piano|guitar|violin|countryside|city)|to (?:hear|see|know|"
    r"think|say|be|ask|share)\b|be|being|one|some of|every|everything|all of|having you|so|a lot)\b)"
)
_THING = rf"{_POINTING}(?P<value>(?:(?!\b(?:you|your|yours|would|when|how|that|if|it|is|are|was|were|them|him|her|this|those|(?-i:I))\b).){{2,70}}?)"
_END = r"(?:[\s,]+(?:too|also|as well|a lot|so much|very much|right now|at the moment|lately|these days|though|the most|instead|then|now|please|anymore|any more|any longer))*$"
_KIN = r"(?:wife|husband|partner|son|daughter|mother|mom|mum|father|dad|brother|sister|girlfriend|boyfriend|fianc[ée]e?|kids?|child|children|dog|cat|puppy|kitten|boss|grandma|grandmother|grandfather)"
_NUMBER = r"(?:\d+|a|an|one|two|three|four|five|six|seven|eight|nine|ten)"
_MONEY = r"(?:[$€£¥]\s?)?\d[\d,.]*\s?(?:k|m|%|percent|usd|eur|dollars?|euros?|pounds?|yuan|rmb|bucks|a month|per month|a year|per year|\s)*"
_JOBS = (
    r"(?:[\w-]+\s){0,3}?(?:teacher|nurse|doctor|engineer|developer|programmer|designer|student|lawyer|accountant|analyst|trader|"
    r"investor|writer|author|artist|musician|photographer|journalist|manager|director|consultant|scientist|researcher|professor|"
    r"chef|cook|barista|waiter|waitress|driver|pilot|electrician|plumber|carpenter|farmer|architect|dentist|pharmacist|therapist|"
    r"psychologist|counselor|counsellor|salesperson|banker|economist|editor|translator|entrepreneur|founder|freelancer|cashier|"
    r"retiree|pensioner|social worker|veterinarian|vet|physicist|biologist|chemist|mechanic|firefighter|police officer|soldier|"
    r"coach|trainer|librarian|secretary|receptionist|actor|actress|dancer|singer|painter|broker|owner|paralegal|intern|hairdresser)"
)
_DIET = r"(?:vegan|vegetarian|pescatarian|lactose[- ]intolerant|gluten[- ]intolerant|coeliac|celiac|diabetic|halal|kosher|teetotal|on a [\w-]+ diet)"
_TONGUES = r"(?-i:[A-Z][a-z]+)(?:(?:,| and|, and) (?-i:[A-Z][a-z]+))*"
_PLACE = r"(?P<value>(?:the )?(?-i:[A-Z])[\w'.-]+(?:,? (?:(?-i:[A-Z])[\w'.-]+|of|de|the|la))*)"
_VERBS = (
    r"(?:answer|reply|respond|use|include|show me|give me|explain|write|keep|cite|start|end|format|put|add|avoid|tell me|speak|address|"
    r"translate|summari[sz]e|check|warn|ask|mention|quote|send|recommend|suggest|assume|convert|be (?:brief|concise|direct|honest|polite)|"
    r"stick to|stop|skip|round|list|present|provide|remind|call)"
)
_JUDGED = (
    r"(?:over|under|fairly )?(?:priced|valued|hyped|rated)|expensive|cheap|pricey|risky|safe|volatile|good|bad|great|boring|"
    r"overbought|oversold|dangerous|useful|useless|too \w+|better|worse|the best|the worst|important|unfair|wrong|right|dull|"
    r"beautiful|ugly|bullish|bearish|promising|doomed|a (?:bubble|scam|bargain|mistake|waste of (?:time|money)|good|bad|great) ?\w*"
)
_ASSETS = r"(?:(?-i:[A-Z]{2,6}(?:[./][A-Z]{2,4})?)|\$?\d{4,6}(?:\.[A-Z]{2})?|(?-i:[A-Z])[\w.&'-]+|gold|silver|oil|bitcoin|ethereum|crypto|stocks?|bonds?|the \w+ (?:market|index|sector)|\w+ (?:stocks|prices|futures|market))"


def _p(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


CORRECTIONS: Final = (
    Rule("en.not_but", _p(rf"{_I}(?:prefer|like|want|meant?|follow|use|need) not (?P<old>.{{2,40}}?),? but (?:rather )?{_THING}{_END}"),
         "infer:likes", "{value}, not {old}", "preference", "preference", "preference", Strength.EXPLICIT, whole=True, replaces=True),
    Rule("en.not_now", _p(rf"^not (?P<old>[^,]{{2,40}}),? (?:but |anymore,? )?(?:I (?:now |really )?(?:prefer|like|want|love)|I'm (?:now )?into)(?: now)? {_THING}{_END}"),
         "infer:likes", "Now prefers {value}, not {old}", "preference", "preference", "preference", Strength.EXPLICIT, whole=True, replaces=True),
    Rule("en.not_but_answer", _p(r"^(?:it's )?not (?P<old>[^,]{2,40}?),? (?:but|it's) (?:rather )?(?P<value>[^,]{2,40}?)$"),
         "infer:likes", "{Value}, not {old}", "preference", "preference", "preference", Strength.EXPLICIT, whole=True, replaces=True, answers=True),
    Rule("en.switch_language", _p(r"^(?:please )?(?:switch|change) to (?P<value>English|Chinese|German|French|Spanish|Japanese)(?:,? please)?$"),
         "language.reply", "Wants answers in {value}", "language", "preference", "preference", Strength.EXPLICIT, whole=True, replaces=True),
    Rule("en.used_to_now", _p(rf"^I (?:used to|once) (?:like|love|prefer|enjoy|want|follow|be into) (?P<old>[^,]{{2,40}}?),? (?:but|and|now) (?:now )?I(?:'m)? (?:now )?(?:like|love|prefer|enjoy|want|into) {_THING}{_END}"),
         "infer:likes", "Now prefers {value}, no longer {old}", "preference", "preference", "preference", Strength.EXPLICIT, whole=True, replaces=True),
    Rule("en.not_anymore_now", _p(rf"^I (?:no longer|don't|do not) (?:like|love|prefer|enjoy|want) (?P<old>[^,]{{2,40}}?)(?: any ?more)?[,;]? (?:but |now |and )*I(?:'d)? (?:now |rather )?(?:like|love|prefer|enjoy|want) {_THING}{_END}"),
         "infer:likes", "Now prefers {value}, no longer {old}", "preference", "preference", "preference", Strength.EXPLICIT, whole=True, replaces=True),
    Rule("en.switched", _p(rf"^I(?:'ve| have)? (?:recently |just |now )?switched (?:over )?(?:from (?P<old>.{{2,40}}?) )?to {_THING}{_END}"),
         "infer:likes", "Switched to {value}", "preference", "preference", "preference", Strength.EXPLICIT, whole=True, replaces=True),
    Rule("en.instead_of", _p(rf"{_I}(?:prefer|want|like|use|follow|drink|eat) {_THING} (?:instead of|rather than|and not) (?P<old>[^,]{{2,40}}?)(?P<now> now| these days)?{_END}"),
         "infer:likes", "Prefers {value} rather than {old}", "preference", "preference", "preference", whole=True),
)  # fmt: skip

RETRACTIONS: Final = (
    Rule("en.stops_following", _p(rf"^I(?:'ve| have)? (?:now |already )?(?:(?:no longer|don't|do not) (?:follow|track|watch|monitor)|(?:stopped|quit) (?:following|tracking|watching|monitoring)|unfollowed) {_THING}{_END}"),
         "follows", "No longer follows {value}", "watch-list", strength=Strength.EXPLICIT, polarity="negative", many=True, replaces=True),
    Rule("en.sold_out", _p(rf"^I(?:'ve| have)? (?:just |already )?(?:sold (?:all )?(?:of )?(?:my|our)|(?:no longer|don't|do not) (?:hold|own)(?: any)?|closed my) {_THING}(?: (?:position|shares|stock|holdings))?{_END}"),
         "asset:holds", "No longer holds {value}", "holding", strength=Strength.EXPLICIT, polarity="negative", many=True, replaces=True),
    Rule("en.no_longer_likes", _p(rf"^I(?:'m| am)? (?:no longer (?:like|love|enjoy|into|prefer|want)|(?:don't|do not) (?:like|love|enjoy|want|prefer) (?=.*\bany ?more)) ?{_THING}{_END}"),
         "dislikes", "No longer likes {value}", "preference", "preference", "preference", Strength.EXPLICIT, many=True, replaces=True),
    Rule("en.no_longer_lives", _p(rf"^I (?:no longer live in|don't live in) {_PLACE}{_END}"),
         "home", "No longer lives in {value}", "home", strength=Strength.EXPLICIT, polarity="negative", replaces=True),
    Rule("en.left_job", _p(rf"^I(?:'ve| have)? (?:no longer work (?:at|for)|don't work (?:at|for)|quit (?:my job at )?|left my job at|resigned from) ?(?P<value>(?-i:[A-Z])[\w &.-]{{1,40}}?){_END}"),
         "employer", "No longer works at {value}", "work", strength=Strength.EXPLICIT, polarity="negative", replaces=True),
)  # fmt: skip

FACTS: Final = (
    Rule("en.address", _p(r"^(?:please |just |you can )?call me (?P<value>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?)$"),
         "address", "Wants to be called {value}", "identity", "preference", "preference", Strength.EXPLICIT),
    Rule("en.age", _p(rf"{_AM}(?P<value>\d{{1,3}})(?: years? old| yo|, and\b.*)?$"), "age", "{value} years old", "identity"),
    Rule("en.moved", _p(rf"^I(?:'ve| have)? (?:just |recently )?(?:moved|relocated)(?: (?:here )?from (?P<old>[\w ]{{2,40}}?))? to {_PLACE}(?P<when>(?: in| last| this| on| \d).*)?{_END}"),
         "home", "Moved to {value} {when}", "home", replaces=True),
    Rule("en.home", _p(rf"(?:{_I}live|{_AM}(?:based|living)|^my home is) (?:with \w+ )?(?:in|near|at) {_PLACE}(?:[, ]+(?:with|near|now|for|since)\b.*)?{_END}"), "home", "Lives in {value}", "home"),
    Rule("en.origin", _p(rf"(?:{_AM}(?:originally )?from|{_I}(?:come from|grew up in|was born in)) {_PLACE}{_END}"), "origin", "From {value}", "identity"),
    Rule("en.risk", _p(rf"{_AM}(?:an? )?(?P<value>(?:very |rather |quite |pretty )?(?:risk[- ]averse|risk[- ]tolerant|conservative|aggressive|cautious)(?: (?:investor|trader|with (?:my )?(?:money|investments?)))?){_END}"),
         "risk", "Risk preference: {value}", "finance", "preference", "preference"),
    Rule("en.risk_is", _p(rf"^my risk (?:tolerance|appetite|preference) is (?P<value>[\w -]{{2,30}}?){_END}"),
         "risk", "Risk preference: {value}", "finance", "preference", "preference"),
    Rule("en.works_as", _p(rf"(?:{_I}work(?:ing)? as|{_AM}(?:working|employed) as|^my job is(?: being)?|^my (?:profession|occupation) is) (?P<value>[^,]{{2,60}}?)(?: in (?-i:[A-Z]).*)?{_END}"),
         "job", "Works as {value}", "work"),
    Rule("en.is_job", _p(rf"{_AM}(?P<value>(?:an?|the) {_JOBS}(?: (?:at|for) (?:the |a )?(?-i:[A-Z])[\w&.' -]*)?)(?: (?:at|in|for|from|by|who|with|and)\b.*)?{_END}"), "job", "Works as {value}", "work"),
    Rule("en.employer", _p(rf"(?:{_I}work|{_AM}working|{_AM}employed) (?:at|for|by) (?P<value>(?:a |an |the )?(?-i:[A-Z])?[\w&.' -]{{1,50}}?)(?: in (?-i:[A-Z])\w+)?{_END}(?<!hours)(?<!myself)(?<!home)(?<!years)"),
         "employer", "Works at {value}", "work"),
    Rule("en.lost_job", _p(rf"^I(?:'ve| have)? (?:just |recently )?(?P<value>lost my job|retired|got (?:fired|laid off|promoted)|got a new job)(?P<when> (?:as|at|in|from|last|to) .{{2,50}})?{_END}"),
         "job_status", "{Value} {when}", "work"),
    Rule("en.works_in", _p(rf"(?:{_I}work|{_AM}working) in (?P<value>[\w &-]{{2,40}}?){_END}"), "field", "Works in {value}", "work"),
    Rule("en.runs", _p(rf"{_I}(?:run|own|manage) (?P<value>(?:a|an|two|three|my own) (?:[\w-]+ ){{0,3}}(?:business|company|shop|store|restaurant|caf[eé]|studio|agency|fund|startup|franchise|bakery|farm|blog))(?: .*)?{_END}"),
         "business", "Runs {value}", "work"),
    Rule("en.studies", _p(rf"(?:{_I}study|{_AM}(?:studying|majoring in)) {_THING}{_END}"), "studies", "Studies {value}", "work"),
    Rule("en.kin", _p(rf"(?:{_I}have|^I've got|{_I}adopted|{_I}got) (?P<value>{_NUMBER} (?:[\w-]+[ ,]){{0,3}}(?:{_KIN}s?|sons|daughters|brothers|sisters|siblings|puppies|pets?|parrot|rabbit|hamster)\b(?:(?:,? (?:and|named|called|aged) [^,]+)|, (?-i:[A-Z])\w+(?:(?:,| and|, and) (?-i:[A-Z])\w+)*)?){_END}"),
         "family", "Has {value}", "family"),
    Rule("en.kin_is", _p(rf"^my (?P<key>{_KIN}(?:'s)?(?: (?:name|birthday|age|job))?) (?:is|was born) (?P<value>(?:called |named |on )?(?-i:[A-Z])[\w'-]+(?: [\w'-]+){{0,3}}|\d{{1,2}}(?: years old| months old)?|(?:an? )?{_JOBS}|allergic to .+|on .*\d.*){_END}"),
         "{key}", "{Key}: {value}", "family"),
    Rule("en.own_is", _p(r"^my (?P<key>birthday|anniversary|time ?zone|favou?rite (?!one|part|thing|memory|moment|piece|way)[\w -]{2,25}|fav (?!one)[\w -]{2,25}|hometown|degree|major|hobby|hobbies|nationality|native language|mother tongue|blood type|shoe size|height|weight) (?:is|are|was|has always been) (?P<value>(?!(?:when|the one|how|that|this|not|so|really|coming)\b)[^,]{1,60})$"),
         "{key}", "{Key}: {value}", "identity"),
    Rule("en.is_favourite", _p(r"^(?P<value>(?!(?:it|this|that|these|those|which|what|one|you|your)\b)[\w .&'\"-]{2,40}?) (?:is|are) my (?:all-time )?favou?rite (?P<key>[a-z][\w -]{2,25})$"),
         "favourite_{key}", "Favourite {key}: {value}", "preference", "preference", "preference"),
    Rule("en.owns", _p(rf"{_I}(?:own|drive|ride|bought) (?P<value>{_NUMBER} (?:[\w-]+ ){{0,3}}(?:car|house|flat|apartment|bike|bicycle|motorcycle|boat|piano|guitar|truck|van|camera|laptop|telescope|tesla|toyota|bmw|honda|ford)s?\b.*?){_END}"),
         "possession", "Has {value}", "possession"),
    Rule("en.instrument", _p(rf"{_I}play (?:the )?(?P<value>piano|violin|guitar|drums|cello|flute|clarinet|saxophone|bass|ukulele|chess|tennis|football|soccer|basketball|golf|badminton)(?: .*)?{_END}"),
         "likes", "Plays {value}", "hobby"),
    Rule("en.allergy", _p(rf"{_AM}(?:severely )?allergic to {_THING}{_END}"), "allergy", "Allergic to {value}", "diet", many=True),
    Rule("en.diet", _p(rf"{_AM}(?:an? )?(?P<value>(?:strict )?{_DIET}){_END}"), "diet", "Diet: {value}", "diet"),
    Rule("en.avoids_food", _p(rf"(?:{_NOT}|^I (?:can't|cannot) )(?:eat|drink|smoke) {_THING}{_END}"), "diet.avoids", "Does not eat or drink {value}", "diet", many=True),
    Rule("en.speaks", _p(rf"(?:{_I}speak|{_AM}fluent in) (?:fluent |some |a little )?(?P<value>{_TONGUES}){_END}"), "language.speaks", "Speaks {value}", "language", many=True),
    Rule("en.learning", _p(rf"(?:{_AM}|^I(?:'ve| have) been )(?:learning|taking lessons in|training for|preparing for) {_POINTING}(?:to |how to )?(?P<value>(?!(?:a lot|a ton|a bunch|more|so much|from)\b)[^,]{{2,60}}?){_END}"),
         "learning", "Learning or training: {value}", "hobby"),
    Rule("en.schedule", _p(rf"(?:{_I}(?:wake up|get up|go to (?:bed|sleep|the gym|yoga)|start work|finish work|work|run|train|exercise|work out|swim|meditate|trade|commute|volunteer)|^I have (?:[\w-]+ ){{1,3}}(?:class|lessons?|practice|meetings?)) (?P<value>(?:[\w-]+ ){{0,3}}?(?:at \d|every |on (?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:\w+ )?(?:times|days) a week|from \d|nights?$).*)"),
         "schedule", "{quote}", "schedule"),
    Rule("en.tenure", _p(rf"(?:{_HAVE}(?:been )?)(?P<value>(?!(?:busy|good|well|great|looking|thinking|waiting|meaning|there)\b)(?:\w+ing|married|together|vegan|vegetarian|sober|retired|in \w+)\b.{{0,40}}? (?:for|since) (?:over |about |almost |nearly |more than |around )?(?:\d{{4}}|(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|several|many)(?: and a half)? (?:years?|months?|weeks?|decades?))){_END}"),
         "experience", "Has been {value}", "history"),
    Rule("en.holds", _p(rf"(?:{_I}(?:hold|own|bought|have)|{_AM}(?:holding|long(?: on)?)|^I've (?:got|bought)) (?P<value>(?:\d[\d,.]*k? (?:shares?|units?|lots?|coins?|contracts?|ounces?|oz|bitcoins?|btc|eth)(?: (?:of|in) [^,]+)?|(?:a |my )?(?:\w+ )?positions? in .+|(?:some )?(?-i:[A-Z]{{2,6}})(?:(?:,| and|, and) (?-i:[A-Z]{{2,6}}))*|(?:some )?(?:bitcoin|ethereum|crypto|gold|treasuries|index funds|etfs?)(?: .*)?)(?: (?:at|for|since) .+)?){_END}"),
         "asset:holds", "Holds {value}", "holding", many=True),
    Rule("en.follows", _p(rf"(?:{_I}(?:follow|track|monitor|watch)|{_AM}(?:following|tracking|watching|monitoring)|^(?:I )?keep(?:ing)? an eye on|{_I}keep an eye on) (?P<value>{_ASSETS}(?:(?:, and|,| and| &|/) ?{_ASSETS})*){_END}"),
         "follows", "Follows {value}", "watch-list", "preference", "preference", many=True),
    Rule("en.follows_topic", _p(rf"{_I}(?:follow|track) {_THING}{_END}"), "follows", "Follows {value}", "watch-list", "preference", "preference", many=True),
    Rule("en.budget", _p(rf"^my (?P<key>budget|limit|maximum|max|price limit) (?:is|was|stays|for [\w ]+ is) (?P<value>(?:around |about |under |at most |up to )?{_MONEY}.{{0,20}})$"),
         "budget", "Budget: {value}", "constraint", "preference", "fact", Strength.EXPLICIT),
    Rule("en.horizon", _p(rf"(?:^my (?:investment |time )*horizon is|{_I}invest for|{_AM}(?:investing for|in it for)) (?P<value>[^,]{{2,40}}?){_END}"),
         "horizon", "Investment horizon: {value}", "finance", "preference", "preference"),
    Rule("en.goal", _p(rf"(?:^my (?:main |long-term |biggest )?goal is(?: to)?|{_AM}saving (?:up )?for|{_AM}planning to) (?P<value>(?!(?:it|that|this)\b)[^,]{{2,70}}?){_END}"), "goal", "Goal: {value}", "goal"),
)  # fmt: skip

TASTES: Final = (
    Rule("en.constraint_limit", _p(rf"^(?:please |but |so )*(?:(?:nothing|no\w* (?:\w+ )?|anything)?\s?(?:I (?:don't|do not) want anything |I (?:can't|cannot|won't) (?:spend|pay|afford) )?(?:above|over|more than|under|below|at most|up to|no more than|less than|costlier than|older than)) (?P<value>{_MONEY})(?:please|only|per \w+|each)?{_END}"),
         "constraint.limit", "{quote}", "constraint", "preference", "preference", Strength.EXPLICIT),
    Rule("en.constraint_avoid", _p(rf"^(?:please )?(?:don't|do not|never) (?:show|recommend|suggest|offer|send|tell)(?: me)?(?: any(?:thing)?| about)* {_THING}{_END}"),
         "constraint.avoid", "Do not recommend {value}", "constraint", "preference", "preference", Strength.EXPLICIT),
    Rule("en.wants_reply", _p(rf"^I(?:'d like| would like| want|'d prefer)(?: you to (?:give me|give|use|write|answer with|answer in|reply in))? (?P<value>(?:[\w-]+ ){{0,4}}(?:answers?|repl(?:y|ies)|responses?|explanations?|English|Chinese|concise|brief|direct)){_END}"),
         "infer:reply_style", "Wants {value}", "preference", "preference", "preference", Strength.EXPLICIT),
    Rule("en.prefers_to", _p(rf"(?:{_I}(?:now )?prefer|^I'd (?:rather|prefer)(?: to)?(?: have)?) {_THING} (?:to|over|than) (?P<old>[^,]{{2,40}}?){_END}"),
         "infer:likes", "Prefers {value} to {old}", "preference", "preference", "preference"),
    Rule("en.now_prefers", _p(rf"^I(?:'d)? (?:now (?:prefer|like|want|love)|(?:prefer|like|love)(?= .* now$)) {_THING}(?: now)?{_END}"),
         "infer:likes", "Now prefers {value}", "preference", "preference", "preference", Strength.EXPLICIT, replaces=True),
    Rule("en.prefers", _p(rf"(?:{_I}prefer|^I'd prefer) {_THING}{_END}"), "infer:likes", "Prefers {value}", "preference", "preference", "preference", many=True),
    Rule("en.dislikes", _p(rf"(?:(?:{_NOT}(?:like|enjoy|love|care for)|{_I}(?:dislike|hate|detest|loathe|can't stand|cannot stand)|{_AM}not (?:a (?:big |huge )?fan of|into|keen on|interested in))) {_THING}{_END}"),
         "dislikes", "Dislikes {value}", "preference", "preference", "preference", many=True),
    Rule("en.likes", _p(rf"(?:{_I}(?:like|love|enjoy|adore|collect)|{_AM}(?:into|fond of|keen on|crazy about|passionate about|interested in|a (?:big |huge |real )?fan of)|^I've always (?:loved|liked|enjoyed)) {_THING}{_END}"),
         "infer:likes", "Likes {value}", "preference", "preference", "preference", many=True),
    Rule("en.opinion", _p(rf"^I (?:\w+ly )?(?:(?:think|believe|feel|reckon|guess|find|consider)(?=.* (?:is|are|looks?|seems?|will be|has become)\b)|find|consider) (?:that )?(?P<value>(?!(?:it|that|this|you|your|we|he|she|they|there|I|these|those|everyone|the[yi]r|about|of|so|my)\b)[\w .&'-]{{2,40}}? (?:(?:is|are|looks?|seems?|will be|has become) )?(?:still |way |very |really |far |so |a bit |quite |pretty |rather |much |currently )*(?:{_JUDGED})\b.{{0,40}})$"),
         "opinion:{value}", "Thinks {value}", "opinion", "insight", "opinion"),
    Rule("en.reply_length", _p(r"^(?:please |could you |can you |and )?(?P<value>(?:keep (?:it|your (?:answers?|replies))|be|make (?:it|that|your answers?)|answer) (?:\w+ )?(?:short|shorter|brief|briefer|concise|simple|simpler|more detailed|detailed|longer|to the point))(?:,? please)?$"),
         "reply_style", "{quote}", "preference", "preference", "preference", Strength.IMPLIED),
    Rule("en.reply_language", _p(r"^(?:please )?(?:answer |reply |respond |speak |write )?in (?P<value>English|Chinese|German|French|Spanish|Japanese)(?:,? please)?$"),
         "language.reply", "Wants answers in {value}", "language", "preference", "preference", Strength.IMPLIED),
)  # fmt: skip

INSTRUCTIONS: Final = (
    Rule("en.from_now_on", _p(r"^(?:please )?(?:from now on|going forward|from here on|for future reference|in (?:the )?future|next time),? (?P<value>(?:(?!I'll\b|we\b|I will\b|I'm\b).){4,150})$"),
         "infer:instruction", "{Value}", "instruction", "preference", "preference", Strength.EXPLICIT, whole=True),
    Rule("en.always", _p(rf"^(?:please )?(?P<value>(?:always|never) {_VERBS}\b.{{2,150}}|{_VERBS}\b.{{2,100}} (?:from now on|every time|in future|going forward))$"),
         "infer:instruction", "{Value}", "instruction", "preference", "preference", Strength.EXPLICIT, whole=True),
    Rule("en.remember_to", _p(rf"^(?:please )?(?:remember|don't forget) to (?P<value>(?:always )?{_VERBS}\b.{{2,150}})$"),
         "infer:instruction", "{Value}", "instruction", "preference", "preference", Strength.EXPLICIT, whole=True),
    Rule("en.remember", _p(r"^(?:please |can you |could you )?(?:remember|note|keep in mind|bear in mind|don't forget|make a note)(?:,| that|:) ?(?P<value>(?=.*(?:\b(?:I|I'm|my|me|mine|we|our)\b|\d|(?-i:[A-Z])))(?!(?:you|it|when|how|to)\b)(?:(?!\byou\b).){4,180})$"),
         "note", "{Value}", "note", "observation", "fact", Strength.EXPLICIT, whole=True),
)  # fmt: skip

RULES: Final = (*INSTRUCTIONS, *CORRECTIONS, *RETRACTIONS, *FACTS, *TASTES)
