"""English words that chat adds to a statement without changing what it states; all in lower case."""

from __future__ import annotations

from typing import Final

OPENERS: Final = (
    "ok so", "okay so", "so yeah", "so", "well", "and", "oh", "ah", "hey", "hi", "yeah", "yep", "um", "uh", "er",
    "erm", "hmm", "ok", "okay", "right", "look", "listen", "honestly", "frankly", "basically", "literally", "lol",
    "haha", "tbh", "ngl", "btw", "fyi", "by the way", "anyway", "anyways", "just so you know", "just fyi",
    "for the record", "for what it's worth", "fwiw", "in case it helps", "i mean", "you know", "you see", "see",
    "so you know", "please remember that", "please remember", "remember that", "remember this", "remember",
    "do remember that", "please note that", "please note", "note that", "take note that", "keep in mind that",
    "keep in mind", "bear in mind that", "bear in mind", "don't forget that", "dont forget that", "don't forget",
    "note to self", "for your notes", "for your info", "for your information", "just letting you know that",
    "just letting you know", "you should know that", "you should know", "quick note", "to be honest", "to be fair",
    "truth be told", "as i said", "like i said", "as you know",
)  # fmt: skip
"""Before a statement. "Actually", "no" and "wait" are not among them: they say that something is corrected."""

CLOSERS: Final = (
    "lol", "lmao", "lmfao", "rofl", "haha", "hahaha", "hehe", "heh", "xd", "tbh", "ngl", "imo", "imho", "fwiw", "btw",
    "fyi", "smh", "fr", "fr fr", "no cap", "istg", "omg", "ugh", "meh", "tho", "though", "innit", "honestly",
    "to be honest", "to be fair", "you know", "you see", "i mean", "i tell you",
    "i'm telling you", "as you know", "just so you know", "so you know", "just saying", "so yeah", "so there",
    "and stuff", "and all that", "and whatnot", "or whatever", "or something", "believe it or not",
    "for what it's worth", "for the record", "in case it helps", "if that helps", "hope that helps",
    "if you're wondering", "if it matters", "thanks", "thank you", "thx", "ty", "cheers", "please", "remember that",
    "remember this", "please remember that", "please remember this", "please remember", "please remember it",
    "remember it", "do remember that", "so remember that", "so please remember that", "keep that in mind",
    "keep it in mind", "so keep that in mind", "please keep that in mind", "so please keep that in mind",
    "bear that in mind", "so bear that in mind", "bear it in mind", "make a note of that", "make a note", "note that",
    "note it down", "so note that", "take note", "write that down", "don't forget", "don't forget that",
    "don't forget it", "dont forget", "for future reference", "for next time", "for your notes",
    "for your information", "for your info",
)  # fmt: skip
"""Behind a statement, with or without a comma before them."""

ASIDES: Final = ("ok", "okay", "yeah", "yep", "right", "see", "mate", "bro", "bruh", "dude", "man")
"""Beside a statement, with a comma between; without one they are words of it ("long time no see")."""

TAG_QUESTIONS: Final = frozenset(
    {
        "you know", "right", "ok", "okay", "yeah", "no", "eh", "huh", "see", "innit", "get it", "got it", "got that",
        "you know what i mean", "know what i mean", "if you know what i mean", "what do you think",
        "what do you reckon", "what do you say", "what you think", "what about you", "how about you", "and you",
        "any thoughts", "thoughts", "any ideas", "any advice", "any tips", "does that make sense", "make sense",
        "makes sense", "is that ok", "is that okay", "is that right", "is that weird", "is that bad",
        "is that normal", "is that silly", "weird right", "crazy right", "isn't it", "isn't that something",
        "can you believe it", "can you believe that", "would you believe it", "who knew", "why not", "what can i say",
        "what can you do", "remember", "will you remember that", "can you remember that", "could you remember that",
        "did you know that", "did you know", "don't you think", "you see", "you get me", "y'know", "ya know",
        "fair enough", "sound good", "sounds good",
    }
)  # fmt: skip
"""Questions behind a statement that ask nothing about it."""

QUESTION_WORDS: Final = frozenset(
    {
        "what", "what's", "whats", "how", "how's", "any", "does", "do", "did", "is", "are", "am", "was", "can",
        "could", "should", "would", "will", "which", "who", "who's", "when", "where", "where's", "why", "have", "has",
        "isn't", "don't", "doesn't", "aren't", "can't", "so", "got",
    }
)  # fmt: skip
"""The first words of a clause that asks."""

SUPPOSING_WORDS: Final = frozenset({"if", "suppose", "supposing", "imagine", "say", "assuming", "were", "had"})
"""The first words of a sentence whose question must stay with it."""

FILLERS: Final = frozenset({"um", "uh", "er", "erm", "uhm", "umm", "uhh", "hmm", "mm", "lol", "lmao", "like,"})
"""Words left out wherever they stand."""

FIRST_PERSON: Final = {
    "we": "i", "us": "me", "our": "my", "ours": "mine", "ourselves": "myself", "we're": "i'm", "we've": "i've",
    "we'll": "i'll", "we'd": "i'd", "meself": "myself", "mi": "my",
}  # fmt: skip
"""The first person plural, and what the singular is."""

SPELLINGS: Final = {
    "im": "i'm", "ive": "i've", "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "cant": "can't",
    "wont": "won't", "isnt": "isn't", "wasnt": "wasn't", "arent": "aren't", "werent": "weren't", "havent": "haven't",
    "hasnt": "hasn't", "hadnt": "hadn't", "couldnt": "couldn't", "wouldnt": "wouldn't", "shouldnt": "shouldn't",
    "thats": "that's", "whats": "what's", "hes": "he's", "shes": "she's", "theyre": "they're", "youre": "you're",
    "u": "you", "ur": "your", "r": "are", "n": "and", "gonna": "going to", "wanna": "want to", "gotta": "got to",
    "pls": "please", "plz": "please", "bc": "because", "cuz": "because", "coz": "because", "cos": "because",
    "rn": "right now", "tmrw": "tomorrow", "tmr": "tomorrow", "w": "with", "tho": "though", "yr": "year",
    "yrs": "years", "abt": "about", "b4": "before",
}  # fmt: skip
"""What is typed in haste, and its usual spelling."""
