"""What goes wrong on a server, done on purpose: kills, damaged files, disks that are full or may not be written.

After each of them nothing may be damaged or lost that was whole before, and whoever asked reads one sentence. Run it
with ``python -m tests.faults``; the tests run the same faults.
"""

import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from gfx_core import storage
from gfx_core.baselines.registry import SETTINGS, read_settings
from gfx_core.bench.report import read_table, write_table
from gfx_core.bench.study import Cell, success
from gfx_core.classroom.classes import Classroom
from gfx_core.config import ASSETS
from gfx_core.files import UnwrittenError, replacing
from gfx_core.gfn.own_policies import KEPT, keep_policy, own_policy, policy_path
from gfx_core.gnn.checkpoint import model_path, read_header
from gfx_core.jobs.job import JobError
from gfx_core.jobs.pool import WorkerPool
from gfx_core.limits import JobLimits
from gfx_core.trace import serialize
from gfx_core.training import recording
from tests.faults.tools import WHOLE, DieWriting, Pid, Wait, WriteOften, check, lives, running, sentence_of
from tests.load.server import running as running_server
from tests.patience import PATIENCE_S, until

_LIMITS = JobLimits({"cpu": 1})


def _pool() -> WorkerPool:
    """One worker, that knows the requests of these tests."""
    return WorkerPool(_LIMITS)


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong.

    Attributes:
        title: For people.
        make: Lets it happen in an empty data folder and checks what is left; returns what people read, or nothing where
            they need not be told.
        slow: Whether it takes more than a few seconds.
    """

    title: str
    make: Callable[[Path], list[str]]
    slow: bool = False


# Kills


def kill_a_worker(folder: Path) -> list[str]:
    """It costs its own job, and the next one has a new process."""
    with _pool() as pool:
        job = running(pool.submit(Wait()))
        (pid,) = pool.pids
        os.kill(pid, signal.SIGKILL)
        words = sentence_of(lambda: job.result(PATIENCE_S), (JobError,))
        check(pool.submit(Pid()).result(PATIENCE_S) != pid, "the next job was lost")
    return [words]


def kill_a_worker_that_writes(folder: Path) -> list[str]:
    """What was there before is whole, and what was begun is not in the way."""
    path = folder / "kept.json"
    path.write_text("whole")
    with _pool() as pool:
        words = sentence_of(lambda: pool.submit(DieWriting(str(path))).result(PATIENCE_S), (JobError,))
    check(path.read_text() == "whole", "a file was damaged")
    for left in folder.glob("*.part"):
        os.utime(left, (0, 0))  # it is an hour later
    storage.keep(folder / "other.json", lambda place: place.write_text("whole") and None, KEPT)
    check(sorted(os.listdir(folder)) == ["kept.json", "other.json"], "something was left behind")
    return [words]


_SERVER = """
from tests.faults.tools import Wait
from gfx_core.jobs.pool import WorkerPool
from gfx_core.limits import JobLimits
import time
pool = WorkerPool(JobLimits({"cpu": 1}))
job = pool.submit(Wait())
while not job.status.seconds:
    time.sleep(0.02)
