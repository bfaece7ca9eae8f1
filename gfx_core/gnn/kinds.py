"""The list of GNN kinds, known before torch is loaded: each names the convolution that all its layers are made of."""

from dataclasses import dataclass

from gfx_core.errors import UserError

DEFAULT_KIND = "sum"
PLAIN = "plain"
"""The end of the name of a GNN that was trained on whole graphs only: ``sum-plain``."""


@dataclass(frozen=True)
class KindInfo:
    """A kind of GNN, before it is loaded.

    Attributes:
        name: Key in the registry, in URLs, file names and on the command line.
        title: For people.
        summary: For people, after “**title** …”.
        convolution: ``module:class`` in `gfx_core.gnn`, a `Convolution`.
        by_degree: Whether messages are weighed by the degree of their sender. Then a prediction depends on nodes one
            hop farther: they count for the degree of the farthest sender.
    """

    name: str
    title: str
    summary: str
    convolution: str
    by_degree: bool = False

    def hops(self, num_layers: int) -> int:
        """How far a prediction sees, in hops."""
        return num_layers + self.by_degree


KINDS: dict[str, KindInfo] = {
    info.name: info
    for info in (
        KindInfo(
            "sum",
            "Sum",
            "adds up the neighbours (GNNExplainer’s convolution), so it can count them.",
            "convolutions:SumConv",
        ),
        KindInfo(
            "gcn",
            "GCN",
            "averages them by degree: if all nodes have the same features, a lone node and a cycle look the same to "
            "it. Then no honest explainer can find the motif.",
            "convolutions:SymmetricConv",
            by_degree=True,
        ),
    )
}


def kind_info(name: str) -> KindInfo:
    """Look a kind up by name."""
    if name not in KINDS:
        raise UserError(f"There is no GNN kind “{name[:60]}”: choose one of {', '.join(KINDS)}.")
    return KINDS[name]


def kind_of(gnn: str) -> KindInfo:
    """The kind of a data set's GNN, which is named by it: ``sum``, or ``sum-plain``."""
    return kind_info(gnn.removesuffix(f"-{PLAIN}"))


def checked_gnn(gnn: str) -> str:
    """The name itself, or a ``UserError`` where no data set's GNN can have it."""
    kind_of(gnn)
    return gnn


def gnn_name(kind: str, *, plain: bool) -> str:
    """The name of a data set's GNN; ``plain``: of the one that never saw a fragment."""
    return f"{kind}-{PLAIN}" if plain else kind


def gnn_titles() -> dict[str, str]:
    """Titles of the GNNs that a data set may have, by name."""
    titles = {name: info.title for name, info in KINDS.items()}
    plain = {gnn_name(name, plain=True): f"Plain {title}" for name, title in titles.items()}
    return titles | plain | {gnn_name(DEFAULT_KIND, plain=True): "Plain"}
