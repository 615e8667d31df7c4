"""tests/compose/pages/page_commands.py - the commands of a page for operators."""

import re

BLOCK = re.compile(r"^ *```console\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r"^ *[a-z0-9]*[$#] ")
GOES_ON = re.compile(r"(\\|&&|<<\.)$")  # a command whose next line belongs to it


def commands(text):
    """The commands of a page's blocks, without prompts and output."""
    found, goes_on = [], False
    for block in BLOCK.findall(text):
        heredoc = False
        for line in block.splitlines():
            if goes_on:
                found[-1] += "\n" + line.strip()
                heredoc = heredoc and line.strip() != "."
                goes_on = heredoc or GOES_ON.search(line) is not None
            elif prompt := PROMPT.match(line):
                found.append(line[prompt.end():])
                heredoc = line.endswith("<<.")
                goes_on = GOES_ON.search(line) is not None
    return [re.sub(r" +# .*$", "", command) for command in found]
