"""What all lints share: read the tree, report problems, prove that a lint can fail.

A lint has a function check(root) that yields problems as "path:line: text".

    LINT.py ROOT           check a tree; a lint that needs a build takes ROOT and BUILD
    LINT.py --self-test    check small trees made from EXAMPLES: (title, {path: content}, number of
                           problems)
    LINT.py --write ROOT   fix the problems, if the lint has a function `write`; `make format` does

`fix` is one sentence: the command that fixes the problems, or what to edit.
"""

import pathlib
import re
import sys
import tempfile

import yaml

C_FOLDERS = ("common", "gateway", "portal", "browser", "svc-*", "tests")

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def c_files(root, folders=C_FOLDERS):
    """The C files below the folders, sorted; tests, also those of tools, only with "tests"."""
    for folder in folders:
        for base in sorted(root.glob(folder)):
            yield from sorted(p for p in base.rglob("*.[ch]") if p.is_file() and
                              ("tests" in folders or "tests" not in p.relative_to(root).parts))


def contracts(root):
    """{file: its content} of all contracts: YAML files with the name of their folder."""
    return {file: yaml.safe_load(file.read_text(encoding="utf-8"))
            for file in sorted(root.glob("svc-*/*/*.yaml")) if file.stem == file.parent.name}


def without_comments_and_strings(text):
    """Remove comments and literals; keep the lines."""
    return NOT_CODE.sub(lambda found: "\n" * found.group().count("\n"), text)


def numbered(path):
    """The lines of a file with their numbers, from 1."""
    return enumerate(path.read_text(encoding="utf-8").splitlines(), 1)


def self_test(check, examples):
    failed = 0
    for title, tree, expected in examples:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, content in tree.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(content, encoding="utf-8")
            problems = list(check(root))
        if len(problems) != expected:
            failed += 1
            print(f"{title}: {expected} problems expected, found {problems}")
    print(f"{len(examples)} examples, {failed} failed")
    return failed == 0


def run(check, examples, fix, write=None, check_example=None):
    """check_example: checks an example's tree; by default check."""
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(0 if self_test(check_example or check, examples) else 1)
    if write and sys.argv[1:-1] == ["--write"]:
        sys.exit(write(pathlib.Path(sys.argv[2]).resolve()))
    if len(sys.argv) < 2:
        sys.exit(f"usage: CHECK.py {'[--write] ' if write else ''}ROOT [BUILD] | --self-test")
    problems = list(check(*(pathlib.Path(path).resolve() for path in sys.argv[1:])))
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems" + (f". Fix: {fix}" if problems else ""))
    sys.exit(1 if problems else 0)
