"""The customers' documentation as templates of the portal, in C: docs-pages.py OUTPUT INDEX PAGE...

INDEX is docs/README.md. Its section for customers gives the order of the pages and a sentence for
each. A page is served as /docs/NAME, where NAME is the name of its file in lower case.

- Links between pages become links of the portal. A link to a file that customers do not have
  becomes plain text; a list item that only names such files is left out. Any other link fails the
  build.
- <!-- portal: skip --> … <!-- portal: end --> encloses what the portal does not show.
- ADDRESSES has what the portal replaces by its own address in code blocks.
"""

import html
import json
import posixpath
import re
import sys
from pathlib import Path

from markdown_it import MarkdownIt

CUSTOMERS = "For customers"
ROW = re.compile(r"\| \[([^\]]+)\]\(([^)]+)\) \| ([^|]+) \|")
NOT_SERVED = re.compile(r"docs/(operate|develop|runbooks|decisions)(/|$)|(README|CONTRIBUTING)\.md|examples(/|$)")
FIXED = {"docs/README.md": "/docs", "docs/tools/README.md": "/tools"}
TOOL = re.compile(r"docs/tools/([a-z0-9-]+)\.md")
ADDRESSES = {"quickstart": ["https://…"], "agents": ["https://localhost:8443", "{base_url}"]}
ADDRESS = "\N{OBJECT REPLACEMENT CHARACTER}"  # marks the portal's address until braces are escaped
LANGUAGES = {"sh": "Shell", "json": "JSON", "python": "Python", "js": "JavaScript"}
SKIP, END = "<!-- portal: skip -->", "<!-- portal: end -->"
COMMENT = re.compile(r"<!--.*?-->\s*", re.DOTALL)
CODE = re.compile(r"`\w+`")
LOST = "\N{REPLACEMENT CHARACTER}"
POINTER = re.compile(rf"([^:{LOST}]*: )?{LOST}((,| and) {LOST})*\.?")
ITEM = ["list_item_open", "paragraph_open", "inline", "paragraph_close", "list_item_close"]
CURRENT = ' aria-current="page"'
NAVIGATION_FROM = 3  # headings


def words(child):
    return " " if child.type == "softbreak" else child.content


def plain(inline):
    return "".join(map(words, inline.children))


def lower(text):
    """`When` as `when`, `HTTP` as it is"""
    return text if text[:2].isupper() else f"{text[:1].lower()}{text[1:]}"


def sentence(text):
    return f"{text[0].upper()}{text[1:].rstrip('.')}."


