"""Have something computed by a worker and show how it goes, without holding up the page."""

import re
from collections.abc import Mapping
from typing import Any

import streamlit as st

from gfx_core.errors import UserError
from gfx_core.jobs.job import Job, JobState, JobStatus
from gfx_core.jobs.server import JobServer

EXPLAIN_TRACE = "gfx_core.jobs.tasks:explain_trace"
METHOD_MASK = "gfx_core.jobs.tasks:method_mask"
STEPS_BY_HAND = "gfx_core.jobs.tasks:steps_by_hand"

_JOBS = "jobs"  # session state: this visitor's jobs by key, the latest last
_KEPT = 32
_POLL_S, _POLL_SHORT_S = 1.0, 0.4  # each look costs the server some hundredths of a second
_PATIENCE_S = 0.5  # a job that takes no longer than this is not worth a progress bar


@st.cache_resource(show_spinner=False, on_release=JobServer.close)
def server() -> JobServer:
    """The one server of this process; its first worker starts at once, in the background."""
    made = JobServer()
    made.warm_up()
    return made


def run_job(
    label: str,
    function: str,
    arguments: Mapping[str, Any],
    *,
    key: str,
    slot: str | None = None,
    short: bool = False,
    device: str | None = None,
) -> Any | None:
    """The result of a job if it is there; else ``None``, and the page shows how it goes and comes back when it is done.

    The job goes on when the visitor leaves the page; the same call shows it again.

    Args:
        label: What is computed, for people.
        function: ``module:function``, see `gfx_core.jobs.server`.
        arguments: For it.
        key: Names the result: the same key always means the same function and arguments.
        slot: A place of which there is one: what the visitor had started here under another key is cancelled.
        short: Whether it takes about a second.
        device: ``cpu`` or ``cuda``; by default what this computer has.
    """
    jobs: dict[str, Job] = st.session_state.setdefault(_JOBS, {})
    _clear_slot(jobs, slot, key)
    if key not in jobs:
        try:
            jobs[key] = server().submit(function, arguments, device=device, key=key, short=short)
        except UserError as error:
            st.error(_as_text(str(error)), icon=":material/hourglass_disabled:")
            return None
        _forget_old(jobs)
        if not short:
            server().warm_up(device)  # for short ones that come meanwhile
        jobs[key].wait(_PATIENCE_S)
    status = jobs[key].status
    if status.state == JobState.DONE:
        return jobs[key].result()
    if not status.finished:
        st.fragment(_progress, run_every=_POLL_SHORT_S if short else _POLL_S)(label, key)
    elif status.state == JobState.FAILED:
        st.error(_as_text(status.sentence), icon=":material/error:")
        _start_again(jobs, key, "Try again")
    else:
        st.info(f"{_as_text(label)}: cancelled.", icon=":material/cancel:")
        _start_again(jobs, key, "Start again")
    return None


def finished(key: str) -> Any | None:
    """The result of a job that this visitor had computed before; None if there is none."""
    job: Job | None = st.session_state.get(_JOBS, {}).get(key)
    return job.result() if job is not None and job.status.state == JobState.DONE else None


def _progress(label: str, key: str) -> None:
    """A bar that looks after itself; the whole page runs again once the job is finished."""
    job: Job | None = st.session_state[_JOBS].get(key)
    if job is None or job.status.finished:
        st.rerun()
    status = job.status
    with st.container(horizontal=True, vertical_alignment="center", key=f"job-{key}"):
        st.progress(status.share, text=f"**{_as_text(label)}** · {_as_text(in_words(status))}")
        st.button("Cancel", key=f"cancel-{key}", icon=":material/close:", on_click=job.cancel)


def in_words(status: JobStatus) -> str:
    """How a job goes, for people."""
    if status.state == JobState.QUEUED and not status.words:
        if status.place == 1:
            return "waiting: next in the queue"
        return f"waiting: number {status.place} in the queue"
    words = status.words or "computing"
    if status.eta_s is not None:
        return f"{words} · about {_duration(status.eta_s)} left"
    return f"{words} · {_duration(status.seconds)} so far" if status.seconds >= 1 else f"{words} …"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min"


def _as_text(text: str) -> str:
    """A sentence may quote what somebody typed: no Markdown in it, so no pictures or links either."""
    return re.sub(r"([\\`*_\[\]<>$:~!|#])", r"\\\1", text)


def _clear_slot(jobs: dict[str, Job], slot: str | None, key: str) -> None:
    if slot is None:
        return
    before = st.session_state.get(f"job-in-{slot}")
    if before != key and before in jobs and not jobs[before].status.finished:
        jobs.pop(before).cancel()
    st.session_state[f"job-in-{slot}"] = key


def _forget_old(jobs: dict[str, Job]) -> None:
    """Keep the latest jobs and those that go on; what is finished can be had again from the server."""
    finished = [key for key, job in jobs.items() if job.status.finished]
    for key in finished[: max(0, len(jobs) - _KEPT)]:
        del jobs[key]


def _start_again(jobs: dict[str, Job], key: str, label: str) -> None:
    st.button(label, key=f"again-{key}", icon=":material/refresh:", on_click=jobs.pop, args=(key, None))
