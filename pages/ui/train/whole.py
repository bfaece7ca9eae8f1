"""Train a whole data set by the recipe of the shipped policies: start, watch, end, go on later, use what came of it."""

from typing import Any

import streamlit as st

from gfx_core.datasets.registry import sources_of
from gfx_core.datasets.source import Numbered
from gfx_core.device import detect_device
from gfx_core.drawing.small_curves import bars_svg, curve_svg
from gfx_core.errors import UserError
from gfx_core.teaching.glossary import term
from gfx_core.training.requests import LEFT_S, TrainPolicy
from gfx_core.training.whole_set_setting import MAX_EPOCHS
from pages.ui import jobs
from pages.ui.address import bind, whole
from pages.ui.components.copy_link import copy_link
from pages.ui.components.train_view import Live, TrainActions, TrainView, train_view
from pages.ui.delivery import fragment
from pages.ui.explorer import pickers
from pages.ui.explorer.loaders import pinned_key, pinned_nodes
from pages.ui.explorer.parameters import DATASET, EXPLORER, View, read_view
from pages.ui.text import file_name, plain
from pages.ui.train import exports, set_run
from pages.ui.train.link import AT, PIN, RUN, VIEW
from pages.ui.train.set_run import SetRun

EPOCHS = EXPLORER.parameter("epochs", None, whole(1, MAX_EPOCHS), under=(DATASET,))
"""Other than the recipe's."""
LIMIT = EXPLORER.parameter("limit", None, whole(1, MAX_EPOCHS), under=(DATASET,))
"""On so many instances, evenly spread; all by default."""
WATCHED = EXPLORER.parameter("watch", 0, whole(0, 9), under=(DATASET,))
"""Which of the watched instances is shown."""
_POLL_S = 1.0
_PROBLEM = "train:set-problem"  # session state: why a training could not be started
_CURVES = {
    "residual": ("Mean residual", "{:.3f}"),
    "loss": ("Loss", "{:.3g}"),
    "log_reward": ("Mean log R", "{:.2f}"),
    "size": ("Nodes", "{:.1f}"),
}


def show_whole() -> None:
    """All of it."""
    st.markdown(
        "One policy for all predictions of a data set, by the recipe of the shipped ones. It takes minutes to hours, "
        f"goes on beside the page, and is kept on the way. What a {term('residual')} is stands in the glossary."
    )
    view = read_view()
    pickers.say_problems(view)
    with st.container(horizontal=True, vertical_alignment="bottom", key="whole-pickers"):
        pickers.pick_dataset(view)
        kind = pickers.pick_gnn(view)
        _pick_numbers()
    if kind is None:
        st.info("There is no GNN for this data set yet: train one first.", icon=":material/model_training:")
        return
    source = sources_of(view.info.name).get(Numbered.parameter)
    if not isinstance(source, Numbered) or not source.ready:
        st.info(
            "This data set is not on this computer yet: the page Data sets says how to get it.", icon=":material/hub:"
        )
        return
    run = set_run.latest()
    run = run if run is not None and (run.asked.dataset, run.asked.gnn) == (view.info.name, kind) else None
    if run is not None:
        run.hear()
    _buttons(view, kind, run)
    if problem := st.session_state.pop(_PROBLEM, None):
        st.error(plain(problem), icon=":material/hourglass_disabled:")
    if run is None:
        return
    if run.failed:
        st.warning(plain(run.failed), icon=":material/warning:")
    fragment(_watched, run_every=_POLL_S if run.awaited else None)(run, run.awaited)
    if not run.awaited:
        _result(run)


def _pick_numbers() -> None:
    for parameter, label, note in (
        (EPOCHS, "Epochs", "How often it goes over the instances; the recipe’s number where the field is empty."),
        (LIMIT, "Instances", "Train on so many of them, evenly spread: quicker, and less general. Empty: all."),
    ):
        bind(
            st.number_input,
            label,
            parameter,
            min_value=1,
            max_value=MAX_EPOCHS,
            step=1,
            placeholder="the recipe’s" if parameter is EPOCHS else "all",
            help=note,
            width=150,
        )


def _asked(view: View, kind: str, resume: bool) -> TrainPolicy:
    return TrainPolicy(view.info.name, kind, epochs=EPOCHS.read(), limit=LIMIT.read(), resume=resume)


def _start(asked: TrainPolicy, title: str) -> None:
    try:
        set_run.begin(asked, title)
    except UserError as error:
        st.session_state[_PROBLEM] = str(error)


