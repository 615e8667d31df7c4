"""tests/kit/portal/html.py - a strict HTML parser: wrong closing, nesting or escaping is a failure,
not a guess. Browsers repair such pages, so tests with a browser do not see the error."""

import html
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
INLINE = {"a", "abbr", "b", "bdi", "button", "cite", "code", "em", "i", "kbd", "label", "mark", "q", "s", "samp",
          "small", "span", "strong", "sub", "sup", "time", "var"}
UNSEEN = {"head", "script", "style", "template"}
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


class Element:
    """tag, attributes by name (None: without a value), children: elements and texts."""

    def __init__(self, tag, attributes, parent=None):
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        self.children = []

    def get(self, name, default=None):
        return self.attributes.get(name, default)

    def has(self, name):
        return name in self.attributes

    def walk(self):
        """This and all elements below it, in the order of the page."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def all(self, *tags):
        return [element for element in self.walk() if element.tag in tags]

    def one(self, tag):
        found = self.all(tag)
        assert len(found) == 1, f"{len(found)} elements <{tag}>, one is expected"
        return found[0]

    def above(self, tag):
        """The nearest element of this tag around this one, or None."""
        element = self.parent
        while element is not None and element.tag != tag:
            element = element.parent
        return element

    def raw_text(self):
        return "".join(c if isinstance(c, str) else c.raw_text() for c in self.children)

    @property
    def text(self):
        """What a person reads: white space as one blank, a blank between blocks."""
        return " ".join("".join(self._words()).split())

    def _words(self):
        for child in self.children:
            if isinstance(child, str):
                yield child
            elif child.tag in UNSEEN or child.has("hidden"):
                continue
            elif child.tag in INLINE:
                yield from child._words()
            else:
                yield " "
                yield from child._words()
                yield " "

    def __repr__(self):
        return f"<{self.tag} {self.attributes}>"


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=False)
        self.root = Element("#root", {})
        self.at = self.root
        self.doctype = None

    def handle_decl(self, decl):
        self.doctype = decl

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"<{tag}> has an attribute twice: {names}"
        element = Element(tag, dict(attrs), self.at)
        self.at.children.append(element)
        if tag not in VOID:
            self.at = element

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)  # "<path/>" ends only in SVG
        if tag not in VOID:
            assert self.at.above("svg") is not None, f"<{tag}/> does not end an element of HTML"
            self.at = self.at.parent

    def handle_endtag(self, tag):
        assert tag not in VOID, f"</{tag}> ends nothing"
        assert self.at.tag == tag, f"</{tag}> while <{self.at.tag}> is open"
        self.at = self.at.parent

    def handle_data(self, data):
        raw = self.at.tag in ("script", "style")
        assert raw or not set(data) & set("<&"), f"a character that is not escaped in {data[:80]!r}"
        self.at.children.append(data)

    def handle_entityref(self, name):
        text = html.unescape(f"&{name};")
        assert text != f"&{name};", f"&{name}; is nothing"
        self.at.children.append(text)

    def handle_charref(self, name):
        self.at.children.append(html.unescape(f"&#{name};"))

    def unknown_decl(self, data):
        raise AssertionError(f"<![{data[:40]}")


def parse(text):
    """The document's element <html>; AssertionError for every violation."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert reader.at is reader.root, f"<{reader.at.tag}> is not closed"
    assert (reader.doctype or "").lower() == "doctype html", f"the page begins with {reader.doctype!r}"
    return reader.root.one("html")
