"""Cycles in graphs {node: the nodes that it uses}, for lints."""


def find_way(uses, start, end):
    """The shortest path from start to end, with both; None if there is no path."""
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
    """All nodes that start uses, directly or not; start too if it is on a cycle."""
    seen = set()
    ahead = [start]
    while ahead:
        new = set(uses.get(ahead.pop(), ())) - seen
        seen |= new
        ahead += new
    return seen


def cycles(uses):
    """(nodes, shortest cycle) of each set of nodes that reach each other."""
    reached = {node: find_reached(uses, node) for node in uses}
    told = set()
    for node in sorted(uses):
        if node not in reached[node] or node in told:
            continue
        nodes = sorted(other for other in reached[node] if node in reached.get(other, ()))
        told.update(nodes)
        yield nodes, min((find_way(uses, start, start) for start in nodes), key=len)
