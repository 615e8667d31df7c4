"""Texts use plain words: no phrase or old name of words/, no line of prose over 100 columns.

    prose.py PATH...            check the files under these paths; messages say what to write
    prose.py --long PATH...     list the sentences of more than 40 words; never fails
    prose.py --commits RANGE    check the subjects and bodies of these commits
    prose.py --self-test

Texts are pages (.md), comments of every language, and what customers read: the portal's pages and
mails, contracts and findings of tools, alerts, and sentences in the product's string literals. Word
lists, samples, prompts for models and code blocks in pages are not texts. A phrase is also found
when it continues on the next line.
"""

import bisect
import io
import os
import pathlib
import re
import subprocess
import sys
import tokenize

import lint
from words import names
from words.phrases import COMMENT, PAGE, PHRASES, TEXT

WIDTH = 100
SENTENCE_WORDS = 40
SUBJECT = 72

# "there is no X" and "there may be no X" are plain.
FINE = re.compile(r"\b[Tt]here\s+(?:\w+\s+){0,2}(?:is|are|was|were|be|been)\s+no(?:ne)?\b[^\n]?")
PATTERNS = [(re.compile(pattern.replace(" ", r"\s+"), re.MULTILINE), advice, kinds)
            for pattern, advice, kinds in PHRASES]

# A replacement has the length of what it replaces, so an offset in a text is one in its file.
FENCE = re.compile(r"^([ \t]*)(```+|~~~+).*?^[ \t]*\2[ \t]*$", re.DOTALL | re.MULTILINE)
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\s*\n).){1,300}?(?<!`)\1(?!`)", re.DOTALL)
URL = re.compile(r"https?://[^\s)>\]]+|\]\([^)\s]*\)")
C = re.compile(r'(?P<text>"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*)|\'(?:\\.|[^\'\\\n])*\''
               r"|(?P<comment>/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*)", re.DOTALL)
JS = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\])*`'
                r"|(?P<comment>/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*)", re.DOTALL)
DASHES = re.compile(r"(?P<text>'(?:''|[^'])*')|(?P<comment>--[^\n]*(?:\n[ \t]*--[^\n]*)*)")
HASHES = re.compile(r'(?<!\w)"(?:\\.|[^"\\\n])*"|(?<!\w)\'[^\'\n]*\'(?!\w)'
                    r"|(?P<comment>(?:^|(?<=[ \t]))#(?!!)[^\n]*(?:\n[ \t]*#[^\n]*)*)", re.MULTILINE)
LUA = re.compile(r"(?P<comment>--[^\n]*(?:\n[ \t]*--[^\n]*)*)")
BY_SUFFIX = {".c": C, ".h": C, ".def": C, ".proto": C, ".js": JS, ".mjs": JS, ".ts": JS, ".css": JS, ".sql": DASHES,
             ".lua": LUA, ".yaml": HASHES, ".yml": HASHES, ".build": HASHES, ".cfg": HASHES, ".conf": HASHES,
             ".sh": HASHES, "Makefile": HASHES, "Dockerfile": HASHES, "meson_options.txt": HASHES}
DECORATION = re.compile(r"/\*+|\*+/|^[ \t]*(?:\*+(?=\s|$)|//+|#+(?!\w)|--+)|^[ \t]*#+|//+|#:?(?= )", re.MULTILINE)

# Files that are texts as a whole, except what TEMPLATE and CONTRACT_EXAMPLES find in them.
WHOLE = re.compile(r"portal/(?:pages|mails)/.+|svc-[a-z]+/(?P<tool>[a-z0-9-]+)/(?P=tool)\.yaml|svc-[a-z]+/group\.yaml"
                   r"|svc-[a-z]+/[a-z0-9-]+/findings\.yaml|docs/tools/texts\.yaml|scripts/tool/tool\.yaml"
                   r"|deploy/observability/.+\.ya?ml")
TEMPLATE = re.compile(r"\{\{.*?\}\}")
CONTRACT_EXAMPLES = re.compile(r"^examples:.*\n(?:[ #-].*\n|\n)*", re.MULTILINE)

# Built, generated, or samples.
UNTRACKED = re.compile(r"(?:.*/)?(?:build[^/]*|var|\.git|\.cache|node_modules|__pycache__|\.pytest_cache)")
FOREIGN = re.compile(r"tests/(?:fuzz/|check/)?corpus(?:/.*)?|tests/sites/[^/]+/.*|docs/tools/[^/]+\.md|.*\.min\.css"
                     r"|.*/package-lock\.json|clients/.*/tools\.(?:py|d\.ts)")
TABLES = ("tests/lint/prose.py", "tests/lint/words/names.py")  # these have the old names
TESTS = re.compile(r"(?:.*/)?tests/")
# Files whose strings are not sentences for people: data of tools, prompts for models.
DATA_STRINGS = re.compile(r"common/text/language\.def|svc-utils/token-counter/letters/.*|common/base/writing/.*"
                          r"|svc-email/address/bigrams\.def|svc-ai/ai-image-generate/[a-z-]+\.def"
                          r"|svc-ai/(?:model/[a-z-]+|ai-alt-text/lead-in)\.def"
                          r"|svc-email/email-spam-check/sets\.def|svc-security/seo-analyze/survey/link-text\.def"
                          r"|svc-ai/model/question\.c|svc-utils/jwt-decode/secrets\.def")
WORD = re.compile(r"[^\W\d_]{2,}")
STATEMENT = re.compile(r'[a-z]*["\']+\s*(?:select|insert|update|delete|with|declare|fetch|lock|create|call|set)\b',
                       re.IGNORECASE)
QUOTES = re.compile(r"\A[a-z]*[\"']+|[\"']+\Z")
BRACES = re.compile(r"\{[^{}]*\}")


class Text:
    """A passage of a file: its kind, its offset, and its words; blanks replace everything else."""

    def __init__(self, kind, start, said):
        self.kind, self.start, self.said = kind, start, said


def blank(found):
    return re.sub(r"[^\n]", " ", found.group())


def covered(found):
    """Replace code with characters that no phrase has, so no phrase spans it."""
    return re.sub(r"[^\s]", "`", found.group())