class Page:
    def __init__(self, path, name, text):
        self.path, self.name = path, name
        self.ids = {"main"}  # the frame's
        self.headings = []  # (level, id, text)
        self.addresses = set()
        self.tokens = self.without_skipped(markdown.parse(text))
        self.name_headings()
        self.name_parts()
        self.title = self.headings[0][2]

    def fail(self, token, why):
        sys.exit(f"{self.path}:{token.map[0] + 1 if token.map else '?'}: {why}")

    def without_skipped(self, tokens):
        kept, is_skipped = [], False
        for token in tokens:
            content = token.content.strip()
            if token.type == "html_block" and content in (SKIP, END):
                if is_skipped == (content == SKIP):
                    self.fail(token, f"{content} without its counterpart")
                is_skipped = content == SKIP
            elif token.type == "html_block" and COMMENT.fullmatch(content):
                pass
            elif token.type == "html_block":
                self.fail(token, "the portal does not show HTML")
            elif not is_skipped:
                kept.append(token)
        if is_skipped:
            sys.exit(f"{self.path}: {SKIP} without {END}")
        return kept

    def add_id(self, token, text):
        """As GitHub makes the ids of headings."""
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        found = next(name for name in (slug, *(f"{slug}-{n}" for n in range(1, 1000))) if name not in self.ids)
        self.ids.add(found)
        token.attrSet("id", found)
        return found

    def name_headings(self):
        for token, inline in zip(self.tokens, self.tokens[1:]):
            if token.type == "heading_open":
                level = int(token.tag[1])
                given = self.add_id(token, plain(inline)) if level > 1 else None
                self.headings.append((level, given, plain(inline)))
        if [level for level, *_ in self.headings].count(1) != 1 or self.headings[0][0] != 1:
            sys.exit(f"{self.path}: a page begins with its only heading of level 1")

    def name_parts(self):
        """Ids and labels of tables and code blocks; ids of rows that have a code."""
        heading, table, row = "", None, None
        for at, token in enumerate(self.tokens):
            if token.type == "heading_open":
                heading = plain(self.tokens[at + 1])
            elif token.type == "fence":
                self.add_id(token, f"{heading} code")
                token.meta["label"] = heading
            elif token.type == "table_open":
                table, names = token, []
                self.add_id(token, f"{heading} table")
            elif token.type == "th_open":
                names.append(lower(plain(self.tokens[at + 1])))
                table.meta["label"] = f"{heading}: {', '.join(names)}"
            elif token.type == "tr_open":
                row = token
            elif token.type == "td_open" and row and CODE.fullmatch(self.tokens[at + 1].content):
                code = self.tokens[at + 1].content.strip("`")
                if code not in self.ids:
                    self.add_id(row, code)
                row = None

    def resolve(self, pages):
        for token in self.tokens:
            if token.type == "inline":
                token.children = list(self.resolved(token, pages))
        self.tokens = list(without_pointers(self.tokens))

    def resolved(self, inline, pages):
        """Children with the portal's links.
        inline.meta["shape"]: the text, with LOST for each lost link."""
        to, shape = "", ""
        for child in inline.children:
            if child.type in ("image", "html_inline"):
                self.fail(inline, "the portal does not show images and HTML")
            if child.type == "link_open":
                to = child.attrs["href"] = self.target(inline, child.attrs["href"], pages)
            if not child.type.startswith("link_") or to:
                yield child
            shape += LOST if child.type == "link_open" and not to else words(child) if to is not None else ""
            if child.type == "link_close":
                to = ""
        inline.meta["shape"] = shape

    def target(self, token, href, pages):
        """None: not for customers."""
        if href.startswith("https://"):
            return href
        path, _, anchor = href.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), path)) if path else self.path
        page = pages.get(path)
        if page and anchor and anchor not in page.ids:
            self.fail(token, f"{href}: {page.path} has no such heading")
        if page:
            return ("" if page is self and anchor else f"/docs/{page.name}") + (f"#{anchor}" if anchor else "")
        if path in FIXED:
            return FIXED[path]
        if TOOL.fullmatch(path):
            return f"/tools/{TOOL.fullmatch(path)[1]}"
        if not NOT_SERVED.match(path):
            self.fail(token, f"{href}: neither a page of the portal nor one that it leaves out")
        return None


def without_pointers(tokens):
    """Leaves out list items like `Operators: [install](…), [scale](…).` whose links are lost."""
    at = 0
    while at < len(tokens):
        is_item = [token.type for token in tokens[at:at + len(ITEM)]] == ITEM
        if is_item and POINTER.fullmatch(tokens[at + 2].meta["shape"]):
            at += len(ITEM)
        else:
            yield tokens[at]
            at += 1


# -- HTML --


def fence(renderer, tokens, at, options, env):
    token, page = tokens[at], env["page"]
    code = token.content
    for address in ADDRESSES.get(page.name, []):
        if address in code:
            page.addresses.add(address)
            code = code.replace(address, ADDRESS)
    language, label = LANGUAGES.get(token.info.strip()), html.escape(token.meta["label"])
    code = f'<code id="{token.attrs["id"]}">{html.escape(code)}</code>'
    if not language:
        return f'<pre class="fixed" tabindex="0">{code}</pre>\n'
    return (f'<div class="shell">\n<div class="title"><span class="quiet">{language}</span> <button type="button" '
            f'class="small" data-copy="{token.attrs["id"]}" aria-label="Copy: {label}" hidden>Copy</button></div>\n'
            f"<pre>{code}</pre>\n</div>\n")


def table_open(renderer, tokens, at, options, env):
    label = html.escape(tokens[at].meta["label"])
    return (f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">\n'
            f'<table id="{tokens[at].attrs["id"]}">\n<caption>{label}</caption>\n')


def table_close(renderer, tokens, at, options, env):
    return "</table>\n</div>\n"


def cell_open(renderer, tokens, at, options, env):
    tag = tokens[at].tag + (' scope="col"' if tokens[at].tag == "th" else "")
    return f'<{tag} class="number">' if "right" in tokens[at].attrs.get("style", "") else f"<{tag}>"


def link_list(links, current=None):
    """links: (address, text) pairs"""
    items = (f'<li><a href="{to}"{CURRENT if to == current else ""}>{html.escape(text)}</a></li>\n'
             for to, text in links)
    return f"<ul>\n{''.join(items)}</ul>\n"


