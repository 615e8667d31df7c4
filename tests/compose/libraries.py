"""tests/compose/libraries.py - each image installs the packages of the libraries that its program
is linked with.

Without one, the image builds, and the program does not start. Libraries of libraries come with
their packages, so only those that a program names itself are compared.
"""

import functools
import pathlib
import platform
import re
import subprocess
import sys

import yaml

sys.path.append(str(pathlib.Path(__file__).parents[1] / "lint"))

import lint  # noqa: E402
from stages import words_of_stages  # noqa: E402

RELEASE = "bookworm"  # of the images; others have other names of packages
SKIPPED = 77          # Meson's exit status of a skipped test
DOCKERFILE = "deploy/docker/Dockerfile"
PROGRAMS = {"gateway": "gateway/tollgate-gateway", "portal": "portal/tollgate-portal",
            "tollctl": "gateway/tollctl", "init": "gateway/tollctl"}  # of each stage
DAEMON = "daemon"  # the stage of all groups; group.yaml has the group's packages
IN_EVERY_IMAGE = {"libc6", "libgcc-s1"}
INSTALLED = re.compile(r"apt-get install -y --no-install-recommends ([^&$]*)")


def installed(dockerfile):
    """{stage: its packages, with those of the stages below it}."""
    return words_of_stages(dockerfile, INSTALLED, IN_EVERY_IMAGE)


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def linked(program):
    """{the name of each library that a program asks for: its path on this machine}."""
    names = re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-d", program))
    places = dict(re.findall(r"^\s+(\S+) => (\S+)", output("ldd", program), re.MULTILINE))
    return {name: pathlib.Path(places[name]) for name in names}


def owner(path):
    """dpkg knows a merged /usr by either path."""
    for each in (path, pathlib.Path("/usr") / path.relative_to("/"), pathlib.Path("/") / path.relative_to("/usr")
                 if path.is_relative_to("/usr") else path):
        found = subprocess.run(["dpkg", "-S", each], capture_output=True, text=True).stdout
        if found:
            return found.split(":")[0]
    raise FileNotFoundError(f"no package has {path}")


def problems(stages, needs):
    """needs: (stage, program, packages of the group, packages of its libraries)."""
    for stage, program, more, needed in needs:
        for package in sorted(needed - stages[stage] - more):
            place = f"{program.split('/')[0]}/group.yaml" if stage == DAEMON else f"{DOCKERFILE}: the stage {stage}"
            yield f"{place} lacks {package}, whose library {program} needs"


def check(root, build):
    groups = {file.parent.name: set(yaml.safe_load(file.read_text())["packages"])
              for file in sorted(root.glob("svc-*/group.yaml"))}
    programs = [(stage, program, set()) for stage, program in PROGRAMS.items()]
    programs += [(DAEMON, f"{name}/{name}", packages) for name, packages in groups.items()]
    owners = functools.cache(owner)
    yield from problems(installed((root / DOCKERFILE).read_text()),
                        [(stage, program, more, set(map(owners, linked(build / program).values())))
                         for stage, program, more in programs])


def check_example(root):
    yield from problems(installed((root / DOCKERFILE).read_text()),
                        [("gateway", "gateway/tollgate-gateway", set(), {"libc6", "libpq5"}),
                         (DAEMON, "svc-x/svc-x", {"libcurl4"}, {"libcurl4", "libczmq4"})])


BELOW = ("FROM debian AS runtime\nRUN apt-get update && apt-get install -y --no-install-recommends \\\n"
         "        libczmq4 && rm -rf /tmp/x\nFROM runtime AS daemon\nFROM runtime AS gateway\n")
MORE = "RUN apt-get update && apt-get install -y --no-install-recommends libpq5\n"
EXAMPLES = [
    ("all there", {DOCKERFILE: BELOW + MORE}, 0),
    ("one missing", {DOCKERFILE: BELOW}, 1),
    ("one missing below", {DOCKERFILE: (BELOW + MORE).replace("libczmq4", "")}, 1),
    ("one in another stage", {DOCKERFILE: BELOW + "FROM debian AS other\n" + MORE}, 1),
]

if __name__ == "__main__":
    if sys.argv[1:] != ["--self-test"] and (here := platform.freedesktop_os_release().get("VERSION_CODENAME")) != RELEASE:
        print(f"the images are of {RELEASE}, and this is {here}")
        sys.exit(SKIPPED)
    lint.run(check, EXAMPLES, "add the package to this stage or group.", check_example=check_example)
