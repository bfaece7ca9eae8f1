"""Have something computed by the workers and show how it goes, without holding up the page."""

import threading
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any

import streamlit as st

from gfx_core.errors import UserError
from gfx_core.jobs.job import JobCancelledError, JobError, JobState, JobStatus, Request, T
from gfx_core.jobs.pool import Job, WorkerPool
from gfx_core.jobs.requests import WARMUPS
from gfx_core.text.numbers import duration
from gfx_core.user_data import store
from pages.ui import sessions
from pages.ui.text import plain
from pages.ui.widgets import in_row, widget

_KEPT = 32
_POLL_S, _POLL_MOST_S = 0.5, 3.0  # each look costs the server some hundredths of a second
_TOGETHER_S = 1.0  # a request that takes longer holds up no other: what is finished meanwhile is shown
PATIENCE_S = 0.5  # a job that takes no longer than this is not worth a progress bar
_DRAWN_S = 1.5  # after its script a browser draws a page for about so long, and wants the cores for that

_once = threading.Lock()  # guards the pool

Meanwhile = Callable[[list[dict[str, Any]]], None]
"""Draws what a job has emitted so far."""


def pool() -> WorkerPool:
    """The one pool of workers of this process.

    It is kept here and in no cache of Streamlit's: any visitor can have those cleared, and what others compute is to go
    on.
    """
    with _once:
        if not sessions.pools:
            store.open_store()  # before there are workers: they know its folder from the environment
            sessions.pools.append(WorkerPool(warmups=WARMUPS))
        return sessions.pools[0]


def warm_up() -> None:
    """Have a worker ready for what the visitor wants next; it starts when the page has been drawn."""
    if not pool().pids:
        timer = threading.Timer(_DRAWN_S, pool().warm_up)
        timer.daemon = True
        timer.start()


def _jobs() -> dict[str, Job[Any]]:
    """This visitor's jobs by the request's key, the latest last."""
    jobs: dict[str, Job[Any]] = st.session_state.setdefault("jobs", {})
    return jobs


def run_job(
    title: str,
    request: Request[T],
    *,
    slot: str | None = None,
    meanwhile: Meanwhile | None = None,
    patience: float | None = None,
) -> T | None:
    """The answer to a request if it is there; else ``None``, and the page shows how it goes and comes back with it.

    The job goes on when the visitor leaves the page; the same call shows it again.

    Args:
        title: What is computed, for people.
        request: What is computed.
        slot: A place of which there is one: what the visitor had started here with another request is cancelled.
        meanwhile: Draws what it has emitted so far, again and again, under the bar.
        patience: Seconds that the page waits before it shows how it goes; `PATIENCE_S` by default.
    """
    jobs, key = _jobs(), request.key
    if slot is not None:
        before = st.session_state.get(f"job-in-{slot}")
        if before != key and before in jobs and not jobs[before].finished:
            jobs.pop(before).cancel()
        st.session_state[f"job-in-{slot}"] = key
    if key not in jobs:
        try:
            submit(request).wait(patience or PATIENCE_S)
        except UserError as error:
            st.error(plain(error), icon=":material/hourglass_disabled:")
            return None
    job, name = jobs[key], slot or key
    watch(title, [] if job.finished else [request], key=name, meanwhile=meanwhile)
    if not job.finished:
        return None
    try:
        return job.result()
    except UserError as error:  # the same request would be refused again
        st.error(plain(error), icon=":material/edit:")
        return None
    except JobError as error:
        label = "Try again"
        st.error(plain(error), icon=":material/error:")
    except JobCancelledError:
        label = "Start again"
        st.info(f"{plain(title)}: cancelled.", icon=":material/cancel:")
    st.button(label, key=f"again-{name}", icon=":material/refresh:", on_click=jobs.pop, args=(key, None))
    return None


def submit(request: Request[T]) -> Job[T]:
    """Have a request answered, without waiting; what failed or was cancelled before is tried again.

    The latest jobs and those that go on are kept; others can be had again from the pool.

    Raises:
        UserError: Too many are waiting already.
    """
    sessions.check_owner(request)
    jobs, key = _jobs(), request.key
    if key in jobs and jobs[key].status.state not in (JobState.FAILED, JobState.CANCELLED):
        return jobs[key]
    jobs[key] = pool().submit(request, client=sessions.client())
    finished = [name for name, job in jobs.items() if job.finished]
    for name in finished[: max(0, len(jobs) - _KEPT)]:
        del jobs[name]
    return jobs[key]


def find_job(request: Request[T]) -> Job[T] | None:
    """The visitor's job with this request, however it stands; None if there is none."""
    return _jobs().get(request.key)


def cached_result(request: Request[T]) -> T | None:
    """The answer to a request of this visitor that was computed before; None if there is none."""
    job = find_job(request)
    return job.result() if job is not None and job.status.state is JobState.DONE else None


def wait_for(going: Sequence[Request[Any]]) -> None:
    """Wait for several requests together, as long as for one that is not worth a progress bar."""
    until = monotonic() + PATIENCE_S
    for request in going:
        _jobs()[request.key].wait(max(0.0, until - monotonic()))


def watch(title: str, going: Sequence[Request[Any]], *, key: str, meanwhile: Meanwhile | None = None) -> None:
    """Show how one or several requests go; the whole page runs again when all are finished, or one takes long.

    The longer they wait, the less often the browser looks: with thirty visitors in a queue of seconds, looking twice a
    second would take as much of a core as the answers.

    Args:
        title: What is computed, for people.
        going: The requests. Once there is none any more, what comes after it on the page keeps its place.
        key: Of the view.
        meanwhile: See `run_job`.
    """
    if going:
        st.session_state[f"watched-{key}"] = True
        names = [request.key for request in going]
        position = max(_jobs()[name].status.position for name in names)
        st.fragment(_progress, run_every=min(_POLL_MOST_S, _POLL_S + position / 10))(title, names, key, meanwhile)
    elif f"watched-{key}" in st.session_state:
        st.container(key=f"over-{key}")


def _progress(title: str, names: Sequence[str], key: str, meanwhile: Meanwhile | None) -> None:
    """A bar that looks after itself.

    Once the page has run again there is no such fragment any more: what the browser wants of it late must start no run.
    """
    going = [job for name in names if (job := _jobs().get(name)) is not None and not job.finished]
    if not going or (len(going) < len(names) and going[0].status.seconds > _TOGETHER_S):
        st.rerun()

    def cancel() -> None:
        for job in going:
            job.cancel()

    status = going[0].status
    with in_row(f"job-{key}"):
        st.progress(status.share, text=f"**{plain(title)}** · {plain(status_text(status))}")
        st.button(**widget("cancel", view=key), on_click=cancel)
    if meanwhile is not None and (events := going[0].events()):
        meanwhile(events)


def status_text(status: JobStatus) -> str:
    """How a job goes, for people."""
    if status.state is JobState.QUEUED:
        return f"waiting: {'next' if status.position == 1 else f'number {status.position}'} in the queue"
    words = status.words or "computing"
    if status.eta_s is not None:
        return f"{words} · about {duration(status.eta_s)} left"
    return f"{words} · {duration(status.seconds)} so far" if status.seconds >= 1 else f"{words} …"
