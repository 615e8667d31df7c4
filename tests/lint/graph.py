"""Circles in graphs: {node: the nodes that it uses}. For lints; no check itself."""


def find_way(uses, start, end):
    """The shortest way from one node to another, both included; None when there is none."""
    ways = [[start]]
    seen = {start}
    for way in ways:
        for node in sorted(uses.get(way[-1], ())):
            if node == end:
                return [*way, end]
            if node not in seen:
                seen.add(node)
                ways.append([*way, node])
    return None


def find_reached(uses, start):
    """All nodes that are used, directly or not; start itself when it is on a circle."""
    seen = set()
    ahead = [start]
    while ahead:
        new = set(uses.get(ahead.pop(), ())) - seen
        seen |= new
        ahead += new
    return seen


def circles(uses):
    """Of each set of nodes that all reach each other: the set, sorted, and the shortest circle in it."""
    reached = {node: find_reached(uses, node) for node in uses}
    told = set()
    for node in sorted(uses):
        if node not in reached[node] or node in told:
            continue
        nodes = sorted(other for other in reached[node] if node in reached.get(other, ()))
        told.update(nodes)
        yield nodes, min((find_way(uses, start, start) for start in nodes), key=len)
