"""docs/operate/configuration.md lists the keys of common/text/conf.def, with their defaults and
meanings, in order; docs/operate/monitoring.md the metrics that the processes register;
docs/operate/logs.md the fields of log lines. Commands that search logs name only fields that
lines have."""

import re

import lint

TABLE = "common/text/conf.def"
KEYS = "docs/operate/configuration.md"
METRICS = "docs/operate/monitoring.md"
ROW = re.compile(r'CONF\("([^"]+)", (\w+), ((?:DATA_DIR )?"[^"]*"), "([^"]*)"\)')
DATA_DIR = "PREFIX/share/tollgate"  # the page explains PREFIX
KINDS = {"STR": "text", "INT": "number", "BOOL": "true/false", "LIST": "list"}
HEADS = {
    KEYS: "| key | type | default | meaning |\n|---|---|---|---|\n",
    METRICS: "| Metric | Type | Process | Meaning |\n|---|---|---|---|\n",
}
FOLDERS = {  # where a metric is registered: which processes have it
    "common/admin": "each",
    "browser": "browser",
    "common/server": "gateway, portal, browser",
    "common/svc": "daemons",
    "gateway": "gateway",
    "portal": "portal",
    "svc-ai": "`svc-ai`",
}
STRINGS = r'((?:"[^"]*"\s*)+)'
NAME = re.compile(r'"(tollgate_[a-z0-9_]+)"')
HELP = re.compile(r",\s*" + STRINGS + "[,}]")
EDGE = "deploy/edge/haproxy.cfg"
LOGS = "docs/operate/logs.md"
LOG_HEAD = "| Field | Meaning |\n|---|---|\n"
LOG_FIELD = re.compile(r'\blog_(?:str|int)\(\s*"([^"]+)"')
EDGE_FIELD = re.compile(r'[{,]"([^"]+)":')
EACH_LINE = {"ts", "level", "service.name", "msg"}
SEARCH = re.compile(r"^.*\blogs\b.*\bgrep\b.*$", re.MULTILINE)
QUOTED = re.compile(r"'([^']*)'")
VALUE = re.compile(r':"(?:\[\^"\]\*|[^"]*)"')
SEARCHED = re.compile(r'"([a-z_.]+)"')
NAMED_HELP = re.compile(r"\bhelp\[\] =\s*" + STRINGS)


def keys(root):
    for key, kind, initial, meaning in ROW.findall((root / TABLE).read_text()):
        initial = initial.replace('DATA_DIR "', f'"{DATA_DIR}').strip('"')
        shown = f"`{initial}`" if initial else ""
        yield f"| `{key}` | {KINDS[kind]} | {shown} | {meaning} |"


def metrics_of(text):
    """(name, type, meaning) of each registration in a file."""
    for found in NAME.finditer(text):
        name = found[1]
        kind = "counter" if name.endswith("_total") else \
            (re.findall(r"metrics_(gauge|histogram)", text[:found.start()])  # a table's row is before its call
             or re.findall(r"metrics_(gauge|histogram)", text))[-1]
        meaning = HELP.match(text, found.end()) or NAMED_HELP.search(text)
        yield name, kind, "".join(re.findall(r'"([^"]*)"', meaning[1])).rstrip(".")


def metrics(root):
    found = set()
    for folder, process in FOLDERS.items():
        for path in root.glob(f"{folder}/**/*.c"):
            found |= {(name, kind, process, meaning)
                      for name, kind, meaning in metrics_of(path.read_text(encoding="utf-8"))}
    for name, kind, process, meaning in sorted(found):
        yield f"| `{name}` | {kind} | {process} | {meaning} |"


ROWS = {KEYS: keys, METRICS: metrics}  # what makes the lines of a page's table


def log_fields(root):
    """The names of fields of lines in code and in the edge's configuration."""
    found = set()
    for path in lint.c_files(root, ("common", "gateway", "portal", "svc-*")):
        found |= set(LOG_FIELD.findall(path.read_text(encoding="utf-8")))
    edge = root / EDGE
    formats = [line for line in edge.read_text().splitlines() if "log-format" in line] if edge.exists() else []
    return (found | set(EDGE_FIELD.findall("\n".join(formats)))) - EACH_LINE


def check_log_fields(root):
    page = root / LOGS
    rows = page.read_text().partition(LOG_HEAD)[2].split("\n\n")[0].splitlines() if page.exists() else []
    listed = [name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])]
    if listed != sorted(listed):
        yield f"{LOGS}: its table of fields is not sorted"
    for name in sorted(set(listed) ^ log_fields(root)):
        yield f"{LOGS}: the field {name} is " + ("of no log line" if name in listed else "missing")


def check_searches(root):
    fields = log_fields(root) | EACH_LINE
    for page in sorted((root / "docs").glob("**/*.md")):
        for line in SEARCH.findall(page.read_text(encoding="utf-8")):
            names = SEARCHED.findall(VALUE.sub(":", " ".join(QUOTED.findall(line))))
            for name in sorted(set(names) - fields):
                yield f"{page.relative_to(root)}: a command searches logs for {name}, which is a field of no line"


