"""Have something computed by the workers and show how it goes, without holding up the page."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
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

_SHOWN = "jobs-shown"  # session state: the keys of those jobs whose progress was shown
_KEPT = 32
_POLL_S, _POLL_SHORT_S = 1.0, 0.4  # each look costs the server some hundredths of a second
_POLL_MOST_S = 3.0  # where the queue is long
PATIENCE_S = 0.5  # a job that takes no longer than this is not worth a progress bar
_DRAWN_S = 1.5  # after its script a browser draws a page for about so long, and wants the cores for that

_pools: list[WorkerPool] = []  # at most one
_soon: list[threading.Timer] = []  # at most one
_once = threading.Lock()  # guards both


def pool() -> WorkerPool:
    """The one pool of workers of this process.

    It is kept here and in no cache of Streamlit's: any visitor can have those cleared, and what others compute is to go
    on.
    """
    with _once:
        if not _pools:
            store.open_store()  # before there are workers: they know its folder from the environment
            _pools.append(WorkerPool(warmups=WARMUPS))
            sessions.pools.append(_pools[0])
        return _pools[0]


def warm_up_soon() -> None:
    """Have a worker ready for what the visitor asks next; it starts when the page has been drawn."""
    if pool().has_workers:
        return
    with _once:
        if not _soon:
            timer = threading.Timer(_DRAWN_S, warm_up)
            timer.daemon = True
            _soon.append(timer)
            timer.start()


def warm_up() -> None:
    """Have a worker ready, if there is none yet."""
    with _once:
        _soon.clear()
    if not pool().has_workers:
        pool().warm_up()


def _jobs() -> dict[str, Job[Any]]:
    """This visitor's jobs by the request's key, the latest last."""
    jobs: dict[str, Job[Any]] = st.session_state.setdefault("jobs", {})
    return jobs


Meanwhile = Callable[[list[dict[str, Any]]], None]
"""Draws what a job has emitted so far."""


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
        request: What is asked.
        slot: A place of which there is one: what the visitor had started here with another request is cancelled.
        meanwhile: Draws what it has emitted so far, again and again, under the bar.
        patience: Seconds that the page waits before it shows how it goes; `PATIENCE_S` by default.
    """
    jobs = _jobs()
    shown: set[str] = st.session_state.setdefault(_SHOWN, set())
    key = request.key
    if slot is not None:
        before = st.session_state.get(f"job-in-{slot}")
        if before != key and before in jobs and not jobs[before].finished:
            jobs.pop(before).cancel()
        st.session_state[f"job-in-{slot}"] = key
    if key not in jobs:
        try:
            submit(request).wait(PATIENCE_S if patience is None else patience)
        except UserError as error:
            st.error(plain(str(error)), icon=":material/hourglass_disabled:")
            return None
    job = jobs[key]
    status = job.status
    name = slot or key
    if not status.finished:
        shown.intersection_update(jobs)
        shown.add(key)
        st.fragment(_progress, run_every=_poll_s(request.short, [status]))({key: title}, name, meanwhile)
        return None
    if key in shown:  # all that comes after it keeps its place
        st.container(key=f"over-{name}")
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

    Raises:
        UserError: Too many are waiting already.
    """
    key = request.key
    known = _jobs().get(key)
    retry = known is None or known.state in (JobState.FAILED, JobState.CANCELLED)
    return _begin(request, key) if retry else known


def _begin(request: Request[T], name: str) -> Job[T]:
    """Have the workers begin; the latest jobs and those that go on are kept, others can be had again from the pool."""
    sessions.check_owner(request)
    jobs = _jobs()
    jobs.pop(name, None)
    jobs[name] = pool().submit(request, client=sessions.client())
    finished = [key for key, job in jobs.items() if job.finished]
    for key in finished[: max(0, len(jobs) - _KEPT)]:
        del jobs[key]
    if not request.short:
        pool().warm_up(request.device)  # for short ones that come meanwhile
    return jobs[name]


def start_live(request: Request[T], *, slot: str) -> Job[T]:
    """Have a request answered by a computation of its own, such as a training that is watched and steered.

    What the visitor had going in the same slot is cancelled.

    Raises:
        UserError: Too many are waiting already.
    """
    name = f"slot {slot}"
    if name in _jobs():
        _jobs().pop(name).cancel()
    return _begin(request, name)


def find_job(request: Request[T]) -> Job[T] | None:
    """The visitor's job with this request, however it stands; None if there is none."""
    return _jobs().get(request.key)


