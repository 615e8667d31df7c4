"""oracle.py PROGRAM - guesses are those of zxcvbn 4.4 for passwords of every kind.

PROGRAM is oracle.c. The oracle is Debian's python3-zxcvbn with three changes:

- It uses the current year; its own is 2017, and its recent years end in 2019.
- It has our words of other languages as one more dictionary.
- It tries sequences by length, as the JavaScript original does; the port tries them as found.

Our word lists and keyboards must be the oracle's. Prints TAP: one line for these, and one for each
kind of password. Without the package, which Debian 13 does not have, the test is skipped.
"""

import datetime
import inspect
import json
import pathlib
import random
import re
import string
import subprocess
import sys

try:
    from zxcvbn import matching, scoring
    from zxcvbn.adjacency_graphs import ADJACENCY_GRAPHS
    from zxcvbn.frequency_lists import FREQUENCY_LISTS
except ModuleNotFoundError:
    print("1..0 # SKIP python3-zxcvbn is not installed")
    sys.exit(77)

PASSWORDS = pathlib.Path(__file__).resolve().parents[3] / "common/text/passwords"
sys.path.insert(0, str(PASSWORDS))
import words  # noqa: E402

OTHERS = words.other_words(PASSWORDS / "languages")
OTHER_LIST = sorted(OTHERS, key=lambda word: (OTHERS[word], word))

YEAR = datetime.datetime.now(datetime.timezone.utc).year
TOLERANCE = 1e-9
SYMBOLS = "!@#$%^&*()-_=+[]{};:,.<>/?|\\~`\"' "
LOOK_ALIKES = {letter: looks for letter, looks in matching.L33T_TABLE.items()}
ROWS = ["qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./", "1234567890-=", "QWERTYUIOP{}", "7894561230", "aoeuidhtns",
        "1qaz2wsx3edc4rfv", "zaq12wsxcde34rfv", "!QAZ@WSX#EDC"]
PER_KIND = 80


def set_year():
    scoring.REFERENCE_YEAR = YEAR
    years = "|".join(str(year) for year in range(1900, YEAR + 1))
    matching.REGEXEN["recent_year"] = re.compile(years)


def set_words():
    matching.RANKED_DICTIONARIES["other_languages"] = OTHERS


def set_order():
    source = inspect.getsource(scoring.most_guessable_match_sequence)
    for loop, sorted_loop in (
            ("in optimal['m'][i - 1].items():", "in sorted(optimal['m'][i - 1].items(), key=lambda item: item[0]):"),
            ("in optimal['m'][m['i'] - 1]:", "in sorted(optimal['m'][m['i'] - 1]):")):
        assert source.count(loop) == 1
        source = source.replace(loop, sorted_loop)
    exec(source, vars(scoring))
    matching.most_guessable_match_sequence = scoring.most_guessable_match_sequence


def same_data():
    lists = {name.replace("_", "-"): content for name, content in FREQUENCY_LISTS.items()}
    graphs = {name: {key: [near or "" for near in around] for key, around in graph.items()}
              for name, graph in ADJACENCY_GRAPHS.items()}
    return (lists == {name: words.zxcvbn_words(PASSWORDS / "zxcvbn", name) for name in words.DICTIONARIES} and
            graphs == dict(words.keyboards()))


def word(rng):
    ranked = FREQUENCY_LISTS[rng.choice(sorted(FREQUENCY_LISTS))]
    return ranked[min(int(rng.expovariate(1 / 800)), len(ranked) - 1)]


def other_word(rng):
    return OTHER_LIST[min(int(rng.expovariate(1 / 8000)), len(OTHER_LIST) - 1)]


def letters(rng, alphabet, least, most):
    return "".join(rng.choice(alphabet) for _ in range(rng.randint(least, most)))


def in_capitals(rng, text):
    return rng.choice([str.upper, str.capitalize, lambda t: t[:-1] + t[-1:].upper(),
                       lambda t: "".join(rng.choice((c, c.upper())) for c in t)])(text)


def look_alike(rng, text):
    return "".join(rng.choice(LOOK_ALIKES[c]) if c in LOOK_ALIKES and rng.random() < 0.6 else c for c in text)


def keys(rng):
    row = rng.choice(ROWS)
    start = rng.randrange(len(row) - 2)
    part = row[start:start + rng.randint(3, 9)]
    return rng.choice([part, part[::-1], part.upper(), part + rng.choice(ROWS)[:4]])