def page_texts(content):
    said = FENCE.sub(blank, content)
    said = re.sub(r"<!--|-->", blank, said)
    yield Text(PAGE, 0, URL.sub(covered, CODE_SPAN.sub(covered, said)))


def undecorated(said):
    return CODE_SPAN.sub(covered, DECORATION.sub(blank, URL.sub(covered, said)))


def is_sentence(literal):
    return len(WORD.findall(literal)) >= 3 and " " in literal and not STATEMENT.match(literal)


def literal_text(literal):
    said = re.sub(r"([\"'])\s*\1", blank, literal)
    said = re.sub(r"\\.|%[-+ #0-9.*]*(?:l|ll|z|j|h)*[a-zA-Z]", lambda found: "`" * len(found.group()), said)
    return URL.sub(covered, QUOTES.sub(blank, said))


def code_texts(path, content, pattern):
    with_strings = pattern in (C, DASHES) and not TESTS.match(path) and not DATA_STRINGS.fullmatch(path)
    for found in pattern.finditer(content):
        if found.lastgroup == "comment":
            yield Text(COMMENT, found.start(), undecorated(found.group()))
        elif found.lastgroup == "text" and with_strings and is_sentence(found.group()):
            yield Text(TEXT, found.start(), literal_text(found.group()))


def whole_strings(tokens):
    """The tokens, each f-string as one STRING; Python 3.12 and later split them."""
    begin, end = (getattr(tokenize, name, None) for name in ("FSTRING_START", "FSTRING_END"))
    depth = 0
    for token in tokens:
        if token.type == begin:
            first = first if depth else token
            depth += 1
        elif token.type == end:
            depth -= 1
            if depth == 0:
                yield tokenize.TokenInfo(tokenize.STRING, "", first.start, token.end, first.line)
        elif depth == 0:
            yield token


