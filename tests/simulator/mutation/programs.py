"""tests/simulator/mutation/programs.py - compiles files of the build once more with a change, links
a program with them, and runs it within limits. The source and the build stay as they are."""

import json
import os
import shlex
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SIMULATOR = "tests/simulator/simulator"
STATE_MACHINE = "gateway/ledger/item-machine.c"
CPU_S = 10  # a healthy program takes about 1 s
MEMORY_BYTES = 4 << 30
OUTPUT_BYTES = 16 << 20
UNCACHED = os.environ | {"CCACHE_DISABLE": "1"}


class BuildError(Exception):
    """The compiler's or linker's messages."""


def source_of(file):
    """The C file to compile for a change of a file."""
    return STATE_MACHINE if file.endswith(".def") else file


def build_command(command, cwd):
    done = subprocess.run(command, cwd=cwd, env=UNCACHED, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(done.stdout + done.stderr)
    return done.stdout


def run_limited(command, seconds):
    """Exit code and output; 137: it took longer."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        limits = ["timeout", "-s", "KILL", str(seconds), "prlimit", f"--cpu={CPU_S}", "--core=0", f"--as={MEMORY_BYTES}",
                  f"--fsize={OUTPUT_BYTES}"]
        done = subprocess.run([*limits, *command], cwd=ROOT, stdout=output, stderr=output, check=False)
        output.seek(0)
        return done.returncode & 0xff, output.read()


def write_changed(folder, file, text):
    """Write a changed file below a folder. Its lines and its name, which assert() prints, stay."""
    target = folder / file
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text if file.endswith(".def") else f'#line 1 "{file}"\n{text}', encoding="utf-8")


class Program:
    def __init__(self, build, path):
        self._build, self._path = build, path
        self._commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
        text = build_command(["ninja", "-t", "commands", "-s", path], build)
        self._link = shlex.split(text.strip().splitlines()[-1].split(" && ")[0])

    def _entry(self, file):
        """How a file is compiled for this program, or for the library that it links."""
        own = [c for c in self._commands if (self._build / c["file"]).resolve() == ROOT / file]
        return next((c for c in own if c["output"].startswith(f"{self._path}.p/")),
                    next((c for c in own if ".a.p/" in c["output"]), None))

    def compile(self, file, folder, compiled):
        """Compile a C file with the changed files below the folder."""
        words = shlex.split(self._entry(file)["command"])
        dropped = {"-MD", "-MQ", "-MF", "-o", "-c", "-g"}
        kept = [word for before, word in zip(["", *words], words)
                if word not in dropped and before not in dropped - {"-MD", "-g"}]
        compiler = next(i for i, word in enumerate(kept) if word.startswith("-"))
        changed = folder / file
        source = changed if changed.exists() else ROOT / file
        build_command([*kept[:compiler], f"-I{folder}", *kept[compiler:], "-w", "-c", str(source), "-o", str(compiled)], self._build)
        return compiled

    def link(self, objects, program):
        """Link the program with {file: object} before its other objects and libraries."""
        outputs = {self._entry(file)["output"] for file in objects}
        words = [word for word in self._link if word not in outputs]
        words[words.index("-o") + 1] = str(program)
        at = words.index("-o") + 2
        build_command([*words[:at], *map(str, objects.values()), *words[at:]], self._build)
        return program
