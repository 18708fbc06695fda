"""English words and phrases that rules are made of, as pieces of regular expressions.

``SELF``, ``AM`` and ``HAVE`` open a clause of the speaker's own; ``THING`` is what it speaks of, ``END`` what may
trail.
"""

from __future__ import annotations

import re


def p(pattern: str) -> re.Pattern[str]:
    """Compile a rule's pattern. Case counts only where the pattern says so."""
    return re.compile(pattern, re.IGNORECASE)


ADV = (
    r"(?:(?:really|absolutely|also|just|still|now|currently|always|usually|mostly|mainly|generally|particularly|"
    r"especially|"
    r"personally|definitely|totally|truly|both|only|do|primarily|regularly|simply|much|very|already|actually|"
    r"probably|normally|typically|often|strongly|at the moment|all)\s+)*"
)
SELF = rf"^I\s+{ADV}"
AM = rf"^I(?:'m|\s+am)\s+{ADV}"
HAVE = rf"^I(?:'ve|\s+have)\s+{ADV}"
NOT = rf"^I\s+{ADV}(?:don't|do not|didn't|no longer|never)\s+{ADV}"
# "the X" points at something in sight, but for what there is one of, and names.
POINTING = (
    r"(?!(?:(?-i:it|us|me)|that|this|these|those|you|your|yours|how|what|when|where|why|who|him|her|his|them|their|our|"
    r"hear|hearing|"
    r"see|seeing you|myself|to$|not|both|all the|the (?!colou?r (?!and\b|of\b)\w|(?-i:[A-Z])|(?:outdoors|beach|"
    r"mountains|sea|ocean|piano|guitar|violin|cello|drums|"
    r"countryside|city|sun|rain|snow|cold|heat|forest|woods|desert|theat(?:er|re)|opera|cinema|gym|stars|night sky)\b)|"
    r"to (?:hear|see|know|"
    r"think|say|be|ask|share)\b|to (?:help|try|do|come|go|join|chat|talk|learn more)$|(?:playing|doing|making|having|"
    r"trying|using) (?:for|around|together|again|more)|be|being|one|some of|every|everything|all of|having you|so|"
    r"a lot|lots|more|such)\b)"
)
FREE = (
    r"(?:(?!\b(?:you|your|yours|would|when|how|that|if|(?-i:it)|is|are|was|were|them|him|her|this|those|these|they|"
    r"their|he|she|his|here|there|what|"
    r"where|anything|everything|(?-i:I))\b).)"
)
THING = rf"{POINTING}(?P<value>{FREE}{{2,70}}?)"
END = (
    r"(?:[\s,]{1,4}(?:too|also|as well|a lot|so much|very much|right now|at the moment|lately|recently|these days|"
    r"though|the most|instead|then|now|please|anymore|any more|any longer|again|as usual|of course|actually))*$"
)
AGO = (
    r"(?P<when>[\s,]{1,4}(?:just )?(?:(?:last|this|next) [\w-]+|yesterday|today|tomorrow|(?:a|an|one|two|three|four|"
    r"five|six|a few|several|\d+) (?:\w+ )?(?:days?|weeks?|months?|years?) ago|in (?:\d{4}|a \w+)|on (?-i:[A-Z])\w+|"
    r"after .+|since .+))?"
)
# A time before what happened then; what may lie ahead is none.
PAST_TIME = (
    r"(?:(?:(?:way )?back )?in (?:(?:early|late|mid) |the (?:spring|summer|autumn|fall|winter) of |[a-z]{3,9} )?(?:19|"
    r"20)\d\d|"
    r"(?:about |around |over |almost |some )?(?:a few|few|several|a couple of|\d+|[a-z]+) (?:week|month|year|"
    r"decade)s? ago|"
    r"last (?:week|month|year|spring|summer|autumn|fall|winter))"
)
KIN = (
    r"(?:wife|husband|partner|son|daughter|mother|mom|mum|father|dad|brother|sister|girlfriend|boyfriend|fianc[ée]e?|"
    r"kids?|child|children|dog|cat|puppy|kitten|boss|grandma|grandmother|grandfather|grandson|granddaughter|nephew|"
    r"niece|cousin|uncle|aunt|roommate|neighbou?r|pet|parrot|rabbit|hamster|horse|turtle)"
)
NAME = r"(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+){0,3}"
NATIVE = (
    r"(?-i:(?:(?:South |North |Northern )?(?!Ian\b|Brian|Adrian|Julian|Fabian|Damian|Dorian|Vivian|Lilian|Sebastian|"
    r"Christian|Marian|Florian|Jean|Dean|Sean)[A-Z][a-z]+(?:ian|ean|ish|ese|ican)|French|"
    r"Dutch|German|Greek|Swiss|Czech|Thai|Welsh|Iraqi|Israeli|Pakistani|Icelandic|Filipino|Filipina))"
)
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
DATE = (
    rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}(?:,? \d{{4}})?|{MONTH} \d{{1,2}}(?:st|nd|rd|"
    rf"th)?(?:,? \d{{4}})?|\d{{4}}-\d\d-\d\d)"
)
DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
DAYS = rf"{DAY}s?"
OFTEN = (
    rf"(?:(?:every|each) (?:single )?(?:other )?(?:day|night|morning|afternoon|evening|week|weekend|month|year|summer|"
    rf"winter|spring|fall|autumn|{DAY})s?|"
    rf"(?:once|twice|\w+ times|\d+ (?:hours|days|nights|minutes)|an hour) (?:a|per|every|each) (?:day|week|month|year)|"
    rf"on {DAYS}|on weekends|most (?:days|mornings|evenings|nights|weekends)|"
    r"in the (?:mornings?|evenings?|afternoons?)|at night|before (?:bed|work|breakfast)|after work|daily|weekly)"
)
# What somebody does as a habit when the plain present is used; its past is another word.
DOES = (
    r"(?:grow|bake|brew|cook|paint|draw(?! (?:the line|attention|conclusions?))|knit|crochet|sew|garden|write|sing|"
    r"dance|swim|surf|ski|snowboard|climb(?! the walls)|hike|cycle|sail|fish(?! for compliments)|camp|volunteer|tutor|"
    r"mentor|coach|"
    r"practi[cs]e|meditate|journal|blog|stream|sculpt|compose|skate|box|jog|photograph|breed|foster|commute|"
    r"play (?=(?:video|board|card|computer|online|professional|in (?:an?|the) |for (?:an?|the) |the )|\w+ball|hockey|"
    r"rugby|cricket|poker|bridge)|"
    r"do (?=(?:[\w-]+ )?(?:yoga|pilates|karate|judo|taekwondo|boxing|crossfit|gymnastics|ballet|calligraphy|pottery|"
    r"woodworking|photography|kickboxing|tai chi|martial arts|\w+ work)\b)|"
    r"keep (?=(?:bees|chickens|a (?:[\w-]+ )?(?:diary|journal|garden)))|read (?=(?:[\w-]+ )?(?:books|novels|comics|"
    r"poetry|magazines|papers)\b))"
)
DOING = (
    r"(?:reading|writing|practi[cs]ing|playing|painting|drawing|running|training|volunteering|working on|studying|"
    r"taking|teaching|cooking|baking|gardening|hiking|"
    r"cycling|swimming|knitting|coaching|mentoring|tutoring|building|learning|fostering|renovating|researching|saving|"
    r"attending|doing|making|filming|recording|organi[sz]ing|exploring|experimenting)"
)
AIM = (
    r"(?:be an? |become|get into|own|open|start|launch|found|build|learn(?! more)|study|visit(?= (?!some|one day|again|"
    r"soon))|travel|go to (?-i:[A-Z])|see the (?=\w+ \w+)|go back to school|move|live in|write|publish|buy|adopt|"
    r"retire|run "
    r"(?:a|an|my|for)|climb|master|teach|work (?:in|as|with|for|at)|pursue|apply|quit (?:smoking|drinking)|lose weight|"
    r"save|earn|raise|have (?:kids|children|a (?:family|baby))|get (?:married|fit|an? (?:dog|"
    r"cat|pet|degree|job|promotion|tattoo|licen[cs]e)|my (?:degree|licen[cs]e))|compete|volunteer|set up an?|"
    r"create an?|host|organi[sz]e|make an? (?:film|movie|game|album|career|living|documentary))"
)
WHO = (
    r"(?:(?:[\w-]+ ){0,2}(?:person|lover|enthusiast|beginner|veteran|survivor|immigrant|refugee|expat|native|introvert|"
    r"extrovert|minimalist|perfectionist|night owl|early bird|homebody|"
    r"foodie|bookworm|gamer|collector|runner|cyclist|swimmer|climber|hiker|feminist|christian|buddhist|muslim|catholic|"
    r"atheist|guard|goalkeeper|midfielder|quarterback|captain|volunteer|"
    r"blogger|podcaster|streamer|parent|mom|mum|mother|dad|father|grandmother|grandfather|grandparent|widow|widower|"
    r"twin|only child|member)(?= (?:of|for|at|in|with|from|to) |$))"
)
NUMBER = r"(?:\d+|a|an|one|two|three|four|five|six|seven|eight|nine|ten)"
MONEY = (
    r"(?:[$€£¥]\s?)?\d[\d,.]*\s?(?:k|m|%|percent|usd|eur|dollars?|euros?|pounds?|yuan|rmb|bucks|a month|per month|"
    r"a year|per year|\s)*"
)
JOBS = (
    r"(?:[\w-]+\s){0,3}?(?:teacher|nurse|doctor|engineer|developer|programmer|designer|student|lawyer|accountant|"
    r"analyst|trader|"
    r"investor|writer|author|artist|musician|photographer|journalist|manager|director|consultant|scientist|researcher|"
    r"professor|"
    r"chef|cook|barista|waiter|waitress|driver|pilot|electrician|plumber|carpenter|farmer|architect|dentist|pharmacist|"
    r"therapist|"
    r"psychologist|counselor|counsellor|salesperson|banker|economist|editor|translator|entrepreneur|founder|freelancer|"
    r"cashier|"
    r"retiree|pensioner|social worker|veterinarian|vet|physicist|biologist|chemist|mechanic|firefighter|police officer|"
    r"soldier|"
    r"coach|trainer|librarian|secretary|receptionist|actor|actress|dancer|singer|painter|broker|owner|paralegal|intern|"
    r"hairdresser)"
)
DIET = (
    r"(?:vegan|vegetarian|pescatarian|lactose[- ]intolerant|gluten[- ]intolerant|coeliac|celiac|diabetic|halal|kosher|"
    r"teetotal|on a [\w-]+ diet)"
)
TONGUES = r"(?-i:[A-Z][a-z]+)(?:(?:,| and|, and) (?-i:[A-Z][a-z]+))*"
PLACE = r"(?P<value>(?:the )?(?-i:[A-Z])[\w'.-]+(?:,? (?:(?-i:[A-Z])[\w'.-]+|of|de|the|la))*)"
PLACES = rf"(?P<value>(?:the )?{NAME}(?:(?:, and|,| and) (?:the )?{NAME})*)"
VERBS = (
    r"(?:answer|reply|respond|use|include|show me|give me|explain|write|keep|cite|start|end|format|put|add|avoid|"
    r"tell me|speak|address|"
    r"translate|summari[sz]e|check|warn|ask|mention|quote|send|recommend|suggest|assume|convert|be (?:brief|concise|"
    r"direct|honest|polite)|"
    r"stick to|stop|skip|round|list|present|provide|remind|call)"
)
JUDGED = (
    r"(?:over|under|fairly )?(?:priced|valued|hyped|rated)|expensive|cheap|pricey|risky|safe|volatile|good|bad|great|"
    r"boring|"
    r"overbought|oversold|dangerous|useful|useless|too \w+|better|worse|the best|the worst|important|unfair|wrong|"
    r"right|dull|"
    r"beautiful|ugly|bullish|bearish|promising|doomed|a (?:bubble|scam|bargain|mistake|waste of (?:time|money)|good|"
    r"bad|great) ?\w*"
)
# Each asset is read in one way: of two that begin alike the longer comes first.
ASSETS = (
    r"(?:the \w+ (?:market|index|sector)|\w+ (?:stocks|prices|futures|market)|the (?-i:[A-Z])[\w&]*(?: \d+)?|"
    r"(?-i:[A-Z]{2,6}(?:[./][A-Z]{2,4})?)(?![\w&'-]|\.\w)|\$?\d{4,6}(?:\.[A-Z]{2})?|(?-i:[A-Z])[\w.&'-]+|"
    r"gold|silver|oil|bitcoin|ethereum|crypto|stocks?|bonds?)"
)
