"""English words by which a question names a topic: nouns behind "my" or "about", and whole clauses."""

from __future__ import annotations

from typing import Final

NOUNS: Final = {
    "work": (
        "work|jobs?|career|profession|occupation|employment|employer|company|workplace|line of work"
        "|job situation|work situation|working life|professional (?:life|background|situation)|day job"
        "|work life|office|boss"
    ),
    "study": (
        "stud(?:y|ies)|education|school(?:ing)?|degree|university|college|major|courses?|academic (?:life"
        "|background)|training|qualifications|educational background|schooling|learning"
    ),
    "family": (
        "family(?: (?:members|life|situation|background))?|relatives|home life|loved ones|folks|kin"
        "|household|family tree"
    ),
    "partner": (
        "wife|husband|partner|spouse|girlfriend|boyfriend|fianc[eé]e?|marriage|love life"
        "|relationships?(?: status)?|marital status|dating life|significant other|better half"
    ),
    "children": "kids?|child(?:ren)?|sons?|daughters?|little ones|baby",
    "parents": "parents?|mum|mom|mother|dad|father|mum and dad|mom and dad",
    "siblings": "brothers?|sisters?|siblings?|brothers and sisters",
    "friends": "friends?|friendships?|colleagues?|co-?workers?|social (?:life|circle)|mates|buddies|neighbou?rs?",
    "people": "people(?: (?:in my life|close to me|i know|around me|i care about|i mention(?:ed)?))?|contacts",
    "pets": "pets?|dogs?|cats?|animals?|furry friends?|pupp(?:y|ies)|kittens?|rabbits?",
    "home": (
        "home|house|flat|apartment|place|address|living situation|housing(?: situation)?|where ?abouts"
        "|city|town|neighbou?rhood|living arrangements?|location|residence"
    ),
    "health": (
        "health(?: (?:issues|problems|conditions?|situation|history|matters|stuff|info(?:rmation)?))?"
        "|medical (?:history|conditions?|info(?:rmation)?|details|issues|situation)|illness(?:es)?"
        "|conditions|medications?|medicines?|ailments|well-?being|fitness and health|body|injur(?:y|ies)"
        "|wellness|state of health"
    ),
    "allergies": "allerg(?:y|ies)|intolerances?",
    "food": (
        "diet(?:ary (?:needs|preferences|restrictions|requirements|habits))?|food(?: (?:preferences"
        "|tastes|likes|habits|choices))?|eating(?: habits)?|food and drinks?|meals|cooking|drinks?"
        "|drinking habits|favou?rite (?:foods?|dish(?:es)?|meals?|drinks?)|taste in food|nutrition"
        "|cuisine"
    ),
    "money": (
        "money(?: situation| matters)?|financ(?:es|ial (?:situation|life|details|position|matters|goals))"
        "|budget|income|salary|savings?|debts?|spending(?: habits)?|pay|bank(?:ing)?|expenses|wealth"
        "|earnings"
    ),
    "investing": (
        "investments?|investing(?: style| habits| approach)?|portfolio|positions?|holdings?|stocks?"
        "|shares|trades|trading(?: style)?|assets|crypto|watch ?list|risk (?:tolerance|appetite|profile"
        "|preferences?)|risk|brokerage|investment (?:style|strategy|preferences|approach|goals)"
        "|investor profile|stakes"
    ),
    "music": (
        "music(?:al)?(?: tastes?| preferences?)?|taste in music|bands?|songs?|instruments?"
        "|favou?rite (?:music|bands?|songs?)|listening habits"
    ),
    "books": "books?|reading(?: habits| tastes?| list)?|favou?rite (?:books?|authors?)|taste in books",
    "films": (
        "(?:films?|movies?|shows?|tv|series)(?: (?:tastes?|preferences?|habits))?|taste in (?:films?"
        "|movies?|tv)|favou?rite (?:films?|movies?|shows?)|viewing habits|films? and (?:series|shows|tv)"
    ),
    "games": "games?|gaming(?: habits)?|video games",
    "sport": (
        "sports?(?: and (?:exercise|fitness))?|fitness(?: (?:routine|habits|goals))?"
        "|exercise(?: (?:routine|habits))?|workouts?|training(?: plan| habits)?|gym|running|athletic life"
    ),
    "hobbies": (
        "hobb(?:y|ies)(?: and interests)?|pastimes?|interests?(?: and hobbies)?|free ?time|spare ?time"
        "|leisure(?: time| activities)?|passions?|after-work activities|what i do for fun"
    ),
    "tastes": (
        "tastes?|preferences|likes(?:(?:,? and| or) dislikes)?|dislikes|favou?rites?(?: things)?|likings|pet peeves"
    ),
    "travel": (
        "travels?(?:(?:ling|ing))?(?: (?:plans|history|habits|experiences|preferences))?|trips?|holidays?"
        "|vacations?|journeys?|holiday plans|travel(?:ling)? and trips"
    ),
    "transport": (
        "car|cars|commute|commuting|bike|vehicle|transport(?:ation)?|ride|getting around|driving|way to work|wheels"
    ),
    "belongings": (
        "belongings|possessions|things|stuff i own|gadgets|devices|phone|laptop|computer|apps|tech|tools"
        "|gear|equipment|electronics|property|software"
    ),
    "languages": "languages?(?: skills)?|mother tongue|native language|linguistic background",
    "routine": (
        "routines?|(?:daily|weekly|morning|evening) (?:routine|life|schedule|habits)|schedule|habits?"
        "|appointments?|calendar|week|day|sleep(?:ing)? (?:schedule|habits|pattern)|agenda|typical (?:day"
        "|week)|diary|day-to-day(?: life)?|everyday life"
    ),
    "opinions": (
        "views?|opinions?|beliefs?|values|religion|faith|politics|political views|fears?|worldview"
        "|convictions|religious beliefs?"
    ),
    "past": "past|history|experiences?|life story|childhood|biography|earlier life|upbringing|younger years",
    "plans": (
        "plans?(?: (?:for the future|ahead|and goals))?|goals?(?: and plans)?|future(?: plans)?"
        "|ambitions?|dreams?|aims?|intentions|targets|upcoming (?:plans|events|things)|aspirations"
        "|resolutions|objectives|bucket list|hopes|long-term goals|next steps"
    ),
    "answers": (
        "answers?|repl(?:y|ies)|reply (?:style|preferences)|answer(?:ing)? (?:style|preferences)"
        "|preferred (?:style|tone"
        "|answers?)|communication (?:style|preferences)|response (?:style|preferences)|instructions"
        "|tone(?: preferences)?|style preferences|formatting preferences|preferred way of being answered"
    ),
    "who": (
        "name|age|identity|background|basics|origins?"
        "|nationality|birthday|date of birth|vital statistics|bio|basic (?:facts|details"
        "|info(?:rmation)?)"
    ),
    "age": "how old i am",
}
"""Alternatives of a pattern for each topic, behind "my", "our" or "the … in my life"."""