def python_texts(content, with_strings):
    """Comments, those of consecutive lines as one, docstrings, and sentences in strings."""
    starts = [0, *(found.end() for found in re.finditer("\n", content))]
    last, comment = tokenize.NEWLINE, None
    for token in whole_strings(tokenize.generate_tokens(io.StringIO(content).readline)):
        start, end = (starts[row - 1] + column for row, column in (token.start, token.end))
        if token.type == tokenize.COMMENT:
            if comment and not content[comment[1]:start].strip() and content.count("\n", comment[1], start) == 1:
                comment = (comment[0], end)
            else:
                if comment:
                    yield Text(COMMENT, comment[0], undecorated(content[slice(*comment)]))
                comment = None if content.startswith("#!", start) else (start, end)
        elif token.type == tokenize.STRING and last in (tokenize.NEWLINE, tokenize.INDENT):
            yield Text(COMMENT, start, QUOTES.sub(blank, undecorated(content[start:end])))
        elif token.type == tokenize.STRING and with_strings and is_sentence(content[start:end]):
            yield Text(TEXT, start, BRACES.sub(covered, literal_text(content[start:end])))
        if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.DEDENT):
            last = token.type
    if comment:
        yield Text(COMMENT, comment[0], undecorated(content[slice(*comment)]))


def whole_text(content):
    said = CONTRACT_EXAMPLES.sub(blank, content)
    said = TEMPLATE.sub(covered, said)
    yield Text(TEXT, 0, undecorated(said))


def texts(path, content):
    name = path.rpartition("/")[2]
    suffix = pathlib.PurePath(name).suffix
    if suffix == ".md" or name == "NOTICE":
        yield from page_texts(content)
    elif suffix == ".py" or content.startswith("#!") and "python" in content.partition("\n")[0]:
        yield from python_texts(content, not TESTS.match(path))
    elif WHOLE.fullmatch(path):
        yield from whole_text(content)
    else:
        pattern = BY_SUFFIX.get(suffix or name) or BY_SUFFIX.get(name)
        if not pattern and re.match(r"#!.*sh\b", content):
            pattern = HASHES
        if pattern:
            yield from code_texts(path, content, pattern)


class Lines:
    """The line number of an offset, from 1."""

    def __init__(self, content):
        self.ends = [found.start() for found in re.finditer("\n", content)]

    def at(self, offset):
        return bisect.bisect_left(self.ends, offset) + 1


def phrases(text):
    """(offset, phrase, advice)"""
    fine = [found.span() for found in FINE.finditer(text.said)]
    for pattern, advice, kinds in PATTERNS:
        if text.kind not in kinds:
            continue
        for found in pattern.finditer(text.said):
            group = "at" if "at" in pattern.groupindex else 0
            if not any(start <= found.start(group) < end for start, end in fine):
                yield text.start + found.start(group), " ".join(found[group].split()), advice


# Lines of pages that cannot be wrapped: tables, headings, code, images, link definitions.
UNWRAPPED = re.compile(r" *\||#|    |\t|!\[|\[[^\]]+\]: ")
COLUMNS = re.compile(r"\S {3,}\S")  # a table in a comment


def wide_lines(text, content):
    """Offsets of the lines of prose that are too long; URLs do not count."""
    begin = content.rfind("\n", 0, text.start) + 1
    if content[begin:text.start].strip():
        begin = text.start + (text.said + "\n").index("\n") + 1  # a comment after code is not wrapped
    for found in re.finditer(r"[^\n]{%d,}" % (WIDTH + 1), content[:text.start + len(text.said)][begin:]):
        line, at = found.group(), begin + found.start()
        is_code = text.kind == PAGE and (UNWRAPPED.match(line) or not text.said[at:at + len(line)].strip())
        is_table = text.kind == COMMENT and COLUMNS.search(line)
        if not is_code and not is_table and len(URL.sub("", line)) > WIDTH:
            yield at


# The end of a paragraph: an empty line, list item, table row, YAML key or HTML tag.
BREAK = re.compile(r"\n\s*\n|\n\s*(?:[-*|]|\d+\.)\s|\n\s*(?:- )?[\w-]+:\s|[<>|]")
SENTENCE = re.compile(r"(?:[^.!?]|[.!?](?!\s))+")
ANY_WORD = re.compile(r"\S*\w\S*")


