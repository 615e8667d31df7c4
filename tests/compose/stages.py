"""tests/compose/stages.py - reads the stages of a Dockerfile."""

import re

STAGE = re.compile(r"^FROM (\S+) AS (\S+)$")


def words_of_stages(dockerfile, pattern, always=()):
    """{stage: the words in the first group of the pattern in its lines, with those of the stages
    below it}. The first stage on an image of others begins with `always`."""
    stages, stage = {}, None
    for line in dockerfile.replace("\\\n", " ").splitlines():
        if begins := STAGE.match(line):
            below, stage = begins.groups()
            stages[stage] = set(stages.get(below, always))
        for found in pattern.finditer(line):
            stages[stage] |= set(found[1].split())
    return stages