def sequence(rng):
    first, step = rng.randint(33, 110), rng.choice([-6, -5, -2, -1, 1, 2, 3, 5, 6])
    points = [first + step * n for n in range(rng.randint(2, 9))]
    return "".join(chr(point) for point in points if 32 < point < 127)


def date(rng):
    day, month = str(rng.randint(0, 32)), str(rng.randint(0, 13))
    year = rng.choice([str(rng.randint(990, 2060)), str(rng.randint(0, 99))])
    if rng.random() < 0.5:
        day, month = day.zfill(2), month.zfill(2)
    separator = rng.choice(["", "", "/", "-", ".", " ", "_", "\\"])
    return separator.join(rng.choice([(day, month, year), (month, day, year), (year, month, day)]))


def repeat(rng):
    unit = rng.choice([letters(rng, string.ascii_lowercase, 1, 4), word(rng), letters(rng, "ab1", 1, 3)])
    return unit * rng.randint(2, 5) + unit[:rng.randint(0, len(unit))]


KINDS = {
    "word": word,
    "word in capitals": lambda rng: in_capitals(rng, word(rng)),
    "word backwards": lambda rng: in_capitals(rng, word(rng))[::-1],
    "word with look-alikes": lambda rng: look_alike(rng, word(rng)),
    "two words with look-alikes": lambda rng: in_capitals(rng, look_alike(rng, word(rng) + word(rng))),
    "look-alikes alone": lambda rng: letters(rng, "4@8({[<369!1|0$5+7%2ailst", 1, 12),
    "words": lambda rng: rng.choice(["", " ", "-"]).join(word(rng) for _ in range(rng.randint(2, 5))),
    "word and digits": lambda rng: in_capitals(rng, word(rng)) + letters(rng, string.digits + "!", 1, 5),
    "year": lambda rng: word(rng) + str(rng.randint(1890, 2040)) + letters(rng, string.digits, 0, 4),
    "date": date,
    "word and date": lambda rng: word(rng) + date(rng) + letters(rng, "x1", 0, 2),
    "digits": lambda rng: letters(rng, string.digits, 1, 14),
    "keys": keys,
    "word and keys": lambda rng: word(rng) + keys(rng),
    "sequence": sequence,
    "sequences": lambda rng: sequence(rng) + sequence(rng),
    "repeat": repeat,
    "repeats": lambda rng: repeat(rng) + repeat(rng),
    "few letters": lambda rng: letters(rng, "ab", 1, 20),
    "random letters": lambda rng: letters(rng, string.ascii_letters, 1, 20),
    "random characters": lambda rng: letters(rng, string.ascii_letters + string.digits + SYMBOLS, 1, 20),
    "beyond ASCII": lambda rng: letters(rng, "äößéçñ漢字日本😀ab1", 1, 12) + word(rng),
    "word of another language": lambda rng: other_word(rng) + letters(rng, "123!x", 0, 3),
    "words of other languages": lambda rng: rng.choice(["", " "]).join(other_word(rng) for _ in range(3)),
    "look-alike of another language": lambda rng: look_alike(rng, other_word(rng)),
    "control characters": lambda rng: letters(rng, "\0\t\u007fab", 1, 6),
    "long": lambda rng: "".join(word(rng) + letters(rng, "1x!", 0, 3) for _ in range(15))[:60],
}


def oracle(password):
    return float(scoring.most_guessable_match_sequence(password, matching.omnimatch(password))["guesses"])


def answers(program, passwords):
    bodies = "".join(json.dumps({"password": password}) + "\n" for password in passwords)
    done = subprocess.run([program], input=bodies, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return [float(line) for line in done.stdout.splitlines()]


def differences(program, kind, make):
    rng = random.Random(kind)
    passwords = [make(rng) or "x" for _ in range(PER_KIND)]
    got = answers(program, passwords)
    assert len(got) == len(passwords)
    return [(password, guesses, wanted) for password, guesses in zip(passwords, got)
            if abs(guesses - (wanted := oracle(password))) > TOLERANCE * wanted]


def main():
    set_year()
    set_words()
    set_order()
    failed = not same_data()
    print(f"{'not ok' if failed else 'ok'} 1 word lists and keyboards")
    for number, (kind, make) in enumerate(KINDS.items(), 2):
        wrong = differences(sys.argv[1], kind, make)
        failed += bool(wrong)
        print(f"not ok {number} {kind}: {len(wrong)}, such as {wrong[0]}" if wrong else f"ok {number} {kind}")
    print(f"1..{1 + len(KINDS)}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
