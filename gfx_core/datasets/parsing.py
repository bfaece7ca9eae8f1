"""What the words of a typed sentence hang on: by spaCy where it is installed, else each on the word before it."""

import re
from functools import cache
from importlib.util import find_spec
from typing import Any

from gfx_core.datasets.sentence import ROOT, Sentence, check_size, visible
from gfx_core.errors import UserError

MODELS = ("en_core_web_sm", "en_core_web_md", "en_core_web_lg")
"""The English models that are looked for, in this order."""

_SHORT = re.compile(r"(?i)(?<=\w)(n['’]t|['’](?:s|re|ve|ll|d|m))\b")  # written apart, as in the training data
_TOKEN = re.compile(r"(?i)n't|'(?:s|re|ve|ll|d|m)\b|\w+(?:[-/.]\w+)*|[^\w\s]")


def parsed(text: str) -> Sentence:
    """Read what somebody typed.

    Raises:
        UserError: It is no sentence, or too long.
    """
    clean = visible(text)
    if not clean:
        raise UserError("Type a sentence, for example “Not a bad film at all.”")
    reader = _reader()
    sentence = _by_spacy(reader, clean) if reader is not None else None
    if sentence is None:
        sentence = Sentence.chain(tokens(clean))
    check_size(sentence.words)
    return sentence


def tokens(text: str) -> list[str]:
    """Words and punctuation, as the training data write them: ``does n't``, ``film 's``.

    >>> tokens("It isn't well-made, is it?")
    ['It', 'is', "n't", 'well-made', ',', 'is', 'it', '?']
    """
    apart = _SHORT.sub(lambda found: " " + found[0].replace("’", "'"), text)
    return _TOKEN.findall(apart)


def parser_note() -> str:
    """How typed sentences are read here, for people. Loads nothing."""
    model = _installed()
    if model is not None:
        return f"Typed sentences are parsed by spaCy ({model})."
    return (
        f"Each word is linked to its neighbours: spaCy is not installed here, which with its English model {MODELS[0]} "
        "would link them by grammar."
    )


def _installed() -> str | None:
    """The model that spaCy would read with; ``None`` where there is none."""
    try:
        if find_spec("spacy") is None:
            return None
        return next((name for name in MODELS if find_spec(name) is not None), None)
    except (ImportError, ValueError):
        return None


@cache
def _reader() -> Any:
    """spaCy with its English model, ready to read; ``None`` where it is not installed or cannot be loaded."""
    model = _installed()
    if model is None:
        return None
    try:
        import spacy

        return spacy.load(model, exclude=["ner", "lemmatizer"])
    except Exception:  # an old model or a broken installation can fail in any way; neighbours serve as well
        return None


def _by_spacy(reader: Any, text: str) -> Sentence | None:
    try:
        read = [token for token in reader(text) if token.text.strip()]
    except Exception:  # whatever goes wrong in a foreign parser, the sentence can be read without it
        return None
    place = {token.i: number for number, token in enumerate(read)}
    heads = [ROOT if token.head.i == token.i else place.get(token.head.i, ROOT) for token in read]
    return Sentence(tuple(token.text for token in read), tuple(heads), tuple(token.dep_ for token in read))
