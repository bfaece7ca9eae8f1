"""What is known of a data set and of the true reason of one instance, in words."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from gfx_core.config import Task
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Instance


def task_name(task: Task) -> str:
    """What the GNN is asked."""
    return "Node classification" if task is Task.NODE else "Graph classification"


def statistics_line(info: DatasetInfo, statistics: Mapping[str, int]) -> str:
    """The counts of a data set in one line."""
    if not {"graphs", "nodes", "edges", "classes", "motifs"} <= statistics.keys():
        return "Statistics were not recorded."
    graphs, nodes, edges = (statistics[key] for key in ("graphs", "nodes", "edges"))
    about = "" if nodes % max(graphs, 1) == 0 else "about "
    size = f"{graphs:,} graphs of {about}{nodes / max(graphs, 1):.0f} nodes"
    if info.task is Task.NODE:
        size = f"{nodes:,} nodes · {edges:,} edges"
    motifs = f" · {statistics['motifs']:,} {info.vocabulary.motif}s" if info.knows_reasons else ""
    return f"{size} · {statistics['classes']} classes{motifs}"


def own_motif_label(instance: Instance) -> str:
    """The own motif as a legend names it."""
    name, _ = own_motif(instance)
    return name if instance.info.labelled or not instance.info.motifs else f"true motif: {name}"


def reason(instance: Instance) -> str:
    """What an explanation of this instance should find, in words."""
    info, words = instance.info, instance.info.vocabulary
    edges = int(instance.own_edges[instance.undirected].sum())
    if not info.knows_reasons:
        return "nobody marked one; an explanation can only be held against what the GNN says."
    if not edges:
        if info.labelled:
            return f"no {info.motif_names} {words.motif} is in this {words.instance}."
        if not (info.motifs or (instance.motif >= 0).any()):
            return "not known: no motifs are marked here."
        return "none, this node is in no motif." if instance.target is not None else "no motif is in this graph."
    name, whole = own_motif(instance)
    rest = "." if whole else "; the rest of it is too far for the GNN to see."
    return f"{'' if info.labelled else 'the '}{name} ({edges} {words.edge}s, drawn thick){rest}"


def own_motif(instance: Instance) -> tuple[str, bool]:
    """The name of the instance's own motif, and whether all of it is in view."""
    info = instance.info
    if info.labelled:
        return _counted_groups(instance), True
    edges = int(instance.own_edges[instance.undirected].sum())
    if not info.motifs:
        return "marked motif", True
    whole = next((motif.name for motif in info.motifs if len(motif.edges) == edges), None)
    return (info.motif_names, False) if whole is None else (whole, True)


def _counted_groups(instance: Instance) -> str:
    """The labelled motifs that an instance holds, e.g. the nitro and amino groups of a molecule."""
    found: Counter[str] = Counter()
    for group in np.unique(instance.motif[instance.motif >= 0]):
        labels = sorted(instance.node_label(int(node)) for node in np.flatnonzero(instance.motif == group))
        found.update(motif.name for motif in instance.info.motifs if sorted(motif.labels) == labels)
    word = instance.info.vocabulary.motif
    counts = [(found[motif.name], motif.name) for motif in instance.info.motifs]
    return " and ".join(f"{count} {name} {word}{'s' if count > 1 else ''}" for count, name in counts if count)
