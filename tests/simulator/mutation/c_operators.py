"""tests/simulator/mutation/c_operators.py - operators of mutation for our formatted C, and for
item-states.def. Each takes tokens and yields changes: begin, end, replacement.

Tokens suffice, because clang-format writes the code: a function begins with { in the first column,
a binary operator has a space on each side, and a unary one has none on its right."""

import re
from collections import namedtuple

TOKEN = re.compile(r"""(?P<skip>\s+|/\*.*?\*/|//[^\n]*|^\#(?:[^\n\\]|\\.)*)
                     |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
                     |(?P<number>\d[\w.]*)|(?P<word>[A-Za-z_]\w*)
                     |(?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|[-+*/%&|^=!<>]=|&&|\|\||[^\w\s])""", re.X | re.S | re.M)
COMPARED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "&": "|", "|": "&", "^": "|"}
UPDATED = {"+=": "-=", "-=": "+=", "|=": "&=", "^=": "|=", "++": "--", "--": "++"}
CLOSING = {"(": ")", "[": "]", "{": "}"}
# What ends an operand of && and ||, and a condition.
ENDS = {"?", ":", ",", ";", "=", "|=", "+=", "return", "{", "}"}
NO_SIMPLE_STATEMENT = {"if", "for", "while", "switch", "case", "default", "else", "do", "{", "}", ";"}
DECLARES = re.compile(r"(?:struct|enum|static|const|unsigned|int|bool|char|void|double|scoped|\w+_t)$")

# Not broken: log lines, metrics, checks of bugs, the release of memory, and the start of a mutex,
# whose memory is 0 already.
SKIPPED_CALLS = re.compile(r"(?:log_\w+|counter_add|assert|FAULT_POINT|mem_free|\w+_free|explicit_bzero|\w+_destroy"
                           r"|pthread_setname_np|pthread_mutex_init)$")
# The last two choose a moment, and a place in a table.
SKIPPED_FUNCTIONS = re.compile(r"(?:make_counters|log_item|\w+_free|internal|pace_next_batch|set_of)$")
# How long a call's parts took, for the log and the response's headers; when the ledger's thread
# wakes, and when it may send again.
TIMINGS = {"begin_us", "ledger_us", "queue_us", "tool_us", "run_started_us", "wake_ms", "resume_ms"}

Token = namedtuple("Token", "kind text begin end")


def tokens_of(text):
    return [Token(match.lastgroup, match[0], match.start(), match.end())
            for match in TOKEN.finditer(text) if match.lastgroup != "skip"]


def pairs(tokens):
    """The partner of each bracket."""
    pair, opened = {}, []
    for i, token in enumerate(tokens):
        if token.text in CLOSING:
            opened.append(i)
        elif token.text in CLOSING.values():
            pair[i] = opened.pop()
            pair[pair[i]] = i
    return pair


