"""char-refs.py OUT.c - the named character references of the HTML standard (section 13.5), from
Python's html.entities, which follows https://html.spec.whatwg.org/entities.json.

One table, sorted by name. Names without a final ; are those that old pages may use without it.
"""

import sys
from html.entities import html5


def main(path):
    with open(path, "w", encoding="ascii") as out:
        out.write('#include "probe/char-refs.h"\n\nconst struct char_ref char_refs[] = {\n')
        for name in sorted(html5):
            text = "".join(f"\\{byte:03o}" for byte in html5[name].encode())
            out.write(f'    {{ "{name}", "{text}" }},\n')
        out.write(f"}};\n\nconst size_t char_refs_count = {len(html5)};\n")


main(sys.argv[1])
