"""Phrases that texts must not have, with what to write instead."""

PAGE, COMMENT, TEXT = "page", "comment", "text"
ALL = (PAGE, COMMENT, TEXT)
PUBLIC = (PAGE, TEXT)

BE = "(?:is|are|was|were|be|been|being)"
PEOPLE = "for people write \"they\", or name the person: the customer, the operator"
WHO = "name the actor: \"a client that …\", \"if a customer …\""
STAND = "say \"is in\", \"is on\", \"means\", or name what the text says"
CLOSE = "a connection \"closes\", a session or token \"expires\" or is \"revoked\", HAProxy \"terminates\" TLS"
TOLD = "name what happens: \"returns\", \"reports\", \"shows\", \"receives\", \"distinguishes\", \"explains\""

# (pattern, what to write instead, kinds of texts). A blank matches any white space. The message
# quotes the group "at" if the pattern has one. Case counts.
PHRASES = [
    (rf"\b{BE} none\b", 'say "is not", "there is no" or "invalid"', ALL),
    (rf"\b{BE} no (?!longer\b|more\b|less\b|fewer\b|later\b|earlier\b|one\b)[a-z`]\w*",
     'say "is not a", "there is no", "no longer" or "invalid"', ALL),
    (r"\b[Ww]hoever\b", WHO, ALL),
    (r"(?:^[\s*/#>-]*|[.;:!?)] )(?P<at>Who (?![^.?;|]*\?)(?!is the|are you)[a-z]+)", WHO, ALL),
    (r"\b(?:for|to|of|by|from|with|on|than|at) who\b", WHO, ALL),
    (r"; (?P<at>who (?![^.?;]*\?)[a-z]+)", WHO, ALL),
    (r"\b(?:[Hh]e|[Hh]is|[Hh]im|[Hh]imself)\b(?![-'])", PEOPLE, ALL),
    (r"\b(?:stands|stood)\b(?!-)|\bstand (?:in|on|beside|behind|there|alone|for|below|above|at|first|last|side)\b"
     r"|[Ww]hat stands", STAND, ALL),
    (r"\b[Bb]ut for\b", 'say "except"', ALL),
    (r"\b[Ss]o many\b", "say the number, or \"that many\"", ALL),
    (r"\b[Aa]new\b", 'say "again" or "new"', ALL),
    (r"\bof (?:ours|yours|theirs|hers|mine|(?:its|his|her|their|our|your|my|one's) own)\b",
     'put the owner first: "its own file", "our code"; or leave it out', ALL),
    (r"\b[Bb]y (?:itself|themselves|himself|yourself|ourselves)\b",
     'say "automatically", "alone" or "separately"', ALL),
    (rf"\b{BE} told\b|\b[Tt]ells?\b(?!\(| the (?:user|customer|operator)\b)|\b[Tt]elling\b", TOLD, ALL),
    (r"\b[Kk]nock(?:s|ed|ing)?\b", 'say "connects" or "tries to connect"', ALL),
    (r"\b[Hh]ammer(?:s|ed|ing)?\b", 'say "floods" or "retries without a pause"', ALL),
    (r"\b[Ss]trangers?\b", 'say "an unknown client", "another account" or "anyone"', ALL),
    (r"\b[Aa]ll the same\b", 'say "still" or "anyway"', ALL),
    (r"\b[Ii]n place of\b", 'say "instead of"', ALL),
    (r"\b[Ll]ikewise\b", 'say "also" or "too"', ALL),
    (r"\b(?:is|are|was|were) to be\b", 'say "must be"', ALL),
    (r"\b[Ww]hat (?:became|becomes|has become) of\b", 'say "outcome" or "result"', ALL),
    (r"\b[Mm]end(?:s|ed|ing)?\b", 'say "fix" or "correct"', ALL),
    (r"\b(?:in|for) want of\b", 'say "without" or "because there is no"', ALL),
    (r"\b[Bb]eside\b(?!\.ya?ml)", 'say "next to", "with" or "in addition to"', ALL),
    (r"\b(?:from|for|in|into) (?:a|the|your) shell\b", 'say "with curl" or "in a terminal"', PUBLIC),
    (r"\b(?:HTTP|JSON|error|gateway's|server's|edge's|portal's) answers?\b", 'say "response"', PUBLIC),
    (r"\banswers? (?:with )?(?:the )?(?:status )?[1-5]\d\d\b", 'say "returns 503"', PUBLIC),
    (r"(?<!onnection\s)\b[Rr]efus(?:e|es|ed|ing|als?)\b", 'say "reject"; a model "declines"', PUBLIC),
    (rf"\b(?:sessions?|connections?|tokens?) (?:{BE} )?end(?:s|ed)?\b(?! of)|\b{BE} ended\b", CLOSE, ALL),
    (r"\b[Ee]nds? (?:(?:the|a|its|their|all|every|each|other|your|his) )*(?:sessions?|connections?|TLS)\b", CLOSE, ALL),
]
