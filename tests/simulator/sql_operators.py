"""tests/simulator/sql_operators.py - operators of mutation for the body of an SQL or PL/pgSQL
function. Each takes the text and the text without comments and strings, and yields changes: begin,
end, replacement."""

import re

# What ends a condition or a clause, outside of parentheses.
ENDS = r"and|or|then|when|else|elsif|end|if|from|where|group|order|limit|offset|returning|union|window|for|on|loop|as|" \
       r"left|cross|join|using|set"
CLAUSE_ENDS = r"group|order|limit|offset|returning|union|window|for|on|loop|left|cross|join|then"
COMPARED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "=": "<>", "<>": "="}


def masked(text):
    """Comments and strings as blanks, so that places stay."""
    return re.sub(r"--[^\n]*|'(?:[^']|'')*'", lambda match: " " * len(match[0]), text)


def end_of(code, at, ends):
    """Where a condition that begins here ends."""
    depth = 0
    for match in re.compile(rf"[()\[\],;]|\b(?:{ends})\b").finditer(code, at):
        word = match[0]
        if word in "([":
            depth += 1
        elif word in ")]":
            depth -= 1
            if depth < 0:
                return match.start()
        elif depth == 0:
            return match.start()
    return len(code)


def begin_of(code, until):
    """Where the condition that ends here begins, and the word before it."""
    depth = 0
    for match in reversed(list(re.finditer(rf":=|[()\[\],;]|\b(?:{ENDS}|select|by|return|not)\b", code[:until]))):
        word = match[0]
        if word in ")]":
            depth += 1
        elif word in "([":
            depth -= 1
            if depth < 0:
                return match.end(), word
        elif depth == 0:
            return match.end(), word
    return 0, ""


def boundary(_text, code):
    for match in re.finditer(r"(?<![:<>=|@!-])(<=|>=|<>|<|>|=)(?![<>=])", code):
        yield match.start(), match.end(), COMPARED[match[0]]


def arithmetic(_text, code):
    for match in re.finditer(r" ([+-]) (?![-])", code):
        yield match.start(1), match.end(1), "-" if match[1] == "+" else "+"


def constant(_text, code):
    for match in re.finditer(r"(?<![\w.$])\d+(?![\w.])", code):
        yield match.start(), match.end(), str(int(match[0]) + 1)
        yield match.start(), match.end(), str(int(match[0]) - 1)


def duration(text, _code):
    for match in re.finditer(r"interval '(\d+) ", text):
        yield match.start(1), match.end(1), str(int(match[1]) + 1)


def is_between(code, at):
    return re.search(r"\bbetween\b(?:(?!\band\b)[^;])*$", code[:at]) is not None


def dropped_term(_text, code):
    for match in re.finditer(r"\b(and|or)\b", code):
        if is_between(code, match.start()):
            continue
        yield match.start(), end_of(code, match.end(), ENDS), ""
        begin, word = begin_of(code, match.start())
        if word not in ("and", "or"):
            yield begin, match.end(), " "


def negated(text, code):
    for match in re.finditer(r"\b(if|elsif|when)\b", code):
        end = code.find("then", match.end())
        if end > 0 and not re.search(r"\b(if|when|exception)\b", code[match.end():end]):
            yield match.end(), end, f" not ({text[match.end():end].strip()}) "


def dropped_assignment(_text, code):
    for match in re.finditer(r"\bset\b(?! local)", code):
        begin, places = match.end(), []
        stop = end_of_assignments(code, begin)
        depth = 0
        for at in range(begin, stop):
            depth += code[at] in "(["
            depth -= code[at] in ")]"
            if code[at] == "," and depth == 0:
                places.append(at)
        edges = [begin, *places, stop]
        if len(edges) < 3:
            continue
        for i in range(len(edges) - 1):
            yield (edges[i], edges[i + 1], "") if i else (edges[0], edges[1] + 1, " ")


def end_of_assignments(code, at):
    depth = 0
    for match in re.compile(r"[(),;\[\]]|\b(?:from|where|returning)\b").finditer(code, at):
        depth += match[0] in "(["
        depth -= match[0] in ")]"
        if depth < 0 or (depth == 0 and match[0] not in "([)],"):
            return match.start()
    return len(code)


def dropped_statement(_text, code):
    begin = re.search(r"\bbegin\b", code)
    for match in re.compile(r"^[ ]+(?:[\w.]+ := [^;]*;|perform [^;]*;)", re.M).finditer(code, begin.end() if begin else len(code)):
        at = match.start() + len(match[0]) - len(match[0].lstrip())
        yield at, match.end(), "null;"


def dropped_where(_text, code):
    for match in re.finditer(r"\bwhere\b", code):
        yield match.start(), end_of(code, match.end(), CLAUSE_ENDS), ""


def dropped_lock(_text, code):
    for match in re.finditer(r"for (?:no key )?update(?: skip locked)?|\bskip locked", code):
        yield match.start(), match.end(), ""


def swapped(pairs):
    words = pairs | {new: old for old, new in pairs.items()}

    def changes(_text, code):
        for word, other in words.items():
            for match in re.finditer(rf"(?<![\w]){word}(?![\w])", code):
                yield match.start(), match.end(), other
    return changes


def coalesced(text, code):
    for match in re.finditer(r"\bcoalesce\(", code):
        edges, depth = [match.end()], 0
        for at in range(match.end(), len(code)):
            depth += code[at] in "(["
            depth -= code[at] in ")]"
            if depth < 0 or (depth == 0 and code[at] == ","):
                edges.append(at)
                if depth < 0:
                    break
        parts = [text[a:b].lstrip(", ") for a, b in zip(edges, edges[1:])]
        yield match.start(), edges[-1] + 1, f"({parts[0]})"
        yield match.start(), edges[-1] + 1, f"({parts[-1]})"


OPERATORS = {
    "comparison": boundary,
    "arithmetic sign": arithmetic,
    "constant +1, -1": constant,
    "interval +1": duration,
    "term of and, or dropped": dropped_term,
    "condition negated": negated,
    "assignment dropped": dropped_assignment,
    "statement dropped": dropped_statement,
    "where dropped": dropped_where,
    "row lock dropped": dropped_lock,
    "least, greatest, min, max": swapped({"least": "greatest", "min": "max"}),
    "null, true, exists negated": swapped({"is null": "is not null", "is not true": "is true", "true": "false",
                                           "is distinct from": "is not distinct from", "exists": "not exists"}),
    "coalesce": coalesced,
}
