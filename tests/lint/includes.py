"""Modules do not include each other in a cycle, nor do two folders.

So of any two modules or folders, you can read one without the other. cycles.py checks the same for
the linker's symbols.

- A module is a header and the source of the same name, with the includes of both. A source without
  a header is never included, so it cannot be on a cycle.
- A private header has no source of the same name, and only sources of its folder include it. It is
  a part of each of them, so it may include the header of that module.
- Tables (.def) are data: they do not make cycles of modules, but a folder that includes another
  folder's table uses that folder.
"""

import re

import graph
import lint

FOLDERS = ("common", "gateway", "portal", "browser", "svc-*")
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')
CUT = "move the shared parts into a module that includes neither"
SPLIT = "move the shared files into the lower folder, or into one that includes neither"


def find(root, file, name):
    """The file of an #include, as the compiler finds it; None for generated files."""
    path = file.relative_to(root)
    for start in (file.parent, root / "common", root, root / path.parts[0]):
        target = (start / name).resolve()
        if target.is_file():
            return target
    return None


def read_includes(root):
    """{file: {included header or table: line}}"""
    includes = {}
    for file in lint.c_files(root, FOLDERS):
        includes[file] = {}
        for number, line in lint.numbered(file):
            found = INCLUDE.match(line)
            target = found and find(root, file, found[1])
            if target and target.suffix in (".h", ".def"):
                includes[file][target] = number
    return includes


def is_private(header, includes):
    users = [file for file, targets in includes.items() if header in targets]
    return header.suffix == ".h" and header.with_suffix(".c") not in includes and users and all(
        user.suffix == ".c" and user.parent == header.parent for user in users)


def read_modules(root, includes):
    """{module: {included module: "path:line" of the #include}}"""
    private = {file for file in includes if is_private(file, includes)}
    modules = {}
    for file, targets in includes.items():
        if file in private:
            continue
        name = str(file.relative_to(root).with_suffix(""))
        module = modules.setdefault(name, {})
        for part in [file, *private.intersection(targets)]:
            for target in includes[part].keys() - private:
                if target.suffix == ".def":
                    continue
                other = str(target.relative_to(root).with_suffix(""))
                if other != name:
                    module.setdefault(other, f"{part.relative_to(root)}:{includes[part][target]}")
    return modules


def read_folders(root, includes):
    """{folder: {included folder: "path:line" of the first #include}}"""
    folders = {}
    for file, targets in includes.items():
        folder = folders.setdefault(str(file.parent.relative_to(root)), {})
        for target, number in targets.items():
            if target.parent != file.parent:
                folder.setdefault(str(target.parent.relative_to(root)), f"{file.relative_to(root)}:{number}")
    return folders


def check(root):
    root = root.resolve()
    includes = read_includes(root)
    modules = read_modules(root, includes)
    for _, way in graph.cycles(modules):
        yield f"{modules[way[0]][way[1]]}: a cycle of includes: {' > '.join(way)}; {CUT}"
    folders = read_folders(root, includes)
    for a in sorted(folders):
        for b in sorted(folders[a]):
            if a < b and a in folders.get(b, {}):
                yield f"{folders[a][b]}: {a} and {b} include each other, {folders[b][a]}; {SPLIT}"


EXAMPLES = [
    ("one above the other", {"common/net/a.h": '#include "net/b.h"\n', "common/net/b.h": ""}, 0),
    ("two above one", {"common/net/a.h": '#include "b.h"\n#include "c.h"\n',
                       "common/net/b.h": '#include "c.h"\n', "common/net/c.h": ""}, 0),
    ("headers", {"common/net/a.h": '#include "net/b.h"\n', "common/net/b.h": '#include "net/a.h"\n'}, 1),
    ("a source closes the cycle", {"common/net/a.h": "", "common/net/a.c": '#include "net/b.h"\n',
                            "common/net/b.h": "", "common/net/b.c": '#include "net/a.h"\n'}, 1),
    ("of three, through folders that include each other", {"gateway/a.h": '#include "gateway/x/b.h"\n',
                                   "gateway/x/b.c": '#include "c.h"\n', "gateway/x/b.h": "",
                                   "gateway/x/c.h": '#include "../a.h"\n', "gateway/x/c.c": ""}, 2),
    ("in a tool's folder", {"svc-utils/t/a.c": '#include "b.h"\n', "svc-utils/t/a.h": "",
                            "svc-utils/t/b.h": '#  include "t/a.h"\n'}, 0),
    ("the same where the header has a source", {
        "svc-utils/t/a.c": '#include "b.h"\n', "svc-utils/t/a.h": "",
        "svc-utils/t/b.h": '#  include "t/a.h"\n', "svc-utils/t/b.c": ""}, 1),
    ("two cycles", {"common/net/a.h": '#include "b.h"\n', "common/net/b.h": '#include "a.h"\n',
                     "common/svc/a.h": '#include "b.h"\n', "common/svc/b.h": '#include "a.h"\n'}, 2),
    ("its own header", {"common/net/a.c": '#include "net/a.h"\n', "common/net/a.h": ""}, 0),
    ("a source without a header", {"common/net/a-more.c": '#include "net/a.h"\n',
                                   "common/net/a.h": "", "common/net/a.c": ""}, 0),
    ("a private header", {"common/net/a.c": '#include "state.h"\n', "common/net/a.h": "",
                          "common/net/more.c": '#include "state.h"\n',
                          "common/net/state.h": '#include "net/a.h"\n'}, 0),
    ("its includes count for its sources", {
        "common/net/a.c": '#include "state.h"\n', "common/net/a.h": "",
        "common/net/state.h": '#include "net/b.h"\n',
        "common/net/b.h": "", "common/net/b.c": '#include "net/a.h"\n'}, 1),
    ("not private: included from another folder", {
        "common/net/a.c": '#include "net/x/state.h"\n', "common/net/a.h": "",
        "common/net/x/state.h": '#include "net/a.h"\n'}, 2),
    ("not private: included by a header", {
        "common/net/a.c": '#include "state.h"\n', "common/net/a.h": "", "common/net/b.c": "",
        "common/net/b.h": '#include "state.h"\n', "common/net/state.h": '#include "net/a.h"\n'}, 1),
    ("a table", {"common/net/a.h": '#include "net/b.def"\n', "common/net/b.def": "",
                 "common/net/b.h": '#include "net/a.h"\n'}, 0),
    ("a folder above another", {"portal/a.c": '#include "page/b.h"\n', "portal/page/b.h": ""}, 0),
    ("folders, without a cycle of modules", {
        "portal/a.c": '#include "page/b.h"\n', "portal/page/b.h": "", "portal/c.h": "",
        "portal/page/d.c": '#include "portal/c.h"\n'}, 1),
    ("by another's table", {"portal/a.c": '#include "page/b.def"\n', "portal/page/b.def": "", "portal/c.h": "",
                            "portal/page/d.c": '#include "portal/c.h"\n'}, 1),
    ("a generated header", {"common/bus/a.c": '#include "job.pb-c.h"\n'}, 0),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "move the shared parts into a module or folder below both (docs/develop/architecture.md).")
