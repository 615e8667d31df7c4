"""scripts/architecture.py - draw docs/develop/architecture.svg.

The picture shows which folder uses which, from the #include lines and the folder table.

    scripts/architecture.py [ROOT]

- A box is a folder with everything in it: one level below common/, gateway/ and portal/, and each
  worker as a whole.
- An arrow points from a folder to one that it uses, in the same part. Arrows that follow from
  others, and arrows that would close a cycle, are left out.
- The names at the bottom of a box are the folders of common/ that it uses; `db` implies what `db`
  uses.
- The same tree produces the same bytes.
"""

import math
import pathlib
import re
import sys
import textwrap
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "lint"))

import folder_rows  # noqa: E402
import graph  # noqa: E402
import includes  # noqa: E402

OUT = "docs/develop/architecture.svg"
PARTS = (  # from top to bottom: name, what it is
    ("gateway", "the paid calls of customers, and tollctl"),
    ("portal", "the pages for members"),
    ("browser", "the browser service, next to svc-reports"),
    ("svc", "the workers, one per group of tools; none uses another"),
    ("common", "shared code"),
)
ROW = re.compile(r"^\| `([^`]+)` \| (.*) \|$", re.MULTILINE)

# Pixels.
BOX, HEIGHT, GAP, RISE, MARGIN, HEAD, LANE = 168, 74, 14, 34, 16, 34, 12
PER_ROW = 6
LETTERS, LINES = 26, 3  # of a box's text

STYLE = """
  svg { font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
  .paper { fill: #ffffff; } .part { fill: #f3f4f6; stroke: #d1d5db; }
  .box { fill: #ffffff; stroke-width: 1.2; } .name { font-size: 13px; font-weight: 600; fill: #111827; }
  .text { font-size: 10.5px; fill: #4b5563; } .uses { font-size: 10.5px; font-weight: 600; fill: #1d4ed8; }
  .head { font-size: 14px; font-weight: 600; fill: #111827; }
  .arrow { fill: none; stroke: #6b7280; stroke-width: 1.3; } .tip { fill: #6b7280; }
  .gateway { stroke: #2563eb; } .portal { stroke: #059669; } .browser { stroke: #0891b2; } .svc { stroke: #d97706; } .common { stroke: #7c3aed; }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117; } .part { fill: #161b22; stroke: #30363d; } .box { fill: #0d1117; }
    .name, .head { fill: #e6edf3; } .text { fill: #9da7b3; } .uses { fill: #79c0ff; }
    .arrow { stroke: #8b949e; } .tip { fill: #8b949e; }
  }
"""


def box_of(folder):
    """The box of a folder: one level below its top folder, or a whole worker."""
    parts = folder.split("/")
    return parts[0] if parts[0].startswith("svc-") else "/".join(parts[:2])


def part_of(box):
    return "svc" if box.startswith("svc-") else box.split("/")[0]


def read_uses(root):
    """{box: the boxes that it uses}"""
    uses = {box_of(folder): set() for folder in folder_rows.code_folders(root)}
    for folder, used in includes.read_folders(root, includes.read_includes(root)).items():
        uses[box_of(folder)] |= {box_of(other) for other in used} - {box_of(folder)}
    return uses


def without_cycles(uses):
    """Drop the edges that close a cycle in a depth-first search by name."""
    done, open_boxes, down = set(), set(), {box: set() for box in uses}

    def visit(box):
        open_boxes.add(box)
        for used in sorted(uses[box]):
            if used in open_boxes:
                continue
            down[box].add(used)
            if used not in done:
                visit(used)
        open_boxes.discard(box)
        done.add(box)

    for box in sorted(uses, key=lambda box: (len(box.split("/")), box)):
        if box not in done:
            visit(box)
    return down


def without_implied(uses):
    """The transitive reduction of an acyclic graph."""
    reached = {box: graph.find_reached(uses, box) for box in uses}
    return {box: {used for used in others if not any(used in reached[other] for other in others)}
            for box, others in uses.items()}


# ---- rows ----


def find_ranks(uses):
    """{box: its row, from 0 at the bottom}: each box is above everything that it uses."""
    ranks = {}

    def rank(box):
        if box not in ranks:
            ranks[box] = max((rank(used) + 1 for used in uses[box]), default=0)
        return ranks[box]

    for box in sorted(uses):
        rank(box)
    return ranks


def make_rows(uses):
    """Returns (rows of boxes and of places that arrows pass, the places of each arrow)."""
    ranks = find_ranks(uses)
    rows = [[] for _ in range(max(ranks.values()) + 1)]
    for box in sorted(ranks):
        rows[ranks[box]].append(box)
    arrows = []
    for box in sorted(uses):
        for used in sorted(uses[box]):
            passes = [(box, used, rank) for rank in range(ranks[box] - 1, ranks[used], -1)]
            for place in passes:
                rows[place[2]].append(place)
            arrows.append([box, *passes, used])
    return rows[::-1], arrows


def sort_rows(rows, arrows):
    """Order each row by the mean position of its neighbors, in eight passes down and up. fsum(),
    because sum() rounds by the version of Python."""
    joined = {}
    for arrow in arrows:
        for above, below in zip(arrow, arrow[1:]):
            joined.setdefault(above, []).append(below)
            joined.setdefault(below, []).append(above)
    for turn in range(8):
        at = {place: (index + 0.5) / len(row) for row in rows for index, place in enumerate(row)}
        for number in range(len(rows))[:: 1 if turn % 2 else -1]:
            neighbors = set(rows[number - 1] if turn % 2 and number else
                            rows[number + 1] if not turn % 2 and number + 1 < len(rows) else [])
            means = {}
            for place in rows[number]:
                others = [at[other] for other in joined.get(place, []) if other in neighbors]
                means[place] = math.fsum(others) / len(others) if others else at[place]
            rows[number].sort(key=lambda place: (means[place], str(place)))
            at |= {place: (index + 0.5) / len(rows[number]) for index, place in enumerate(rows[number])}
    return rows


