"""What somebody types without saying what it is: a compound by its name, SMILES, or a sentence."""

import re

from gfx_core.datasets.graph_sst2 import GRAPH_SST2
from gfx_core.datasets.mutagenicity import MUTAGENICITY
from gfx_core.datasets.smiles import find_molecule
from gfx_core.datasets.typed_sentences import OwnSentences, TypedSentence

_WORD = re.compile(r"\S*[^\W\d_]\S*")  # something with a letter in it


def find_typed(text: str) -> tuple[str, str, str]:
    """The data set, the source's parameter and the name of what somebody typed.

    SMILES has no spaces, so whatever has several words is a sentence. Whether all else is a molecule at all, only RDKit
    can tell. Loads nothing.

    >>> find_typed("Not a bad film.")
    ('graph_sst2', 'sentence', 'Not a bad film.')
    >>> find_typed("aspirin")
    ('mutagenicity', 'compound', 'Aspirin')
    """
    typed = text.strip()
    if len(_WORD.findall(typed)) < 2:
        return MUTAGENICITY.name, *find_molecule(typed)
    known = next((name for name in OwnSentences.names if name.lower() == typed.lower()), None)
    return GRAPH_SST2.name, *((TypedSentence.parameter, typed) if known is None else (OwnSentences.parameter, known))
