"""A GNN for a data set of the visitor's own: trained here, brought along, or lent by one of the six."""

import streamlit as st

from gfx_core import limits
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.registry import dataset_info, listed
from gfx_core.drawing.charts import reliability_figure
from gfx_core.gnn.checkpoint import model_path
from gfx_core.gnn.kinds import KINDS
from gfx_core.jobs.job import Request
from gfx_core.jobs.requests import BringGnn, TrainGnn
from gfx_core.teaching.glossary import tooltip
from gfx_core.text.numbers import counted
from gfx_core.training.user_gnn_setting import (
    LEAST_SECONDS,
    LEAST_UNSEEN,
    MOST_LAYERS,
    MOST_SECONDS,
    USUAL_SECONDS,
    GnnReport,
)
from gfx_core.user_data.draft import UNKNOWN
from pages.ui import jobs
from pages.ui.explorer import loaders
from pages.ui.own.upload import save_file
from pages.ui.text import plain
from pages.ui.uploads import find_upload, upload_field

_REQUEST = "own:gnn"  # session state: by data set, the latest request
_TURN = "own:turn"  # session state: the number of requests
_WIDTHS = (8, 16, 32, 64, 128)


def show_gnn(dataset: GraphDataset) -> tuple[bool, bool]:
    """What the GNN is worth, or how far it is; returns whether there is one, and whether one is on its way."""
    st.subheader("A GNN for it", anchor=False)
    request: Request[GnnReport] | None = st.session_state.setdefault(_REQUEST, {}).get(dataset.name)
    report = None
    if request is not None:
        doing = "Training a GNN on" if isinstance(request, TrainGnn) else "Checking the GNN for"
        report = jobs.run_job(f"{doing} {dataset.info.title}", request, slot="own-gnn")
        going = (job := jobs.find_job(request)) is not None and not job.status.finished
        if going:
            return bool(loaders.trained_gnns(dataset.name)), True
    kinds = loaders.trained_gnns(dataset.name)
    for kind in kinds:
        shown = report if report is not None and report.kind == kind else _kept_report(dataset.name, kind)
        if shown is not None:
            _say(shown)
    return bool(kinds), False


def offer_gnn(dataset: GraphDataset, *, another: bool) -> None:
    """Ways to a GNN, or to another one: train, bring or lend it."""
    with st.expander(
        "Another GNN" if another else "Train or upload one", icon=":material/model_training:", expanded=not another
    ):
        _train(dataset)
        _bring(dataset)


def _submit(dataset: str, request: Request[GnnReport]) -> None:
    st.session_state[_REQUEST][dataset] = request


def _turn() -> int:
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
    return int(st.session_state[_TURN])


def _kept_report(dataset: str, kind: str) -> GnnReport | None:
    header = loaders.readable_header(dataset, kind)
    try:
        return None if header is None else GnnReport.from_dict(header.training["report"])
    except (KeyError, TypeError, ValueError):
        return None


def _train(dataset: GraphDataset) -> None:
    labelled = int((dataset.y >= 0).sum())
    noun = dataset.info.vocabulary.instance
    if labelled < limits.LEAST_LABELLED:
        known = f"only {counted(labelled, noun)} with a class" if labelled else "no classes"
        st.info(
            f"This data set has {plain(known)}, and a GNN learns from at least {limits.LEAST_LABELLED} {plain(noun)}s. "
            "Upload the file again and choose what to predict, or use a trained GNN below.",
            icon=":material/model_training:",
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="own-gnn-settings"):
        kind = st.segmented_control(
            "Kind",
            list(KINDS),
            key="own-gnn-kind",
            default=next(iter(KINDS)),
            required=True,
            format_func=loaders.GNN_NAMES.__getitem__,
            help=loaders.GNN_HELP,
        )
        layers = st.slider("Layers", 1, MOST_LAYERS, 3, key="own-gnn-layers", width=150)
        width = st.select_slider("Width", _WIDTHS, 32, key="own-gnn-width", width=170)
        seconds = st.number_input(
            "Seconds",
            int(LEAST_SECONDS),
            int(MOST_SECONDS),
            int(USUAL_SECONDS),
            key="own-gnn-seconds",
            width=130,
            help="Training ends after this time at the latest, with the best weights so far.",
        )
        fragments = st.toggle("Also train on fragments", value=True, key="own-gnn-fragments", help=tooltip("fragments"))

    def train() -> None:
        setting = (str(kind), int(width), int(layers), bool(fragments), float(seconds))
        _submit(dataset.name, TrainGnn(dataset.name, *setting, turn=_turn()))

    st.button("Train it", key="own-gnn-train", type="primary", icon=":material/model_training:", on_click=train)


