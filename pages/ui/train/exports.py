"""Take a training along: a page that replays offline, a table, JSON, its policies; and bring it back."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from gfx_core import limits
from gfx_core.gfn.own_policies import OwnPolicy, dataset_of, keep_policy, policy_file
from gfx_core.training import recording as recordings
from gfx_core.training.recording import Recording
from gfx_core.training.training import Training
from pages.ui import sessions
from pages.ui.components.browser import save_button
from pages.ui.text import error_shown, file_name, plain
from pages.ui.uploads import find_upload, upload_field
from pages.ui.wording import widget

_UPLOAD = "train-upload"
MOST_KEPT = 10
"""Policies that one visitor keeps: the oldest of the own ones goes first, and none of another visitor's."""
_kept: dict[str, list[Path]] = {}  # by visitor


def export_buttons(recording: Recording) -> None:
    """Download buttons; a file is made when its button is pressed."""
    name = file_name("training", recording.title)

    def page() -> bytes:
        from gfx_core.drawing.export import train_html

        return train_html(recording.as_dict()).encode()

    with st.container(horizontal=True, key="train-exports"):
        save_button("Page that replays offline", page, f"{name}.html", "web")
        save_button("Curves (CSV)", lambda: recordings.csv(recording).encode(), f"{name}.csv", "table")
        save_button("JSON", lambda: recordings.to_json(recording).encode(), f"{name}.json", "data_object")


def policy_buttons(policies: Sequence[bytes | None], trainings: Sequence[Training], names: Sequence[str]) -> None:
    """For each training whose network can explain: save its policy, and use it in Explain at once."""
    for number, (policy, training, name) in enumerate(zip(policies, trainings, names, strict=False)):
        if policy is None:
            continue
        question = training.question
        with st.container(horizontal=True, vertical_alignment="center", key=f"train-policy-{number}"):
            st.markdown(f"**{'AB'[number]}**: the policy of {plain(name)}", width="content")
            file = f"{file_name('policy', question.title, name)}.safetensors"
            save_button("Save (safetensors)", policy, file, "save", key=f"save-policy-{number}")
            if st.button(**widget("use-policy", number=number)):
                with error_shown("error"):
                    _explain_with(keep(policy, question.dataset), {question.source: question.name})


def keep(data: bytes, dataset: str) -> OwnPolicy:
    """Keep a visitor's policy, see `keep_policy`."""
    policy, visitor = keep_policy(data, dataset), sessions.client().user
    path = policy_file(policy.dataset, own=policy.name)
    files = [*(other for other in _kept.get(visitor, []) if other != path), path]
    for file in files[:-MOST_KEPT] if visitor else ():
        file.unlink(missing_ok=True)
    _kept[visitor] = files[-MOST_KEPT:]
    return policy


def _explain_with(policy: OwnPolicy, prediction: dict[str, str]) -> None:
    link = {"dataset": policy.dataset, "gnn": policy.gnn, "policy": policy.name, **prediction}
    st.switch_page("pages/explain.py", query_params=link)


def open_again() -> None:
    """Bring a recording (JSON) or a policy (safetensors) back."""

    def read(data: bytes, name: str) -> Recording | OwnPolicy:
        if name.endswith(".safetensors"):
            return keep(data, sessions.local_name(dataset_of(data)))
        return recordings.from_json(data, name)

    upload_field(
        "Open a recording (JSON) or a policy (safetensors)",
        read,
        type=["json", "safetensors"],
        key=_UPLOAD,
        most_mb=limits.RECORDING_MB,
        help="A file that was saved here. Nothing in it is executed.",
    )
    file = find_upload(_UPLOAD)
    policy = None if file is None else file.value
    if isinstance(policy, OwnPolicy) and st.button(**widget("use-uploaded")):
        _explain_with(policy, {})


def uploaded_recording() -> tuple[str, Recording] | None:
    """The recording that was brought back, as long as its file is there, and a name of its own."""
    file = find_upload(_UPLOAD)
    return (file.file, file.value) if file is not None and isinstance(file.value, Recording) else None
