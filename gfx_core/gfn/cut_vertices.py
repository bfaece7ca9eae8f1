"""Which nodes of a growing subgraph may be taken away again: the paper's cut vertex matrix 𝒵.

Flow matching needs every parent of a state s: the sets s∖{u} that are still connected. So it needs the
*cut vertices* of the subgraph, the nodes whose removal would break it apart. Searching the whole subgraph
after every step finds them. But the subgraph grows by one node at a time, and one new node changes little:
Theorem 1 of the paper keeps a table that is updated instead of recomputed.

**The table.** Row i of 𝒵 is about node i. If node i is no cut vertex, the row is all zeros. If it is one,
taking it away leaves two or more pieces, its *child groups*, and the row has the piece of every other node
falls into: equal labels, same piece. Nodes are numbered in the order in which they were added.

**The update.** The new node touches some earlier nodes (its links z, eq. 14). Look at it from the row of any
node m, that is, with m taken away:

* The new node joins the pieces it touches and thereby ties them together into one (eq. 17). If that was
  every piece, m holds nothing together any more and its row falls back to zeros.
* If the only node it touches is m itself (eq. 16), it hangs on m alone and is a piece of its own: m is a cut
  vertex from now on, whatever it was before.

With two nodes there is nothing to cut, so 𝒵 starts as zeros there and the rules hold from the third node on.

Example, the path a – b – c and then a node d, so that a = 0, b = 1, c = 2, d = 3:

    a – b – c           b cuts a from c             row b: [1, 0, 2]
    d touches c only    c cuts d off as well        row b: [1, 0, 2, 2]    row c: [1, 1, 0, 2]
    d touches a and c   the path becomes a cycle    all rows zero: no node is a cut vertex
"""

import torch
from torch import Tensor


