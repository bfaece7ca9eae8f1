"""Facts about data sets and GNNs, in words."""

from collections.abc import Mapping

from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import DATASETS, DatasetInfo
from gfx_core.drawing.colours import CLASS_SYMBOLS
from gfx_core.drawing.motif import motif_svg
from gfx_core.gnn.checkpoint import ModelHeader
from gfx_core.gnn.kinds import KINDS
from gfx_core.teaching.glossary import term

GNN_NAMES = {info.name: info.title for info in KINDS.values()}

GNN_HELP = " ".join([*(f"**{info.title}** {info.summary}" for info in KINDS.values()), term("gnn", "Glossary")])


def task_name(task: Task) -> str:
    """What the GNN is asked."""
    return "Node classification" if task is Task.NODE else "Graph classification"


def motif_names(info: DatasetInfo) -> str:
    """The motifs of a data set, as people say them."""
    return " or ".join(motif.name for motif in info.motifs)


def motif_noun(info: DatasetInfo) -> str:
    """What the things to be found are called."""
    return "groups" if info.motifs[0].labels[0] else "motifs"


def motif_picture(info: DatasetInfo) -> str:
    """The motifs of a data set as a small SVG."""
    return motif_svg(info.motifs, hollow_twin=len(info.classes) > len(CLASS_SYMBOLS))


def statistics_line(info: DatasetInfo, statistics: Mapping[str, int]) -> str:
    """The counts of a data set in one line."""
    if not {"graphs", "nodes", "edges", "classes", "motifs"} <= statistics.keys():
        return "Statistics were not recorded."
    graphs, nodes, edges = (statistics[key] for key in ("graphs", "nodes", "edges"))
    about = "" if nodes % max(graphs, 1) == 0 else "about "
    size = f"{graphs:,} graphs of {about}{nodes / max(graphs, 1):.0f} nodes"
    if info.task is Task.NODE:
        size = f"{nodes:,} nodes · {edges:,} edges"
    return f"{size} · {statistics['classes']} classes · {statistics['motifs']:,} {motif_noun(info)}"


def accuracy(header: ModelHeader) -> str:
    """Test accuracy in per cent."""
    test = header.accuracy.get("test")
    return "unknown" if test is None else f"{100 * test:.1f} %"


def own_motif(instance: Instance) -> tuple[str, bool]:
    """The name of the instance's own motif, and whether all of it is in view."""
    info = DATASETS[instance.dataset]
    edges = int(instance.own_edges[instance.undirected].sum())
    whole = next((motif.name for motif in info.motifs if len(motif.edges) == edges), None)
    if instance.node_names:
        return group_names(instance), True
    return (motif_names(info), False) if whole is None else (whole, True)


def own_motif_label(instance: Instance) -> str:
    """The own motif as a legend names it."""
    name, _ = own_motif(instance)
    return name if instance.node_names else f"true motif: {name}"


def reason(instance: Instance) -> str:
    """What an explanation of this instance should find, in words."""
    edges = int(instance.own_edges[instance.undirected].sum())
    name, whole = own_motif(instance)
    if not edges:
        if instance.node_names:
            return "no NO₂ or NH₂ group is in this molecule."
        return "none, this node is in no motif." if instance.target is not None else "no motif is in this graph."
    links = "bonds" if instance.node_names else "edges"
    rest = "." if whole else "; the rest of it is too far for the GNN to see."
    return f"{'' if instance.node_names else 'the '}{name} ({edges} {links}, drawn thick){rest}"


def group_names(instance: Instance) -> str:
    """The nitro and amino groups of a molecule, counted."""
    members: dict[int, list[str]] = {}
    for node, motif in enumerate(instance.motif):
        if motif >= 0:
            members.setdefault(int(motif), []).append(instance.node_label(node))
    nitro = sum("O" in atoms for atoms in members.values())
    counts = ((nitro, "NO₂"), (len(members) - nitro, "NH₂"))
    return " and ".join(f"{count} {name} group{'s' if count > 1 else ''}" for count, name in counts if count)