def navigation(rows, current):
    links = [("/docs", "Docs"), *((to, title) for title, to, _, _ in rows)]
    return f'<nav aria-label="Documentation">\n{link_list(links, current)}</nav>\n'


def contents(page):
    links = [(f"#{given}", text) for level, given, text in page.headings if level == 2]
    return f'<nav aria-label="On this page">\n{link_list(links)}</nav>\n' if len(links) >= NAVIGATION_FROM else ""


def template(about, body):
    """A template of this body. Braces are text; only the portal's address is a value."""
    body = body.replace("{{", "&#123;&#123;").replace(ADDRESS, "{{public_url}}")
    return (f'{{{{> parts/head-begin}}}}\n<meta name="description" content="{html.escape(about)}">\n'
            f"{{{{> parts/head-end}}}}\n{body}{{{{> parts/foot}}}}\n")


def page_template(page, about, rows):
    body = markdown.renderer.render(page.tokens, markdown.options, {"page": page})
    for address in ADDRESSES.get(page.name, []):
        if address not in page.addresses:
            sys.exit(f"{page.path}: no code block has {address}, which ADDRESSES names")
    heading, end, rest = body.partition("</h1>\n")
    return template(about, navigation(rows, f"/docs/{page.name}") + heading + end + contents(page) + rest)


def index_template(rows):
    body = navigation(rows, "/docs") + (
        "<h1>Documentation</h1>\n<p>This page lists all pages and their headings: search it with your browser. "
        'For programs: <a href="/openapi.json">openapi.json</a>. For models: <a href="/llms.txt">llms.txt</a>.</p>\n')
    for title, to, about, page in rows:
        body += f'<h2><a href="{to}">{html.escape(title)}</a></h2>\n<p>{html.escape(about)}</p>\n'
        if page:
            body += link_list((f"{to}#{given}", text) for level, given, text in page.headings if level > 1)
    return template("All pages of the documentation, with their headings.", body)


# -- all of it --


def index_rows(index, pages):
    """(title, address, sentence, page or None) of each row for customers
    whose page the portal has."""
    section = index.partition(f"## {CUSTOMERS}\n")[2].partition("\n## ")[0]
    for title, path, about in ROW.findall(section):
        path = posixpath.normpath(posixpath.join("docs", path))
        if path in FIXED:
            yield title.capitalize(), FIXED[path], sentence(about), None
        elif path in pages:
            yield pages[path].title, f"/docs/{pages[path].name}", sentence(about), pages[path]
        elif not NOT_SERVED.match(path):
            sys.exit(f"docs/README.md: {path}: neither a page of the portal nor one that it leaves out")


def literal(text):
    return "\n    ".join(json.dumps(line, ensure_ascii=False) for line in text.splitlines(keepends=True))


def main(output, index, *files):
    root = Path(index).resolve().parents[1]
    pages = {}
    for file in map(Path, files):
        path = file.resolve().relative_to(root).as_posix()
        pages[path] = Page(path, file.stem.lower(), file.read_text(encoding="utf-8"))
    rows = list(index_rows(Path(index).read_text(encoding="utf-8"), pages))
    for page in pages.values():
        page.resolve(pages)
    missing = pages.keys() - {page.path for *_, page in rows if page}
    if missing:
        sys.exit(f"docs/README.md has no row for {', '.join(sorted(missing))}")
    made = [("", "Documentation", index_template(rows))]
    made += [(page.name, page.title, page_template(page, about, rows)) for _, _, about, page in rows if page]
    with open(output, "w", encoding="utf-8") as file:
        file.write('#include "portal/public/docs.h"\n\nconst struct docs_page docs_pages[] = {\n')
        for name, title, source in made:
            names = ", ".join(map(json.dumps, (name, title, f"docs/{name or 'index'}")))
            file.write(f"    {{ {names},\n    {literal(source)} }},\n")
        file.write("};\nconst size_t docs_page_count = sizeof(docs_pages) / sizeof(docs_pages[0]);\n")


markdown = MarkdownIt("commonmark").enable("table")
for rule, function in {"fence": fence, "table_open": table_open, "table_close": table_close, "th_open": cell_open,
                       "td_open": cell_open}.items():
    markdown.add_render_rule(rule, function)

if __name__ == "__main__":
    main(*sys.argv[1:])
