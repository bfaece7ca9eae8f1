"""Cut vertices by searching anew: what Theorem 1 of the paper saves, and the reference that it is tested against."""

from collections.abc import Sequence

Additions = list[list[int]]  # for each added node the earlier nodes it touches, by order of addition
Cuts = list[list[set[int]]]  # the cut vertices after each step, for each subgraph


def tarjan_cut_vertices(neighbours: Sequence[Sequence[int]]) -> set[int]:
    """Cut vertices of a connected graph by one depth-first search without recursion (Hopcroft and Tarjan).

    Args:
        neighbours: For each node the nodes it is linked to.
    """
    discovery = [-1] * len(neighbours)  # when the search came to a node
    low = [0] * len(neighbours)  # the earliest node that its branch reaches by a link outside the search tree
    cut = set()
    discovery[0] = 0
    clock, root_branches = 1, 0
    path = [(0, -1, iter(neighbours[0]))]
    while path:
        node, parent, rest = path[-1]
        for other in rest:
            if discovery[other] < 0:
                discovery[other] = low[other] = clock
                clock += 1
                path.append((other, node, iter(neighbours[other])))
                break
            if other != parent and discovery[other] < low[node]:
                low[node] = discovery[other]
        else:
            path.pop()
            if parent == 0:
                root_branches += 1
            elif parent > 0:
                if low[node] >= discovery[parent]:
                    cut.add(parent)
                if low[node] < low[parent]:
                    low[parent] = low[node]
    if root_branches > 1:
        cut.add(0)
    return cut


def searched(growths: Sequence[Additions]) -> Cuts:
    """Cut vertices of subgraphs that grow node by node, by a depth-first search for every state."""
    cuts: Cuts = []
    graphs: list[list[list[int]]] = [[] for _ in growths]
    for step in range(len(growths[0])):
        cuts.append([])
        for growth, neighbours in zip(growths, graphs, strict=True):
            neighbours.append(list(growth[step]))
            for other in growth[step]:
                neighbours[other].append(step)
            cuts[-1].append(tarjan_cut_vertices(neighbours))
    return cuts
