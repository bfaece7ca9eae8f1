"""The recipes of assets/docs/adding-things.md, followed to the letter: one file and one line are enough.

The recipes that change a file of ours are followed by a process of its own, which runs this module: whoever has
imported one of these files already would not see the change. So hardly anything of ours is imported before a test does.
"""

import contextlib
import io
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gfx_core.device import import_pyg
from tests.conftest import ROOT

FAR = 4  # layers of the GNN of the recipe


def recipe(name: str) -> str:
    """What the document says under a bold name."""
    text = (ROOT / "assets" / "docs" / "adding-things.md").read_text(encoding="utf-8")
    parts = re.split(r"^\*\*(.+?)\*\*: ", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[name]


def code_of(name: str, language: str = "py") -> str:
    """What a recipe has one write."""
    (code,) = re.findall(rf"```{language}\n(.*?)```", recipe(name), re.DOTALL)
    return textwrap.dedent(code) if language == "python" else str(code)


def added_line(name: str, file: str) -> str:
    """The line that a recipe has one add to a registry."""
    (line,) = re.findall(rf"`([^`]+)` to\s+(?:`\w+`(?: in|, in)\s+)?`{re.escape(file)}`", recipe(name))
    return str(line)


def added_module(name: str, folder: Path, patch: pytest.MonkeyPatch) -> ModuleType:
    """The file that a recipe names, with the code that it gives, imported under its own name."""
    (file,) = re.findall(r"`(gfx_core/\w+/\w+)\.py`:", recipe(name))
    path = folder / f"{Path(file).name}.py"
    path.write_text(code_of(name, "python"), encoding="utf-8")
    spec = spec_from_file_location(file.replace("/", "."), path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    patch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What is trained here, and the files of the recipes."""
    from gfx_core.gfn import own_policies
    from gfx_core.gnn import checkpoint

    folder = tmp_path_factory.mktemp("added")
    shutil.copy(ROOT / "assets" / "models" / "tree_cycles-sum.safetensors", folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint, "MODELS", folder)
        patch.setattr(own_policies, "POLICIES", folder / "policies")
        yield folder


# A data set


@pytest.fixture(scope="module")
def rings(folder: Path) -> Iterator[Any]:
    """The file, the line in the registry and the two commands, with hardly any training."""
    from gfx_core.__main__ import main
    from gfx_core.datasets import registry

    with pytest.MonkeyPatch.context() as patch:
        module = added_module("A data set", folder, patch)
        line = added_line("A data set", "gfx_core/datasets/registry.py")
        patch.setitem(registry.DATASETS, "rings", None)
        patch.setitem(registry._SOURCES, "rings", {})
        eval(line, {**vars(module), "register": registry.register, "Numbered": registry.Numbered})
        for command in ("train gnn --dataset rings", "train policy --dataset rings"):
            assert f"`python -m gfx_core {command}`" in recipe("A data set")
            few = ("--epochs", "10", "--seeds", "1") if "gnn" in command else ("--epochs", "2")
            assert main([*command.split(), *few]) == 0
        yield registry.load_dataset("Rings")


def test_a_data_set_is_explained_and_compared_by_its_name(rings: Any) -> None:
    from gfx_core import GFlowExplainer, load_model
    from gfx_core.baselines import masks
    from gfx_core.datasets.registry import source_of
    from gfx_core.explanation import run
    from gfx_core.explanation.question import Question
    from gfx_core.gfn.own_policies import policy_path

    assert (rings.num_nodes, rings.num_classes, len(rings.explainable)) == (80, 2, 40)
    instance = rings.instance(42)
    assert instance.own_edges.sum() == 10
    assert not np.array_equal(source_of("rings", "index").make(seed=1).edge_index, rings.edge_index)  # type: ignore[attr-defined]
    question = Question("rings", "42", samples=8)
    trace = run.explain(question)
    assert (trace.dataset_title, trace.classes) == ("Rings", ("path", "ring"))
    assert any(edge.in_motif for edge in trace.edges)
    assert len(masks.score_edges(question, "degree").scores) == len(trace.edges)
    explainer = GFlowExplainer.load(policy_path("rings"), samples=8)
    assert explainer.trace(load_model("rings"), rings, 42).prediction == trace.prediction


# A GNN, with four layers


@pytest.fixture(scope="module")
def mean(folder: Path) -> Iterator[Any]:
    """The recipe's GNN of Tree-Cycles."""
    from gfx_core import load_model
    from gfx_core.__main__ import main
    from gfx_core.gnn.kinds import KINDS, KindInfo

    (command,) = re.findall(r"`python -m gfx_core (.*?)` trains it", recipe("A GNN"))
    with pytest.MonkeyPatch.context() as patch:
        added_module("A GNN", folder, patch)
        info = eval(added_line("A GNN", "gfx_core/gnn/kinds.py"), {"KindInfo": KindInfo})
        patch.setitem(KINDS, info.name, info)
        assert main([*command.split(), "--epochs", "5", "--hidden", "8"]) == 0
        yield load_model("tree_cycles", "mean")


def test_a_gnn_predicts_the_same_of_the_whole_graph_of_a_part_and_of_subgraphs(mean: Any) -> None:
    import torch

    from gfx_core import load_dataset
    from gfx_core.gnn.checkpoint import model_path, read_header
    from gfx_core.gnn.predict import SubgraphPredictor, predict_instance

    header, dataset = read_header(model_path("tree_cycles", "mean")), load_dataset("tree_cycles")
    assert (header.kind, header.num_layers, header.hidden, len(mean.convs)) == ("mean", FAR, 8, FAR)
    data = dataset.to_pyg()
    with torch.no_grad():
        whole = mean(data.x, data.edge_index)
    for index in (0, 511, 700):
        instance = dataset.instance(index, hops=FAR)
        np.testing.assert_allclose(predict_instance(mean, instance), whole[index].softmax(-1), atol=1e-5)
        every = torch.arange(instance.num_nodes)[None]
        logits = SubgraphPredictor(mean, [instance])(every).logits
        torch.testing.assert_close(logits, whole[index, None], atol=1e-4, rtol=0)


def test_what_four_layers_see_is_explained_or_refused(mean: Any) -> None:
    from gfx_core import UserError, load_dataset
    from gfx_core.baselines.masks import score_edges
    from gfx_core.baselines.registry import METHODS, explain
    from gfx_core.explanation.question import Question

    near = load_dataset("tree_cycles").instance(600, hops=3)
    for name in (name for name, info in METHODS.items() if info.uses_gnn and not info.learns):
        with pytest.raises(UserError, match=r"within 3 hops .* sees 4 hops far"):
            explain(name, mean, near)
    assert len(score_edges(Question("tree_cycles", "600", gnn="mean"), "degree").scores) > len(near.undirected)


# An explainer


def test_an_explainer_is_behind_the_one_call_and_compared(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gfx_core import load_dataset, load_model
    from gfx_core.baselines.masks import score_edges
    from gfx_core.baselines.registry import METHODS, MethodInfo, explain
    from gfx_core.explanation.question import Question

    added_module("An explainer", folder, monkeypatch)
    ((name, fields),) = tomllib.loads(code_of("An explainer", "toml")).items()
    info = MethodInfo(name, **fields)
    monkeypatch.setitem(METHODS, info.name, info)
    instance = load_dataset("tree_cycles").instance(600)
    source, target = instance.edge_index
    found = explain("Nearest", load_model("tree_cycles"), instance)
    assert np.array_equal(found.edge_mask, -(instance.hops[source] + instance.hops[target]).astype(float))
    assert found.to_pyg(instance).validate()
    mask = score_edges(Question("tree_cycles", "600"), info.name)
    assert mask.method == "nearest"
    assert "auc_own" in mask.metrics


# A reward term


def test_a_reward_term_is_trained_sampled_recorded_and_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    from gfx_core import GFlowExplainer, GFNConfig, UserError, load_dataset, load_model
    from gfx_core.drawing.export import player_html
    from gfx_core.exact.enumeration import enumerate_states
    from gfx_core.gfn import reward_terms
    from gfx_core.gfn.rewards import Reward
    from gfx_core.gfn.settings import RewardConfig
    from gfx_core.gnn.predict import SubgraphPredictor
    from gfx_core.trace import serialize
    from tests.toys.instances import graph_of

    with pytest.raises(UserError, match="no reward term “leaves”"):
        RewardConfig(prices={"leaves": 0.1})
    monkeypatch.setitem(reward_terms.REWARD_TERMS, "leaves", None)  # so that it goes with this test
    assert "`gfx_core/gfn/reward_terms.py`" in recipe("A reward term")
    exec(code_of("A reward term"), vars(reward_terms))
    (made,) = re.findall(r"`(GFNConfig\(.*?\))`", recipe("A reward term"))
    config = eval(made, {"GFNConfig": GFNConfig, "RewardConfig": RewardConfig})

    def leaves(nodes: Any) -> int:
        return sum(degree == 1 for _, degree in graph_of(instance).subgraph(nodes).degree())

    dataset, model = load_dataset("tree_cycles"), load_model("tree_cycles")
    instance = dataset.instance(600)
    predictor, subsets = SubgraphPredictor(model, [instance]), enumerate_states(instance, max_nodes=6).subsets
    states, which = torch.from_numpy(subsets), torch.zeros(len(subsets), dtype=torch.long)
    dearer = Reward(predictor, config.reward)(states, which) - Reward(predictor, RewardConfig())(states, which)
    counts = [leaves([node for node in row if node >= 0]) for row in subsets.tolist()]
    assert len(set(counts)) > 2
    assert torch.allclose(dearer, -0.1 * torch.tensor(counts, dtype=torch.float), atol=1e-5)

    explainer = GFlowExplainer(config.with_options(max_nodes=4, epochs=2), samples=8)
    explainer.fit(model, dataset, dataset.explainable[:4]).save(tmp_path / "policy.safetensors")
    trace = GFlowExplainer.load(tmp_path / "policy.safetensors", samples=8).trace(model, dataset, index=600)
    for step in trace.steps:
        term, count = step.reward.terms[-1], leaves(step.members)
        assert (term.name, term.value, term.price) == ("leaves", count, 0.1)
        assert term.contribution == pytest.approx(0.1 * count)
    text = serialize.to_json(trace)
    assert "λ₄ · leaves" in player_html(trace)
    del reward_terms.REWARD_TERMS["leaves"]  # a reader without the term draws it all the same
    assert serialize.from_json(text) == trace


# A knob, a loss, an option of a question and a lesson change files of ours


def test_a_knob_a_loss_an_option_and_a_lesson_are_in_all_places() -> None:
    command = [sys.executable, "-m", "tests.test_recipes"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def changed(name: str, *additions: tuple[str, str]) -> None:
    """Import a module under its own name, with something more before some of its lines."""
    spec = find_spec(name)
    assert spec is not None
    text = Path(str(spec.origin)).read_text(encoding="utf-8")
    for before, added in additions:
        assert text.count(before) == 1, before
        text = text.replace(before, added + before)
    module = sys.modules[name] = module_from_spec(spec)
    exec(compile(text, str(spec.origin), "exec"), vars(module))
    package, _, last = name.rpartition(".")
    setattr(import_module(package), last, module)


def _add_all() -> None:
    import_pyg()  # without the compiler, which takes longer
    from gfx_core.gfn import knobs

    for table in ("A knob", "An option of a question"):
        for name, entries in tomllib.loads(code_of(table, "toml")).items():
            knobs.tables()[name] |= entries
    settings, questions = "gfx_core/gfn/settings.py", "gfx_core/explanation/question.py"
    value, field = added_line("A loss", settings), added_line("A knob", settings)
    additions = ("    epochs: int = ", f"    {field}\n"), ("    DETAILED_BALANCE = ", f"    {value}\n")
    changed("gfx_core.gfn.settings", *additions)
    exec(code_of("A loss"), vars(import_module("gfx_core.gfn.objectives")))
    field = added_line("An option of a question", questions)
    changed("gfx_core.explanation.question", ("    seed: int = ", f"    {field}\n"))
    title = added_line("A lesson", "pages/ui/lessons/frame.py")
    changed("pages.ui.lessons.frame", (')\n"""The lessons in the row', f", {title}"))
    lesson = sys.modules["pages.ui.lessons.lesson_10"] = ModuleType("pages.ui.lessons.lesson_10")
    exec(code_of("A lesson"), vars(lesson))


def _run(*command: str) -> SimpleNamespace:
    """A command's exit status and what it prints."""
    from gfx_core.__main__ import main

    out, error, status = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error), contextlib.suppress(SystemExit):
        status = main(command)
    return SimpleNamespace(status=status, out=" ".join(out.getvalue().split()), error=error.getvalue())


def _check_all() -> None:
    from gfx_core import GFlowExplainer, UserError
    from gfx_core.explanation.question import Question
    from gfx_core.gfn.settings import GFNConfig, Loss
    from gfx_core.jobs import messages
    from gfx_core.jobs.requests import Explain
    from gfx_core.training import recording
    from gfx_core.training.lesson_graphs import LessonGraph
    from gfx_core.training.session import Session
    from gfx_core.training.training import defaults_for, restarts, training_names
    from pages.ui.explorer.parameters import OPTIONS
    from pages.ui.train.link import FIELDS
    from tests.pages.page_reading import opened, url

    # the knob, the loss
    with pytest.raises(UserError, match="Warmth must be a number from 0 to 9"):
        GFNConfig(warmth=10)  # type: ignore[call-arg]
    toy = defaults_for(LessonGraph("toy"))
    warm, huber = toy.changed({"warmth": 2}), toy.changed({"loss": "huber"})
    assert training_names([toy, warm]) == ("Warmth 1.5", "Warmth 2")
    assert training_names([toy, huber])[1] == "flow matching, Huber"
    assert not restarts(toy, warm)
    assert (FIELDS[1]["warmth"].parse("3"), FIELDS[1]["loss"].parse("huber")) == (3.0, Loss("huber"))
    at = opened("train", story="none", graph="toy", warm1="2")
    at.select_slider(key="warm1").set_value(3.0).run()
    assert url(at, "warm1") == "3"
    for flow_model in ("table", "network"):
        training = huber.changed({"flow_model": flow_model, "epochs": 60, "lr": 0.1})
        session = Session(training.question, training.config)
        before = session.frame()["total_variation"]
        session.advance(60)
        assert session.frame()["total_variation"] < before
    for command in (("train", "policy"), ("train", "record")):
        assert "--warmth VALUE How warm it is." in _run(*command, "--help").out
    assert "Warmth must be" in _run("train", "record", "epsilon", "--warmth", "11").error
    with tempfile.TemporaryDirectory() as folder:
        options = ("--epochs", "3", "--warmth", "2.5", "--loss", "huber", "--out", folder)
        assert _run("train", "record", "epsilon", *options).status == 0
        config = recording.read(Path(folder) / "epsilon.json").lanes[0].training.config
    assert (config.warmth, config.loss) == (2.5, Loss("huber"))

    # the option of a question
    cold, warm_question = Question("tree_cycles", "612"), Question("tree_cycles", "612", warmth=2)  # type: ignore[call-arg]
    assert (warm_question.is_plain, cold.is_plain) == (False, True)
    assert warm_question.policy != cold.policy  # nobody takes one for the other
    assert (OPTIONS["warmth"].parse("3"), OPTIONS["warmth"].spell(2.5)) == (3.0, "2.5")
    assert "--warmth VALUE how warm it is" in _run("explain", "--help").out
    refused = _run("explain", "--dataset", "tree_cycles", "--index", "612", "--warmth", "11")
    assert (refused.status, "The warmth must be" in refused.error) == (2, True)
    assert messages.decode_request(messages.encode_request(Explain(warm_question))) == Explain(warm_question)
    with pytest.raises(UserError, match="The warmth must be"):
        GFlowExplainer(warmth="hot")

    # the lesson
    at = opened("learn", lesson="10")
    assert at.title[0].value == "10 · Water again"
    assert any("10 · " in name for name in at.menu_button(key="lessons").options)


if __name__ == "__main__":
    _add_all()
    _check_all()