def check(root):
    yield from check_log_fields(root)
    yield from check_searches(root)
    for page, head in HEADS.items():
        wanted = list(ROWS[page](root))
        if not wanted:
            yield f"{page}: there is nothing to list"
        found = (root / page).read_text().partition(head)[2].split("\n\n")[0].strip().splitlines()
        if found != wanted:
            yield f"{page}: its table is not what the source says"


def write(root):
    for name, rows in ROWS.items():
        page = root / name
        before, head, rest = page.read_text().partition(HEADS[name])
        after = rest.partition("\n\n")[2]
        page.write_text(before + head + "\n".join(rows(root)) + "\n" + (f"\n{after}" if after else ""))


ONE_KEY = 'CONF("a.b", INT, "1", "what")\n'
KEY_PAGE = HEADS[KEYS] + "| `a.b` | number | `1` | what |\n"
GAUGE = 'made = metrics_gauge(metrics, "tollgate_a", "What " "it is.", NO_LABELS);\n'
METRIC_LINE = "| `tollgate_a` | gauge | portal | What it is |\n"
METRIC_PAGE = HEADS[METRICS] + METRIC_LINE


def example(title, problems, **changed):
    files = {"table": ONE_KEY, "keys": KEY_PAGE, "portal": GAUGE, "gateway": "", "metrics": METRIC_PAGE,
             "logs": LOG_HEAD, "edge": "", "runbook": ""} | changed
    names = {"table": TABLE, "keys": KEYS, "portal": "portal/a.c", "gateway": "gateway/a.c", "metrics": METRICS,
             "logs": LOGS, "edge": EDGE, "runbook": "docs/runbooks/A.md"}
    return title, {names[what]: text for what, text in files.items()}, problems


EXAMPLES = [
    example("all agree", 0, keys="# Keys\n\n" + KEY_PAGE),
    example("text behind the tables", 0, keys=KEY_PAGE + "\nMore.\n", metrics=METRIC_PAGE + "\nMore.\n"),
    example("a missing key", 1, table=ONE_KEY + ONE_KEY.replace("a.b", "a.c")),
    example("another default", 1, keys=KEY_PAGE.replace("1", "2")),
    example("a key too many", 1, keys=KEY_PAGE + "| `a.c` | number | `1` | what |\n"),
    example("installed data", 0, table='CONF("a", STR, DATA_DIR "/x", "what")\n',
            keys=HEADS[KEYS] + "| `a` | text | `PREFIX/share/tollgate/x` | what |\n"),
    example("no table of keys", 1, keys="# Keys\n"),
    example("a counter with a named help", 0, portal="", gateway='name[] = "tollgate_b_total", help[] = "What";\n',
            metrics=HEADS[METRICS] + "| `tollgate_b_total` | counter | gateway | What |\n"),
    example("a missing metric", 1, metrics=HEADS[METRICS] + "\n"),
    example("a metric that is not registered", 1, metrics=METRIC_PAGE + METRIC_LINE.replace("_a", "_b")),
    example("another meaning", 1, metrics=METRIC_PAGE.replace("What", "That")),
    example("another order", 1, portal=GAUGE + GAUGE.replace("_a", "_b"),
            metrics=HEADS[METRICS] + METRIC_LINE.replace("_a", "_b") + METRIC_LINE),
    example("a log field", 0, gateway='log_line(LOG_INFO, "x", log_int("b", 1), log_str(\n"a.c", 0));\n',
            logs=LOG_HEAD + "| `a.c` | what |\n| `b` | what |\n"),
    example("a log field that is missing, and one of no line", 2, gateway='log_str("b", 0)\n',
            logs=LOG_HEAD + "| `a` | what |\n"),
    example("a log field of the edge is missing", 1, edge="log-format '{\"ts\":\"x\",\"a\":%ST}'\n"),
    example("log fields in another order", 1, gateway='log_str("a", log_str("b"\n',
            logs=LOG_HEAD + "| `b` | what |\n| `a` | what |\n"),
    example("a search for fields that lines have", 0, gateway='log_str("b", 0)\n', logs=LOG_HEAD + "| `b` | what |\n",
            runbook="""$ docker compose logs edge | grep -o '"level":"warn","b":5[0-9]*,"msg":"[^"]*"'\n"""),
    example("searches for fields of no line", 2,
            runbook="""$ docker compose logs edge | grep '"level":"a"' | grep -o '"b":"[^"]*"' | grep '"c.d"'\n"""),
    example("nothing to list", 2, table="", keys=HEADS[KEYS], portal="", metrics=HEADS[METRICS]),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "run `make format`, which writes the tables of settings and metrics, or name a field of "
             "docs/operate/logs.md.", write)
