"""What pages show of examples/ stands there: a block of code behind a comment <!-- examples/… --> is a piece
of that file, whole lines of it, one after the other."""

import re

import lint

SHOWN = re.compile(r"^<!-- (examples/\S+) -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"^<!-- examples/", re.MULTILINE)


def check(root):
    shown = 0
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        found = list(SHOWN.finditer(text))
        shown += len(found)
        if len(found) != len(MARK.findall(text)):
            yield f"{page.relative_to(root)}: a comment names an example, and no block of code is behind it"
        for block in found:
            line = text.count("\n", 0, block.start()) + 1
            file = root / block[1]
            if not file.exists():
                yield f"{page.relative_to(root)}:{line}: {block[1]} does not exist"
            elif "\n" + block[2] not in "\n" + file.read_text(encoding="utf-8"):
                yield f"{page.relative_to(root)}:{line}: that is no piece of {block[1]}"
    if shown == 0:
        yield "README.md: shows no example"


def page(block, name="a.py"):
    return {"README.md": f"text\n\n<!-- examples/{name} -->\n```python\n{block}```\n",
            "examples/a.py": "one\n  two\nthree\n"}


EXAMPLES = [
    ("a piece", page("  two\nthree\n"), 0),
    ("all of it", page("one\n  two\nthree\n"), 0),
    ("another indent", page("two\nthree\n"), 1),
    ("a line less between", page("one\nthree\n"), 1),
    ("half a line", page("on\n"), 1),
    ("no such file", page("one\n", "b.py"), 1),
    ("no block", page("one\n") | {"README.md": "<!-- examples/a.py -->\ntext\n" + page("one\n")["README.md"]}, 1),
    ("nothing shown", {"README.md": "text\n"}, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "copy the lines anew from the file that the comment names.")
