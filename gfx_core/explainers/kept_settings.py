"""Settings that were chosen for a data set's GNN, kept as JSON beside what the explainers have learnt."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from gfx_core.errors import UserError
from gfx_core.files import replacing, stamp, why_unwritten
from gfx_core.provenance import provenance

_AGAIN = "Choose the settings again with: python -m gfx_core train settings --dataset NAME."


def keep_settings(path: Path, chosen: Mapping[str, Mapping[str, Any]], device: str) -> None:
    """Write what was chosen for some explainers; those that the file already holds and that are not among them stay.

    Args:
        path: The file.
        chosen: By explainer: ``chosen``, ``tried`` and ``instances``, as `gfx_core.explainers.choosing` finds them.
        device: Where they were tried.
    """
    made = provenance(device)
    kept = dict(read_settings(path)) | {name: dict(found) | {"made": made} for name, found in chosen.items()}
    try:
        with replacing(path) as part:
            part.write_text(json.dumps(kept, indent=1, sort_keys=True, allow_nan=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path.name} cannot be written: {why_unwritten(error)}.") from error


def read_settings(path: Path) -> Mapping[str, Any]:
    """What a file holds, by explainer; nothing if it is not there."""
    return _read(path, stamp(path)) if path.is_file() else {}


@lru_cache(maxsize=32)
def _read(path: Path, _version: tuple[int, int]) -> Mapping[str, Any]:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path.name} is not a file of settings. {_AGAIN}") from error
    if not isinstance(kept, dict) or not all(isinstance(found, dict) for found in kept.values()):
        raise UserError(f"{path.name} is not a file of settings. {_AGAIN}")
    return kept


def in_words(found: Mapping[str, Any]) -> str:
    """What was tried for an explainer and what was chosen, in a line: for notes below tables."""
    tried = "; ".join(
        f"{settings_words(each['settings'])}: {each['cost']:.3f}"
        + (f", {each['collapsed']:.0%} of the masks collapsed" if each["collapsed"] else "")
        for each in found["tried"]
    )
    return (
        f"chosen: {settings_words(found['chosen'])} (tried, with their cost on {found['instances']} instances: {tried})"
    )


def settings_words(settings: Mapping[str, Any]) -> str:
    """Settings as people write them: ``size 0.01, entropy 0.1``."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        flat |= {f"price of {key}": price for key, price in value.items()} if isinstance(value, dict) else {name: value}
        if value == {}:
            flat["prices"] = "none"
    return ", ".join(f"{name} {value}" for name, value in flat.items()) or "as usual"