def _buttons(view: View, kind: str, run: SetRun | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="whole-run"):
        if run is not None and run.awaited:
            st.button("End", key="whole-end", icon=":material/stop_circle:", on_click=run.end)
            st.toggle(
                "Keep running",
                value=run.stay,
                key=f"whole-stay-{run.name}",
                on_change=_stay,
                args=(run, not run.stay),
                help="Also when this page is closed: its link finds it again. Else a training ends "
                f"{LEFT_S:g} s after its page was closed or left. What it had learnt is kept, and it can be resumed.",
            )
        else:
            asked = _asked(view, kind, resume=True)
            done = asked.resumable(detect_device().kind)
            label = f"Go on from epoch {done:,}" if done else "Train this data set"
            icon = ":material/model_training:"
            st.button(
                label, key="whole-train", type="primary", icon=icon, on_click=_start, args=(asked, view.info.title)
            )
            if done:
                anew = _asked(view, kind, resume=False)
                st.button(
                    "Begin anew",
                    key="whole-anew",
                    icon=":material/restart_alt:",
                    on_click=_start,
                    args=(anew, view.info.title),
                )
        copy_link()


def _stay(run: SetRun, on: bool) -> None:
    run.set_stay(on)
    RUN.write(run.name if on else None)


def _watched(run: SetRun, going: bool) -> None:
    """Progress, curves, residuals by instance, and the watched instances; they come again while it goes on."""
    run.hear()
    if going:
        run.send({"do": "alive"})
        if not run.awaited:
            st.rerun()
        status = run.job.status
        words = run.assembler.state.get("words") or jobs.in_words(status)
        st.progress(min(1.0, status.share), text=f"**{plain(run.assembler.title)}** · {plain(words)}")
    elif run.assembler.end:
        st.markdown(plain(run.assembler.end))
    _curves(run.assembler.epochs)
    _residuals(run.assembler.residuals)
    if run.assembler.watched is not None and run.assembler.watched.length:
        recording = run.assembler.watched.as_dict()
        lane = _pick_watched([lane["name"] for lane in recording["lanes"]])
        state = run.assembler.state
        train_view(
            {**recording, "lanes": [recording["lanes"][lane]]},
            key="whole-view",
            token=f"{run.token} {lane}",
            live=Live(bool(state.get("running", True)), str(state.get("words", ""))) if going else None,
            view=TrainView(step=AT.read(), state=pinned_key(PIN.read()), name=VIEW.read()),
            actions=TrainActions(
                command=lambda name: run.send({"do": name}) if name in ("run", "pause") else None,
                step=AT.write,
                state=lambda key: PIN.write(pinned_nodes(key)),
                view=VIEW.write,
            ),
        )


def _pick_watched(names: list[str]) -> int:
    """Which of the watched instances is shown."""
    with st.container(horizontal=True, vertical_alignment="center", key="whole-watched"):
        st.markdown("**Watched**, as the policy explains it now; a step is an epoch:", width="content")
        return bind(
            st.segmented_control,
            "Watched instance",
            WATCHED,
            list(range(len(names))),
            shown=min(WATCHED.read(), len(names) - 1),
            key="whole-lane",
            format_func=lambda number: plain(names[number]),
            required=True,
            label_visibility="collapsed",
        )


def _curves(epochs: list[dict[str, Any]]) -> None:
    if not epochs:
        return
    with st.container(horizontal=True, key="whole-curves"):
        for name, (title, form) in _CURVES.items():
            values = [report.get(name) for report in epochs]
            last = next((value for value in reversed(values) if value is not None), None)
            with st.container(width=250, gap="xsmall"):
                st.markdown(f"**{title}** {'' if last is None else form.format(last)}")
                st.image(curve_svg(values, f"{title} over {len(values)} epochs"), width="stretch")


def _residuals(found: dict[str, Any]) -> None:
    pairs = zip(found.get("values", ()), found.get("instances", ()), strict=False)
    known = [(value, instance) for value, instance in pairs if value is not None]
    if not known:
        return
    values, worst = [value for value, _ in known], max(known)
    st.markdown(
        f"**Residual by instance** after epoch {found['epoch']:,}, the largest first: {len(values):,} instances, from "
        f"{min(values):.3f} to {worst[0]:.3f} (instance {worst[1]})."
    )
    st.image(bars_svg(values, "Mean residual of each instance, the largest first"), width=640)


def _result(run: SetRun) -> None:
    if run.policy is not None:
        with st.container(horizontal=True, vertical_alignment="center", key="whole-result"):
            st.download_button(
                "Save the policy (safetensors)",
                run.policy,
                f"{file_name('policy', run.asked.dataset, run.asked.gnn)}.safetensors",
                "application/octet-stream",
                icon=":material/save:",
                on_click="ignore",
                key="whole-save",
            )
            exports.use_in_explain(run.policy, None, "whole-use")
    exports.open_again()
