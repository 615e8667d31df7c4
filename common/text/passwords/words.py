"""words.py OUT.c ZXCVBN LANGUAGES - common words and keyboards.

The folder ZXCVBN has the lists of zxcvbn 4.4.2 (Dropbox, MIT license; leaked passwords, Wikipedia,
US census, film and television subtitles), the most common word first. The folder LANGUAGES has the
words of other languages, one file per language, as people type them without accents, or with the
wrong keyboard layout. Both keyboards and keypads are those of zxcvbn.
"""

import pathlib
import sys
import unicodedata

DICTIONARIES = {  # list: enum dictionary of lexicon.h
    "passwords": "PASSWORDS",
    "english-wikipedia": "ENGLISH",
    "female-names": "FEMALE_NAMES",
    "surnames": "SURNAMES",
    "us-tv-and-film": "TV_AND_FILM",
    "male-names": "MALE_NAMES",
}
OTHER_LANGUAGES = "OTHER_LANGUAGES"

# Each row of keys is half a key to the right of the row above. Each key has the characters without
# and with shift.
KEYBOARDS = {
    "qwerty": r"""
`~ 1! 2@ 3# 4$ 5% 6^ 7& 8* 9( 0) -_ =+
   qQ wW eE rR tT yY uU iI oO pP [{ ]} \|
   aA sS dD fF gG hH jJ kK lL ;: '"
   zZ xX cC vV bB nN mM ,< .> /?
""",
    "dvorak": r"""
`~ 1! 2@ 3# 4$ 5% 6^ 7& 8* 9( 0) [{ ]}
   '" ,< .> pP yY fF gG cC rR lL /? =+ \|
   aA oO eE uU iI dD hH tT nN sS -_
   ;: qQ jJ kK xX bB mM wW vV zZ
""",
}
KEYPADS = {
    "keypad": """
  / * -
7 8 9 +
4 5 6
1 2 3
  0 .
""",
    "mac_keypad": """
  = / *
7 8 9 -
4 5 6 +
1 2 3
  0 .
""",
}
# (columns, rows) to the neighbors of a key
ON_KEYBOARD = [(-1, 0), (0, -1), (1, -1), (1, 0), (0, 1), (-1, 1)]
ON_KEYPAD = [(-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1)]

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


def zxcvbn_words(folder, name):
    return (pathlib.Path(folder) / f"{name}.txt").read_text(encoding="ascii").split()


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


def neighbors(drawing, directions):
    """{character: the keys around it, in the order of directions}; a missing key is ""."""
    keys = {}
    for y, row in enumerate(drawing.strip("\n").splitlines()):
        for word in row.split():
            keys[row.index(word) // (len(word) + 1), y] = word
    return {character: [keys.get((x + dx, y + dy), "") for dx, dy in directions]
            for (x, y), word in keys.items() for character in word}


def keyboards():
    """(name, neighbors) of each keyboard."""
    for layouts, directions in ((KEYBOARDS, ON_KEYBOARD), (KEYPADS, ON_KEYPAD)):
        for name, drawing in layouts.items():
            yield name, neighbors(drawing, directions)


def write_words(out, zxcvbn, languages):
    best = {word: (rank, enum) for name, enum in DICTIONARIES.items()
            for rank, word in enumerate(zxcvbn_words(zxcvbn, name), 1)}
    for word, rank in other_words(languages).items():
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


def write_keyboard(out, name, near):
    out.write(f'    {{ "{name}", {{\n')
    for key, around in sorted(near.items()):
        keys = ", ".join(map(quoted, around))
        out.write(f"        [{ord(key)}] = {{ {keys} }},\n")
    out.write("    } },\n")


def main():
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write('#include "text/passwords/keyboard.h"\n#include "text/passwords/lexicon.h"\n\n')
        write_words(out, *sys.argv[2:])
        out.write("const struct keyboard keyboards[KEYBOARD_COUNT] = {\n")
        for name, near in keyboards():
            write_keyboard(out, name, near)
        out.write("};\n")


if __name__ == "__main__":
    main()
