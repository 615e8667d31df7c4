"""words.py OUT.c - common words and keyboards, from Debian's python3-zxcvbn.

The lists are those of zxcvbn 4.4.2 (Dropbox, MIT licence; leaked passwords, Wikipedia, US census,
film and television subtitles), the keyboards its adjacency graphs.
"""

import sys

from zxcvbn.adjacency_graphs import ADJACENCY_GRAPHS
from zxcvbn.frequency_lists import FREQUENCY_LISTS

DICTIONARIES = {  # list: enum dictionary of lexicon.h
    "passwords": "PASSWORDS",
    "english_wikipedia": "ENGLISH",
    "female_names": "FEMALE_NAMES",
    "surnames": "SURNAMES",
    "us_tv_and_film": "TV_AND_FILM",
    "male_names": "MALE_NAMES",
}
KEYBOARDS = ["qwerty", "dvorak", "keypad", "mac_keypad"]


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def write_words(out):
    words = sorted((word, rank, enum) for name, enum in DICTIONARIES.items()
                   for rank, word in enumerate(FREQUENCY_LISTS[name], 1))
    assert len({word for word, _, _ in words}) == len(words) and all(word.isascii() for word, _, _ in words)
    out.write("static const char bytes[] =\n")
    out.writelines(f'    {quoted(word)} "\\0"\n' for word, _, _ in words)
    out.write("    ;\n\nstatic const struct word words[] = {\n")
    offset = 0
    for word, rank, enum in words:
        out.write(f"    {{ {offset}, {rank}, DICTIONARY_{enum} }},\n")
        offset += len(word) + 1
    out.write("};\n\nconst struct lexicon lexicon_common = { bytes, words, "
              "sizeof(words) / sizeof(words[0]) };\n\n")


def write_keyboard(out, name):
    out.write(f'    {{ "{name}", {{\n')
    for key, neighbours in sorted(ADJACENCY_GRAPHS[name].items()):
        keys = ", ".join(quoted(near or "") for near in neighbours)
        out.write(f"        [{ord(key)}] = {{ {keys} }},\n")
    out.write("    } },\n")


def main():
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write('#include "text/passwords/keyboard.h"\n#include "text/passwords/lexicon.h"\n\n')
        write_words(out)
        out.write("const struct keyboard keyboards[KEYBOARD_COUNT] = {\n")
        for name in KEYBOARDS:
            write_keyboard(out, name)
        out.write("};\n")


if __name__ == "__main__":
    main()