def _fitting(dataset: GraphDataset) -> list[tuple[str, str]]:
    """The shipped GNNs, by data set and name, that read as many features and tell as many classes apart, if known."""
    found = []
    for name, info in listed().items():
        for gnn in loaders.trained_gnns(name) if info.task is dataset.task else ():
            header = loaders.readable_header(name, gnn)
            if header is None or header.in_channels != dataset.x.shape[1]:
                continue
            if dataset.info.classes == UNKNOWN or header.num_classes == dataset.num_classes:
                found.append((name, gnn))
    return found


def _bring(dataset: GraphDataset) -> None:
    fits = _fitting(dataset)
    if fits:
        with st.container(horizontal=True, vertical_alignment="bottom", key="own-gnn-lend"):
            lent = st.selectbox(
                "Or use one of the explorer’s, which reads the same features",
                fits,
                key=f"own-gnn-lent-{dataset.name}",
                format_func=lambda one: f"{dataset_info(one[0]).title} ({loaders.GNN_NAMES[one[1]]})",
            )

            def lend() -> None:
                if lent is not None:
                    _submit(dataset.name, BringGnn(dataset.name, str(model_path(*lent)), _turn()))

            st.button("Use it", key="own-gnn-use", icon=":material/handshake:", on_click=lend)
    key, taken = f"own-gnn-upload-{dataset.name}", f"own:gnn-file-{dataset.name}"
    upload_field(
        "Or upload weights of one of these kinds (safetensors)",
        lambda data, _name: save_file(data, ".safetensors"),
        types=["safetensors"],
        key=key,
        most_mb=limits.GNN_MB,
        help_text="As `python -m gfx_core train gnn` writes it. Its header is checked; nothing in it is run.",
    )
    found = find_upload(key)
    if found is None or found.value is None or st.session_state.get(taken) == found.file:
        return
    st.session_state[taken] = found.file
    _submit(dataset.name, BringGnn(dataset.name, str(found.value), _turn()))
    st.rerun()


def _say(report: GnnReport) -> None:
    """How often it is right, and whether it knows when it is."""
    header = loaders.readable_header(report.dataset, report.kind)
    if header is None:
        return
    layers = f"{loaders.GNN_NAMES[report.kind]}, {counted(header.num_layers, 'layer')} of width {header.hidden}"
    seconds, epochs = (header.training.get(name, 0) for name in ("seconds", "epochs"))
    trained = f", trained for {seconds:.0f} s ({counted(epochs, 'epoch')})" if epochs else ""
    st.markdown(f"{layers}{trained}.")
    through = not header.knows_fragments
    if through:
        st.caption(
            "It was trained on whole graphs only, but explanations use fragments. So we explain it through a student, "
            "if that predicts fragments better.",
            help=tooltip("fragments"),
        )
    right = report.accuracy.get("test")
    if right is None:
        st.caption("No classes are known here, so we cannot measure how often it is right.")
        return
    with st.container(horizontal=True, vertical_alignment="center", key=f"own-gnn-report-{report.kind}"):
        st.metric(
            "Right on unseen ones",
            f"{100 * right:.0f} %",
            report.right or None,
            delta_color="off",
            delta_arrow="off",
            width="content",
        )
        enough = report.unseen >= LEAST_UNSEEN
        if not enough:
            st.caption(f"Too few unseen ones for a calibration error: it needs about {LEAST_UNSEEN}.")
        error_help = "Expected calibration error: mean distance of the GNN’s probability from how often it is right."
        if enough:
            st.metric("Calibration error", f"{report.calibration_error:.3f}", help=error_help, width="content")
            st.metric(
                "Calibration error on fragments",
                f"{report.fragment_error:.3f}",
                help=tooltip("fragments"),
                width="content",
            )
            bins = dict(zip(("count", "confidence", "accuracy"), zip(*report.bins, strict=True), strict=True))
            figure = reliability_figure(loaders.GNN_NAMES[report.kind], bins)
            key = f"own-reliability-{report.kind}"
            st.plotly_chart(figure, key=key, width=280, config={"displayModeBar": False})
    if report.absent:
        names = " or ".join(f"“{name}”" for name in report.absent)
        st.warning(
            f"None of the unseen ones is {plain(names)}. So we cannot say how well the GNN predicts "
            f"{'that class' if len(report.absent) == 1 else 'those classes'}.",
            icon=":material/warning:",
        )
    if report.commonest < 1 and right <= report.commonest + 0.02:
        st.warning(
            f"Always predicting the most common class would also be right on {100 * report.commonest:.0f} %. This GNN "
            "learned little from the graph, so there is little to explain.",
            icon=":material/warning:",
        )
    if not through and report.fragment_error > 0.25:
        st.caption(
            "It was not trained on fragments: its predictions for parts are unreliable, and explanations use parts."
        )
