"""docs/decisions/001-ledger.md contains the table of gateway/ledger/item-states.def."""

import re

import lint

TABLE = "gateway/ledger/item-states.def"
PAGE = "docs/decisions/001-ledger.md"
ROW = re.compile(r"^TRANSITION\((\w+), (\w+), (\w+), (\w+)\)", re.M)


def render(text):
    """The Markdown table: a row per state, a column per event."""
    transitions = ROW.findall(text)
    states = list(dict.fromkeys(state for state, *_ in transitions))
    events = list(dict.fromkeys(event for _, event, *_ in transitions))
    cells = {}
    for state, event, following, action in transitions:
        cells[state, event] = following if action == "NOTHING" else f"{following}: {action.lower()}"
    lines = ["| State | " + " | ".join(events) + " |", "|---" * (len(events) + 1) + "|"]
    for state in states:
        lines.append(f"| {state} | " + " | ".join(cells.get((state, event), "") for event in events) + " |")
    return "\n".join(lines) + "\n"


def check(root):
    wanted = render((root / TABLE).read_text())
    if wanted not in (root / PAGE).read_text():
        yield f"{PAGE}:1: the table of {TABLE} is missing or outdated; paste:\n\n{wanted}"


ONE = "TRANSITION(QUEUED, SEND, SENT, NOTHING)\n"
TWO = ONE + "TRANSITION(SENT, LOSE, QUEUED, PUSH_FRONT)\n"

EXAMPLES = [
    ("the same", {TABLE: ONE, PAGE: "| State | SEND |\n|---|---|\n| QUEUED | SENT |\n"}, 0),
    ("two events", {TABLE: TWO, PAGE: "x\n| State | SEND | LOSE |\n|---|---|---|\n| QUEUED | SENT |  |\n"
                                      "| SENT |  | QUEUED: push_front |\n"}, 0),
    ("a transition is missing", {TABLE: TWO, PAGE: "| State | SEND |\n|---|---|\n| QUEUED | SENT |\n"}, 1),
    ("no table", {TABLE: ONE, PAGE: "text\n"}, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "paste the table shown above.")
