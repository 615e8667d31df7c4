"""A test names each finding code of a tool, and its page lists each code that its source passes.

The codes are the rows of the tables in findings.yaml. The tests are those in the tool's folder, in
tests/unit/svc-<group> and in tests/api/<group>.

In the groups PASSING, functions take codes as their parameter `code`: issues of the chat tools,
warnings of the AI tools, warnings and notes of the utilities. There the codes of a tool are the
literals that it passes for this parameter, and those that the shared functions it calls pass. They
are rows CODE("code", …). Tables with other macros are part of the source, which includes them.
"""

import re
from collections import defaultdict

import lint
import yaml

# Tables whose tests do not name all codes yet. Remove tables from this list, never add one.
OPEN = {"svc-security/openapi-validate/diff/diff.def", "svc-security/openapi-validate/document/rules.def"}

PASSING = ("svc-ai", "svc-chat", "svc-utils")

# Tools that find only a few issues per list, and never more than ISSUES_MAX
# (svc-chat/findings/issues.h): their results never have the code MANY.
FEW_ISSUES = {"chatplatform-bot-invite", "chatplatform-cdn-resolve", "chatplatform-intents-calc",
              "chatplatform-snowflake-decode", "chatplatform-text-sanitize"}
MANY = "issues_truncated"

ARGUMENT = re.compile(r'\s*((?:"(?:\\.|[^"\\])*"|[^,()"]|\([^()]*\))*)[,)]')

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
LITERAL = re.compile(r'"(\w+)"')
PARAMETER = re.compile(r"const char \*(?:\w+_)?code$")
FUNCTION = re.compile(r"^[a-z][\w *]*?(\w+)\(([^;{}()]*)\)(?=\s*[;{]|\s+__attribute__)", re.MULTILINE)
BODY = re.compile(r"^[a-z][\w *]*?(\w+)\([^;{}]*\)\n\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
MACRO = re.compile(r"^#define (\w+)\(([^)]*)\) (?:\\\n)?\s*(\w+)\((.*)\)$", re.MULTILINE)
ROWS = re.compile(r"struct \w+ \{([^{}]*)\} \w+\[\] = \{(.*?)\n\};", re.DOTALL)
FORWARDED = re.compile(r"(?:\w+_)?code")
MEMBER = re.compile(r"[\w\[\]>.-]+(?:->|\.)code")


def arguments(text, macro):
    """The arguments of each use of the macro at the start of a line."""
    for use in re.finditer(rf"^{macro}\(", text, re.MULTILINE):
        at, found = use.end(), []
        while True:
            argument = ARGUMENT.match(text, at)
            if not argument:
                break
            found.append(argument[1].strip().strip('"'))
            at = argument.end()
            if text[at - 1] == ")":
                break
        yield found


def tables(root):
    """(path, macro, position of the code) of each table that a page shows."""
    for file in sorted(root.glob("svc-*/*/findings.yaml")):
        for table in yaml.safe_load(file.read_text(encoding="utf-8")):
            if table["table"] not in OPEN:
                yield table["table"], table["macro"], next(iter(table["columns"].values()))


def words(root, group):
    """All words in the tests of a group that could be codes."""
    folders = (root / "tests" / "unit" / group, root / "tests" / "api" / group.removeprefix("svc-"),
               *(root / group).glob("*/tests"))
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    return {word for file in files for word in re.findall(r"[\w.-]*\w", file.read_text(encoding="utf-8", errors="ignore"))}


def check_tests(root):
    seen = {}
    for table, macro, place in tables(root):
        group = table.split("/")[0]
        if group not in seen:
            seen[group] = words(root, group)
        for row in arguments((root / table).read_text(encoding="utf-8"), macro):
            if row[place] not in seen[group]:
                yield f"{table}: no test of {group} names {row[place]}"


def split(text):
    """The arguments of a call, from the text after its parenthesis."""
    depth, quoted, found = 0, False, [""]
    for at, letter in enumerate(text):
        if letter == '"' and text[at - 1] != "\\":
            quoted = not quoted
        if not quoted and letter in "([{":
            depth += 1
        if not quoted and letter in ")]}":
            depth -= 1
            if depth < 0:
                break
        if letter == "," and depth == 0 and not quoted:
            found.append("")
        else:
            found[-1] += letter
    return [argument.strip() for argument in found]


def takers(texts):
    """{function or macro: position of its parameter `code`}"""
    found = {}
    for text in texts:
        for name, parameters in FUNCTION.findall(text):
            places = [place for place, one in enumerate(split(parameters)) if PARAMETER.match(one)]
            if places:
                found[name] = places[0]
    for text in texts:
        for name, parameters, inner, arguments in MACRO.findall(text):
            if inner in found and split(arguments)[-1] == "__VA_ARGS__" and len(split(arguments)) == found[inner] + 1:
                found[name] = parameters.count(",")
    return found


def table_codes(text):
    """The codes in tables of structures with a member `code`."""
    for members, rows in ROWS.findall(text):
        names = re.findall(r"(\w+);", re.sub(r"(\w+), (\w+);", r"\1; \2;", members))
        for row in re.findall(r"\{([^{}]*)\}", rows) if "code" in names else ():
            yield from LITERAL.findall(split(row)[names.index("code")])


def passed(text, functions, file):
    """(codes passed or initialized in a text of a file, arguments that the lint cannot read)"""
    text = MACRO.sub("", text)
    codes, unread = set(re.findall(r'\.code = "(\w+)"', text)), []
    for call in re.finditer(r"\b(\w+)\(", text):
        arguments = split(text[call.end():]) if call[1] in functions else []
        if len(arguments) <= functions.get(call[1], 0):
            continue
        argument = arguments[functions[call[1]]].partition("?")
        argument = argument[2] or argument[0]  # without the condition
        if LITERAL.search(argument):
            codes |= set(LITERAL.findall(argument))
        elif MEMBER.fullmatch(argument):
            codes |= set(table_codes(file))
        elif not FORWARDED.fullmatch(argument) and not PARAMETER.match(argument):
            unread.append(f"{call[1]}: cannot read the code in {argument}")
    return codes, unread


def codes_of_functions(texts, functions):
    """{function defined in these files: codes that it passes, also through others of them}"""
    codes, calls = defaultdict(set), defaultdict(set)
    for text in texts:
        for name, body in BODY.findall(text):
            codes[name] |= passed(body, functions, text)[0]
            calls[name].update(re.findall(r"(\w+)\(", body))
    while True:
        more = {name: own.union(*(codes[called] for called in calls[name] & codes.keys()))
                for name, own in codes.items()}
        if more == codes:
            return more
        codes = more


def sources(folder):
    return {file: COMMENT.sub("", file.read_text(encoding="utf-8")) for file in sorted(folder.rglob("*.[ch]"))
            if "tests" not in file.relative_to(folder).parts}


def listed_codes(folder, root):
    """The codes on the tool's page."""
    file = folder / "findings.yaml"
    return {code for table in (yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else [])
            for code in re.findall(r'^CODE\("(\w+)"', (root / table["table"]).read_text(encoding="utf-8"), re.MULTILINE)}


def check_passed(root, group):
    texts = sources(root / group)
    functions = takers(texts.values())
    tools = {file.parent for file in lint.contracts(root) if group in file.parts}
    shared = codes_of_functions([text for file, text in texts.items() if not tools.intersection(file.parents)],
                                functions)
    for file, text in texts.items():
        yield from (f"{file.relative_to(root)}: {problem}" for problem in passed(text, functions, text)[1])
    for tool in sorted(tools):
        codes = set()
        for text in (text for file, text in texts.items() if tool in file.parents):
            called = re.findall(r"(\w+)\(", text)
            codes |= passed(text, functions, text)[0].union(*(shared.get(name, ()) for name in called))
        if tool.name in FEW_ISSUES:
            codes.discard(MANY)
        page = listed_codes(tool, root)
        yield from (f"{tool.relative_to(root)}: the page does not list {code}" for code in sorted(codes - page))
        yield from (f"{tool.relative_to(root)}: no source passes {code}" for code in sorted(page - codes))


def check(root):
    yield from check_tests(root)
    for group in PASSING:
        yield from check_passed(root, group)


TEXT = """- { heading: Findings, table: svc-x/found.def, macro: FOUND, columns: { code: 1, message: 2 } }
"""
TABLE = {"svc-x/t/findings.yaml": TEXT, "svc-x/found.def": 'FOUND(ONE, one-code, "a, (b) \\"c\\"")\nFOUND(TWO, "two.code", F(1, 2))\n'}

ADD = "void add(struct list *list, const char *code, const char *format, ...);\n"
PASSED_TEXT = "- { heading: Codes, table: svc-chat/t/codes.def, macro: CODE, columns: { code: 0, meaning: 1 } }"
LISTED = {"svc-chat/t/t.yaml": "tool: t\n", "svc-chat/add.h": ADD, "svc-chat/t/findings.yaml": PASSED_TEXT,
          "svc-chat/t/codes.def": 'CODE("one_code", "a, b")\n', "svc-chat/t/tests/cases.yaml": "code: one_code"}
MACROS = "#define ADD_AT(at, ...) add((at)->list, __VA_ARGS__)\n"
ROW_TABLE = 'static const struct row {\n int a, b;\n const char *code;\n} rows[] = {\n { 1, 2, "one_code" },\n { 1, 2, "b" },\n};\n'
SHARED = 'void shared(struct list *list)\n{\n add(list, "two", "…");\n}\n'
OTHERS = "void calls(struct list *list)\n{\n shared(list);\n}\nint calls_not(void)\n{\n return 1;\n}\n"
FEW = {"svc-chat/chatplatform-intents-calc/chatplatform-intents-calc.yaml": "tool: chatplatform-intents-calc\n",
       "svc-chat/chatplatform-intents-calc/a.c": 'shared(l); full(l);', "svc-chat/add.h": ADD,
       "svc-chat/s.c": SHARED + 'void full(struct list *list)\n{\n add(list, "issues_truncated", "…");\n}\n'}

EXAMPLES = [
    ("both are named", TABLE | {"tests/unit/svc-x/a/b.c": '"one-code "', "svc-x/t/tests/cases.yaml": "code: two.code"}, 0),
    ("one is not", TABLE | {"tests/unit/svc-x/a.c": '"one-code" "two.codes"'}, 1),
    ("by another group", TABLE | {"tests/unit/svc-y/a.c": '"one-code" "two.code"'}, 2),
    ("no tables", {"svc-x/found.def": "FOUND(ONE)"}, 0),
    ("listed", LISTED | {"svc-chat/t/t.c": 'add(list(1), "one_code", "x", "y");'}, 0),
    ("not listed", LISTED | {"svc-chat/t/t.c": 'add(l, "one_code", "x"); add(l, a("d") ? "two" : "three", "x");'}, 2),
    ("no longer passed", LISTED | {"svc-chat/t/t.c": '/* add(l, "one_code", "x"); */'}, 1),
    ("no table", {"svc-chat/t/t.yaml": "tool: t\n", "svc-chat/add.h": ADD, "svc-chat/t/t.c": 'add(l, "one_code", "x");'}, 1),
    ("by a macro", LISTED | {"svc-chat/t/t.h": MACROS, "svc-chat/t/t.c": 'ADD_AT(at, "one_code", "x"); ADD_AT(at, "two", "x");'}, 1),
    ("in a table", LISTED | {"svc-chat/t/t.c": ROW_TABLE + 'add(l, rows[1].code, "x");'}, 1),
    ("in a shared file", LISTED | {"svc-chat/s.c": SHARED, "svc-chat/t/t.c": 'add(l, "one_code", "x"); shared(l);'}, 1),
    ("in a shared file that is not used", LISTED | {"svc-chat/s.c": SHARED, "svc-chat/t/t.c": 'add(l, "one_code", "x");'}, 0),
    ("through another shared function", LISTED | {"svc-chat/s.c": SHARED + OTHERS, "svc-chat/t/t.c": 'add(l, "one_code", "x"); calls(l);'}, 1),
    ("in another shared function", LISTED | {"svc-chat/s.c": SHARED + OTHERS, "svc-chat/t/t.c": 'add(l, "one_code", "x"); calls_not();'}, 0),
    ("never more than ISSUES_MAX", FEW, 1),
    ("perhaps more", LISTED | {"svc-chat/s.c": FEW["svc-chat/s.c"], "svc-chat/t/t.c": 'add(l, "one_code", "x"); full(l);'}, 1),
    ("forwarded", LISTED | {"svc-chat/t/t.c": 'void f(const char *a_code)\n{\n add(l, a_code, "x");\n}\nf("one_code");'}, 0),
    ("not readable", LISTED | {"svc-chat/t/t.c": 'add(l, "one_code", "x"); add(l, word(1), "x");'}, 1),
    ("another group", {"svc-x/t/t.yaml": "tool: t\n", "svc-x/add.h": ADD, "svc-x/t/t.c": 'add(l, "one_code", "x");'}, 0),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "add a row with this code to the table or test that the line names.")