class Code:
    """A function, or a table at file scope: its tokens, with each bracket's partner, and with the
    places that are not broken."""

    def __init__(self, name, tokens, returns=""):
        self.name, self.tokens, self.returns = name, tokens, returns
        self.pair = pairs(tokens)
        self.neighbors = {}  # of enumerators
        self.statements = list(self._statements())
        self.skipped = set(self._skipped())

    def text(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def _is_start(self, i):
        """Does a statement begin here?"""
        before = self.text(i - 1)
        if before == ")":
            return self._is_head(i - 1)
        if before == ":":
            return self.text(i - 3) == "case" or self.text(i - 2) == "default"
        return before in (";", "{", "}", "else", "do")

    def _is_block(self, i):
        """Not the braces of an initializer."""
        return self.text(i) == "{" and (i == 0 or self.text(i - 1) in ("else", "do") or self._is_head(i - 1))

    def _is_head(self, i):
        """Does the head of a statement end here?"""
        return self.text(i) == ")" and self.text(self.pair[i] - 1) in ("if", "for", "while", "switch")

    def opener(self, i):
        """The bracket in which a token is."""
        i -= 1
        while i >= 0 and self.text(i) not in CLOSING:
            i = self.pair[i] - 1 if self.text(i) in CLOSING.values() else i - 1
        return i

    def _statements(self):
        """Begin and end (behind its semicolon) of each simple statement."""
        for i, token in enumerate(self.tokens):
            if i and self._is_block(self.opener(i)) and self._is_start(i) and token.text not in NO_SIMPLE_STATEMENT:
                yield i, self.stop(i, {";"}) + 1

    def stop(self, i, ends):
        """The first of these tokens from here on, outside of brackets that begin here, or the
        bracket that closes around it."""
        while i < len(self.tokens) and self.text(i) not in ends and self.text(i) not in CLOSING.values():
            i = self.pair[i] + 1 if self.text(i) in CLOSING else i + 1
        return i

    def start(self, i, ends):
        """The same to the left; the token behind it."""
        i -= 1
        while i >= 0 and self.text(i) not in ends and self.text(i) not in CLOSING:
            i = self.pair[i] - 1 if self.text(i) in CLOSING.values() else i - 1
        return i + 1

    def is_declaration(self, i):
        return DECLARES.match(self.text(i)) is not None

    def _skipped(self):
        for begin, end in self.statements:
            words = {self.text(i) for i in range(begin, end)}
            is_skipped = SKIPPED_CALLS.match(self.text(begin)) and self.text(begin + 1) == "("
            if not is_skipped and not words & TIMINGS:
                continue
            yield from range(begin, end)
            if is_skipped and self.text(begin - 1) == ")":  # nor its condition
                yield from range(self.pair[begin - 1] - 1, begin)
        for i, token in enumerate(self.tokens):
            if token.text == "{" and self.text(i + 1) == "0" and self.text(i + 2) == "}":
                yield i + 1
            if token.text == "[" and self.text(i + 2) == "]" and i + 3 < len(self.tokens) and self.text(i + 3) == ";":
                yield i + 1  # the size of an array

    def each(self, table, kinds=("sign", "word", "number")):
        for i, token in enumerate(self.tokens):
            if i not in self.skipped and token.kind in kinds and token.text in table:
                yield i, token

    def span(self, begin, end):
        """From one token to the one before another, in the text."""
        return self.tokens[begin].begin, self.tokens[end - 1].end


def has_spaces(code, i):
    before, token, after = code.tokens[i - 1:i + 2]
    return before.end < token.begin and token.end < after.begin


def relational(code, _text):
    for i, token in code.each(COMPARED):
        if has_spaces(code, i):
            yield token.begin, token.end, COMPARED[token.text]


def arithmetic(code, _text):
    for i, token in code.each(ARITHMETIC):
        if has_spaces(code, i):
            yield token.begin, token.end, ARITHMETIC[token.text]
    for i, token in code.each(UPDATED):
        yield token.begin, token.end, UPDATED[token.text]


def constant(code, _text):
    for i, token in enumerate(code.tokens):
        if token.kind == "number" and token.text.isdigit() and i not in code.skipped:
            yield token.begin, token.end, str(int(token.text) + 1)
            yield token.begin, token.end, str(int(token.text) - 1)


def logical(code, _text):
    for i, token in code.each({"&&", "||"}):
        ends = ENDS | ({"&&", "||"} if token.text == "&&" else {"||"})
        yield token.begin, code.span(i, code.stop(i + 1, ends))[1], ""
        first = code.start(i, ends)
        if code.text(first - 1) != token.text:
            yield code.tokens[first].begin, code.tokens[i + 1].begin, ""


def negation(code, text, begin, end):
    """Of the condition from one token to the one before another; that of one == is relational."""
    signs = [code.text(i) for i in range(begin, end)]
    if begin < end and (not {"==", "!="} & set(signs) or {"&&", "||", "?"} & set(signs)):
        at, until = code.span(begin, end)
        yield at, until, f"!({text[at:until]})"


def negated(code, text):
    for i, token in code.each({"if", "while", "for", "?"}):
        if token.text == "?":
            yield from negation(code, text, code.start(i, ENDS), i)
        elif token.text == "for":
            begin = code.stop(i + 2, {";"}) + 1
            yield from negation(code, text, begin, code.stop(begin, {";"}))
        else:
            yield from negation(code, text, i + 2, code.pair[i + 1])


def returned(code, text):
    for begin, end in code.statements:
        if code.text(begin) != "return" or end - begin < 3 or begin in code.skipped or code.text(begin + 1) in ("true", "false"):
            continue
        if code.returns == "bool":
            yield from negation(code, text, begin + 1, end - 1)
        elif not code.returns.startswith("struct") or code.returns.endswith("*"):
            yield *code.span(begin + 1, end - 1), "0"


def boolean(code, _text):
    for _, token in code.each({"true", "false"}):
        yield token.begin, token.end, "false" if token.text == "true" else "true"


def dropped(code, _text):
    for begin, end in code.statements:
        is_last = end == len(code.tokens) - 1 and code.text(begin) == "return"
        if not code.is_declaration(begin) and not is_last and begin not in code.skipped:
            yield *code.span(begin, end), ";"


def named(code, _text):
    for _, token in code.each(code.neighbors):
        yield token.begin, token.end, code.neighbors[token.text]


OPERATORS = {
    "relational operator": relational,
    "arithmetic operator": arithmetic,
    "constant +1, -1": constant,
    "true, false": boolean,
    "term of &&, || dropped": logical,
    "condition negated": negated,
    "returned value": returned,
    "statement dropped": dropped,
    "enumerator": named,
}

# ---- enumerations ----

ENUM = re.compile(r"^enum \w+ \{(.*?)\}", re.M | re.S)


def neighbors_of(texts):
    """Of each enumerator of a named enumeration, the next one; of the last, the one before."""
    found = {}
    for text in texts:
        for match in ENUM.finditer(text):
            names = [token.text for token in tokens_of(match[1]) if token.kind == "word"]
            found |= dict(zip(names, [*names[1:], *names[-2:-1]]))
    return found


# ---- tables ----

ROW = re.compile(r"^TRANSITION\((\w+), (\w+), (\w+), (\w+)\)", re.M)
# The two parts of a state (item-states.def), in their orders.
WRITTEN = ["LOOK", "CLAIM", "OPEN", "CANCEL"]
PLACES = ["QUEUED", "SENT", "WITHDRAWN", "LEFT"]
LONE = {"DONE": ["FREED"], "FREED": ["DONE"], "CANCEL_QUEUED_LEFT": ["CANCEL_QUEUED", "CANCEL_LEFT"]}


def neighboring_states(state, states):
    """The states with one part one step away."""
    if state in LONE:
        return LONE[state]
    what, where = state.split("_")
    a, b = WRITTEN.index(what), PLACES.index(where)
    found = [(a - 1, b), (a + 1, b), (a, b - 1), (a, b + 1)]
    names = [f"{WRITTEN[x]}_{PLACES[y]}" for x, y in found if 0 <= x < len(WRITTEN) and 0 <= y < len(PLACES)]
    return [name for name in names if name in states]


def next_state(text):
    states = {match[1] for match in ROW.finditer(text)}
    for match in ROW.finditer(text):
        for state in neighboring_states(match[3], states):
            yield match.start(3), match.end(3), state


def action_dropped(text):
    for match in ROW.finditer(text):
        if match[4] != "NOTHING":
            yield match.start(4), match.end(4), "NOTHING"


TABLE_OPERATORS = {"next state": next_state, "action dropped": action_dropped}

# ---- files ----

def function(head, body):
    """head: all tokens before its {."""
    named = pairs(head)[len(head) - 1] - 1
    returns = " ".join(token.text for token in head[:named] if token.text not in ("static", "const"))
    return Code(head[named].text, body, returns)


def table(tokens):
    named = next(i for i, token in enumerate(tokens) if token.text == "[")
    return Code(tokens[named - 1].text, tokens)


def codes_of(text):
    """The functions and constant tables of a C file."""
    tokens = tokens_of(text)
    pair = pairs(tokens)
    i = first = 0
    while i < len(tokens):
        word = tokens[i].text
        if word == "{":
            if tokens[i - 1].text == ")":
                yield function(tokens[first:i], tokens[i:pair[i] + 1])
                first = pair[i] + 1
            i = pair[i]
        elif word == ";":
            chunk = tokens[first:i + 1]
            if [token.text for token in chunk[:2]] == ["static", "const"] and "{" in [token.text for token in chunk]:
                yield table(chunk)
            first = i + 1
        i += 1


def changes_of(text, is_table, headers):
    """Name, operator, begin, end, replacement. headers: texts with enumerations."""
    if is_table:
        for operator, changes in TABLE_OPERATORS.items():
            for change in changes(text):
                yield "transitions", operator, *change
        return
    neighbors = neighbors_of([*headers, text])
    for code in codes_of(text):
        code.neighbors = neighbors
        if SKIPPED_FUNCTIONS.match(code.name):
            continue
        for operator, changes in OPERATORS.items():
            if code.returns or operator in ("constant +1, -1", "true, false"):
                for change in changes(code, text):
                    yield code.name, operator, *change
