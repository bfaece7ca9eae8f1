"""Take a training along: a page that replays offline, a GIF, a table, JSON, its policies; and bring it back."""

from collections.abc import Sequence

import streamlit as st

from gfx_core.datasets.own.store import is_own
from gfx_core.errors import UserError
from gfx_core.gfn.own_policies import dataset_of, keep_policy
from gfx_core.training import recording as recordings
from gfx_core.training.recording import Recording
from gfx_core.training.setting import LaneSetting
from pages.ui.text import file_name, plain
from pages.ui.visit import mine

_LOADED = "train:loaded"  # session state: the file's id and the recording that was brought back
MAX_UPLOAD_MB = 40


def export_buttons(recording: Recording) -> None:
    """Download buttons; a file is made when its button is pressed."""
    name = file_name("training", recording.title)

    def page() -> bytes:
        from gfx_core.drawing.train_html import train_html

        return train_html(recording.as_dict()).encode()

    def animation() -> bytes:
        from gfx_core.drawing.train_gif import train_gif

        return train_gif(recording)

    with st.container(horizontal=True, key="train-exports"):
        st.download_button(
            "Page that replays offline",
            page,
            f"{name}.html",
            "text/html",
            icon=":material/web:",
            on_click="ignore",
            help="One HTML file with all views in it: open it anywhere, without a network.",
        )
        st.download_button("GIF", animation, f"{name}.gif", "image/gif", icon=":material/gif_box:", on_click="ignore")
        st.download_button(
            "Curves (CSV)",
            lambda: recordings.csv(recording).encode(),
            f"{name}.csv",
            "text/csv",
            icon=":material/table:",
            on_click="ignore",
        )
        st.download_button(
            "JSON",
            lambda: recordings.to_json(recording).encode(),
            f"{name}.json",
            "application/json",
            icon=":material/data_object:",
            on_click="ignore",
            help="The recording itself. It can be opened again below.",
        )


def policy_buttons(policies: Sequence[bytes | None], lanes: Sequence[LaneSetting], names: Sequence[str]) -> None:
    """For each lane whose network can explain: save its policy, and use it in Explain at once."""
    for number, (policy, lane, name) in enumerate(zip(policies, lanes, names, strict=False)):
        if policy is None:
            continue
        who = f"{'AB'[number]}: {name}" if len(lanes) > 1 else name
        with st.container(horizontal=True, vertical_alignment="center", key=f"train-policy-{number}"):
            st.markdown(f"The policy of **{plain(who)}**", width="content")
            st.download_button(
                "Save (safetensors)",
                policy,
                f"{file_name('policy', lane.title, name)}.safetensors",
                "application/octet-stream",
                icon=":material/save:",
                on_click="ignore",
                key=f"save-policy-{number}",
            )
            use_in_explain(policy, lane, f"use-policy-{number}")


def use_in_explain(
    policy: bytes, lane: LaneSetting | None, key: str, label: str = "Use this policy in Explain"
) -> None:
    """A button that keeps a policy and opens Explain with it."""
    plain_gnn = lane is not None and lane.plain
    pressed = st.button(
        label,
        key=key,
        icon=":material/play_circle:",
        disabled=plain_gnn,
        help="Explain explains the GNN that knows fragments, this policy was trained for the other one."
        if plain_gnn
        else "Explain this prediction, or any other of the data set, with what was just learnt.",
    )
    if not pressed:
        return
    try:
        about = dataset_of(policy)
        home = mine(about) if is_own(about) else ""
        kept = keep_policy(policy, home)
    except UserError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    link = {"dataset": home or kept.dataset, "gnn": kept.gnn, "policy": kept.name}
    if lane is not None:
        link |= {lane.question.source: lane.question.name}
    st.switch_page("pages/explain.py", query_params=link)


def open_again() -> None:
    """Bring a recording (JSON) or a policy (safetensors) back."""
    file = st.file_uploader(
        "Open a recording (JSON) or a policy (safetensors)",
        type=["json", "safetensors"],
        key="train-upload",
        max_upload_size=MAX_UPLOAD_MB,
        help="A file that was saved here. Nothing in it is run.",
    )
    if file is None:
        if st.session_state.pop(_LOADED, None) is not None:
            st.rerun()
        return
    if file.name.endswith(".safetensors"):
        use_in_explain(file.getvalue(), None, "use-uploaded", "Use it in Explain")
        return
    if st.session_state.get(_LOADED, (None, None))[0] == file.file_id:
        return
    try:
        found = recordings.from_json(file.getvalue(), file.name[:60])
    except UserError as error:
        st.error(plain(str(error)), icon=":material/upload_file:")
        return
    st.session_state[_LOADED] = (file.file_id, found)
    st.rerun()


def loaded() -> tuple[str, Recording] | None:
    """The recording that was brought back, as long as its file is there, and a name of its own."""
    found: tuple[str, Recording] | None = st.session_state.get(_LOADED)
    return found