CLAUSES: Final = {
    "work": (
        "what i do(?: for (?:a living|work))?|where i work|who i work for|how i (?:earn|make) (?:a"
        "|my) living|what i work (?:as|on)|what kind of work i do"
    ),
    "study": (
        "what i(?:'m| am)? (?:study(?:ing)?|studied|learning|learn)|where i (?:study|studied"
        "|went to school)|going to school"
    ),
    "family": "who(?:'s| is) in my family|who my family (?:is|are)|who i(?:'m| am) related to",
    "partner": (
        "who i(?:'m| am) (?:married to|dating|with|in love with)|whether i(?:'m| am) (?:married|single)"
        "|if i(?:'m| am) (?:married|single)"
    ),
    "children": "whether i have (?:kids|children)|if i have (?:kids|children)",
    "people": (
        "who (?:i know|matters to me|is important to me|the people in my life are|i spend time with)"
        "|the people (?:in my life|close to me|around me|i know|i care about|i(?:'ve| have) mentioned)"
        "|people (?:in my life|close to me|around me|i know|i care about|i(?:'ve| have) mentioned)"
    ),
    "home": "where i(?:'m| am)? (?:live|living|based|stay)|how i live|where my home is",
    "health": (
        "how healthy i am|how i(?:'m| am) doing health-?wise|what(?:'s| is) wrong with me"
        "|what medication i take|what i(?:'m| am) ill with"
    ),
    "allergies": "what i(?:'m| am) allergic to|what i react to",
    "food": (
        "what i (?:eat|drink|cook)(?: and (?:drink|eat|cook|don't eat|don't))?|(?:how|what) i (?:like"
        "|love|hate|prefer) (?:to eat|eating|to drink|drinking|to cook|cooking)|what i (?:can't|cannot"
        "|don't|do not|won't) (?:eat|drink)|how i eat"
    ),
    "money": "how much i (?:earn|make|save|spend|owe|have saved)|what i (?:earn|owe|save|spend)",
    "investing": (
        "what i (?:hold|invest in|own in shares|trade|follow|have invested in|am invested in)"
        "|how i invest|where i(?:'ve)? (?:put|invested) my money|what stocks i (?:hold|own|have|follow)"
        "|which stocks i (?:hold|own|have|follow)|what i(?:'m| am) (?:invested in|holding|trading)"
        "|how (?:much risk|risk-averse|cautious) i (?:take|am)"
    ),
    "music": (
        "what (?:music )?i (?:listen to|like to listen to)|what i play(?= music)"
        "|what kind of music i (?:like|listen to)"
    ),
    "books": "what i (?:read|like to read|like reading|am reading)|what kind of books i (?:like|read)",
    "films": "what i (?:watch|like to watch|like watching)|what kind of (?:films|movies|shows) i (?:like|watch)",
    "games": "what (?:games )?i (?:like to )?play",
    "sport": "how i (?:keep fit|stay fit|exercise|work out|train)|what (?:sports?|exercise) i (?:do|play|like)",
    "hobbies": (
        "what i do (?:for fun|in my (?:free|spare) time|outside (?:of )?work|on weekends|at weekends"
        "|to relax|when i(?:'m| am) not working)|how i spend my (?:free|spare)? ?time|what i(?:'m"
        "| am) into|what interests me"
    ),
    "tastes": (
        "(?:what|which things) i(?: really)? (?:like|love|enjoy|prefer|dislike|hate|can't stand"
        "|am fond of)(?:(?: and|,? or) (?:what i )?(?:don't(?: like)?|dislike|hate|like|love"
        "|do not(?: like)?))?|what i(?:'m| am) fond of|things i (?:like|love|enjoy|hate"
        "|dislike)(?: (?:and|or) (?:hate|dislike|like|love|don't|don't like))?|what (?:makes me happy"
        "|annoys me|bothers me)"
    ),
    "travel": (
        "where i(?:'ve| have)? (?:travel(?:led|ed)?|been|visited|go on holiday|want to travel"
        "|like to travel)(?: to)?|(?:what|which) (?:places|countries|cities) i(?:'ve| have)? (?:visited"
        "|been to|want to visit|seen)|places i(?:'ve| have)? (?:visited|been to|been)|how i travel"
    ),
    "transport": "how i (?:get (?:to work|around)|commute|travel to work)|what (?:car )?i drive|which car i drive",
    "belongings": (
        "what i own|what i have at home|(?:what|which) (?:phone|laptop|computer|devices|tools|apps"
        "|software|gadgets|tech) i (?:use|have|own)|things i (?:own|use)|what i use|stuff i (?:own|have)"
    ),
    "languages": "(?:what |which |the )?languages? i (?:speak|know|learn|am learning)|how many languages i speak",
    "routine": (
        "when i (?:get up|wake up|go to bed|work|work out|sleep)|what my (?:days?|weeks?|mornings?"
        "|evenings?|routine) (?:looks?|is|are) like|how my (?:day|week) (?:goes|looks)"
        "|what i do every (?:day|week|morning)|how i spend my days?"
    ),
    "opinions": (
        "what i (?:believe(?: in)?|think about things|think|stand for|value|fear)|what i(?:'m| am) (?:afraid|scared) of"
    ),
    "past": (
        "what i(?:'ve| have)? (?:done|did|been through|gone through|experienced|used to do)(?: before"
        "| in the past| so far)?|what(?:'s| has)? happened to me|where i(?:'ve)? come from in life"
        "|what my life (?:was|used to be) like"
    ),
    "who": (
        "where i(?:'m| am)? (?:from|come from|originally from|was born|grew up)|how old i am|what i(?:'m"
        "| am) called|when i was born|what my name is|when my birthday is"
    ),
    "plans": (
        "what i(?:'m| am)? (?:plan(?:ning)?(?: to do| on doing| next)?|want(?: to do| to achieve| in life"
        "| from life)?|intend to do|hope(?: to do| to achieve| for)?|am going to do|going to do"
        "|working towards?|aiming for|saving for|looking forward to|about to do)|what(?:'s"
        "| is) (?:coming up|ahead|next)(?: for me)?|where i(?:'m| am) (?:going|headed"
        "|heading)(?: in life)?|what i have (?:planned|coming up|ahead|in mind)|what(?:'s"
        "| is) on my (?:agenda|plate|horizon)|things i (?:want|plan|intend|hope) to do"
        "|what lies ahead(?: of me)?"
    ),
    "answers": (
        "how (?:i|you should|you're supposed to|to|you are supposed to|you ought to) (?:(?:like|want"
        "|prefer|wish)(?: you)? )?(?:to (?:be (?:answered|addressed|spoken to|talked to)|answer|reply"
        "|talk|respond|speak)|be (?:answered|addressed)|answer|respond|reply|speak|talk|address|answered"
        "|things explained|your answers|answers)(?: to)?(?: me)?|how i (?:like|want|prefer) (?:my "
        "|your )?(?:answers?|repl(?:y|ies)|responses|information|things)(?: to be)?(?: explained| given"
        "| presented)?|what (?:style|tone|kind of answers?|language|sort of answers?) i (?:like|want"
        "|prefer)(?: you to (?:use|answer in))?|what i(?:'ve| have) (?:told|asked) you (?:about (?:your "
        "|how to )answers?|about answering)"
    ),
}
"""Clauses about the speaker that name a topic; alternatives of a pattern for each topic."""
