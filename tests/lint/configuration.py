"""docs/operate/configuration.md lists the keys of common/text/conf.def, with their defaults and
meanings, in order."""

import re

import lint

TABLE = "common/text/conf.def"
PAGE = "docs/operate/configuration.md"
ROW = re.compile(r'CONF\("([^"]+)", (\w+), ((?:DATA_DIR )?"[^"]*"), "([^"]*)"\)')
DATA_DIR = "PREFIX/share/tollgate"  # the page explains PREFIX
KINDS = {"STR": "text", "INT": "number", "BOOL": "true/false", "LIST": "list"}
HEAD = "| key | type | default | meaning |\n|---|---|---|---|\n"


def rows(root):
    """The table's lines as the page must have them."""
    for key, kind, initial, meaning in ROW.findall((root / TABLE).read_text()):
        initial = initial.replace('DATA_DIR "', f'"{DATA_DIR}').strip('"')
        shown = f"`{initial}`" if initial else ""
        yield f"| `{key}` | {KINDS[kind]} | {shown} | {meaning} |"


def check(root):
    wanted = list(rows(root))
    if not wanted:
        yield f"{TABLE}: no key found"
    page = (root / PAGE).read_text()
    found = page.partition(HEAD)[2].split("\n\n")[0].strip().splitlines()
    if found != wanted:
        yield f"{PAGE} is not what {TABLE} says"


def write(root):
    page = root / PAGE
    before, head, rest = page.read_text().partition(HEAD)
    after = rest.partition("\n\n")[2]
    page.write_text(before + head + "\n".join(rows(root)) + "\n" + (f"\n{after}" if after else ""))


ONE_ROW = 'CONF("a.b", INT, "1", "what")\n'
ONE_LINE = "| `a.b` | number | `1` | what |\n"
EXAMPLES = [
    ("both agree", {TABLE: ONE_ROW, PAGE: "# Keys\n\n" + HEAD + ONE_LINE}, 0),
    ("text behind the table", {TABLE: ONE_ROW, PAGE: HEAD + ONE_LINE + "\nMore.\n"}, 0),
    ("missing", {TABLE: ONE_ROW + ONE_ROW.replace("a.b", "a.c"), PAGE: HEAD + ONE_LINE}, 1),
    ("another default", {TABLE: ONE_ROW, PAGE: HEAD + ONE_LINE.replace("1", "2")}, 1),
    ("one too many", {TABLE: ONE_ROW, PAGE: HEAD + ONE_LINE + ONE_LINE}, 1),
    ("installed data", {TABLE: 'CONF("a", STR, DATA_DIR "/x", "what")\n',
                        PAGE: HEAD + "| `a` | text | `PREFIX/share/tollgate/x` | what |\n"}, 0),
    ("no table", {TABLE: ONE_ROW, PAGE: "# Keys\n"}, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "run `make format`, which writes the page's table.", write)