print(*pool.pids, flush=True)
time.sleep(600)
"""


def kill_who_computes(folder: Path) -> list[str]:
    """Workers end with the process that started them."""
    with subprocess.Popen([sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        pids = [int(pid) for pid in server.stdout.readline().split()]
        server.kill()
    check(bool(pids), "there was no worker")
    until(lambda: not any(map(lives, pids)))
    return []


def kill_the_server(folder: Path) -> list[str]:
    """Another one starts on the same data folder, and serves."""
    if find_spec("streamlit") is None:
        return []
    kept = keep_policy(policy_path("tree_cycles").read_bytes())
    for _ in range(2):
        with running_server(folder) as server:
            server.process.kill()
    check(own_policy(kept.name) == kept, "a policy was lost")
    return []


# Damaged files


def cut_files_off(folder: Path) -> list[str]:
    """Whatever is read is told to be cut off, wherever that is."""
    trace, sentences = next(iter(sorted((ASSETS / "traces").glob("*.json")))), []
    training = folder / "training.json"
    training.write_text('{"schema": 1, "title": "A recording", "lanes": [{"name": "one"}]}')
    readers: Sequence[tuple[Path, Callable[[Path], object]]] = (
        (policy_path("tree_cycles"), lambda path: keep_policy(path.read_bytes())),
        (model_path("tree_cycles"), read_header),
        (trace, serialize.load),
        (SETTINGS, read_settings),
        (training, recording.read),
        (_records(folder), read_table),
    )
    for number, (whole, read) in enumerate(readers):
        data = whole.read_bytes().rstrip()
        for length in (0, 1, 7, 8, 9, len(data) // 4, len(data) // 2, len(data) - 1):
            cut = folder / f"{number}-{length}{whole.suffix}"
            cut.write_bytes(data[:length])
            words = sentence_of(lambda read=read, cut=cut: read(cut))  # type: ignore[misc]
        sentences.append(words.replace(cut.name, whole.name))
    return sentences


def _records(folder: Path) -> Path:
    path = folder / "faults.json"
    write_table(path, "faults", [success(Cell("faults", "none", "none", 0), {"value": 1.0}, 1.0)])
    return path


def write_binary_into_files(folder: Path) -> list[str]:
    """Bytes that are nothing are a sentence too."""
    path = folder / "bytes.json"
    path.write_bytes(bytes(range(256)) * 10)
    readers = (
        read_header,
        serialize.load,
        read_settings,
        recording.read,
        read_table,
        lambda path: keep_policy(path.read_bytes()),
    )
    return [sentence_of(lambda read=read: read(path)) for read in readers]  # type: ignore[misc]


# Disks


def fill_the_disk(folder: Path) -> list[str]:
    """What was there stays whole, what was computed is kept elsewhere or told of."""
    import resource

    import torch

    from gfx_core.files import read_tensors, write_tensors

    path, before = folder / "weights.safetensors", resource.getrlimit(resource.RLIMIT_FSIZE)
    write_tensors(path, {"x": torch.ones(2)}, {})
    words = []
    records = _records(folder)
    cells = read_table(records)
    resource.setrlimit(resource.RLIMIT_FSIZE, (records.stat().st_size + 20, before[1]))  # no file may grow more
    try:
        words.append(sentence_of(lambda: write_tensors(path, {"x": torch.zeros(10_000)}, {}), (UnwrittenError,)))
        words.append(sentence_of(lambda: write_table(records, "faults", [*cells.values()] * 2)))
        words.append(sentence_of(lambda: keep_policy(policy_path("tree_cycles").read_bytes())))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    check(read_tensors(path)["x"].tolist() == [1, 1], "weights were damaged")
    check(read_table(records) == cells, "records were lost")
    check(not list(folder.rglob("*.part")), "something was left behind")
    return words


def fill_the_data_folder(folder: Path) -> list[str]:
    """Only its disk is full: what is kept there is kept in memory."""

    def write(place: Path) -> None:
        if place.is_relative_to(folder):
            raise OSError(errno.ENOSPC, "No space left on device")
        with replacing(place) as part:
            part.write_text("learnt for an hour")

    kept = storage.keep(folder / "tuned" / "policy", write, KEPT)
    check(kept is not None and storage.find(folder / "tuned" / "policy") == kept, "a training was lost")
    return []


def lock_the_data_folder(folder: Path) -> list[str]:
    """A policy is kept in memory and found there; the page says so."""
    (folder / "policies").write_text("no folder can be made here")
    kept = keep_policy(policy_path("tree_cycles").read_bytes())
    check(own_policy(kept.name) == kept, "a policy was lost")
    return [storage.problem()]


def fill_the_disk_of_classes(folder: Path) -> list[str]:
    """A class goes on in memory, another one can be opened, and the teacher's page says so."""
    import resource

    school, before = Classroom(folder / "classes.json"), resource.getrlimit(resource.RLIMIT_FSIZE)
    classes = [school.open(1)]
    resource.setrlimit(resource.RLIMIT_FSIZE, (school.path.stat().st_size, before[1]))
    try:
        classes.append(school.open(1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    words = school.problem
    check(all(school.room(each.code) is not None for each in classes), "a class was lost")
    check(bool(words), "nobody was told")
    return [words]


def remove_the_file_of_classes(folder: Path) -> list[str]:
    """It is written again with all that was in it."""
    school = Classroom(folder / "classes.json")
    classes = [school.open(1)]
    school.path.unlink()
    classes.append(school.open(1))
    again = Classroom(school.path)
    check(all(again.room(each.code) is not None for each in classes), "a class was lost")
    return []


# Two servers


def write_twice_at_once(folder: Path) -> list[str]:
    """Two servers write the same file again and again: whoever reads it finds one or the other, whole."""
    path, times = folder / "same.json", 40
    with _pool() as one, _pool() as other:
        jobs = [pool.submit(WriteOften(str(path), which, times)) for which, pool in enumerate((one, other))]
        until(path.is_file)
        while not all(job.status.finished for job in jobs):
            check(path.read_text() in WHOLE, "a file was half written")
        check([job.result() for job in jobs] == [times, times], "a server could not write")
    check(os.listdir(folder) == ["same.json"], "something was left behind")
    return []


FAULTS: dict[str, Fault] = {
    "worker": Fault("A worker is killed", kill_a_worker),
    "writer": Fault("A worker is killed while it writes", kill_a_worker_that_writes),
    "parent": Fault("Who computes is killed", kill_who_computes),
    "server": Fault("The server is killed and started again", kill_the_server, slow=True),
    "cut": Fault("Files are cut off", cut_files_off),
    "binary": Fault("Files hold something else", write_binary_into_files),
    "full": Fault("The disk is full", fill_the_disk),
    "full-data": Fault("Only the disk of the data folder is full", fill_the_data_folder),
    "read-only": Fault("The data folder may not be written", lock_the_data_folder),
    "full-classes": Fault("The disk is full while a class goes on", fill_the_disk_of_classes),
    "no-classes": Fault("The file of classes is removed while a class goes on", remove_the_file_of_classes),
    "two-servers": Fault("Two servers write one file", write_twice_at_once),
}
"""By name."""


@contextmanager
def empty_folder() -> Iterator[Path]:
    """An empty data folder, and memory of its own."""
    before = {name: os.environ.get(name) for name in ("GFX_DATA", "GFX_MEMORY")}
    made = Path(tempfile.mkdtemp(prefix="gfx-faults-"))
    try:
        for name in before:
            (made / name).mkdir()
            os.environ[name] = str(made / name)
        yield made / "GFX_DATA"
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
        shutil.rmtree(made, ignore_errors=True)


def run_faults() -> int:
    """Let everything go wrong, print what people read, and return how many faults did any damage, at most 1."""
    damage = 0
    for fault in FAULTS.values():
        began = time.monotonic()
        with empty_folder() as folder:
            try:
                words, mark = fault.make(folder), "whole"
            except Exception as error:
                words, mark = [f"{type(error).__name__}: {error}"], "DAMAGED"
                damage = 1
        sys.stdout.write(f"{fault.title}: {mark} ({time.monotonic() - began:.1f} s)\n")
        for sentence in dict.fromkeys(words):
            sys.stdout.write(f"    “{sentence}”\n")
    return damage
