"""English prompt-injection templates. Every gap is bounded: no text makes a pattern backtrack for long."""

from __future__ import annotations

from foundation.sanitization.rules import order_template

# What somebody does themselves is no order: "I ignore the rules …".
_SUBJECT = (
    r"(?P<denied>\b(?:i|we|he|she|they|who)\s+"
    r"(?:(?:always|usually|never|often|tend to|will|would|can|may|might|should|must|decided to|want to)\s+)?)?"
)
_STOP = (
    r"\b(?:ignore|disregard|forget|override|bypass|overrule|violate|drop|stop (?:following|obeying)"
    r"|break|neglect|discard|abandon|scrap|circumvent|overwrite|suspend|(?:set|put|lay|cast|leave) aside"
    r"|pay no attention to"
    r"|(?:do not|don't|no longer|need not) (?:need to |have to )?(?:follow|obey|heed|respect))\b"
)
_ORDERS = (
    r"(?:instructions?|prompts?|directives?|commands?|guidelines|rules|guardrails|restrictions|constraints|filters)"
)
# The speaker's own words are theirs to take back: "ignore my previous instruction".
_NOT_THEIRS = r"(?!\s+(?:\w+\s+){0,3}?(?:my|our|his|her|their|(?!developer|operator|system)\w+'s)\b)"
_EARLIER = (
    r"(?:all|any|every|each|previous|prior|earlier|preceding|above|your|system|developer'?s?|operator'?s?|safety|initial"
    r"|original)"
)
_CRIMES = r"(?:buy|sell|invest|deposit|withdraw|transfer|send|wire|click)"
_UNBOUND = (
    r"(?:unrestricted|unfiltered|uncensored|unlimited|jailbroken|(?:(?:with|has|have|had)\s+)?(?:no|without)\s+(?:any\s+)?"
    r"(?:\w+\s+)?(?:rules|limits|restrictions|filters|guidelines|policy|morals|ethics))"
)
_MODE = r"(?:developer|god|dan|debug|jailbreak|unrestricted|unfiltered|admin|maintenance) mode\b"
_TO_AN_AI = r"(?:ai|assistant|chatbot|language model|llm|model)s?"
_SECRETS = (
    r"(?:(?:conversation|chat) (?:history|log)|memories|system prompt|credentials|passwords|api keys?|private keys?"
    r"|seed phrase|(?:user'?s?|private|personal) (?:data|information|memories))"
)
_OUT = r"(?:to|into|at|through|via)"
_REVEAL = (
    r"\b(?:reveal|print|show(?: me)?|repeat|output|display|leak|disclose|dump|list|recite|expose|share|paste|quote"
    r"|give me|send me|tell me|translate|summari[sz]e|what(?:'s| is| are| was| were))"
)
_WHOLE = r"(?: (?:own|full|whole|complete|entire|exact))?"
_PROMPT = (
    r"(?:(?:system|initial|hidden|original|secret|internal)\s+(?:prompt|instructions?|rules|configuration)"
    r"|system message|developer prompt"
    r"|(?:instructions|prompt)(?= (?:verbatim|word for word|you (?:were|are|have been|got))))"
)
# With "the" alone it may be anybody's: a form has initial instructions too.
_THE_PROMPT = (
    r"(?:(?:system|initial|hidden|original|secret) prompt|developer prompt"
    r"|(?:system|hidden|secret) (?:instructions|rules)"
    r"|(?:instructions|prompt)(?= (?:verbatim|word for word|you (?:were|are|have been|got))))"
)

