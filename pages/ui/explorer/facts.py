"""Facts about data sets and GNNs that several pages tell."""

from gfx_core.config import Drawing
from gfx_core.datasets.info import DatasetInfo
from gfx_core.drawing.colours import CLASS_SYMBOLS
from gfx_core.drawing.motif import motif_svg, sentence_icon
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.model_file import ModelHeader
from gfx_core.teaching.glossary_links import term

GNN_NAMES = {info.name: info.title for info in KINDS.values()}

GNN_HELP = " ".join([*(f"**{info.title}** {info.summary}" for info in KINDS.values()), term("gnn", "Glossary")])


def motif_picture(info: DatasetInfo) -> str:
    """The motifs of a data set as a small SVG; where none is known, what its instances look like."""
    if info.drawing is Drawing.SENTENCE:
        return sentence_icon()
    return motif_svg(info.motifs, hollow_twin=len(info.classes) > len(CLASS_SYMBOLS))


def trained_on(header: ModelHeader) -> str:
    """Whether a GNN was trained on fragments too, in a few words."""
    return "whole graphs and fragments" if header.knows_fragments else "whole graphs only"


def accuracy(header: ModelHeader) -> str:
    """Test accuracy in per cent."""
    test = header.accuracy.get("test")
    return "unknown" if test is None else f"{100 * test:.1f} %"