class CutVertexTracker:
    """Cut vertices of a batch of connected subgraphs that grow node by node (Theorem 1 of the paper).

    Each row of the batch is one subgraph with its own number of nodes. An `add` takes O(B·K²) work in a
    fixed number of tensor operations: no loop over rows or nodes, no waiting for the device.

    Labels stay below `max_nodes`. A node becomes a cut vertex with labels 1 and 2, when the third node
    arrives at the earliest, and each further addition raises the largest label of its row by one at most.
    Merging takes the largest of the merged labels, so the largest label of a row changes in no other way.

    `matrix`, `count` and `cases` are updated in place: clone what has to outlive the next `add`. `cut` and
    `removable` are new tensors at every access.

    Args:
        batch_size: number of subgraphs, B.
        max_nodes: the most nodes a subgraph may reach, K.
        device: where the tensors live; torch's default device if None.

    Attributes:
        matrix: 𝒵, int16 [B, K, K]. Row i is zero unless node i is a cut vertex; then it labels child groups.
        count: int64 [B], number of nodes so far.
        cases: int8 [B], what the last `add` was: 1 for eq. 16, 2 for eq. 17, and 0 for a first or second node
            and for rows that took no part.

    Example:
        >>> tracker = CutVertexTracker(batch_size=1, max_nodes=4)
        >>> for links in ([0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]):  # the path 0 – 1 – 2
        ...     tracker.add(torch.tensor([links], dtype=torch.bool))
        >>> tracker.matrix[0, 1].tolist(), tracker.child_groups(0)
        ([1, 0, 2, 0], {1: [{0}, {2}]})
        >>> tracker.removable[0].tolist()  # node 0 is the start node and stays
        [False, False, True, False]
    """

    def __init__(self, batch_size: int, max_nodes: int, device: torch.device | str | None = None) -> None:
        self.batch_size = batch_size
        self.max_nodes = max_nodes
        # The spare last column takes what is written for rows that are full and sit out. It stays zero.
        self._labels = torch.zeros(batch_size, max_nodes, max_nodes + 1, dtype=torch.int16, device=device)
        self.matrix = self._labels[:, :, :max_nodes]  # [B, K, K]
        self.count = torch.zeros(batch_size, dtype=torch.int64, device=device)  # [B]
        self.cases = torch.zeros(batch_size, dtype=torch.int8, device=device)  # [B]
        self._largest = torch.zeros(batch_size, max_nodes, dtype=torch.int16, device=device)  # [B, K], of a row
        self._order = torch.arange(max_nodes, device=device)  # [K]
        self._distinct = self._order[:, None] != self._order  # [K, K], the paper's 1 − I
        self._true = torch.ones(1, 1, 1, dtype=torch.bool, device=device)
        self._adds = 0  # no row holds more nodes than this

    @property
    def cut(self) -> Tensor:
        """bool [B, K]: the cut vertices."""
        return self._largest > 0

    @property
    def removable(self) -> Tensor:
        """bool [B, K]: nodes that can go, leaving a valid parent (present, no cut vertex, not the start)."""
        return (self._order > 0) & (self._order < self.count[:, None]) & (self._largest == 0)

    def add(self, links: Tensor, active: Tensor | None = None) -> None:
        """Adds one node to every subgraph that takes part.

        The first node of a row is its start node and has no links. Every later one needs a link, or the
        subgraph would not be connected. Links to nodes that are not there yet are ignored, and a subgraph that
        has `max_nodes` nodes stays as it is.

        Args:
            links: bool [B, K], which earlier nodes (by order of addition) the new node touches.
            active: bool [B], the rows that take part; all of them if None. Other rows stay as they are.
        """
        size = min(self._adds, self.max_nodes)  # t: in no row is anything filled beyond it
        growing = active
        if self._adds >= self.max_nodes:
            room = self.count < self.max_nodes  # [B]
            growing = room if active is None else room & active

        present = self._order[:size] < self.count[:, None]  # [B, t]
        z = links[:, :size] & present  # [B, t], eq. 14
        if growing is not None:
            z &= growing[:, None]  # a row without links keeps its labels in all that follows
        torch.mul(z.sum(1).clamp(max=2), self.count >= 2, out=self.cases)  # of |N(a_t)|
        if size >= 2:
            self._update_labels(z, present, hung_on=z & (self.cases == 1)[:, None])
        self.count += 1 if growing is None else growing
        self._adds += 1

    def child_groups(self, b: int) -> dict[int, list[set[int]]]:
        """The child groups of every cut vertex of row b, for display (this one does wait for the device).

        Args:
            b: row of the batch.

        Returns:
            For each cut vertex (by order of addition) the sets of nodes that its removal would leave apart,
            in the order of their labels in 𝒵.
        """
        groups: dict[int, list[set[int]]] = {}
        for i, row in enumerate(self.matrix[b].tolist()):
            by_label: dict[int, set[int]] = {}
            for k, label in enumerate(row):
                if label:
                    by_label.setdefault(label, set()).add(k)
            if by_label:
                groups[i] = [by_label[label] for label in sorted(by_label)]
        return groups

    def _update_labels(self, z: Tensor, present: Tensor, hung_on: Tensor) -> None:
        """Theorem 1: eq. 17 for every row of 𝒵, and eq. 16 for the rows in `hung_on`.

        Eq. 16 speaks of two kinds of rows. In those of nodes other than the only neighbour k, the new node
        takes k's label, as in eq. 17: one group is touched, nothing merges. Only row k is special.

        Args:
            z: bool [B, t], links of the new node.
            present: bool [B, t], the nodes that were there before it.
            hung_on: bool [B, t], the neighbour k where it is the only one, from the third node on.
        """
        size = z.shape[1]
        rows = self.matrix[:, :size, :size]  # [B, t, t]
        labels = rows.long()  # [B, t, t]
        touched = labels & -z.long()[:, None, :]  # [B, t, t], Z_m ∧ zᵀ: −1 has all bits set, 0 has none
        # in_set[b, m, l]: does the new node touch group l of m? Label 0 always counts as touched, because the
        # diagonal of 𝒵 is 0. So a row of zeros has only touched labels, like one with all its groups touched.
        in_set = torch.zeros_like(labels, dtype=torch.bool)  # [B, t, t]
        in_set.scatter_(2, touched, self._true.expand_as(touched))  # a scalar's scatter is 3 times slower
        joins = in_set.gather(2, labels)  # [B, t, t], I_set2
        stays_cut = joins.view(torch.uint8).amin(2) == 0  # [B, t], I_set (bytes reduce faster than bools)
        merged = touched.amax(2).short() * stays_cut  # [B, t], max{Z_m ∧ zᵀ} where I_set, else 0

        # Row k of eq. 16: if it was zeros, every other node is in group 1 now. If not, its groups stay apart.
        relabelled = merged.masked_fill(hung_on, 1)  # [B, t]
        members = joins & present[:, None, :] & self._distinct[:size, :size]  # [B, t, t]
        torch.where(members, relabelled[:, :, None], rows, out=rows)

        largest = self._largest[:, :size]  # [B, t]
        torch.where(hung_on, largest.clamp(min=1) + 1, largest * stays_cut, out=largest)
        new_column = torch.where(hung_on, largest, merged)  # [B, t], z'
        at = self.count[:, None, None].expand(-1, size, 1)  # [B, t, 1]
        self._labels[:, :size].scatter_(2, at, new_column[:, :, None])  # eq. 15
