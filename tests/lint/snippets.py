"""Code in pages and headers is code that is run or compiled.

- In a page, a block of code after a comment <!-- examples/… --> is a part of that file, with
  consecutive whole lines.
- In a header, an indented block of a comment that contains a statement is a part of a C file,
  preferably of a unit test. A line `…` means omitted lines. Indentation is ignored.
"""

import re

import lint

SHOWN = re.compile(r"^<!-- (examples/\S+) -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"^<!-- examples/", re.MULTILINE)

PRODUCT = ("common", "gateway", "portal", "browser", "svc-*")
BLOCK = re.compile(r"(?:^ \*     .*\n)+", re.MULTILINE)
STATEMENT = re.compile(r"[(=].*;$", re.MULTILINE)
LEFT_OUT = "\n…\n"


def flat(text):
    return "\n".join(line.strip() for line in text.splitlines())


def is_part_of(block, text):
    """Does text have the block's lines, in order? A declaration matches its definition."""
    pieces = flat(block).removesuffix(";").split(LEFT_OUT)
    wanted = r"\n(?:.*\n)*?".join(map(re.escape, pieces))
    return re.search(rf"^{wanted};?$", text, re.MULTILINE) is not None


def check_headers(root):
    sources = [flat(file.read_text(encoding="utf-8")) for file in lint.c_files(root) if file.suffix == ".c"]
    for file in (file for file in lint.c_files(root, PRODUCT) if file.suffix == ".h"):
        text = file.read_text(encoding="utf-8")
        for found in BLOCK.finditer(text):
            block = re.sub(r"^ \*", "", found[0], flags=re.MULTILINE)
            if STATEMENT.search(block) and not any(is_part_of(block, source) for source in sources):
                yield (f"{file.relative_to(root)}:{text.count(chr(10), 0, found.start()) + 1}: no C file contains this "
                       "example")


def check(root):
    yield from check_pages(root)
    yield from check_headers(root)


def check_pages(root):
    shown = 0
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        found = list(SHOWN.finditer(text))
        shown += len(found)
        if len(found) != len(MARK.findall(text)):
            yield f"{page.relative_to(root)}: a comment names an example, but no code block follows"
        for block in found:
            line = text.count("\n", 0, block.start()) + 1
            file = root / block[1]
            if not file.exists():
                yield f"{page.relative_to(root)}:{line}: {block[1]} does not exist"
            elif "\n" + block[2] not in "\n" + file.read_text(encoding="utf-8"):
                yield f"{page.relative_to(root)}:{line}: the code block differs from {block[1]}"
    if shown == 0:
        yield "README.md: there is no example"


def page(block, name="a.py"):
    return {"README.md": f"text\n\n<!-- examples/{name} -->\n```python\n{block}```\n",
            "examples/a.py": "one\n  two\nthree\n"}


def header(block, source):
    comment = "".join(f" *     {line}\n" for line in block.splitlines())
    return page("one\n") | {"common/a.h": f"/*\n * A module:\n *\n{comment} *\n */\n", "tests/unit/a.c": source}


EXAMPLES = [
    ("a test has it", header("a();\nif (b)\n    c = d;", "{\n    a();\n    if (b)\n        c = d;\n}\n"), 0),
    ("other code", header("a();\nc = d;", "a();\nb();\nc = d;\n"), 1),
    ("omitted lines", header("a();\n…\nc = d;", "a();\nb();\nc = d;\n"), 0),
    ("in another order", header("a();\n…\nc = d;", "c = d;\na();\n"), 1),
    ("only the end of a line", header("a();", "b = a();\n"), 1),
    ("only its beginning", header("a = b;", "a = b + c;\n"), 1),
    ("a definition", header("int f(int x);", "int f(int x)\n{\n}\n"), 0),
    ("a table", header("key   what it means; and more;", ""), 0),
    ("only in the header", header("a();", ""), 1),
    ("a part", page("  two\nthree\n"), 0),
    ("all of it", page("one\n  two\nthree\n"), 0),
    ("different indentation", page("two\nthree\n"), 1),
    ("a missing line", page("one\nthree\n"), 1),
    ("half a line", page("on\n"), 1),
    ("no such file", page("one\n", "b.py"), 1),
    ("no code block", page("one\n") | {"README.md": "<!-- examples/a.py -->\ntext\n" + page("one\n")["README.md"]}, 1),
    ("no example", {"README.md": "text\n"}, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "copy the lines from the file that the page names, or those of a header from a unit test.")
