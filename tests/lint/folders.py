"""No folder has more than 25 files; split a larger one into folders. No two files of one run of
pytest have the same name, because it imports them by their names."""

import fnmatch
import os
import pathlib

import lint

FILES_MAX = 25

# What .gitignore excludes, and git's folder.
UNTRACKED = ("build*", "var", ".git", "*__pycache__", "*.pytest_cache")

# Folders of uniform files: samples for parsers, pages written by `make docs`, one runbook for each
# alert, and one template for each email.
UNIFORM = ("*/corpus", "*/corpus/*", "docs/tools", "docs/runbooks", "portal/mails/html", "portal/mails/text")


def fits(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


ONE_RUN = ("tests/api", "tests/faults")


def check(root):
    yield from check_sizes(root)
    yield from check_names(root)


def check_names(root):
    seen = {}
    for file in sorted(file for folder in ONE_RUN for file in (root / folder).rglob("test_*.py")):
        if file.name in seen:
            yield f"{file.relative_to(root)}: {seen[file.name].relative_to(root)} has the same name"
        seen[file.name] = file


def check_sizes(root):
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
    ("two names in one run", {"tests/api/a/test_a.py": "", "tests/faults/test_a.py": ""}, 1),
    ("two names in two runs", {"tests/api/test_a.py": "", "tests/compose/test_a.py": ""}, 0),
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
