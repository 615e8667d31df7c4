"""No modules include each other in a circle: of any two, one can be read without the other.

A module is a header and the source of the same stem; what either includes counts. A source without a
header of its own is never included, so it makes no circle. A private header is one without a source
of its own, included by nothing but sources of its folder: it counts as a part of each of them, so it
may include the header of the module that it is private to. Tables (.def) are data.
"""

import re

import lint

INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')

def find(root, file, name):
    """The file that an #include means, as the compiler finds it; None when it is made by the build."""
    path = file.relative_to(root)
    for start in (file.parent, root / "common", root, root / path.parts[0]):
        target = (start / name).resolve()
        if target.is_file():
            return target
    return None


def read_includes(root):
    """Of each file: the headers that it includes, with the line of each."""
    includes = {}
    for file in lint.c_files(root, ("common", "gateway", "portal", "svc-*")):
        includes[file] = {}
        for number, line in lint.numbered(file):
            found = INCLUDE.match(line)
            target = found and find(root, file, found[1])
            if target and target.suffix == ".h":
                includes[file][target] = number
    return includes


def is_private(header, includes):
    users = [file for file, targets in includes.items() if header in targets]
    return header.suffix == ".h" and header.with_suffix(".c") not in includes and users and all(
        user.suffix == ".c" and user.parent == header.parent for user in users)


def read_modules(root, includes):
    """Of each module: the modules that it includes, with "path:line" of where it does."""
    private = {file for file in includes if is_private(file, includes)}
    modules = {}
    for file, targets in includes.items():
        if file in private:
            continue
        name = str(file.relative_to(root).with_suffix(""))
        module = modules.setdefault(name, {})
        for part in [file, *private.intersection(targets)]:
            for target in includes[part].keys() - private:
                other = str(target.relative_to(root).with_suffix(""))
                if other != name:
                    module.setdefault(other, f"{part.relative_to(root)}:{includes[part][target]}")
    return modules


def way(modules, start, end):
    """The shortest way from one module to another, both included; None when there is none."""
    ways = [[start]]
    seen = {start}
    for steps in ways:
        for module in sorted(modules.get(steps[-1], {})):
            if module == end:
                return [*steps, end]
            if module not in seen:
                seen.add(module)
                ways.append([*steps, module])
    return None


def check(root):
    root = root.resolve()
    modules = read_modules(root, read_includes(root))
    told = set()
    for name in sorted(modules):
        circle = way(modules, name, name)
        if circle and not told.intersection(circle):
            told.update(circle)
            yield f"{modules[name][circle[1]]}: a circle of includes: {' > '.join(circle)}"


EXAMPLES = [
    ("one above the other", {"common/net/a.h": '#include "net/b.h"\n', "common/net/b.h": ""}, 0),
    ("two above one", {"common/net/a.h": '#include "b.h"\n#include "c.h"\n',
                       "common/net/b.h": '#include "c.h"\n', "common/net/c.h": ""}, 0),
    ("headers", {"common/net/a.h": '#include "net/b.h"\n', "common/net/b.h": '#include "net/a.h"\n'}, 1),
    ("a source closes it", {"common/net/a.h": "", "common/net/a.c": '#include "net/b.h"\n',
                            "common/net/b.h": "", "common/net/b.c": '#include "net/a.h"\n'}, 1),
    ("of three, through folders", {"gateway/a.h": '#include "gateway/x/b.h"\n',
                                   "gateway/x/b.c": '#include "c.h"\n', "gateway/x/b.h": "",
                                   "gateway/x/c.h": '#include "../a.h"\n', "gateway/x/c.c": ""}, 1),
    ("in a tool's folder", {"svc-utils/t/a.c": '#include "b.h"\n', "svc-utils/t/a.h": "",
                            "svc-utils/t/b.h": '#  include "t/a.h"\n'}, 0),
    ("the same where the header has a source", {
        "svc-utils/t/a.c": '#include "b.h"\n', "svc-utils/t/a.h": "",
        "svc-utils/t/b.h": '#  include "t/a.h"\n', "svc-utils/t/b.c": ""}, 1),
    ("two circles", {"common/net/a.h": '#include "b.h"\n', "common/net/b.h": '#include "a.h"\n',
                     "common/svc/a.h": '#include "b.h"\n', "common/svc/b.h": '#include "a.h"\n'}, 2),
    ("its own header", {"common/net/a.c": '#include "net/a.h"\n', "common/net/a.h": ""}, 0),
    ("a source without a header", {"common/net/a-more.c": '#include "net/a.h"\n',
                                   "common/net/a.h": "", "common/net/a.c": ""}, 0),
    ("a private header", {"common/net/a.c": '#include "state.h"\n', "common/net/a.h": "",
                          "common/net/more.c": '#include "state.h"\n',
                          "common/net/state.h": '#include "net/a.h"\n'}, 0),
    ("what it includes is included by its sources", {
        "common/net/a.c": '#include "state.h"\n', "common/net/a.h": "",
        "common/net/state.h": '#include "net/b.h"\n',
        "common/net/b.h": "", "common/net/b.c": '#include "net/a.h"\n'}, 1),
    ("it is not private to another folder", {
        "common/net/a.c": '#include "net/x/state.h"\n', "common/net/a.h": "",
        "common/net/x/state.h": '#include "net/a.h"\n'}, 1),
    ("nor when a header includes it", {
        "common/net/a.c": '#include "state.h"\n', "common/net/a.h": "", "common/net/b.c": "",
        "common/net/b.h": '#include "state.h"\n', "common/net/state.h": '#include "net/a.h"\n'}, 1),
    ("a table", {"common/net/a.h": '#include "net/b.def"\n', "common/net/b.def": "",
                 "common/net/b.h": '#include "net/a.h"\n'}, 0),
    ("made by the build", {"common/bus/a.c": '#include "job.pb-c.h"\n'}, 0),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES)
