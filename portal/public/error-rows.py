"""The tables of docs/api/errors.md as rows of C: error-rows.py OUTPUT INPUT.

A row's text is its condition and its remedy.
"""

import json
import re
import sys

ROW = re.compile(r"\| (\d{3}) \| `(\w+)` \| (\S[^|]*) \| (\S[^|]*) \|")


def plain(text):
    """Markdown as words: code, links and escapes lose their marks."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\\(.)", r"\1", text.replace("`", ""))


def rows(lines):
    section = ""
    for line in lines:
        if line.startswith("## "):
            section = line[3:].strip()
        found = ROW.fullmatch(line.strip())
        if found:
            yield section, found[1], found[2], plain(f"{found[3]} {found[4]}")


def main(output, source):
    with open(source, encoding="utf-8") as file:
        found = list(rows(file))
    assert found, f"{source} has no rows"
    with open(output, "w", encoding="utf-8") as file:
        file.write('#include "portal/public/error-rows.h"\n\nconst struct error_row error_rows[] = {\n')
        for row in found:
            file.write("    { " + ", ".join(json.dumps(text, ensure_ascii=False) for text in row) + " },\n")
        file.write("};\nconst size_t error_row_count = sizeof(error_rows) / sizeof(error_rows[0]);\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
