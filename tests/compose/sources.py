"""tests/compose/sources.py - each image is built from all files that its component's build names.

A meson.build names a file outside its component as '../PATH'. The stage that builds the component
must copy it, and .dockerignore must not leave out what a stage copies. Otherwise the image cannot
be built.
"""

import fnmatch
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "lint"))

import lint  # noqa: E402
from stages import words_of_stages  # noqa: E402

DOCKERFILE, IGNORED = "deploy/docker/Dockerfile", ".dockerignore"
COMPONENTS = {"gateway": "build-gateway", "portal": "build-portal", "svc-*": "build-daemon"}  # and their stages
COPY = re.compile(r"^COPY (?!--from)(.+) \S+$")
OUTSIDE = re.compile(r"'((?:\.\./)+[^'@]+)'")


def left_in(dockerignore):
    return {line[1:] for line in dockerignore.splitlines() if line.startswith("!")}


def is_below(path, patterns):
    parents = [path, *path.parents]
    return any(fnmatch.fnmatchcase(str(parent), pattern) for parent in parents for pattern in patterns)


def named(root, component):
    """(meson.build, a path that it names) for each path outside the component, from the root."""
    for file in sorted(root.glob(f"{component}/**/meson.build")):
        for found in OUTSIDE.findall(file.read_text()):
            path = (file.parent / found).resolve().relative_to(root.resolve())
            if path.parts[0] != file.relative_to(root).parts[0]:
                yield file.relative_to(root), path


def check(root):
    stages = words_of_stages((root / DOCKERFILE).read_text(), COPY)
    patterns = left_in((root / IGNORED).read_text())
    for word in sorted({word for words in stages.values() for word in words} - {"."}):
        if not is_below(pathlib.PurePath(word), patterns):
            yield f"{IGNORED} leaves out {word}, which {DOCKERFILE} copies"
    for component, stage in COMPONENTS.items():
        for file, path in named(root, component):
            if not is_below(path, stages[stage]):
                yield f"{DOCKERFILE}: the stage {stage} does not copy {path}, which {file} names"
            if not is_below(path, patterns):
                yield f"{IGNORED} leaves out {path}, which {file} names"


BELOW = "FROM debian AS common\nCOPY common common\nFROM common AS build-daemon\nFROM common AS build-gateway\n"
TREE = {DOCKERFILE: BELOW + "FROM common AS build-portal\nCOPY docs/a.md docs/b.md docs/\n",
        IGNORED: "*\n!common\n!docs\n", "portal/meson.build": "x('../docs/a.md', '../common/x.h', 'main.c')\n"}
EXAMPLES = [
    ("all there", TREE, 0),
    ("one that no stage copies", TREE | {"portal/meson.build": "x('../docs/c.md')\n"}, 1),
    ("one that another stage copies", TREE | {"gateway/meson.build": "x('../docs/a.md')\n"}, 1),
    ("one that is left out", TREE | {IGNORED: "*\n!common\n!docs/b.md\n"}, 2),
    ("a folder that is left out", TREE | {DOCKERFILE: TREE[DOCKERFILE] + "COPY scripts scripts\n"}, 1),
    ("one from a deeper folder", TREE | {"svc-x/y/meson.build": "x('../../docs/a.md', '../z.c')\n"}, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "add the path to the stage and to .dockerignore.")
