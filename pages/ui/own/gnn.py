"""A GNN for a data set of the visitor's own: trained here, or uploaded."""

from pathlib import Path
from secrets import token_hex

import streamlit as st

from gfx_core import limits
from gfx_core.datasets.graph import GraphDataset
from gfx_core.gnn.kinds import DEFAULT_KIND, KINDS
from gfx_core.jobs.job import Request
from gfx_core.teaching.glossary import tooltip
from gfx_core.text.numbers import counted, percent
from gfx_core.training.user_gnn_setting import (
    LEAST_SECONDS,
    LEAST_UNSEEN,
    MOST_LAYERS,
    MOST_SECONDS,
    USUAL_SECONDS,
    GnnReport,
    GnnSetting,
)
from pages.ui import jobs
from pages.ui.explorer import loaders
from pages.ui.own.upload import TEXTS, save_file
from pages.ui.text import plain
from pages.ui.uploads import find_upload, upload_field
from pages.ui.wording import widget

_REQUEST = "own:gnn"  # session state: by data set, the latest request
_WORK = "gfx_core.training.user_gnn"  # its functions compute these requests
WORDS = TEXTS["gnn"]


def show_gnn(dataset: GraphDataset) -> tuple[bool, bool]:
    """What the GNN is worth, or how far it is; returns whether there is one, and whether one is on its way."""
    st.subheader("A GNN for it", anchor=False)
    request: Request[GnnReport] | None = st.session_state.setdefault(_REQUEST, {}).get(dataset.name)
    if request is not None:
        jobs.run_job(f"A GNN for {dataset.info.title}", request, slot="own-gnn")
    job = None if request is None else jobs.find_job(request)
    going = job is not None and not job.finished
    kinds = loaders.trained_gnns(dataset.name)
    for kind in () if going else kinds:
        _report(dataset.name, kind)
    return bool(kinds), going


def offer_gnn(dataset: GraphDataset, *, another: bool) -> None:
    """Ways to a GNN, or to another one."""
    label = "Another GNN" if another else "Train or upload one"
    with st.expander(label, icon=":material/model_training:", expanded=not another):
        labelled, noun = int((dataset.y >= 0).sum()), plain(dataset.info.vocabulary.instance)
        if labelled < limits.LEAST_LABELLED:
            count = f"{counted(labelled, noun)} with a class" if labelled else "no classes"
            words = WORDS["few"].format(labelled=count, least=limits.LEAST_LABELLED, noun=noun)
            st.info(words, icon=":material/model_training:")
        else:
            _train(dataset)
        _upload(dataset)


def _train(dataset: GraphDataset) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="own-gnn-settings"):
        names = {"format_func": loaders.GNN_NAMES.__getitem__, "help": loaders.GNN_HELP, "required": True}
        kind = st.segmented_control("Kind", list(KINDS), key="own-gnn-kind", default=DEFAULT_KIND, **names)
        layers = st.slider("Layers", 1, MOST_LAYERS, 3, key="own-gnn-layers", width=150)
        most, about = (int(LEAST_SECONDS), int(MOST_SECONDS), int(USUAL_SECONDS)), WORDS["seconds"]
        seconds = st.number_input("Seconds", *most, key="own-gnn-seconds", width=130, help=about)
        fragments = st.toggle(**widget("own-gnn-fragments"), value=True)

    def train() -> None:
        setting = GnnSetting(dataset.name, str(kind), num_layers=layers, fragments=fragments, seconds=float(seconds))
        request = Request[GnnReport](f"{_WORK}:train_gnn", {"setting": setting}, turn=token_hex(8))
        st.session_state[_REQUEST][dataset.name] = request

    st.button(**widget("own-gnn-train"), on_click=train)


def _upload(dataset: GraphDataset) -> None:
    def bring(data: bytes, _name: str) -> Request[GnnReport]:
        weights = {"dataset": dataset.name, "path": Path(save_file(data, ".safetensors"))}
        return Request(f"{_WORK}:bring_gnn", weights, turn=token_hex(8))

    key = f"own-gnn-upload-{dataset.name}"
    upload_field(
        "Or upload weights of one of these kinds (safetensors)",
        bring,
        type=["safetensors"],
        key=key,
        most_mb=limits.GNN_MB,
        help=WORDS["upload"],
    )
    file = find_upload(key)
    if file is not None and file.value is not None and st.session_state.get(f"{key}:taken") != file.file:
        st.session_state[f"{key}:taken"] = file.file
        st.session_state[_REQUEST][dataset.name] = file.value
        st.rerun()


def _report(dataset: str, kind: str) -> None:
    """How often it is right, and whether it knows when it is."""
    header = loaders.readable_header(dataset, kind)
    if header is None:
        return
    try:
        report = GnnReport.from_dict(header.training["report"])
    except (KeyError, TypeError, ValueError):
        return
    seconds, epochs = (header.training.get(name, 0) for name in ("seconds", "epochs"))
    trained = f", trained for {seconds:.0f} s ({counted(epochs, 'epoch')})" if epochs else ""
    layers = counted(header.num_layers, "layer")
    st.markdown(f"{loaders.GNN_NAMES[kind]}, {layers} of width {header.hidden}{trained}.")
    right = report.accuracy.get("test")
    if right is None:
        st.caption(WORDS["unknown"])
    else:
        calibrated = report.unseen >= LEAST_UNSEEN
        with st.container(horizontal=True, vertical_alignment="center", key=f"own-gnn-report-{kind}"):
            count = {"delta": report.right or None, "delta_color": "off", "delta_arrow": "off"}
            st.metric("Right on unseen ones", percent(right), width="content", **count)
            if calibrated:
                whole, parts = (f"{error:.3f}" for error in (report.calibration_error, report.fragment_error))
                st.metric("Calibration error", whole, help=WORDS["calibration"], width="content")
                st.metric("Calibration error on fragments", parts, help=tooltip("fragments"), width="content")
        notes = {
            WORDS["unseen"].format(least=LEAST_UNSEEN): not calibrated,
            WORDS["absent"].format(names=" or ".join(f"“{plain(name)}”" for name in report.absent)): report.absent,
            WORDS["commonest"].format(share=percent(report.commonest)): report.commonest < 1
            and right <= report.commonest + 0.02,
            WORDS["fragments"]: header.knows_fragments and report.fragment_error > 0.25,
        }
        for note in (words for words, holds in notes.items() if holds):
            st.warning(note, icon=":material/warning:")
    if not header.knows_fragments:
        st.caption(WORDS["whole"], help=tooltip("fragments"))
