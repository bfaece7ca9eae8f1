"""Requests that more than one page makes, and what a worker gets ready for. Needs no torch.

Any other request stands where it is made.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from gfx_core.device import COMPILER
from gfx_core.drawing.state_graph import PolicyDag
from gfx_core.explanation.question import Question
from gfx_core.gfn.own_policies import LOOK_AHEAD, policy_file
from gfx_core.gnn.checkpoint import model_path
from gfx_core.job_context import JobContext
from gfx_core.jobs.job import Request
from gfx_core.trace.schema import MethodMask, Step, Trace


def files_of(dataset: str, gnn: str, policy: str = "") -> tuple[Path, ...]:
    """The files of a GNN and of the policy that explains it: one that was trained here, by its name, or the shipped."""
    return model_path(dataset, gnn), policy_file(dataset, policy) if policy else LOOK_AHEAD


def about(function: str, question: Question, /, **arguments: Any) -> Request[Any]:
    """A request about one prediction.

    Args:
        function: See `Request`; it takes the question too.
        question: Which prediction.
        arguments: More that the function takes.
    """
    files = files_of(question.dataset, question.gnn, question.own)
    return Request(function, {"question": question, **arguments}, files)


def explain(question: Question) -> Request[Trace]:
    """Explain a prediction by GFlowExplainer.

    By learned flows where exact ones are wanted but there are too many states. Where the policy is first trained on
    this prediction, it emits what is to be seen of that.
    """
    function = "gfx_core.training.live:explain_tuned" if question.tuned else "gfx_core.explanation.run:explain"
    return about(function, question)


def follow(question: Question, order: Sequence[int]) -> Request[tuple[Step, ...]]:
    """What the policy, or exact flows, make of a trajectory: local nodes in order, the start node first."""
    return about("gfx_core.explanation.run:follow", question, order=tuple(order))


def list_states(question: Question, order: Sequence[int]) -> Request[PolicyDag]:
    """All states of the instance, or those around a trajectory."""
    return about("gfx_core.drawing.state_graph:policy_dag", question, order=tuple(order))


def ask(question: Question) -> Request[tuple[float, ...]]:
    """What the GNN predicts: the probability of each class."""
    return about("gfx_core.explanation.run:ask", question)


def lesson(name: str, /, **arguments: Any) -> Request[Any]:
    """What a lesson or the lab has computed.

    Args:
        name: Of a function of `gfx_core.teaching.lesson_jobs`.
        arguments: What it takes.
    """
    return Request(f"gfx_core.teaching.lesson_jobs:{name}", arguments, device="cpu")


def score_edges(question: Question, method: str) -> Request[MethodMask]:
    """Explain a prediction by any method."""
    return about("gfx_core.baselines.masks:score_edges", question.prediction, method=method)


def import_pyg() -> None:
    """Import PyTorch and PyG, without what PyG loads besides and nothing here uses.

    It loads PyTorch's compiler only to recognise compiled models, and pandas, if there is one, for data sets of its
    own. Both are loaded as usual where they are imported afterwards: the compiler by PyTorch itself, when it is first
    needed. Meant for a process that does nothing else yet: for a moment these modules are hidden.
    """
    import_module("torch")
    hidden: dict[str, Any] = {"pandas": None, COMPILER: ModuleType(COMPILER)}
    hidden = {name: module for name, module in hidden.items() if name not in sys.modules}
    sys.modules.update(hidden)
    try:
        import_module("torch_geometric")
    finally:
        for name in hidden:
            del sys.modules[name]


def load(modules: Sequence[str], job: JobContext) -> None:
    """Import PyTorch, PyG and some more modules."""
    import_pyg()
    for module in modules:
        import_module(module)


_LOAD = f"{__name__}:{load.__name__}"
WARMUPS: tuple[Request[Any], ...] = (
    Request(_LOAD, {"modules": ("gfx_core.explanation.run", "scipy.sparse.csgraph")}),  # layouts need the latter
    explain(Question("tree_cycles", "511")),
    explain(Question("mutagenicity", "Ethanol", "compound")),
    Request(_LOAD, {"modules": (COMPILER,)}),  # a training needs it
)
"""What a worker gets ready for, the first before all else; RDKit too, so that the first real molecule is fast."""
