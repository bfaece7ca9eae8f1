"""Does this GNN know fragments? What the study of calibration recorded of a data set's GNNs; nothing is computed."""

import logging
from typing import Any

import streamlit as st

from gfx_core.bench.cells import Record
from gfx_core.bench.journal import RESULTS
from gfx_core.bench.results_file import read_records
from gfx_core.bench.studies.calibration import PLAIN, TRAINED, Calibration, values_of
from gfx_core.errors import UserError
from gfx_core.files import stamp
from gfx_core.gnn.kinds import DEFAULT_KIND
from pages.ui.components.when_seen import when_seen
from pages.ui.text import plain

_log = logging.getLogger(__name__)

STUDY = Calibration()


def fragment_section(dataset: str, kind: str | None) -> None:
    """A reliability diagram, the calibration error of both GNNs and what it means; nothing where it is not recorded."""
    try:
        found = values_of(_records(_version()), dataset)
        if kind != DEFAULT_KIND or len(found) < 2:
            return
        sentence = STUDY.sentence(_records(_version()), dataset)
        before, after = float(found[PLAIN]["error"]), float(found[TRAINED]["error"])
    except UserError as error:
        st.caption(f"Whether this GNN knows fragments was measured, but {plain(error)}")
        return
    except Exception:  # records may be damaged in any way
        _log.exception("the records of %s are damaged", STUDY.name)
        st.caption("Whether this GNN knows fragments was measured, but the records are damaged.")
        return
    with st.container(border=True, key="fragments"):
        st.subheader("Does this GNN know fragments?", anchor=False)
        st.markdown(sentence)
        with st.container(horizontal=True):
            help_text = "Expected calibration error: how far, on average, being sure is from being right."
            st.metric("Calibration error, this GNN", f"{after:.3f}", help=help_text, width="content")
            st.metric("one that never saw a fragment", f"{before:.3f}", width="content")
        when_seen(lambda: _chart(dataset), key="fragments-chart")
        st.caption(STUDY.legend)


def _chart(dataset: str) -> None:
    st.plotly_chart(
        _figure(dataset, _version()),
        key=f"fragments-{dataset}",
        config={"displayModeBar": False},
        alt="How often the GNNs are right about fragments, against how sure they are and by the fragment's size",
    )


def _version() -> tuple[int, int]:
    return stamp(RESULTS / f"{STUDY.benchmark}.json")


@st.cache_resource(show_spinner=False, max_entries=1)
def _records(version: tuple[int, int]) -> list[Record]:
    return read_records(STUDY, RESULTS)


@st.cache_resource(show_spinner=False, max_entries=12)
def _figure(dataset: str, version: tuple[int, int]) -> Any:
    return STUDY.figure([record for record in _records(version) if record["dataset"] == dataset])