TEMPLATES = (
    order_template(
        "override",
        "instruction|prompt|directive|command|guideline|rules|guardrail|restriction|constraint|filter"
        "|obey|system|developer|follow mine",
        rf"{_SUBJECT}{_STOP}{_NOT_THEIRS}\s+(?:\w+\s+){{0,4}}?{_EARLIER}\s+(?:\w+\s+){{0,4}}?{_ORDERS}\b",
        rf"{_STOP}{_NOT_THEIRS}\s+(?:\w+\s+){{0,3}}?{_ORDERS}\s+(?:above|before|so far|you (?:were|have been) given)\b",
        r"\b(?:supersede|override|replace|take precedence over|overrule)s?\s+(?:(?:all|any|every|the)\s+)?"
        r"(?:previous|prior|earlier|other|existing)\s+(?:instructions?|prompts?|commands?)\b",
        rf"{_STOP}\s+(?:the|your|any|all)\s+(?:system|developer|operator)'?s?\s+(?:message|settings|configuration|setup)\b",
        r"\bobey (?:me|mine|only|the text|what follows)\b",
        r"\bfollow (?:only )?(?:mine|these (?:new )?(?:instructions|orders))\b",
        r"\b(?:previous|old|earlier) system prompt was\b",
        r"^\s*ignore (?:the )?(?:instructions?|prompt)\b",
        rf"\b(?:disable|switch off|turn off|deactivate)\s+(?:all|any|your|the)\s+(?:\w+\s+)?{_ORDERS}\b",
    ),
    order_template(
        "override",
        "everything|content policy|override|no longer need",
        r"\b(?:ignore|disregard|forget|repeat|print|output) everything (?:above|before|you (?:were|have been|know))",
        r"\b(?:no longer|don't|do not) (?:need|have) to (?:follow|obey|respect) (?:your|the|any) \w+(?: \w+)?",
        r"\b(?:system|admin|safety|security|developer) override(?:\s*:|\s+code\b)",
    ),
    order_template(
        "new_instructions",
        "new instructions|new task|new role|new objective|new system|new goal",
        r"(?:^|[.!]\s*+|\n[^\S\n]*+)(?:your )?new (?:instructions|orders)\s*:",
        r"\byour new (?:instructions?|task|role|objective|goal|purpose) (?:is|are)\b",
        r"\bbegin (?:new )?(?:system )?instructions\b|\bnew system (?:instructions|prompt)\b",
    ),
    order_template(
        "unrestricted_role",
        "you are|act as|pretend|roleplay|role-play|simulate|you have no|behave as|imagine|as if you",
        r"\byou(?: are|'re) (?:now )?(?:in )?(?:a |an )?(?:dan\b|(?:developer|debug|god|maintenance|jailbreak) mode\b)",
        rf"\byou(?: are|'re) (?:now )?(?:a |an )?(?:\w+\s+){{0,2}}?{_UNBOUND}",
        rf"\b(?:act|behave|pretend|imagine|role-?play|simulate)\b[^.!?\n]{{0,40}}?\b{_UNBOUND}",
        rf"\bas if you {_UNBOUND}",
        r"\byou have no (?:restrictions|rules|limits|guidelines)\b",
        r"\byou are no longer \w+\s*[;,.]\s*you are\b",
    ),
    order_template(
        "unrestricted_mode",
        " mode",
        rf"\b(?:enter|activate|switch to|unlock|operate in|answer in|respond in|reply in|run in) (?:the )?{_MODE}"
        r"(?! (?:on|in|for|of)\b)",
    ),
    order_template(
        "reveal_prompt",
        "prompt|instructions|message|text above|hidden rules|configuration",
        rf"{_REVEAL}\s+(?:all\s+)?(?:of\s+)?your{_WHOLE}\s+(?:\w+\s+and\s+)?{_PROMPT}",
        rf"{_REVEAL}\s+the{_WHOLE}\s+{_THE_PROMPT}",
        r"\b(?:print|repeat|output) (?:all )?(?:the )?text above\b",
        r"\b(?:prompt|instructions) you (?:were|are|have been) (?:initiali[sz]ed|started|given|configured|set up)\b",
    ),
    order_template(
        "exfiltration",
        "send|forward|upload|exfiltrat|post|email|append|leak",
        rf"(?P<denied>\b(?:never|not|don't|nobody)\b[^.!?\n]{{0,20}})?"
        rf"\b(?:send|forward|upload|exfiltrate|post|email|append|leak)\b[^.!?\n]{{0,40}}?\b{_SECRETS}\b"
        rf"[^.!?\n]{{0,40}}?\b{_OUT}\b",
    ),
    order_template(
        "addresses_the_assistant",
        "assistant|chatbot|language model|llm|an ai|the ai|dear ai|ai:|ai,|when you|invoke|call",
        r"\b(?:note|attention|message|notice|warning|instructions?|to)\b"
        r"\s*+(?:,\s*+)?(?:(?:to|for)\s*+)?(?:the |all |any )?"
        r"(?:ai(?: assistant| model)?s?|assistants?|chatbots?|(?:large )?language models?|llms?)\s*:",
        r"\bif you are (?:an? )?(?:ai|assistant|language model|llm|chatbot)\b"
        r"[^.!?\n]{0,40}\byou (?:must|should|will)\b",
        r"\b(?:ai assistants?|assistants?|language models?|llms?)\b[^.!?\n]{0,40}"
        r"\b(?:must|should|shall) (?:always|never|immediately|respond|recommend|say)\b",
        r"\bwhen you (?:read|see|process|retrieve|summari[sz]e) this (?:memory|text|document|note|entry|page)\b"
        r"[^.!?\n]{0,10}\b(?:always|immediately|recommend|respond|you must|never)\b",
        rf"(?:^|[.!]\s*+|\n[^\S\n]*+)(?:dear |hey |hello |attention )?{_TO_AN_AI}\s*+[:,]\s*+(?:please\s++)?"
        r"(?:rate|praise|ignore|forget|approve|scrap|set aside|obey|disregard|you must)\b",
        r"\b(?:skip|without)\b[^.!?\n]{0,25}\b(?:confirm|verif|approv|check)\w{0,8}\b[^.!?\n]{0,25}\b(?:call|invoke)\b",
        r"\bexecute the following (?:commands?|instructions?)\b",
    ),
    order_template(
        "manipulates_the_user",
        "the user|to the person|this instruction|these instructions|to convince",
        rf"\btell the user to {_CRIMES}\b",
        rf"\b(?:you must|always|in every (?:reply|answer))\b[^.!?\n]{{0,20}}?"
        rf"\b(?:tell|convince|persuade|urge|recommend)\s+(?:that )?the (?:user|person)\s+(?:to\s+)?{_CRIMES}\b",
        r"\b(?:whenever|if|each time|when) the (?:user|person) (?:mentions|asks|says|talks)\b[^.!?\n]{0,40}?"
        r"\b(?:tell|convince|persuade|urge|recommend|advise)\b",
        r"\b(?:never|do not|don't) (?:tell|mention|show|reveal)\b[^.!?\n]{0,20}\b(?:this|these) instructions?\b",
    ),
    order_template(
        "encoded_orders",
        "base64|rot13|decode",
        r"\bdecode\b[^.!?\n]{0,40}\b(?:follow|execute|obey|comply)\b",
    ),
    order_template(
        "as_developer",
        "as your|admin",
        r"\bas your (?:developer|creator|administrator|admin|owner)\b"
        r"[^.!?\n]{0,10}\b(?:order|command|instruct|require)\b",
    ),
    order_template("spaced_letters", " ", r"(?:\b[a-z][ ._*-]{1,3}){12,}[a-z]\b"),
)
