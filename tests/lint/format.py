"""Every C file is formatted by clang-format 14, with the .clang-format at the root. Other versions
format some lines differently, so with another one, such as Debian 13's, the lint is skipped."""

import pathlib
import re
import subprocess
import sys

import lint

VERSION = 14
SKIPPED = 77  # Meson's exit status of a skipped test
STYLE = pathlib.Path(__file__).resolve().parents[2] / ".clang-format"
COMPLAINT = re.compile(r"(.+?:\d+):\d+: error: ")


def clang_format(root, *options, **how):
    files = [str(file) for file in lint.c_files(root)]
    return subprocess.run(["clang-format", f"--style=file:{STYLE}", *options, *files], check=False, **how)


def check(root):
    if not any(lint.c_files(root)):
        return
    done = clang_format(root, "--dry-run", "--Werror", capture_output=True, text=True)
    complaints = map(COMPLAINT.match, done.stderr.splitlines())
    lines = dict.fromkeys(found[1] for found in complaints if found)
    for line in lines:
        yield f"{pathlib.Path(line).relative_to(root)}: not formatted by clang-format"
    if done.returncode != 0 and not lines:
        yield f"clang-format failed: {done.stderr.strip()}"


def write(root):
    return clang_format(root, "-i").returncode


GOOD = "int f(int x)\n{\n    return x;\n}\n"

EXAMPLES = [
    ("no file", {"README.md": "  x"}, 0),
    ("well formed", {"common/base/a.c": GOOD}, 0),
    ("indented by two", {"common/base/a.c": GOOD.replace("    ", "  ")}, 1),
    ("brace on the line", {"gateway/a.c": GOOD.replace(")\n{", ") {")}, 1),
    ("in a header", {"svc-utils/a.h": "int  f(void);\n"}, 1),
    ("in a test", {"tests/unit/a.c": "int f( void );\n"}, 1),
    ("switched off", {"common/base/a.c": "/* clang-format off */\nint  x;\n"}, 0),
]


def installed_version():
    done = subprocess.run(["clang-format", "--version"], check=True, capture_output=True, text=True)
    return int(re.search(r"version (\d+)", done.stdout)[1])


if __name__ == "__main__":
    if (other := installed_version()) != VERSION:
        print(f"C is not formatted: this is clang-format {other}, and the tree is formatted by {VERSION}")
        sys.exit(0 if "--write" in sys.argv else SKIPPED)
    lint.run(check, EXAMPLES, "run `make format`.", write)
