"""No folder has more than 25 files; split a larger one into folders."""

import fnmatch
import os
import pathlib

import lint

FILES_MAX = 25

# What .gitignore excludes, and git's folder.
UNTRACKED = ("build*", "var", ".git", "*__pycache__", "*.pytest_cache")

# Folders of uniform files: samples for parsers, pages written by `make docs`, and one runbook for
# each alert.
UNIFORM = ("*/corpus", "*/corpus/*", "docs/tools", "docs/runbooks")


def fits(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def check(root):
    for place, folders, files in os.walk(root):
        path = pathlib.Path(place).relative_to(root)
        folders[:] = sorted(name for name in folders if not fits(str(path / name), UNTRACKED))
        if len(files) > FILES_MAX and not fits(str(path), UNIFORM):
            yield f"{path}: {len(files)} files, more than {FILES_MAX}"


def many(folder, count=FILES_MAX + 1):
    return {f"{folder}/{number}.c": "" for number in range(count)}


EXAMPLES = [
    ("nothing", {}, 0),
    ("the maximum", many("common/net", FILES_MAX), 0),
    ("one more", many("common/net"), 1),
    ("in two folders", many("common/net", 20) | many("common/net/dns", 20), 0),
    ("at the root", many("."), 1),
    ("a tool's folder", many("svc-utils/tool"), 1),
    ("of tests", many("tests/unit/net"), 1),
    ("a name with a build folder's prefix", many("tests/builder"), 1),
    ("a corpus", many("tests/fuzz/corpus/json"), 0),
    ("generated pages", many("docs/tools"), 0),
    ("other pages", many("docs/decisions"), 1),
    ("build folders", many("build") | many("build-san/common"), 0),
    ("untracked folders", many(".git/objects") | many("var/log") | many("tests/__pycache__"), 0),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "move files that belong together into a new folder, with a row in docs/develop/architecture.md.")
