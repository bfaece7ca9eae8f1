"""Have something computed by the workers and show how it goes, without holding up the page."""

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from time import monotonic
from typing import Any

import streamlit as st

from gfx_core import storage
from gfx_core.errors import UserError
from gfx_core.jobs.job import Job, JobCancelledError, JobError, JobState, JobStatus, Request, T
from gfx_core.jobs.pool import WorkerPool
from gfx_core.jobs.requests import WARMUPS, Prepare
from gfx_core.text.numbers import duration, listed
from gfx_core.user_data import store
from pages.ui import sessions
from pages.ui.fragment import fragment, wait_in_fragment
from pages.ui.text import plain

_SHOWN = "jobs-shown"  # session state: the keys of those jobs whose progress was shown
_KEPT = 32
_POLL_S, _POLL_SHORT_S = 1.0, 0.4  # each look costs the server some hundredths of a second
_POLL_MOST_S = 3.0  # where the queue is long
_STAY_S = 2.0  # a look lasts so long, unless something is ready before: the bar moves no less often
_PATIENCE_S = 0.5  # a job that takes no longer than this is not worth a progress bar
_GATHER_S = 1.0, 4.0  # a page of several answers is drawn again no sooner than that; where the queue is long, than this


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
            storage.memory_root()  # before there are workers, so that they share it
            store.open_store()  # the same: they know its folder from the environment
            _pools.append(WorkerPool(prepare=Prepare(), warmups=WARMUPS))
            sessions.watch_sessions(_pools[0])
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
    title: str, request: Request[T], *, slot: str | None = None, meanwhile: Meanwhile | None = None
) -> T | None:
    """The answer to a request if it is there; else ``None``, and the page shows how it goes and comes back with it.

    The job goes on when the visitor leaves the page; the same call shows it again.

    Args:
        title: What is computed, for people.
        request: What is asked.
        slot: A place of which there is one: what the visitor had started here with another request is cancelled.
        meanwhile: Draws what it has emitted so far, again and again, under the bar.
    """
    jobs = _jobs()
    shown: set[str] = st.session_state.setdefault(_SHOWN, set())
    key = pool().key(request)
    if slot is not None:
        before = st.session_state.get(f"job-in-{slot}")
        if before != key and before in jobs and not jobs[before].finished:
            jobs.pop(before).cancel()
        st.session_state[f"job-in-{slot}"] = key
    if key not in jobs:
        try:
            submit(request).wait(_PATIENCE_S)
        except UserError as error:
            st.error(plain(str(error)), icon=":material/hourglass_disabled:")
            return None
    job = jobs[key]
    status = job.status
    name = slot or key
    if not status.finished:
        shown.intersection_update(jobs)
        shown.add(key)
        fragment(_progress, run_every=_poll_s(request.short, [status]))(title, key, name, meanwhile)
        return None
    if key in shown:  # all that comes after it keeps its place
        st.container(key=f"over-{name}")
    if status.state == JobState.DONE:
        return job.result()
    if status.state == JobState.FAILED:
        st.error(plain(status.sentence), icon=":material/error:")
    else:
        st.info(f"{plain(title)}: cancelled.", icon=":material/cancel:")
    label = "Try again" if status.state == JobState.FAILED else "Start again"
    st.button(label, key=f"again-{name}", icon=":material/refresh:", on_click=jobs.pop, args=(key, None))
    return None


def submit(request: Request[T]) -> Job[T]:
    """Have a request answered, without waiting; what failed or was cancelled before is tried again.

    Raises:
        UserError: Too many are waiting already.
    """
    key = pool().key(request)
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
    sessions.end_closed_sessions(pool(), sessions.client())
    return _begin(request, name)


def find_job(request: Request[T]) -> Job[T] | None:
    """The visitor's job with this request, however it stands; None if there is none."""
    return _jobs().get(pool().key(request))


def wait_for(some: Sequence[Job[Any]]) -> None:
    """Wait for several jobs together, as long as for one that is not worth a progress bar."""
    until = monotonic() + _PATIENCE_S
    for job in some:
        job.wait(max(0.0, until - monotonic()))