def width_of(place):
    return BOX if isinstance(place, str) else LANE


def split_wide(rows):
    """Split rows of more than PER_ROW boxes without arrows, such as the workers."""
    for row in rows:
        if len(row) <= PER_ROW or any(not isinstance(place, str) for place in row):
            yield row
        else:
            yield from (row[at:at + PER_ROW] for at in range(0, len(row), PER_ROW))


def place_rows(rows, width, top):
    """{place: (x of its center, y of its top edge)}; rows are centered."""
    at = {}
    for number, row in enumerate(rows):
        x = (width - sum(map(width_of, row)) - GAP * (len(row) - 1)) / 2
        for place in row:
            at[place] = (x + width_of(place) / 2, top + number * (HEIGHT + RISE))
            x += width_of(place) + GAP
    return at


# ---- drawing ----


def wrap(text, most):
    """Wrap a text. If it is too long, drop what follows its colon, then add an ellipsis."""
    lines = textwrap.wrap(text, LETTERS)
    if len(lines) > most and ": " in text:
        lines = textwrap.wrap(text.split(": ")[0], LETTERS)
    return textwrap.wrap(text, LETTERS, max_lines=most, placeholder="…") if len(lines) > most else lines


def draw_arrow(points):
    """Draw an arrow through its places, from bottom edge to top edge."""
    (x, y), *rest = points
    path = f"M{x:.0f} {y + HEIGHT:.0f}"
    y += HEIGHT
    for number, (next_x, next_y) in enumerate(rest):
        middle = (y + next_y) / 2
        path += f"C{x:.0f} {middle:.0f} {next_x:.0f} {middle:.0f} {next_x:.0f} {next_y:.0f}"
        if number + 1 < len(rest):
            path += f"V{next_y + HEIGHT:.0f}"
        x, y = next_x, next_y + HEIGHT
    return f'<path class="arrow" marker-end="url(#tip)" d="{path}"/>'


def draw_box(box, middle, top, purpose, shared):
    left = middle - BOX / 2
    name = box.split("/", 1)[-1] if "/" in box else box
    lines = wrap(purpose, LINES - bool(shared))
    yield (f'<rect class="box {part_of(box)}" x="{left:.0f}" y="{top:.0f}" width="{BOX}" height="{HEIGHT}" rx="6"/>')
    yield f'<text class="name" x="{left + 9:.0f}" y="{top + 18:.0f}">{escape(name)}</text>'
    for number, line in enumerate(lines):
        yield f'<text class="text" x="{left + 9:.0f}" y="{top + 34 + 13 * number:.0f}">{escape(line)}</text>'
    if shared:
        yield (f'<text class="uses" x="{left + 9:.0f}" y="{top + HEIGHT - 8:.0f}">'
               f'{escape(" · ".join(name.split("/")[1] for name in shared))}</text>')


def draw_part(part, what, at, top, height, width, arrows, purposes, shared):
    yield (f'<rect class="part" x="{MARGIN}" y="{top:.0f}" width="{width - 2 * MARGIN:.0f}" height="{height:.0f}" '
           'rx="10"/>')
    title = f"{part}-*" if part == "svc" else f"{part}/"
    yield f'<text class="head" x="{2 * MARGIN}" y="{top + 23:.0f}">{title}: {escape(what)}</text>'
    for arrow in arrows:
        yield draw_arrow([at[place] for place in arrow])
    for place, (x, y) in at.items():
        if isinstance(place, str):
            yield from draw_box(place, x, y, purposes.get(place, ""), shared[place])


def draw(root):
    uses = read_uses(root)
    reduced = without_implied(without_cycles(uses))
    page = root / folder_rows.PAGE
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    purposes = {folder: what.replace("`", "") for folder, what in ROW.findall(text)}
    shared = {box: sorted(other for other in reduced[box]
                          if part_of(other) == "common" and part_of(box) != "common") for box in uses}
    plans = []
    for part, what in PARTS:
        inside = {box: {other for other in reduced[box] if part_of(other) == part}
                  for box in uses if part_of(box) == part}
        if inside:
            rows, arrows = make_rows(inside)
            plans.append((part, what, list(split_wide(sort_rows(rows, arrows))), arrows))
    width = 4 * MARGIN + max(sum(map(width_of, row)) + GAP * (len(row) - 1) for _, _, rows, _ in plans for row in rows)
    body, top = [], MARGIN
    for part, what, rows, arrows in plans:
        height = HEAD + len(rows) * (HEIGHT + RISE) - RISE + MARGIN
        at = place_rows(rows, width, top + HEAD)
        body += draw_part(part, what, at, top, height, width, arrows, purposes, shared)
        top += height + MARGIN
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {top:.0f}" width="{width:.0f}" '
        f'height="{top:.0f}" role="img" aria-label="Which folder uses which">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>',
        f'<rect class="paper" width="{width:.0f}" height="{top:.0f}"/>', *body, "</svg>", ""])


if __name__ == "__main__":
    tree = pathlib.Path(sys.argv[1]).resolve() if sys.argv[1:] else ROOT
    (tree / OUT).write_text(draw(tree), encoding="utf-8")