def long_sentences(text):
    """(offset, number of words)"""
    begin = 0
    for end in [*(found.start() for found in BREAK.finditer(text.said)), len(text.said)]:
        for found in SENTENCE.finditer(text.said, begin, end):
            count = len(ANY_WORD.findall(found.group()))
            if count > SENTENCE_WORDS:
                yield text.start + found.start() + len(found.group()) - len(found.group().lstrip()), count
        begin = end


NAME = re.compile(r"(?<![A-Za-z0-9_.])(" + "|".join(sorted(map(re.escape, names.NAMES), key=len, reverse=True)) +
                  r")(?:_(?:count|sum|bucket))?(?![A-Za-z0-9_])")
C_NAME = re.compile(r"\b(?:" + "|".join(names.C_NAMES) + r")\b")


def old_names(path, content):
    """(offset, old name, new name)"""
    if path in TABLES:
        return
    for found in NAME.finditer(content):
        yield found.start(), found[1], names.NAMES[found[1]]
    if path.endswith((".c", ".h")):
        for found in C_NAME.finditer(content):
            yield found.start(), found.group(), new_c_name(found.group())


def new_c_name(name):
    return next(now for pattern, now in names.C_NAMES.items() if re.fullmatch(pattern, name))


def files(*paths):
    """(root of the tree, file) of all files to check."""
    for path in paths:
        root = next((above for above in (path, *path.parents) if (above / "meson_options.txt").exists()), path)
        for place, folders, found in os.walk(path) if path.is_dir() else [(str(path.parent), [], [path.name])]:
            here = pathlib.Path(place)
            folders[:] = sorted(name for name in folders if not UNTRACKED.fullmatch(name))
            for name in sorted(found):
                file = here / name
                if file.is_file() and not file.is_symlink() and not FOREIGN.fullmatch(str(file.relative_to(root))):
                    yield root, file


def read(file):
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def old_path(path):
    return next(((old, now) for old, now in names.FILES.items() if re.search(old, path)), None)


def check(*paths):
    for root, file in files(*paths):
        path = str(file.relative_to(root))
        content = read(file)
        lines = Lines(content)
        problems = [(lines.at(offset), f'"{old}" is an old name: write {now}')
                    for offset, old, now in old_names(path, content)]
        moved = old_path(path)
        if moved:
            problems.append((1, f"an old name of a file: write {moved[1]}"))
        for text in texts(path, content):
            problems += [(lines.at(offset), f'"{said}": {advice}') for offset, said, advice in phrases(text)]
            if text.kind == COMMENT or path.endswith(".md"):
                problems += [(lines.at(offset), f"longer than {WIDTH} columns: wrap it")
                             for offset in wide_lines(text, content)]
        for line, problem in sorted(problems):
            yield f"{path}:{line}: {problem}"


def list_long_sentences(*paths):
    for root, file in files(*paths):
        path = str(file.relative_to(root))
        content = read(file)
        lines = Lines(content)
        for text in texts(path, content):
            for offset, count in long_sentences(text):
                print(f"{path}:{lines.at(offset)}: a sentence of {count} words")


def commit_problems(name, message):
    subject, _, body = message.partition("\n")
    if len(subject) > SUBJECT:
        yield f"{name}: the subject has {len(subject)} characters: write at most {SUBJECT}"
    if not re.match(r"[\w./, -]+: \S", subject):
        yield f'{name}: write the subject as "area: what it does now"'
    for _, said, advice in phrases(Text(PAGE, 0, CODE_SPAN.sub(covered, message))):
        yield f'{name}: "{said}": {advice}'
    if any(len(line) > WIDTH for line in URL.sub("", body).splitlines()):
        yield f"{name}: a line longer than {WIDTH} columns: wrap it"


def check_commits(commits):
    done = subprocess.run(["git", "log", "-z", "--format=%h %B", commits], check=True, capture_output=True, text=True)
    for entry in filter(None, done.stdout.split("\0")):
        name, _, message = entry.partition(" ")
        yield from commit_problems(name, message)


