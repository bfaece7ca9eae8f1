"""The recipe for a reward term, followed to the letter."""

import re
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import torch

from gfx_core import GFlowExplainer, GFNConfig, load_dataset, load_model
from gfx_core.datasets.instance import Instance
from gfx_core.drawing.export import player_html
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import enumerate_states
from gfx_core.gfn import reward_terms
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import RewardConfig
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.trace import serialize
from tests.recipes import recipe
from tests.toys.instances import graph_of

RECIPE = recipe("A reward term")


@pytest.fixture
def config() -> Iterator[GFNConfig]:
    """The recipe's configuration; the term is there by its own lines, at the end of the file that it names."""
    before = dict(reward_terms.REWARD_TERMS)
    code, made = re.search(r"```py\n(.*?)```", RECIPE, re.DOTALL), re.search(r"`(GFNConfig\(.*?\))`", RECIPE)
    assert code is not None
    assert made is not None
    assert "`gfx_core/gfn/reward_terms.py`" in RECIPE
    exec(textwrap.dedent(code[1]), vars(reward_terms))
    yield eval(made[1], {"GFNConfig": GFNConfig, "RewardConfig": RewardConfig})
    reward_terms.REWARD_TERMS.clear()
    reward_terms.REWARD_TERMS.update(before)


def test_a_term_that_is_not_there_has_no_price() -> None:
    with pytest.raises(UserError, match="no reward term “leaves”"):
        RewardConfig(prices={"leaves": 0.1})


def leaves(instance: Instance, nodes: Iterable[int]) -> int:
    """How many nodes have one neighbour among the others."""
    return sum(degree == 1 for _, degree in graph_of(instance).subgraph(nodes).degree())


def test_it_counts(config: GFNConfig) -> None:
    instance = load_dataset("tree_cycles").instance(600)
    predictor = SubgraphPredictor(load_model("tree_cycles"), [instance])
    dag = enumerate_states(instance, max_nodes=6)
    subsets = torch.from_numpy(dag.subsets)
    which = torch.zeros(len(subsets), dtype=torch.long)
    dearer = Reward(predictor, config.reward)(subsets, which) - Reward(predictor, RewardConfig())(subsets, which)
    counted = [leaves(instance, [node for node in row if node >= 0]) for row in dag.subsets.tolist()]
    assert len(set(counted)) > 2
    assert torch.allclose(dearer, -0.1 * torch.tensor(counted, dtype=torch.float), atol=1e-5)


def test_it_is_trained_sampled_recorded_and_read_again(config: GFNConfig, tmp_path: Path) -> None:
    dataset, model = load_dataset("tree_cycles"), load_model("tree_cycles")
    small = config.with_options(max_nodes=4, epochs=2)
    explainer = GFlowExplainer(small, samples=8).fit(model, dataset, dataset.explainable[:4])
    explainer.save(tmp_path / "policy.safetensors")
    again = GFlowExplainer.load(tmp_path / "policy.safetensors", samples=8)
    assert again.config.reward.price("leaves") == 0.1
    trace = again.trace(model, dataset, index=600)
    assert [words.name for words in trace.reward_terms][-1] == "leaves"
    for step in trace.steps:
        term, count = step.reward.terms[-1], leaves(dataset.instance(600), step.members)
        assert (term.name, term.value, term.price) == ("leaves", count, 0.1)
        assert term.contribution == pytest.approx(0.1 * count)
    text = serialize.to_json(trace)
    assert "λ₄ · leaves" in player_html(trace)
    del reward_terms.REWARD_TERMS["leaves"]  # a reader without the term draws it all the same
    assert serialize.from_json(text) == trace
