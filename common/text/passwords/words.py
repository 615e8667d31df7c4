"""words.py OUT.c LANGUAGES - common words and keyboards.

The lists are those of zxcvbn 4.4.2 (Dropbox, MIT license; leaked passwords, Wikipedia, US census,
film and television subtitles), from Debian's python3-zxcvbn. The keyboards are its adjacency
graphs. The folder LANGUAGES has the words of other languages, one file per language, the most
common first, as people type them without accents, or with the wrong keyboard layout.
"""

import pathlib
import sys
import unicodedata

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
OTHER_LANGUAGES = "OTHER_LANGUAGES"
KEYBOARDS = ["qwerty", "dvorak", "keypad", "mac_keypad"]

# Letters that replace those a keyboard lacks (German: DIN 91379), and Cyrillic by sound.
DIGRAPHS = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ı": "i", "ł": "l"}
CYRILLIC = dict(zip("абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
                    "a b v g d e e zh z i y k l m n o p r s t u f h ts ch sh sch  y  e yu ya".split(" ")))
# The keys of a Russian keyboard on an American one: in the wrong layout, a greeting is ghbdtn.
KEYS = dict(zip("йцукенгшщзхъфывапролджэячсмитьбюё", "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"))


def without_marks(word):
    parts = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in parts if unicodedata.category(c) != "Mn"))


def by(table, word):
    return "".join(table.get(letter, letter) for letter in word)


def spellings(word):
    """The word as it is written, and as people type it."""
    found = {word, without_marks(word), by(DIGRAPHS, word), without_marks(by(DIGRAPHS, word))}
    if any(letter in CYRILLIC for letter in word):
        found |= {word.replace("ё", "е"), by(CYRILLIC, word), by(KEYS, word)}
    return sorted(spelling for spelling in found if len(spelling) > 1)


def other_words(folder):
    """{word: rank} of all languages, the best rank of each."""
    ranks = {}
    for path in sorted(pathlib.Path(folder).glob("*.txt")):
        for rank, word in enumerate(path.read_text(encoding="utf-8").split(), 1):
            for spelling in spellings(word):
                ranks[spelling] = min(rank, ranks.get(spelling, rank))
    return ranks


def quoted(text):
    """As a C string of bytes; an octal escape ends after three digits, whatever follows."""
    return '"' + "".join(chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}"
                         for byte in text.encode()) + '"'


def write_words(out, folder):
    best = {word: (rank, enum) for name, enum in DICTIONARIES.items()
            for rank, word in enumerate(FREQUENCY_LISTS[name], 1)}
    for word, rank in other_words(folder).items():
        best[word] = min((rank, OTHER_LANGUAGES), best.get(word, (rank + 1, "")))
    words = sorted((word.encode(), rank, enum) for word, (rank, enum) in best.items())
    out.write("static const char bytes[] =\n")
    out.writelines(f'    {quoted(word.decode())} "\\0"\n' for word, _, _ in words)
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
        write_words(out, sys.argv[2])
        out.write("const struct keyboard keyboards[KEYBOARD_COUNT] = {\n")
        for name in KEYBOARDS:
            write_keyboard(out, name)
        out.write("};\n")


if __name__ == "__main__":
    main()
