"""scores.py PROGRAM - rate the messages of corpus.py: wanted ones are not spam, the others are.

A message is spam from 15 points. Those of UNSEEN are short texts without suspicious words, which
the tool misses: an invoice with a link, a cold offer.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import corpus

SPAM = 15
UNSEEN = ("bill-", "seo-")


def scores(messages, program, folder):
    for name, message in messages:
        (folder / name).write_text(message)
    paths = sorted(str(path) for path in folder.iterdir())
    lines = subprocess.run([program, *paths], check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(lines) == len(paths)
    return {line.split()[0].rpartition("/")[2]: (int(line.split()[1]), line) for line in lines}


def main():
    bad = []
    counts = []
    for messages, is_spam in ((corpus.wanted(), False), (corpus.unwanted(), True)):
        with tempfile.TemporaryDirectory() as folder:
            found = scores(messages, sys.argv[1], Path(folder))
        counts.append(len(found))
        bad += [line for name, (score, line) in found.items()
                if (score >= SPAM) != is_spam and not (is_spam and name.startswith(UNSEEN))]
    print("\n".join(bad))
    assert min(counts) >= 100, counts
    assert not bad, f"{len(bad)} messages are rated wrongly"


if __name__ == "__main__":
    main()