def wait_for(some: Sequence[Job[Any]]) -> None:
    """Wait for several jobs together, as long as for one that is not worth a progress bar."""
    until = monotonic() + PATIENCE_S
    for job in some:
        job.wait(max(0.0, until - monotonic()))


def watch(going: Mapping[str, Request[Any]], *, key: str) -> None:
    """Show how several requests go, by their titles; the whole page runs again when one of them is finished."""
    titles = {request.key: title for title, request in going.items()}
    if titles:
        st.session_state[f"watched-{key}"] = True
        statuses = [_jobs()[name].status for name in titles if name in _jobs()]
        every = _poll_s(any(request.short for request in going.values()), statuses)
        st.fragment(_progress, run_every=every)(titles, key)
    elif f"watched-{key}" in st.session_state:  # as in `run_job`
        st.container(key=f"over-{key}")


def _poll_s(short: bool, some: Iterable[JobStatus]) -> float:
    """How often the browser looks how jobs go: the longer they wait, the less often.

    With thirty visitors in a queue of seconds, looking twice a second would take as much of a core as the answers.
    """
    wait = max((status.wait_s or 0.0 for status in some), default=0.0)
    return min(_POLL_MOST_S, max(_POLL_SHORT_S if short else _POLL_S, wait / 6))


def cached_result(request: Request[T]) -> T | None:
    """The answer to a request of this visitor that was computed before; None if there is none."""
    job = find_job(request)
    return job.result() if job is not None and job.status.state == JobState.DONE else None


def on_demand(request: Request[T], most_s: float) -> Callable[[], T | None]:
    """A call that has a request answered whenever it is made, be it outside a page's run, as a download is.

    It waits, and gives ``None`` where there is no answer in time.
    """
    made, client = pool(), sessions.client()

    def call() -> T | None:
        try:
            return made.submit(request, client=client).result(most_s)
        except (UserError, JobError, JobCancelledError, TimeoutError):
            return None

    return call


def _progress(titles: Mapping[str, str], name: str, meanwhile: Meanwhile | None = None) -> None:
    """A bar for each job that looks after itself; the whole page runs again once one is finished.

    From then on there is no such fragment any more: what the browser asks of it late must start no run.
    """
    going = [job for key in titles if (job := _jobs().get(key)) is not None]
    if len(going) < len(titles) or any(job.finished for job in going):
        st.rerun()
    for number, (title, job) in enumerate(zip(titles.values(), going, strict=True)):
        status, place = job.status, f"{name}-{number}" if number else name
        with st.container(horizontal=True, vertical_alignment="center", key=f"job-{place}"):
            st.progress(status.share, text=f"**{plain(title)}** · {plain(status_text(status))}")
            st.button("Cancel", key=f"cancel-{place}", icon=":material/close:", on_click=job.cancel)
    if meanwhile is not None and (events := going[0].events()):
        meanwhile(events)


def status_text(status: JobStatus) -> str:
    """How a job goes, for people."""
    if status.state == JobState.QUEUED and not status.words:
        place = "next" if status.place == 1 else f"number {status.place}"
        wait = "" if status.wait_s is None else f", about {duration(status.wait_s)}"
        return f"waiting: {place} in the queue{wait}"
    words = status.words or "computing"
    if status.eta_s is not None:
        return f"{words} · about {duration(status.eta_s)} left"
    return f"{words} · {duration(status.seconds)} so far" if status.seconds >= 1 else f"{words} …"