def commit_example_holds(example):
    message, expected = example
    problems = list(commit_problems("0123456", message))
    if len(problems) != expected:
        print(f"{message!r}: {expected} problems expected, found {problems}")
    return len(problems) == expected


def main(arguments):
    if arguments[:1] == ["--long"]:
        list_long_sentences(*(pathlib.Path(path).resolve() for path in arguments[1:]))
    elif arguments == ["--self-test"] and not all(map(commit_example_holds, COMMITS)):
        sys.exit(1)
    elif arguments[:1] == ["--commits"] and len(arguments) == 2:
        problems = list(check_commits(arguments[1]))
        print("\n".join([*problems, f"{len(problems)} problems"]))
        sys.exit(1 if problems else 0)
    else:
        lint.run(check, EXAMPLES, FIX)


FIX = "write what the message says; a phrase's row is in tests/lint/words."


def page(text):
    return {"docs/a.md": text}


def comment(text):
    return {"gateway/a.c": f"/* {text} */\nint x;\n"}


CONTRACT = "svc-x/tool/tool.yaml"
WIDE = "word " * 20 + "words"
EXAMPLES = [
    ("nothing", {}, 0),
    ("plain words", page("# A\n\nThe gateway rejects a token that has expired. It returns 401.\n"), 0),
    ("is none", page("A port that is none.\n"), 1),
    ("is no", comment("The token is no token."), 1),
    ("no longer, no more than", comment("It is no longer valid, and is no more than 3."), 0),
    ("there is no", page("There is no limit. If there is none, there can be no call.\n"), 0),
    ("a value in code", page("When the mode is `none` or \"none\", nothing is sent.\n"), 0),
    ("over the end of a line", comment("a port is\n * none that it knows"), 1),
    ("over the end of a line of SQL", {"gateway/a.sql": "-- this is\n-- none\nselect 1;\n"}, 1),
    ("over the end of a line of Python", {"a.py": "x = 1\n# it is\n# none\n"}, 1),
    ("not from one comment to the next", {"gateway/a.c": "/* it is */\n/* none */\n"}, 0),
    ("Who as a subject", comment("Who asks, waits."), 1),
    ("in the middle", page("It waits. Who asks again waits longer.\n"), 1),
    ("a question", comment("Who owns the memory? The caller."), 0),
    ("people who", page("People who sign up get credits.\n"), 0),
    ("for who", page("A page for who signs up; whoever that is.\n"), 2),
    ("he", comment("The customer gets his credits when he pays"), 2),
    ("the language he", {"gateway/a.c": '/* "he" is Hebrew */\nputs("he");\n'}, 1),
    ("stands", page("The price stands in the contract.\n"), 1),
    ("stand-in, standard", page("A stand-in for the standard.\n"), 0),
    ("of ours", page("A file of ours, or of its own.\n"), 2),
    ("told", page("A client is told to wait, which tells much.\n"), 2),
    ("a sentence of agents", page("Tell the user, and stop.\n"), 0),
    ("a function that tells", comment("as ftell() and tell() do"), 0),
    ("beside", page("The file beside it.\n"), 1),
    ("a file of that name", page("`deploy/beside.yaml` and deploy/swarm/beside.yaml\n"), 0),
    ("sessions end", comment("The session ends; the edge ends TLS."), 2),
    ("the end of a connection", comment("at the end of the connection, and its session's end"), 0),
    ("refuse in a page", page("The gateway refuses it.\n"), 1),
    ("refuse in a comment", comment("The gateway refuses it."), 0),
    ("connection refused", page("The error is connection refused, or target_refused.\n"), 0),
    ("a response", page("The HTTP answer is short; it answers 503.\n"), 2),
    ("a block of code", page("```\nit is none\n```\n\nIt is none.\n"), 1),
    ("a sentence in C", {"gateway/a.c": 'fail("the port is none of ours");\n'}, 2),
    ("in two literals", {"gateway/a.c": 'fail("the port is "\n     "none there");\n'}, 1),
    ("words in C", {"gateway/a.c": 'puts("his");\n'}, 0),
    ("a statement", {"gateway/a.c": 'sql("SELECT who FROM told WHERE he is none");\n'}, 0),
    ("samples of tests", {"tests/unit/a.c": 'f("he is told so");\n', "svc-x/tests/a.c": 'f("he is told so");\n'}, 0),
    ("comments of tests", {"tests/unit/a.c": "/* he is told so */\n"}, 2),
    ("a docstring", {"tests/a.py": 'def f():\n    """What he is told."""\n    return "He is told so."\n'}, 2),
    ("a sentence in Python", {"deploy/a.py": 'print(f"{name} is told so")\n'}, 1),
    ("a script", {"deploy/docker/run": "#!/bin/sh\n# it is none\necho 1\n"}, 1),
    ("a number sign in a string", {"a.yaml": 'a: ["no # it is none", \'or # he\']  # it is none\n'}, 1),
    ("a Makefile", {"Makefile": "run: ## he runs it\n"}, 1),
    ("HAProxy", {"deploy/edge/haproxy.cfg": "# whoever asks\nglobal\n"}, 1),
    ("JavaScript", {"portal/static/a.js": 'const a = "he"; // whoever asks\n'}, 1),
    ("a contract", {CONTRACT: "summary: Tell it\nexamples:\n  - request: { input: he is told }\nerrors: [a]\n"}, 1),
    ("other data", {"svc-x/tool/words.yaml": "# whoever\n- he is told\n"}, 1),
    ("a page of the portal", {"portal/pages/a.html": "<p>{{he}} A line for the shell</p>\n"}, 1),
    ("a mail", {"portal/mails/text/a.txt": "All sessions have ended.\nThe link is none.\n"}, 1),
    ("not our text", {"docs/tools/a.md": "it is none\n", "tests/sites/a/b.conf": "# it is none\n"}, 0),
    ("a line of 100 columns", page("x" * 5 + " word" * 19 + "\n"), 0),
    ("a wider one", page(WIDE + "\n"), 1),
    ("in a list", page("- " + WIDE + "\n"), 1),
    ("a table, a heading, code", page(f"| {WIDE} |\n\n# {WIDE}\n\n```\n{WIDE}\n```\n\n    {WIDE}\n"), 0),
    ("a link", page(f"See [the page](https://example.com/{'x' * 90}).\n"), 0),
    ("a wide comment", {"gateway/a.sql": f"-- {WIDE}\nselect 1;\n"}, 1),
    ("a table in a comment", {"a.yaml": f"#   key    {WIDE}\n"}, 0),
    ("behind code", {"a.py": f"x = 1  # {WIDE}\n"}, 0),
    ("a wide docstring", {"a.py": f'"""A.\n\n{WIDE}\n"""\n'}, 1),
    ("wide code", {"a.py": f'x = "{WIDE}"  # it\n'}, 0),
    ("an old metric", page("`worker_up` and rate(model_call_seconds_bucket[5m])\n"), 2),
    ("the new one", page("`tollgate_build_info`\n"), 0),
    ("an old key", {"deploy/x.env": "SVC_SLOTS=3\nTOLLGATE_SVC_SLOTS=3\n"}, 2),
    ("a module of that name", {"a.py": "from kit.portal.files import x\n"}, 0),
    ("an old function", {"gateway/a.c": "struct trip *t = trip_new();\n"}, 2),
    ("a word like it", {"gateway/a.c": "/* a round trip */\nint trip;\n"}, 0),
    ("an old file", {"common/base/os/bell.c": ""}, 1),
    ("what is built", {"build/a.md": "it is none\n", "var/a.md": "it is none\n"}, 0),
    ("two in a line", page("he is told\n"), 2),
]

COMMITS = [
    ("gateway: a full queue returns 503\n\nThe client retries.\n", 0),
    ("a full queue returns 503\n", 1),
    ("gateway: " + "x" * 64 + "\n", 1),
    ("tests, docs: who is told is none\n\nIt is told so.\n", 3),
    (f"gateway: it\n\n{WIDE}\n", 1),
    ("gateway: `is none` becomes `is not`\n", 0),
]

if __name__ == "__main__":
    main(sys.argv[1:])
