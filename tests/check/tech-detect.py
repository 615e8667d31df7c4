"""tests/check/tech-detect.py - tech-detect on pages of npm packages: what it finds, and finds not.

- Pages with technologies are the HTML files of templates and libraries. FILES names the file by
  which a reader recognizes a technology on them; at least 95 % must be found, on 200 or more pages.
- BUILT names folders of pages that a build tool wrote, by the tool in the package's sources.
- Pages without technologies are the packages' own descriptions (Markdown), made into plain HTML.
  They name many technologies in text and code, and use none: nothing may be found.

Run by `make check`. webpages/package-lock.json pins the packages, which are installed into the
build folder.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

from markdown_it import MarkdownIt

HERE = Path(__file__).resolve().parent
PROGRAM = "tests/check/run-tech-detect"
PAGES_MIN = 200
RECALL_MIN = 0.95

# a pattern for a file or address that a page loads: what it is
FILES = {
    r"(^|/)bootstrap(\.bundle)?(\.min)?\.(css|js)$": "Bootstrap",
    r"(^|/)jquery(-\d[\d.]*)?(\.slim)?(\.min)?\.js$": "jQuery",
    r"(^|/)jquery-ui(\.min)?\.js$": "jQuery UI",
    r"(^|/)jquery\.easing(\.min)?\.js$": "jQuery Easing",
    r"(^|/)adminlte(\.min)?\.(css|js)$": "AdminLTE",
    r"^(https:)?//fonts\.googleapis\.com/": "Google Font API",
    r"/fontawesome-free/css/all(\.min)?\.css$": "Font Awesome",
    r"(^|/)[Cc]hart(\.umd)?(\.min)?\.js$": "Chart.js",
    r"(^|/)popper(\.min)?\.js$": "Popper",
    r"(^|/)perfect-scrollbar(\.min)?\.js$": "Perfect Scrollbar",
    r"(^|/)summernote(-bs\d|-lite)?(\.min)?\.js$": "Summernote",
    r"(^|/)select2(\.full)?(\.min)?\.js$": "Select2",
    r"(^|/)moment(\.min)?\.js$": "Moment.js",
    r"(^|/)jquery\.dataTables(\.min)?\.js$": "DataTables",
    r"(^|/)toastr(\.min)?\.js$": "Toastr",
    r"(^|/)sweetalert2(\.all)?(\.min)?\.js$": "SweetAlert2",
    r"(^|/)swagger-ui-bundle\.js$": "Swagger UI",
    r"(^|/)reveal\.js$": "Reveal.js",
    r"(^|/)jquery\.vmap(\.min)?\.js$": "JQVMap",
    r"(^|/)daterangepicker\.js$": "Date Range Picker",
    r"(^|/)codemirror(\.min)?\.js$": "CodeMirror",
    r"(^|/)fullcalendar/main(\.min)?\.js$": "FullCalendar",
    r"^(https:)?//code\.jquery\.com/": "jQuery CDN",
    r"^(https:)?//cdnjs\.cloudflare\.com/": "cdnjs",
    r"^(https:)?//cdn\.jsdelivr\.net/": "jsDelivr",
    r"^(https:)?//unpkg\.com/": "Unpkg",
}


# the start of a path: the tool that its package is built with
BUILT = {
    "@directus/app/dist/": "Vite",
    "n8n-editor-ui/dist/": "Vite",
    "playwright-core/lib/vite/": "Vite",
}


class Loaded(HTMLParser):
    """What a page loads: src of scripts, href of style sheets."""

    def __init__(self, text):
        super().__init__()
        self.files = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        is_style = tag == "link" and "stylesheet" in (given.get("rel") or "")
        address = given.get("src") if tag == "script" else given.get("href") if is_style else None
        if address:
            self.files.append(address.strip())


def labels(path, name):
    files = Loaded(path.read_text(encoding="utf-8", errors="replace")).files
    plain = [re.sub(r"[?#].*", "", file) for file in files]
    known = {what for pattern, what in FILES.items() if any(re.search(pattern, file) for file in plain)}
    return known | {tool for start, tool in BUILT.items() if name.startswith(start)}


def detect(program, paths):
    """The technologies of each page, without implied ones."""
    lines = "".join(f"{path}\n" for path in paths)
    said = subprocess.run([program, HERE.parents[1] / "svc-security"], input=lines, check=True, capture_output=True,
                          text=True)
    return [set(json.loads(line)) for line in said.stdout.splitlines()]


def install(build):
    folder = build / "tests/check/webpages"
    shutil.copytree(HERE / "webpages", folder, dirs_exist_ok=True)
    subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=folder, check=True)
    return folder / "node_modules"


def plain_pages(modules, folder):
    """A page of each distinct description, without what Markdown takes over as HTML."""
    folder.mkdir(exist_ok=True)
    texts = sorted({path.read_text(encoding="utf-8", errors="replace") for path in modules.rglob("*.md")})
    parser = MarkdownIt("js-default")
    for number, text in enumerate(texts):
        path = folder / f"{number}.html"
        # a picture or link of another site is a reference, but no technology of the page
        body = re.sub(r'(src|href)="[^"]*"', r'\1="#"', parser.render(text))
        path.write_text(f"<!DOCTYPE html><title>A page</title><body>{body}</body>", encoding="utf-8")
        yield path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=Path("build"))
    options = parser.parse_args()
    modules = install(options.build)
    labelled = {path: names for path in sorted(modules.rglob("*.html"))
                if (names := labels(path, str(path.relative_to(modules))))}
    plain = list(plain_pages(modules, options.build / "tests/check/plain-pages"))
    program = options.build / PROGRAM
    wanted = found = false = 0
    for (path, names), seen in zip(labelled.items(), detect(program, labelled)):
        wanted += len(names)
        found += len(names & seen)
        for name in sorted(names - seen):
            print(f"tech-detect: {path.relative_to(modules)}: {name} is not found")
    for path, seen in zip(plain, detect(program, plain)):
        false += bool(seen)
        if seen:
            print(f"tech-detect: {path}: {', '.join(sorted(seen))}, on a page without any")
    print(f"tech-detect: {found} of {wanted} on {len(labelled)} pages; {false} of {len(plain)} plain pages with a false one")
    ok = len(labelled) >= PAGES_MIN and len(plain) >= PAGES_MIN and found >= RECALL_MIN * wanted and not false
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
