"""English rules for facts that users state about themselves, most telling first."""

from __future__ import annotations

from typing import Final

from memory.evolution.rule import Rule, Strength
from memory.evolution.rule_phrases_en import (
    AGO,
    AIM,
    AM,
    ASSETS,
    DATE,
    DAYS,
    DIET,
    DOES,
    DOING,
    END,
    FREE,
    HAVE,
    JOBS,
    KIN,
    MONEY,
    NAME,
    NATIVE,
    NOT,
    NUMBER,
    OFTEN,
    PLACE,
    PLACES,
    POINTING,
    SELF,
    THING,
    TONGUES,
    WHO,
    p,
)

FACTS: Final = (
    Rule("en.address", p(r"^(?:please |just |you can )?call me (?P<value>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?)$"),
         "address", "Wants to be called {value}", "identity", "preference", "preference", Strength.EXPLICIT),
    Rule("en.name", p(rf"^(?:my (?:full |first )?name(?:'s| is)|I'm called|I go by|(?:my friends|people|everyone|"
                      rf"everybody) calls? me) (?P<value>{NAME})$"),
         "name", "Name: {value}", "identity"),
    Rule("en.age", p(rf"{AM}(?P<value>\d{{1,3}})(?: years? old| yo|, and\b.*)?$"), "age", "{value} years old",
         "identity"),
    Rule("en.moved", p(rf"^I(?:'ve| have)? (?:just |recently )?(?:moved|relocated)(?: (?:here )?from (?P<old>[\w ]{{2,"
                       rf"40}}?))? to {PLACE}(?P<when>(?: (?:way )?(?:back )?in| last| this| on| \d|"
                       rf" (?:[a-z]+ ){{2,5}}ago).*)?{END}"),
         "home", "Moved to {value} {when}", "home", replaces=True, happened=True),
    Rule("en.home", p(rf"(?:{SELF}live|{AM}(?:based|living)|^my home is) (?:with \w+ )?(?:in|near|"
                      rf"at) {PLACE}(?:[, ]+(?:with|near|now|for|since)\b.*)?{END}"), "home", "Lives in {value}",
         "home"),
    Rule("en.origin", p(rf"(?:{AM}(?:originally )?from|{SELF}(?:come from|grew up in|was born in)) {PLACE}{END}"),
         "origin", "From {value}", "identity"),
    Rule("en.risk", p(rf"{AM}(?:an? )?(?P<value>(?:very |rather |quite |pretty )?(?:risk[- ]averse|risk[- ]tolerant|"
                      rf"conservative|aggressive|cautious)(?: (?:investor|trader|with (?:my )?(?:money|"
                      rf"investments?)))?){END}"),
         "risk", "Risk preference: {value}", "finance", "preference", "preference"),
    Rule("en.risk_is", p(rf"^my risk (?:tolerance|appetite|preference) is (?P<value>[\w -]{{2,30}}?){END}"),
         "risk", "Risk preference: {value}", "finance", "preference", "preference"),
    Rule("en.works_as", p(rf"(?:{SELF}work(?:ing)? as|{AM}(?:working|employed) as|^my job is(?: being)?|"
                          rf"^my (?:profession|occupation) is) (?P<value>[^,]{{2,60}}?)(?: in (?-i:[A-Z]).*)?{END}"),
         "job", "Works as {value}", "work"),
    Rule("en.is_job", p(rf"{AM}(?P<value>(?:an?|the) {JOBS}(?: (?:at|for) (?:the |"
                        rf"a )?(?-i:[A-Z])[\w&.' -]*)?)(?: (?:at|in|for|from|by|who|with|and)\b.*)?{END}"), "job",
         "Works as {value}", "work"),
    Rule("en.employer", p(rf"(?:{SELF}work|{AM}working|{AM}employed) (?:at|for|by) (?P<value>(?:a |an |"
                          rf"the )?(?-i:[A-Z])?[\w&.' -]{{1,50}}?)(?: in (?-i:[A-Z])\w+)?{END}(?<!hours)(?<!myself)"
                          rf"(?<!home)(?<!years)"),
         "employer", "Works at {value}", "work"),
    Rule("en.teaches", p(rf"{SELF}(?:teach|lecture (?:in|on)) {THING}(?: (?:in|at) (?:the |a )?(?-i:[A-Z]).*)?{END}"),
         "teaches", "Teaches {value}", "work", many=True),
    Rule("en.lost_job", p(rf"^I(?:'ve| have)? (?:just |recently )?(?P<value>lost my job|quit my job|retired|(?:got|"
                          rf"was) (?:fired|laid off|promoted)|got a new job|started a new job)(?P<when> (?:as|at|in|"
                          rf"from|last|to) .{{2,50}})?{END}"),
         "job_status", "{Value} {when}", "work", happened=True),
    Rule("en.job_status", p(rf"{AM}(?P<value>retired|unemployed|self-employed|between jobs|out of work|on (?:maternity|"
                            rf"paternity|parental|sick) leave){END}"), "job_status", "{Value}", "work"),
    Rule("en.marital", p(rf"{AM}(?P<value>(?:happily |newly )?(?:married|single|divorced|engaged|widowed|"
                         rf"separated)(?: (?:to|with) [\w' -]{{2,30}})?){END}"), "marital", "{Value}", "family"),
    Rule("en.works_in_place", p(rf"(?:{SELF}work|{AM}(?:working|based)) (?:in|near) (?!(?-i:[A-Z])\w*(?:ing|ics|ance|"
                                rf"ales)\b|(?:Human|Private|Public|Real|Health|Customer|Supply|Social|Software|Tech|"
                                rf"Education|Retail|Media|Law)\w*\b)(?P<value>(?:the )?(?-i:[A-Z])[a-z][\w'-]+(?:,? "
                                rf"(?-i:[A-Z])[a-z][\w'-]+){{0,3}}(?:,? (?-i:[A-Z]{{2,3}}))?)(?: (?:now|for|at|as|"
                                rf"since)\b[^,]*)?{END}"), "employer.place", "Works in {value}", "work"),
    Rule("en.works_in", p(rf"(?:{SELF}work|{AM}working) in (?P<value>[\w &-]{{2,40}}?){END}"), "field",
         "Works in {value}", "work"),
    Rule("en.runs", p(rf"{SELF}(?:run|own|manage) (?P<value>(?:a|an|two|three|my own) (?:[\w-]+ ){{0,3}}(?:business|"
                      rf"company|shop|store|restaurant|caf[eé]|studio|agency|fund|startup|franchise|bakery|farm|blog|"
                      rf"club|team|school|gym|salon|podcast|channel|charity|website|practice|clinic|"
                      rf"workshop))(?: .*)?{END}"),
         "business", "Runs {value}", "work"),
    Rule("en.studies", p(rf"(?:{SELF}study|{AM}(?:studying|majoring in)) {THING}{END}"), "studies", "Studies {value}",
         "work"),
    Rule("en.kin", p(rf"(?:{SELF}have|^I've got|{SELF}adopted|{SELF}got) (?P<value>{NUMBER} (?:[\w-]+[ ,]){{0,3}}"
                     rf"(?:{KIN}s?|sons|daughters|brothers|sisters|siblings|puppies|grandchild(?:ren)?|grandkids|twins|"
                     rf"stepsons?|stepdaughters?|fish|chickens)\b(?:(?:,? (?:and|named|called|aged) [^,]+)|"
                     rf", (?-i:[A-Z])\w+(?:(?:,| and|, and) (?-i:[A-Z])\w+)*)?){END}"),
         "family", "Has {value}", "family"),
    Rule("en.parent", p(rf"{AM}(?P<value>an? (?:single |proud |new )?(?:mom|mum|mother|dad|father|parent|grandmother|"
                        rf"grandfather|grandparent) (?:of|to) .{{2,40}}?){END}"), "family", "Is {value}", "family"),
    Rule("en.kin_name", p(rf"^my (?P<key>{KIN})(?:(?:'s)? name)?(?: is|'s)(?: called|"
                          rf" named)? (?!{NATIVE}$)(?P<value>{NAME})(?: now)?$"), "{key}.name", "{Key}: {value}",
         "family"),
    Rule("en.kin_age", p(rf"^my (?P<key>{KIN}) (?:is|turned|just turned)(?: now)? (?P<value>\d{{1,2}}(?: years old|"
                         rf" months old)?){END}"), "{key}.age", "Age of {key}: {value}", "family"),
    Rule("en.kin_job", p(rf"^my (?P<key>{KIN}) (?:is|works as) (?P<value>(?:an? )?{JOBS}){END}"), "{key}.job",
         "{Key}: {value}", "family"),
    Rule("en.kin_allergy", p(rf"^my (?P<key>{KIN}) is (?P<value>allergic to .+?){END}"), "{key}.allergy",
         "{Key}: {value}", "family"),
    Rule("en.kin_birthday", p(rf"^my (?P<key>{KIN})(?:'s birthday is| was born) (?P<value>(?:on )?.*\d.*?){END}"),
         "{key}.birthday", "{Key}'s birthday: {value}", "family"),
    Rule("en.own_is", p(r"^my (?P<key>birthday|anniversary|time ?zone|favou?rite (?!one|part|thing|memory|moment|piece|"
                        r"way)[\w -]{2,25}|fav (?!one)[\w -]{2,25}|hometown|degree|major|hobby|hobbies|nationality|"
                        r"native language|mother tongue|blood type|shoe size|height|weight) (?:is|are|was|"
                        r"has always been) (?P<value>(?!(?:when|the one|how|that|this|not|so|really|"
                        r"coming)\b)[^,]{1,60})$"),
         "{key}", "{Key}: {value}", "identity"),
    Rule("en.one_of_favourites", p(r"^one of my (?:all-time )?favou?rite (?P<key>[a-z][\w -]{2,25}?) (?:is|are|"
                                   r"has to be|would be) (?P<value>(?!(?:it|this|that|when|the one)\b)[^,]{2,50})$"),
         "likes", "Likes {value} ({key})", "preference", "preference", "preference"),
    Rule("en.is_one_of_favourites", p(r"^(?P<value>(?!(?:it|this|that|these|those|they|which|what|one|you|your|he|"
                                      r"she)\b)[\w .&'\"-]{2,50}?) (?:is|are) (?:(?:definitely|still|really|"
                                      r"also) )?one of my (?:all-time )?favou?rites?(?: (?P<key>[a-z][\w -]{2,"
                                      r"25}?))?$"),
         "likes", "Likes {value}", "preference", "preference", "preference"),
    Rule("en.is_my", p(rf"^(?P<value>(?!(?:it|this|that|these|those|they|which|what|one|you|your|he|she|we|and|the|but|"
                       rf"so)\b){FREE}{{2,40}}?)(?:'s| is| are| has been| have been)(?: always been)? (?:(?:definitely|"
                       rf"really|pretty much|always|still|truly|also) )*my (?P<key>passion|hobby|go-to|escape|"
                       rf"stress relief|comfort food|guilty pleasure|dream job|happy place|first love|specialty|"
                       rf"biggest (?:fear|dream|passion)|creative outlets?|therapy|haven|sanctuary|refuge|pastime|"
                       rf"jam)\b[^,]{{0,40}}$"),
         "likes", "{quote}", "preference", "preference", "preference"),
    Rule("en.passion_of_mine", p(rf"^(?P<value>(?!(?:it|this|that|these|those|they|which|what|you|he|she|we|and|but|"
                                 rf"so)\b){FREE}{{2,40}}?)(?:'s| is| are| has been| have been)(?: (?:always|really|"
                                 rf"definitely|still))* (?:been )?(?:a|one) (?:\w+ )?(?:passion|hobby|favou?rite|"
                                 rf"dream) of mine{END}"),
         "likes", "Likes {value}", "preference", "preference", "preference"),
    Rule("en.is_favourite", p(r"^(?P<value>(?!(?:it|this|that|these|those|which|what|one|you|"
                              r"your)\b)[\w .&'\"-]{2,40}?) (?:is|are) my (?:all-time )?favou?rite (?P<key>[a-z][\w "
                              r"-]{2,25})$"),
         "favourite_{key}", "Favourite {key}: {value}", "preference", "preference", "preference"),
    Rule("en.owns", p(rf"{SELF}(?:own|drive|ride|bought) (?P<value>{NUMBER} (?:[\w-]+ ){{0,3}}(?:car|house|flat|"
                      rf"apartment|bike|bicycle|motorcycle|boat|piano|guitar|truck|van|camera|laptop|telescope|tesla|"
                      rf"toyota|bmw|honda|ford|condo|cabin|farm|scooter|drone|motorbike)s?\b.*?|"
                      rf"an? (?-i:[A-Z])[\w-]+(?: [\w-]+)?){END}"),
         "possession", "Has {value}", "possession"),
    Rule("en.instrument", p(rf"{SELF}play (?:the )?(?P<value>piano|violin|guitar|drums|cello|flute|clarinet|saxophone|"
                            rf"bass|ukulele|chess|tennis|football|soccer|basketball|golf|badminton)(?: .*)?{END}"),
         "likes", "Plays {value}", "hobby"),
    Rule("en.allergy", p(rf"{AM}(?:severely )?allergic to {THING}{END}"), "allergy", "Allergic to {value}", "diet",
         many=True),
    Rule("en.diet", p(rf"{AM}(?:an? )?(?P<value>(?:strict )?{DIET}){END}"), "diet", "Diet: {value}", "diet"),
    Rule("en.avoids_food", p(rf"(?:{NOT}|^I (?:can't|cannot) )(?:eat|drink|smoke) {THING}{END}"), "diet.avoids",
         "Does not eat or drink {value}", "diet", many=True),
    Rule("en.speaks", p(rf"(?:{SELF}speak|{AM}fluent in) (?:fluent |some |a little )?(?P<value>{TONGUES}){END}"),
         "language.speaks", "Speaks {value}", "language", many=True),
    Rule("en.learning", p(rf"(?:{AM}|^I(?:'ve| have) been )(?:learning|taking lessons in|training for|"
                          rf"preparing for) (?:to |how to )?{POINTING}(?P<value>(?!(?:a lot|a ton|a bunch|more|so much|"
                          rf"from)\b)[^,]{{2,60}}?){END}"),
         "learning", "Learning or training: {value}", "hobby"),
    Rule("en.daily", p(rf"{SELF}(?P<key>wake up|get up|go to bed|go to sleep|start work|"
                       rf"finish work) (?P<value>(?:[\w-]+ ){{0,3}}?(?:at \d|around \d|every ).*)"),
         "schedule.{key}", "{quote}", "schedule"),
    Rule("en.goes_to", p(rf"{SELF}(?:go to|do|have|take|attend)(?: my| an?| the)? (?P<key>[\w-]+)(?: class(?:es)?|"
                         rf" lessons?| practice| sessions?)? (?P<value>(?:every|on) {DAYS}\b.*?)(?:,? (?:no longer|"
                         rf"not) .*)?{END}"),
         "schedule.{key}", "{quote}", "schedule"),
    Rule("en.consumes", p(rf"{SELF}(?:drink|eat) {POINTING}(?:an? |some |my )?(?P<value>(?:\w+ ){{0,2}}\w+?)(?: (?:for|"
                          rf"at) (?:breakfast|lunch|dinner))?(?: {OFTEN})+{END}"),
         "likes", "{quote}", "habit"),
    Rule("en.schedule", p(rf"(?:{SELF}(?:go to (?:the gym|yoga)|work|run|train|exercise|work out|swim|meditate|trade|"
                          rf"commute|volunteer)|^I have (?:[\w-]+ ){{1,3}}(?:class|lessons?|practice|"
                          rf"meetings?)) (?P<value>(?:[\w-]+ ){{0,3}}?(?:at \d|every |on (?:mon|tues|wednes|thurs|fri|"
                          rf"satur|sun)day|(?:\w+ )?(?:times|days) a week|from \d|nights?\b(?! (?:and|or)\b)).*)"),
         "schedule", "{quote}", "schedule"),
    Rule("en.appointment", p(rf"^I(?:'ve| have)(?: got)? (?P<value>an? (?:[\w-]+ ){{1,4}}on (?:{DATE}).*)$"),
         "appointment", "{quote}", "schedule"),
    Rule("en.tenure", p(rf"(?:{HAVE}(?:been )?)(?P<value>(?!(?:busy|good|well|great|looking|thinking|waiting|meaning|"
                        rf"there)\b)(?:\w+ing|married|together|vegan|vegetarian|sober|retired|"
                        rf"in \w+)\b.{{0,40}}? (?:for|since) (?:over |about |almost |nearly |more than |"
                        rf"around )?(?:\d{{4}}|(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|several|"
                        rf"many)(?: and a half)? (?:years?|months?|weeks?|decades?))){END}"),
         "experience", "Has been {value}", "history"),
    Rule("en.holds", p(rf"(?:{SELF}(?:hold|own|bought|have)|{AM}(?:holding|long(?: on)?)|^I've (?:got|"
                       rf"bought)) (?P<value>(?:\d[\d,.]*k? (?:shares?|units?|lots?|coins?|contracts?|ounces?|oz|"
                       rf"bitcoins?|btc|eth)(?: (?:of|in) [^,]+)?|(?:a |my )?(?:\w+ )?positions? in .+|"
                       rf"(?:some )?(?-i:[A-Z]{{2,6}})(?:(?:,| and|, and) (?-i:[A-Z]{{2,6}}))*|(?:some )?(?:bitcoin|"
                       rf"ethereum|crypto|gold|treasuries|index funds|etfs?)(?: .*)?)(?: (?:at|for|since) .+)?){END}"),
         "asset:holds", "Holds {value}", "holding", many=True),
    Rule("en.uses", p(rf"{SELF}use (?P<value>(?-i:[A-Z])[\w&.'-]+(?: (?-i:[A-Z])[\w&.'-]+){{0,3}}) (?:for|"
                      rf"to) {FREE}{{3,40}}?{END}"), "uses", "{quote}", "habit"),
    Rule("en.invests", p(rf"{SELF}(?:invest in|trade (?!places|jokes|stories|notes|insults)) ?{THING}{END}"), "invests",
         "Invests in {value}", "finance", many=True),
    Rule("en.buys", p(rf"^I (?:mostly|mainly|only|usually) (?:buy|hold|trade) (?=.*\b(?:stocks?|bonds?|funds?|etfs?|"
                      rf"shares|crypto|bitcoin|gold|silver|treasur\w+|options|futures|equities|reits|cash|dividend\w*|"
                      rf"blue chips?)\b){THING}{END}"), "invests", "Invests in {value}", "finance", many=True),
    Rule("en.invests_for", p(rf"{SELF}invest for (?!.*(?:\d|\bterm\b|\byears?\b))(?P<value>.{{3,50}}?){END}"),
         "investment_goal", "Invests for {value}", "finance"),
    Rule("en.follows", p(rf"(?:{SELF}(?:follow|track|monitor|watch)|{AM}(?:following|tracking|watching|monitoring)|"
                         rf"^(?:I )?keep(?:ing)? an eye on|{SELF}keep an eye on) (?P<value>{ASSETS}(?>(?:, and|,| and|"
                         rf" &|/) ?{ASSETS})*){END}"),
         "follows", "Follows {value}", "watch-list", "preference", "preference", many=True),
    Rule("en.follows_topic", p(rf"{SELF}(?:follow|track) {THING}{END}"), "follows", "Follows {value}", "watch-list",
         "preference", "preference", many=True),
    Rule("en.budget", p(rf"^my (?P<key>budget|limit|maximum|max|price limit) (?:is|was|stays|for [\w ]+ is)(?: now|"
                        rf" currently)? (?P<value>(?:around |about |under |at most |"
                        rf"up to )?{MONEY}(?<!\s).{{0,20}}?){END}"),
         "budget", "Budget: {value}", "constraint", "preference", "fact", Strength.EXPLICIT),
    Rule("en.budget_of", p(rf"^my (?P<key>(?:[\w-]+ ){{1,2}}budget) (?:is|was|stays)(?: now|"
                           rf" currently)? (?P<value>(?:around |about |under |at most |"
                           rf"up to )?{MONEY}(?<!\s).{{0,20}}?){END}"),
         "{key}", "{Key}: {value}", "constraint", "preference", "fact", Strength.EXPLICIT),
    Rule("en.horizon", p(rf"(?:^my (?:investment |time )*horizon is|{SELF}invest for|{AM}(?:investing for|"
                         rf"in it for)) (?P<value>[^,]{{2,40}}?){END}"),
         "horizon", "Investment horizon: {value}", "finance", "preference", "preference"),
    Rule("en.goal", p(rf"(?:^my (?:main |long-term |biggest )?goal is(?: to)?|^my (?:biggest |"
                      rf"lifelong )?dream is(?: to)?) (?P<value>(?!(?:it|that|this)\b){FREE}{{2,70}}?){END}"), "goal",
         "Goal: {value}", "goal"),
    Rule("en.saving", p(rf"{AM}saving (?:up )?(?P<value>(?:for|to) (?!(?:it|that|this)\b)[^,]{{2,60}}?){END}"), "goal",
         "Saving {value}", "goal"),
    Rule("en.wants", p(rf"(?:{SELF}(?:want to|wanna|hope to|plan to|intend to|aim to)|{AM}(?:hoping to|planning to|"
                       rf"aiming to|looking to|going to|gonna)|^I(?:'d| would) (?:really )?(?:love|like) to|"
                       rf"^I've (?:always )?wanted to) {POINTING}(?P<value>{AIM}\b{FREE}{{0,70}}?)(?: (?:some day|"
                       rf"someday|one day|sometime))?{END}"),
         "goal", "{quote}", "goal"),
    Rule("en.considers", p(rf"(?:{AM}(?:thinking (?:of|about)|considering|dreaming of)|"
                           rf"{SELF}dream of) {POINTING}(?P<value>(?:becoming|getting|opening|starting|launching|"
                           rf"building|learning|studying|visiting|travel+ing to|moving|adopting|buying|writing|joining|"
                           rf"applying|switching|running|changing|setting up|working)\b{FREE}{{0,60}}?){END}"),
         "goal", "{quote}", "goal"),
    Rule("en.visited", p(rf"^I(?:'ve| have) (?:also |already |just )?(?:been to|visited|travel+ed to|"
                         rf"lived in) {PLACES}(?: (?!and\b|or\b).{{2,40}})?$"), "visited", "Has been to {value}",
         "travel", many=True),
    Rule("en.not_visited", p(rf"^I(?:'ve| have) never (?:been to|visited) {PLACE}{END}"), "not_visited",
         "Has never been to {value}", "travel", many=True),
    Rule("en.lived", p(rf"^I (?:used to live|lived|studied abroad) in {PLACE}(?: .{{2,30}})?$"), "past", "{quote}",
         "history"),
    Rule("en.education", p(rf"^I(?:'ve| have)? (?:just |recently |finally )?(?P<value>(?:graduated (?:from|in|with)|"
                           rf"majored in|minored in|(?:earned|got|have|finished|completed) (?:my|"
                           rf"an?) (?:[\w']+ )?(?:degree|master'?s|bachelor'?s|phd|doctorate|mba|"
                           rf"diploma)(?: in)?)\b{FREE}{{0,50}}?){AGO}{END}"), "education", "{quote}", "work"),
    Rule("en.used_to", p(rf"^I used to (?P<value>(?:(?:go|play|work|live|teach|compete|dance|sing|paint|draw|write|"
                         rf"swim|run|train|own|have an?|smoke|drink|collect|volunteer|study|practi[cs]e|"
                         rf"be an?)\b){FREE}{{0,70}}?)(?: when I was .*)?{END}"), "past", "Used to {value}", "history"),
    Rule("en.fears", p(rf"{AM}(?:afraid|scared|terrified|frightened) of {THING}{END}"), "fears", "Afraid of {value}",
         "identity", many=True),
    Rule("en.identity", p(rf"{AM}(?P<value>an? {WHO}.{{0,40}}?){END}"), "identity", "Is {value}", "identity"),
    Rule("en.habit", p(rf"^I (?:(?:usually|always|often|regularly|typically|normally|generally|sometimes|rarely|seldom|"
                       rf"also|mostly) )*(?!(?:\w+ed|just|recently|finally|only|feel|get|think|learn|see|become|am|try|"
                       rf"look|want|need|wish|fall|keep|know|hope|miss|can|will|could|would|should|might|may|must|do|"
                       rf"had|went|got|was|saw|did|have to|have been|made|took|came|won|met|left|told|said|felt|gave|"
                       rf"found|lost|ran|ate|drank|wrote|spent|held|put)\b)(?P<value>[a-z]+ {FREE}{{0,"
                       rf"50}}?{OFTEN}){END}"),
         "schedule", "{quote}", "schedule"),
    Rule("en.usually", p(rf"^I (?:usually|often|regularly|typically|normally|tend to|rarely|never) (?P<value>(?:wake|"
                         rf"get up|go to|eat|drink|cook|read|listen to|watch|walk|run|jog|swim|exercise|work out|train|"
                         rf"travel|shop|order|wear|use|play|study|sleep|volunteer|skip|carry|invest|trade|"
                         rf"buy) {FREE}{{2,50}}?){END}"),
         "schedule", "{quote}", "habit"),
    Rule("en.activity", p(rf"^I (?:also |still |mostly |sometimes |now )*(?P<value>{DOES}(?! (?:as|up|off|down|on|out|"
                          rf"back|along|around|through|across|over|closer|stronger|to|and)\b) (?!(?:it|this|that|these|"
                          rf"those|my way)\b){FREE}{{2,60}}?){END}"),
         "activity", "{quote}", "hobby"),
    Rule("en.doing", p(rf"^I(?:'ve| have) been (?P<value>{DOING} (?!(?:some |these |those |this |that |it|a (?:ton|lot|"
                       rf"bunch)|great|good|well|ok|okay|fine|on it|really|pretty|so|my best|the same|as|ever|since|"
                       rf"like|more|options|stuff|things|something|an? (?:[\w]+ )?(?:project|thing)$|"
                       rf"an? (?:[\w]+ )?(?:project|thing) (?:lately|recently))\b){FREE}{{3,60}}?){AGO}{END}"),
         "doing", "{quote}", "hobby"),
    Rule("en.began", p(rf"^I(?:'ve| have)? (?:just |recently |finally |also |now )?(?:(?:started|begun|"
                       rf"began) (?!(?:car|feel|think|get|see|wonder|miss|be|hav|notic|realiz|realis|do|go)ing (?!to\b|"
                       rf"out\b)|.*\b(?:one|it|stuff|things)$)(?=\w+ing\b|(?:a|my) )|joined |took up |taken up |"
                       rf"signed up for |enrolled in |picked up (?=\w+ing\b|the )){POINTING}(?P<value>{FREE}{{3,"
                       rf"60}}?){AGO}{END}"),
         "doing", "{quote}", "hobby"),
    Rule("en.own", p(rf"^my (?P<key>(?!(?:favou?rite|fav|friend|point|guess|question|turn|day|week|weekend|answer|bad|"
                     rf"pleasure)s?\b)(?:[\w'-]+ ){{0,2}}[\w'-]+)(?: is|'s| are)(?: now| currently)? (?:called |"
                     rf"named )?(?P<value>(?:(?<=called )|(?<=named )){NAME}|(?:an? )?{NAME}(?: \d+)?|(?:around |"
                     rf"about |almost |roughly |at least |at most |over |under |up to |set at )?(?:{MONEY}|"
                     rf"\d[\d,.]*)(?: ?(?:thousand|million|percent|years?|months?|weeks?|kg|lbs?|cm|m|km|hours?|"
                     rf"minutes?|shares?))?(?: (?:a|per|each) \w+)?|(?:on )?{DATE}){END}"),
         "{key}", "{Key}: {value}", "identity"),
)  # fmt: skip
