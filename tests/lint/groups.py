"""Each group svc-<name>/ has a complete group.yaml, and is in every file that lists groups.

These are compose.yaml, prometheus.yml, and README.md with the group's tools. The lint prints what
is missing in its final form.
"""

import importlib.machinery
import pathlib
import re

import yaml

import lint

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
script = importlib.machinery.SourceFileLoader("groups_script", str(SCRIPTS / "groups")).load_module()

COMPOSE = "compose.yaml"
PROMETHEUS = "deploy/observability/prometheus.yml"
README = "README.md"
USERS = "deploy/docker/users"  # of the other services
KEYS = {"title": str, "order": int, "user": int, "outside": bool, "packages": list}  # scripts/groups describes them
SERVICE = """\
  svc-{name}:
    <<: *{daemon}
    image: ${{IMAGE:-tollgate}}/svc-{name}:${{TOLLGATE_VERSION:-local}}
    build: {{ <<: *build, target: daemon, args: {{ <<: *images, GROUP: {name} }} }}
    volumes: ["keys-svc-{name}:/run/tollgate:ro"]
    scale: ${{SVC_{upper}:-1}}
"""
COMPOSE_PARTS = (("services", SERVICE), ("the volumes of init", "      - keys-svc-{name}:/keys/svc-{name}\n"),
                 ("volumes", "  keys-svc-{name}: {{}}\n"))


def read(root):
    """{name: the content of its group.yaml}; also for folders with contracts but without one."""
    folders = sorted({file.parents[1] for file in lint.contracts(root)} | {file.parent for file in root.glob("svc-*/group.yaml")})
    return {folder.name.removeprefix("svc-"): load(folder / "group.yaml") for folder in folders}


def load(file):
    return yaml.safe_load(file.read_text()) if file.exists() else {}


def check_files(root, groups):
    users = {int(line.split()[1]): line.split()[0] for line in (root / USERS).read_text().splitlines()}
    free = max([*users, *(group["user"] for group in groups.values() if "user" in group)]) + 1
    for name, group in groups.items():
        file = f"svc-{name}/group.yaml"
        for key in sorted(KEYS.keys() | group.keys()):
            if type(group.get(key)) is not KEYS.get(key):
                yield f"{file}: {key} is unknown, missing or has the wrong type; see scripts/groups"
        user = group.get("user")
        if users.setdefault(user, name) != name:
            yield f"{file}: user {user} belongs to {users[user]}; the next free one is {free}"


def check_compose(root, groups):
    text = (root / COMPOSE).read_text()
    for name, group in groups.items():
        daemon = "daemon-outside" if group.get("outside") else "daemon"
        for place, part in COMPOSE_PARTS:
            wanted = part.format(name=name, upper=name.upper(), daemon=daemon)
            if wanted not in text:
                yield f"{COMPOSE}: {place} must have\n\n{wanted}"
    for name in sorted(set(re.findall(r"\bsvc-([a-z]+)\b", re.sub("#.*", "", text))) - groups.keys()):
        yield f"{COMPOSE}: there is no group svc-{name}"


def check_prometheus(root, groups):
    wanted = f"names: [{', '.join(f'svc-{name}' for name in groups)}]"
    if wanted not in (root / PROMETHEUS).read_text():
        yield f"{PROMETHEUS}: the job svc must have {wanted}"


def check_readme(root, groups):
    text = (root / README).read_text()
    script.ROOT = root
    for name in groups:
        row, = script.print_readme(name)
        if row not in text.splitlines():
            yield f"{README}: the table of tools must have this row; `scripts/groups write` updates it\n\n{row}\n"


def check(root):
    groups = read(root)
    if not groups:
        yield "there is no group"
    for part in (check_files, check_compose, check_prometheus, check_readme):
        yield from part(root, groups)


def tree():
    """A tree with one group and without problems."""
    return {
        "svc-x/group.yaml": "{ title: X, order: 1, user: 9, outside: false, packages: [] }",
        "svc-x/a-tool/a-tool.yaml": "{ tool: a-tool, credits: 1 }",
        "svc-x/a-tool/data.yaml": "[1]",
        USERS: "edge 1\n",
        COMPOSE: "".join(part.format(name="x", upper="X", daemon="daemon") for _, part in COMPOSE_PARTS),
        PROMETHEUS: "names: [svc-x]",
        README: "| svc-x, 1 credit | a-tool |\n",
    }


GROUP = "svc-x/group.yaml"
EXAMPLES = [
    ("no problems", tree(), 0),
    ("an unlisted second group", tree() | {"svc-y/b-tool/b-tool.yaml": "{ tool: b-tool, credits: 1 }"}, 5 + 3 + 1 + 1),
    ("no title", tree() | {GROUP: "{ order: 1, user: 9, outside: false, packages: [] }"}, 1),
    ("an unknown key", tree() | {GROUP: tree()[GROUP].replace("title", "port: 1, title")}, 1),
    ("a number for a text", tree() | {GROUP: tree()[GROUP].replace("X", "5")}, 1),
    ("another service's user", tree() | {GROUP: tree()[GROUP].replace("9", "1")}, 1),
    ("goes out, without the network", tree() | {GROUP: tree()[GROUP].replace("false", "true")}, 1),
    ("goes out", tree() | {GROUP: tree()[GROUP].replace("false", "true"),
                           COMPOSE: tree()[COMPOSE].replace("*daemon", "*daemon-outside")}, 0),
    ("a service of another image", tree() | {COMPOSE: tree()[COMPOSE].replace("GROUP: x", "GROUP: y")}, 1),
    ("no keys", tree() | {COMPOSE: tree()[COMPOSE].replace("  keys-svc-x: {}\n", "")}, 1),
    ("a service without a group", tree() | {COMPOSE: tree()[COMPOSE] + "  svc-gone:\n    image: a\n"}, 1),
    ("not in Prometheus", tree() | {PROMETHEUS: "names: []"}, 1),
    ("no row in the README", tree() | {README: ""}, 1),
    ("without the tool", tree() | {README: "| svc-x, 1 credit | other-tool |\n"}, 1),
    ("another price", tree() | {README: "| svc-x, 2 credits | a-tool |\n"}, 1),
    ("prices", tree() | {"svc-x/b/b.yaml": "{ credits: 5 }", README: "| svc-x, 1 to 5 credits | a-tool, b |\n"}, 0),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "add what the line shows to the file.")
