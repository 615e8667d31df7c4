"""No folder holds more files than a reader takes in at a glance; a larger one gets rooms."""

import fnmatch
import os
import pathlib

import lint

FILES_MAX = 25

# What .gitignore leaves out, and git's own.
UNTRACKED = ("build*", "var", ".git", "*__pycache__", "*.pytest_cache")

# One file is as the next there: samples for parsers, and pages written by `make docs`.
UNIFORM = ("*/corpus", "*/corpus/*", "docs/tools")


def fits(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def check(root):
    for place, folders, files in os.walk(root):
        path = pathlib.Path(place).relative_to(root)
        folders[:] = sorted(name for name in folders if not fits(str(path / name), UNTRACKED))
        if len(files) > FILES_MAX and not fits(str(path), UNIFORM):
            yield f"{path}: {len(files)} files side by side, more than {FILES_MAX}"


def many(folder, count=FILES_MAX + 1):
    return {f"{folder}/{number}.c": "" for number in range(count)}


EXAMPLES = [
    ("nothing", {}, 0),
    ("as many as there may be", many("common/net", FILES_MAX), 0),
    ("one more", many("common/net"), 1),
    ("in rooms", many("common/net", 20) | many("common/net/dns", 20), 0),
    ("at the root", many("."), 1),
    ("a tool's folder", many("svc-utils/tool"), 1),
    ("tests, too", many("tests/unit/net"), 1),
    ("a name that begins like a build's", many("tests/builder"), 1),
    ("a corpus", many("tests/fuzz/corpus/json"), 0),
    ("what make docs writes", many("docs/tools"), 0),
    ("docs else", many("docs/decisions"), 1),
    ("what is built", many("build") | many("build-san/common"), 0),
    ("what is no source", many(".git/objects") | many("var/log") | many("tests/__pycache__"), 0),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "move the files that belong together into a folder of their own, with a row in docs/develop/architecture.md.")
