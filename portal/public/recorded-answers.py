"""The responses that the home page shows, as rows of C: recorded-answers.py OUTPUT PAGE...

PAGE is the page of a tool in docs/tools. Its example has a request and a response of this product,
and tests/api/test_pages.py compares both. PARTS has the parts of each result that the home page
shows: fields, and of a list of objects their fields.
"""

import json
import re
import sys
from pathlib import Path

PARTS = {
    "tls-check": {"grade": None, "score": None, "trusted": None, "post_quantum": None,
                  "issues": ["severity", "title", "detail"]},
    "email-spam-check": {"grade": None, "spam_score": None, "spam_risk": None,
                         "findings": ["severity", "message", "evidence"]},
    "json-to-code": {"code": None},
}
EXAMPLE = re.compile(r"^    -d '(?P<request>[^']*)'\n```\n\n```jsonc?\n(?P<answer>.*?)\n```$", re.MULTILINE | re.DOTALL)
SHORTENED = re.compile(r"/\* and [\d,]+ more \*/")


def part(value, fields):
    return value if fields is None else [{field: item[field] for field in fields} for item in value]


def row(page):
    found = EXAMPLE.search(page.read_text())
    assert found, f"{page} has no example with a response"
    result = json.loads(SHORTENED.sub("", found["answer"]))["result"]
    parts = {name: part(result[name], fields) for name, fields in PARTS[page.stem].items()}
    request = json.dumps(json.loads(found["request"]), ensure_ascii=False)
    return page.stem, request, json.dumps(parts, ensure_ascii=False)


def main(output, *pages):
    rows = [", ".join(json.dumps(text, ensure_ascii=False) for text in row(Path(page))) for page in pages]
    lines = "".join(f"    {{ {row} }},\n" for row in rows)
    Path(output).write_text('#include "portal/public/recorded-answers.h"\n\n'
                            f"const struct recorded_answer recorded_answers[] = {{\n{lines}}};\n"
                            "const size_t recorded_answer_count = sizeof(recorded_answers) / sizeof(recorded_answers[0]);\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
