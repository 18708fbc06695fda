"""English words that put a statement under a topic."""

from __future__ import annotations

from typing import Final

ENGLISH: Final = {
    "who": "name called nickname surname born birthday age aged old nationality citizen pronouns gender "
    "height tall blood",
    "age": "aged born birthday",
    "name": "name called nickname surname",
    "origin": "originally born grew hometown native",
    "birthday": "birthday born",
    "work": (
        "work works worked working job employer boss shift ward office company promoted promotion hire "
        "hired contract career freelance "
        "retired unemployed redundant intern internship self-employed apprentice overtime profession "
        "employed nurse teacher engineer developer "
        "designer accountant lawyer doctor manager analyst consultant driver electrician plumber chef "
        "barista librarian journalist "
        "architect programmer scientist researcher salesman cashier mechanic pharmacist dentist pilot "
        "firefighter carpenter "
        "team client clients colleague colleagues startup business firm industry trader founder "
    ),
    "study": (
        "study studies studying student degree university college school course class major minor exam "
        "thesis phd master bachelor gpa "
        "semester graduate graduated diploma certificate learning learn scholarship tutor lecture"
    ),
    "family": (
        "wife husband partner married marriage divorced engaged fiance fiancee wedding kid kids child "
        "children son sons daughter "
        "daughters baby pregnant mother mum mom mam father dad parents brother brothers sister sisters "
        "twin twins grandson granddaughter grandchild "
        "grandma grandpa grandmother grandfather niece nephew aunt uncle cousin boyfriend girlfriend "
        "spouse sibling siblings family stepson stepdaughter widow widowed"
    ),
    "partner": "wife husband partner married divorced engaged fiance fiancee boyfriend girlfriend spouse "
    "wedding anniversary single widowed dating",
    "children": "kid kids child children son sons daughter daughters baby twins stepson stepdaughter toddler "
    "newborn pregnant",
    "parents": "mother mum mom mam father dad parents stepmother stepfather mother-in-law father-in-law",
    "siblings": "brother brothers sister sisters sibling siblings twin",
    "friends": "friend friends roommate flatmate housemate neighbour neighbor colleague colleagues coworker "
    "coworkers boss mate mentor",
    "pets": "dog dogs cat cats puppy kitten rabbit hamster goldfish budgie parrot tortoise pet pets breed "
    "vet terrier labrador retriever gecko guinea hen hens chickens",
    "home": (
        "live lives living moved home house flat apartment rent rents rented landlord mortgage tenant "
        "lease bedroom garden "
        "roommate flatmate housemate neighbourhood neighborhood address condo basement loft balcony "
        "relocated cottage bungalow  hometown"
    ),
    "health": (
        "allergic allergy allergies doctor gp hospital surgery operation knee hip diabetes diabetic "
        "asthma pill tablet tablets medicine "
        "medication dose therapy therapist physio migraine migraines diagnosed diagnosis celiac coeliac "
        "injury depression anxiety glasses "
        "hearing dentist vaccine cancer pain cholesterol insulin injection insomnia hypertension "
        "arthritis lactose intolerant adhd epilepsy "
        "blood-pressure pressure pregnant pacemaker eczema thyroid sleep sleeps inhaler blood broke "
        "broken sprained recovering rehab"
    ),
    "food": (
        "eat eats eating food foods vegan vegetarian pescatarian meat fish chicken beef pork gluten "
        "dairy milk sugar coffee tea drink drinks drinking alcohol "
        "beer wine whisky spicy breakfast lunch dinner supper diet cook cooks cooking snack cheese bread "
        "nut nuts peanut peanuts shellfish lactose "
        "dessert chocolate vegetables sushi pizza pasta ramen curry keto halal kosher coriander cilantro "
        "mushrooms espresso latte oat cuisine restaurant bake baking allergic seafood"
    ),
    "allergies": "allergic allergy allergies intolerant intolerance",
    "money": (
        "budget salary wage income earn earns paid savings saving save saves loan debt mortgage rent "
        "pension tax taxes afford spend spending "
        "bank account credit emergency bonus owe owes instalments money finances expenses isa 401k overdraft"
    ),
    "investing": (
        "share shares stock stocks position positions etf etfs fund funds bond bonds invest invests "
        "invested investing investment investments portfolio broker "
        "brokerage crypto bitcoin btc eth ethereum gold dividend dividends leverage margin futures "
        "options hedge trade trades trading trader allocation "
        "isa 401k pension risk risk-averse holdings nvidia aapl tsla msft nasdaq   "
        "short-selling reit treasury"
    ),
    "music": "music song songs band bands guitar piano violin cello drums sing sings singing choir album jazz "
    "rock classical concert concerts playlist vinyl singer opera ukulele flute saxophone spotify bass",
    "books": "book books novel novels read reads reading author writer poetry kindle library fiction "
    "literature biography",
    "films": "film films movie movies cinema series show shows netflix documentary documentaries anime "
    "director actor sitcom watching",
    "games": "game games gaming chess playstation xbox nintendo switch boardgame board poker puzzle puzzles "
    "minecraft zelda crossword",
    "sport": (
        "gym run runs running swim swims swimming yoga football soccer tennis netball marathon "
        "half-marathon climb climbing bouldering train trains training golf hike hikes hiking boxing "
        "cycle cycling cycles pilates badminton squash basketball volleyball rugby cricket rowing "
        "lifting ski skiing snowboarding surfing jog jogging workout exercise 5k 10k triathlon karate "
        "judo kayaking"
    ),
    "hobbies": (
        "hobby hobbies paint paints painting knit knits knitting sewing garden gardening photography "
        "photographer collect collects collecting craft pottery ceramics baking fishing birdwatching "
        "woodworking drawing draw dance dancing volunteer volunteers blogging astronomy camping "
        "sketching origami chess salsa embroidery stamp stamps crochet theatre podcast"
    ),
    "tastes": "like likes love loves enjoy enjoys prefer prefers favourite favorite hate hates dislike "
    "dislikes fond fan adore adores stand",
    "travel": "trip trips travel travels travelling traveling flight flights fly flying holiday holidays "
    "vacation hotel cruise visa passport abroad tour visited backpacking itinerary  "
    "airport honeymoon",
    "transport": "car cars drive drives driving bike bicycle bus tram tube train van truck motorbike motorcycle "
    "scooter licence license parking commute commutes commuting tesla toyota subway metro",
    "belongings": "phone iphone android samsung laptop macbook computer ipad tablet app software subscription "
    "windows linux pixel camera tv console headphones own owns owned printer watch keyboard",
    "languages": "speak speaks fluent language languages bilingual english spanish french german mandarin "
    "cantonese japanese korean portuguese italian arabic hindi duolingo dialect",
    "routine": (
        "monday tuesday wednesday thursday friday saturday sunday weekend weekends weekly daily morning "
        "mornings evening evenings appointment meeting "
        "wake wakes bedtime routine schedule every usually o'clock early dentist class alarm"
    ),
    "opinions": "believe believes think thinks opinion view religion religious catholic muslim buddhist "
    "christian atheist vote votes politics political values faith church afraid fear fears scared",
    "past": "used formerly previously grew childhood graduated served once  ago former ex",
    "plans": "plan plans planning goal goals hope hopes aim dream wants intend intends  ",
    "answers": "answer answers reply replies respond response responses bullet bullets emoji emojis formal "
    "jargon markdown tone concise brief summary address call explain explanations format units "
    "metric celsius",
}
