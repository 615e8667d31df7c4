"""Object files do not use each other in a cycle: of any two, one links without the other.

Symbols show what a module uses; includes show only what it may use (includes.py). The build's
compile_commands.json names the source of each object. A symbol is resolved in the same program or
library if that defines it, otherwise in the same top folder or in common/.
"""

import collections
import json
import pathlib
import subprocess

import graph
import lint

FOLDERS = ("common", "gateway", "portal", "browser", "svc-")
NAMED_MAX = 3  # symbols shown for one step
ADVICE = "Move the shared parts into a module below both; put functions that call each other into one file"


def read_objects(root, build):
    """{object: its source, relative to root} of the product's folders."""
    objects = {}
    for command in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        source = (pathlib.Path(command["directory"]) / command["file"]).resolve()
        if source.is_relative_to(root) and str(source.relative_to(root)).startswith(FOLDERS):
            if command["output"].startswith(FOLDERS):
                objects[build / command["output"]] = str(source.relative_to(root))
    return objects


def read_symbols(objects):
    """({symbol: the objects that define it}, {object: the symbols that it uses})"""
    defined, taken = collections.defaultdict(list), collections.defaultdict(set)
    done = subprocess.run(["nm", "-A", "-P", "-g", *objects], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        place, symbol, kind = line.split()[:3]
        file = pathlib.Path(place.removesuffix(":"))
        if kind in "Uwv":
            taken[file].add(symbol)
        else:
            defined[symbol].append(file)
    return defined, taken


def find_definers(objects, taker, candidates):
    """The candidates from which the linker may take a symbol."""
    same = [file for file in candidates if file.parent == taker.parent]
    folder = objects[taker].split("/")[0]
    return same or [file for file in candidates if objects[file].split("/")[0] in (folder, "common")]


def read_modules(objects):
    """{source: {used source: symbols}}"""
    defined, taken = read_symbols(objects)
    modules = {source: collections.defaultdict(set) for source in objects.values()}
    for taker, symbols in taken.items():
        for symbol in symbols:
            for file in find_definers(objects, taker, defined.get(symbol, ())):
                if objects[file] != objects[taker]:
                    modules[objects[taker]][objects[file]].add(symbol)
    return modules


def describe_step(modules, user, used):
    symbols = sorted(modules[user][used])
    more = ", …" if len(symbols) > NAMED_MAX else ""
    return f"{user} uses {', '.join(symbols[:NAMED_MAX])}{more} of {used}"


def check(root, build):
    objects = read_objects(root, build)
    missing = [file for file in objects if not file.exists()]
    if missing or not objects:
        yield f"{build}: {len(missing)} of {len(objects)} objects are not built; run: meson compile -C {build}"
        return
    modules = read_modules(objects)
    for sources, way in graph.cycles(modules):
        steps = "; ".join(describe_step(modules, *step) for step in zip(way, way[1:]))
        yield f"{way[0]}: {len(sources)} files in cycles, the shortest: {steps}. {ADVICE}"


def check_sources(root):
    """Compile a tree of sources, each folder as a library, and check it."""
    commands = []
    for file in sorted(root.rglob("*.c")):
        output = root / "build" / file.relative_to(root).with_suffix(".o")
        output.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cc", "-c", "-o", output, file], check=True)
        commands.append({"directory": str(root), "file": str(file), "output": str(output.relative_to(root / "build"))})
    (root / "build").mkdir(exist_ok=True)
    (root / "build/compile_commands.json").write_text(json.dumps(commands), encoding="utf-8")
    yield from check(root.resolve(), root.resolve() / "build")


def defines(name, *called):
    """A C function that calls others."""
    return "".join(f"void {each}(void);\n" for each in called) + f"""
void {name}(void);
void {name}(void)
{{
    {" ".join(f"{each}();" for each in called)}
}}
"""


EXAMPLES = [
    ("one above the other", {"common/net/a.c": defines("a", "b"), "common/net/b.c": defines("b")}, 0),
    ("two above one", {"common/net/a.c": defines("a", "b", "c"), "common/net/b.c": defines("b", "c"),
                       "common/net/c.c": defines("c")}, 0),
    ("each other", {"common/net/a.c": defines("a", "b"), "common/net/b.c": defines("b", "a")}, 1),
    ("of three, through folders", {"portal/a.c": defines("a", "b"), "portal/x/b.c": defines("b", "c"),
                                   "portal/y/c.c": defines("c", "a")}, 1),
    ("two cycles that share a file", {"portal/a.c": defines("a", "b", "c"), "portal/b.c": defines("b", "a"),
                                       "portal/c.c": defines("c", "a")}, 1),
    ("two separate cycles", {"portal/a.c": defines("a", "b"), "portal/b.c": defines("b", "a"),
                   "svc-x/a.c": defines("a", "b"), "svc-x/b.c": defines("b", "a")}, 2),
    ("data", {"svc-x/a.c": "extern int b;\nint *a = &b;\n",
              "svc-x/b.c": "extern int *a;\nint b;\nint **c = &a;\n"}, 1),
    ("its own function", {"common/a.c": defines("a", "a")}, 0),
    ("a function inside", {"common/a.c": defines("a", "b"), "common/b.c": defines("b") + "static int a;\n"
                           "int *c(void);\nint *c(void)\n{\n    return &a;\n}\n"}, 0),
    ("one name in two programs", {"gateway/a.c": defines("a", "b"), "gateway/b.c": defines("b"),
                                "portal/b.c": defines("b", "a"), "portal/a.c": defines("a")}, 0),
    ("one name in two libraries", {"gateway/call/a.c": defines("a", "b"), "gateway/call/b.c": defines("b"),
                                 "gateway/tollctl/b.c": defines("b", "a")}, 0),
    ("one name in two workers", {"svc-x/a.c": defines("a", "b"), "svc-y/b.c": defines("b", "a")}, 0),
    ("tests are not checked", {"tests/a.c": defines("a", "b"), "tests/b.c": defines("b", "a"), "common/c.c": ""}, 0),
    ("nothing built", {"tests/a.c": ""}, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "move the shared parts into a third module below both (docs/develop/architecture.md).",
             check_example=check_sources)
