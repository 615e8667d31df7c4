"""tests/unit/portal/public/docs-pages.py - the output of portal/public/docs-pages.py, and what it
rejects."""

import ast
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
SCRIPT = ROOT / "portal" / "public" / "docs-pages.py"
INDEX = ("# Docs\n\n## For customers\n\n| Page | Content |\n|---|---|\n"
         "| [a](a.md) | what a is |\n| [b](api/b.md) | B |\n")
FILES = {"docs/README.md": INDEX, "docs/a.md": "# A\n", "docs/api/b.md": "# B\n\n## Over here!\n"}
LITERAL = re.compile(r'^ +("(?:[^"\\]|\\.)*")', re.MULTILINE)


def build(**pages):
    """(exit status, output, the templates as one text); pages: a, b or index, their Markdown."""
    names = {"a": "docs/a.md", "b": "docs/api/b.md", "index": "docs/README.md"}
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for name, text in (FILES | {names[page]: text for page, text in pages.items()}).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        done = subprocess.run([sys.executable, SCRIPT, root / "made.c", *(root / name for name in FILES)],
                              capture_output=True, text=True, check=False)
        made = (root / "made.c").read_text() if done.returncode == 0 else ""
    return done.returncode, done.stderr, "".join(map(ast.literal_eval, LITERAL.findall(made)))


class Made(unittest.TestCase):
    def check(self, markdown, *wanted):
        status, said, made = build(a=f"# A\n\n{markdown}\n")
        self.assertEqual(status, 0, said)
        for text in wanted:
            self.assertIn(text, made)
        return made

    def test_links(self):
        self.check("[x](api/b.md#over-here) [y](#c) [z](tools/dns-lookup.md) [t](tools/README.md) [d](README.md)\n\n"
                   "## C",
                   '<a href="/docs/b#over-here">x</a>', '<a href="#c">y</a>', '<a href="/tools/dns-lookup">z</a>',
                   '<a href="/tools">t</a>', '<a href="/docs">d</a>', '<h2 id="c">C</h2>')

    def test_links_to_what_customers_do_not_have(self):
        self.check("See [x](operate/x.md) here.\n\n- keep [y](operate/y.md) this\n",
                   "<p>See x here.</p>", "keep y this")
        made = self.check("- one\n- To run it: [x](operate/x.md),\n  [y](develop/y.md#z).\n"
                          "- [w](../CONTRIBUTING.md)\n", "one")
        self.assertNotIn("To run it", made)
        self.assertEqual(made.count("<li>one</li>\n</ul>"), 1)

    def test_braces_are_text(self):
        made = self.check("`{{csrf}}` {{> parts/nav}}\n\n```sh\n{{#a}}\n```")
        self.assertEqual(set(re.findall(r"\{\{[^}]*", made)),
                         {"{{> parts/head-begin", "{{> parts/head-end", "{{> parts/foot"})

    def test_code_keeps_its_white_space(self):
        self.check("```sh\na  <b>\n\n\tc\n```", ">a  &lt;b&gt;\n\n\tc\n</code>")

    def test_tables(self):
        self.check("## T\n\n| Code | Number |\n|---|--:|\n| `x_y` | 1 |\n\n| HTTP |\n|---|\n| 2 |\n",
                   '<table id="t-table">', '<caption>T: code, number</caption>', '<tr id="x_y">',
                   '<td class="number">1</td>', '<table id="t-table-1">', '<caption>T: HTTP</caption>')

    def test_what_is_skipped(self):
        made = self.check("one\n\n<!-- portal: skip -->\n\n## Two\n\n<!-- portal: end -->\n\n<!-- x -->\nthree",
                          "one", "three")
        self.assertNotIn("Two", made)
        self.assertNotIn("<!--", made)

    def test_index(self):
        _, _, made = build()
        self.assertIn('<h2><a href="/docs/b">B</a></h2>\n<p>B.</p>\n<ul>\n'
                      '<li><a href="/docs/b#over-here">Over here!</a></li>', made)
        self.assertIn('<meta name="description" content="What a is.">', made)


class Rejected(unittest.TestCase):
    def check(self, words, **pages):
        status, said, _ = build(**pages)
        self.assertEqual(status, 1, said)
        self.assertIn(words, said)

    def test_links(self):
        for link in ("api/c.md", "no.md", "tools/A.md", "http://example.com", "/docs/b", "../LICENSE"):
            self.check(f"docs/a.md:3: {link}: neither a page", a=f"# A\n\n[x]({link})\n")
        self.check("api/b.md#over-there: docs/api/b.md has no such heading", a="# A\n\n[x](api/b.md#over-there)\n")
        self.check("#no: docs/a.md has no such heading", a="# A\n\n[x](#no)\n")
        self.check("docs/no.md: neither a page", index=INDEX + "| [no](no.md) | No |\n")

    def test_markup(self):
        for markup in ("<b>x</b>", "x <script>", "<style>", "![x](x.png)"):
            self.check("does not show", a=f"# A\n\n{markup}\n")

    def test_marks(self):
        self.check("without", a="# A\n\n<!-- portal: skip -->\n")
        self.check("without", a="# A\n\n<!-- portal: end -->\n")

    def test_headings(self):
        self.check("heading of level 1", a="## A\n")
        self.check("heading of level 1", a="# A\n\n# B\n")

    def test_a_page_without_a_row(self):
        self.check("has no row for docs/api/b.md", index=INDEX.partition("| [b]")[0])


if __name__ == "__main__":
    unittest.main()