def watch(going: Mapping[str, Request[Any]], *, key: str) -> None:
    """Show how several requests go, by their titles; the whole page runs again when some of them are finished.

    Short ones share a line; each of the others has a bar of its own. Where many visitors wait, answers come one by one,
    and each would have the whole page drawn again, which costs as much as many a computation: so several are gathered
    before the page runs again, unless they are the last.
    """
    short = {pool().key(request): title for title, request in going.items() if request.short}
    others = {pool().key(request): title for title, request in going.items() if not request.short}
    if short or others:
        st.session_state[f"watched-{key}"] = monotonic()
        jobs = _jobs()
        going_on = {name: jobs[name] for name in (*short, *others) if name in jobs and not jobs[name].finished}
        every = _poll_s(bool(short), _statuses(going_on, short).values())
        fragment(_progress_of_several, run_every=every)(short, others, key)
    elif f"watched-{key}" in st.session_state:  # as in `run_job`
        st.container(key=f"over-{key}")


def _poll_s(short: bool, some: Iterable[JobStatus]) -> float:
    """How often the browser looks how jobs go: the longer they wait, the less often.

    With thirty visitors in a queue of seconds, looking twice a second would take as much of a core as the answers.
    """
    wait = max((status.wait_s or 0.0 for status in some), default=0.0)
    return min(_POLL_MOST_S, max(_POLL_SHORT_S if short else _POLL_S, wait / 6))


def _progress_of_several(short: Mapping[str, str], others: Mapping[str, str], key: str) -> None:
    jobs = _jobs()
    mine = {name: jobs[name] for name in (*short, *others) if name in jobs}
    going = _statuses({name: job for name, job in mine.items() if not job.finished}, short)
    if len(mine) < len(short) + len(others) or not going or (len(going) < len(mine) and _is_due(going.values(), key)):
        st.rerun()
    for number, (name, title) in enumerate(others.items()):
        if name in going:
            _bar(title, [mine[name]], going[name].share, status_text(going[name]), f"{key}-{number}")
    if some := [name for name in short if name in going]:
        # one that is being computed, or the one whose place is known
        first = max((going[name] for name in some), key=lambda status: (status.seconds, status.place))
        share = sum(going[name].share if name in going else 1.0 for name in short) / len(short)
        _bar(listed([short[name] for name in some], 4), [mine[name] for name in some], share, status_text(first), key)

    def ready(seconds: float) -> bool:
        left = [job for job in mine.values() if not job.finished]
        over = not left or left[0].wait(seconds)
        return over and (len(left) < 2 or _is_due(going.values(), key))

    if wait_in_fragment(ready, _STAY_S):
        st.rerun()


def _statuses(going: Mapping[str, Job[Any]], short: Collection[str]) -> dict[str, JobStatus]:
    """How some jobs stand. Of the short ones that wait only the last is asked for its place: that takes some work."""
    unknown = [name for name, job in going.items() if name in short and job.waits][:-1]
    return {name: JobStatus(JobState.QUEUED) if name in unknown else job.status for name, job in going.items()}


def _is_due(going: Iterable[JobStatus], key: str) -> bool:
    """Whether the page is to be drawn again, though others are still at it."""
    soonest, latest = _GATHER_S
    wait = max((status.wait_s or 0.0 for status in going), default=0.0)
    return monotonic() - st.session_state[f"watched-{key}"] >= min(latest, max(soonest, wait / 2))


def _bar(title: str, some: Sequence[Job[Any]], share: float, words: str, name: str) -> None:
    def cancel() -> None:
        for job in some:
            job.cancel()

    with st.container(horizontal=True, vertical_alignment="center", key=f"job-{name}"):
        st.progress(share, text=f"**{plain(title)}** · {plain(words)}")
        st.button("Cancel", key=f"cancel-{name}", icon=":material/close:", on_click=cancel)


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


def _progress(title: str, key: str, name: str, meanwhile: Meanwhile | None = None) -> None:
    """A bar that looks after itself; the whole page runs again once the job is finished.

    From then on there is no such fragment any more: what the browser asks of it late must start no run.
    """
    job = _jobs().get(key)
    if job is None or job.finished:
        st.rerun()
    status = job.status
    _bar(title, [job], status.share, status_text(status), name)
    if meanwhile is not None:
        if events := job.events():
            meanwhile(events)
    elif wait_in_fragment(job.wait, _STAY_S):
        st.rerun()


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


def show_storage_problem() -> None:
    """Say, on a page whose work is kept, where it cannot be."""
    if problem := storage.problem():
        st.caption(f":material/save: {problem}")
