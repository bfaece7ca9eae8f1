"""What the Results page lets one choose, and its link: the study, one of its tables, a data set."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from gfx_core.bench.registry import STUDIES
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Table
from gfx_core.datasets.registry import dataset_info
from pages.ui.address import Address, Parameter, bind, one_of, whole
from pages.ui.text import plain

RESULTS = Address()
_SHOWN = [name for name, study in STUDIES.items() if study.short]
STUDY = RESULTS.parameter("study", _SHOWN[0], one_of(_SHOWN))
TABLE = RESULTS.parameter("table", 1, whole(1, 99), under=(STUDY,))
DATASET = RESULTS.parameter("dataset", None, str)


def pick_study() -> Study:
    """One of the studies."""
    return STUDIES[_pick("Study", STUDY, {name: STUDIES[name].short for name in _SHOWN})]


def pick_dataset(names: Sequence[str]) -> str:
    """One of the data sets that a study was made on."""
    return _pick("Data set", DATASET, {name: plain(dataset_info(name).title) for name in names})


def _pick(label: str, parameter: Parameter[Any], titles: Mapping[str, str]) -> str:
    named = parameter.read()
    return bind(
        st.segmented_control,
        label,
        parameter,
        list(titles),
        shown=named if named in titles else next(iter(titles)),
        key=f"results-{parameter.name}",
        format_func=titles.__getitem__,
        required=True,
        label_visibility="collapsed",
    )


def pick_table(found: Sequence[Table]) -> Table:
    """One of a study's quantities; the link tells its number."""
    if len(found) == 1:
        return found[0]
    number = bind(
        st.selectbox,
        "Shown",
        TABLE,
        range(1, len(found) + 1),
        shown=min(len(found), TABLE.read()),
        own=1,
        format_func=lambda number: found[number - 1].heading,
        width=560,
    )
    return found[number - 1]
