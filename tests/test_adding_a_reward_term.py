"""The README's recipe for a reward term, followed to the letter."""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from gfx_core import GFlowExplainer, GFNConfig, load_dataset, load_model
from gfx_core.drawing.standalone import player_html
from gfx_core.errors import UserError
from gfx_core.gfn import reward_terms
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import RewardConfig
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.trace import io
from tests.recipes import recipe

RECIPE = recipe("A reward term")


@pytest.fixture
def config() -> Iterator[GFNConfig]:
    """The README's configuration; the term is there by its own lines, at the end of the file that it names."""
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
    with pytest.raises(UserError, match="no reward term “nodes”"):
        RewardConfig(prices={"nodes": 0.1})


def test_it_counts(config: GFNConfig) -> None:
    predictor = SubgraphPredictor(load_model("tree_cycles"), [load_dataset("tree_cycles").instance(600)])
    subsets, which = torch.tensor([[0, -1, -1], [0, 1, -1], [0, 1, 2]]), torch.zeros(3, dtype=torch.long)
    dearer = Reward(predictor, config.reward)(subsets, which) - Reward(predictor, RewardConfig())(subsets, which)
    assert torch.allclose(dearer, torch.tensor([-0.1, -0.2, -0.3]), atol=1e-5)


def test_it_is_trained_sampled_recorded_and_read_again(config: GFNConfig, tmp_path: Path) -> None:
    dataset, model = load_dataset("tree_cycles"), load_model("tree_cycles")
    small = config.with_options(max_nodes=4, epochs=2)
    explainer = GFlowExplainer(small, samples=8).fit(model, dataset, dataset.explainable[:4])
    explainer.save(tmp_path / "policy.safetensors")
    again = GFlowExplainer.load(tmp_path / "policy.safetensors", samples=8)
    assert again.config.reward.price("nodes") == 0.1
    trace = again.trace(model, dataset, index=600)
    assert [words.name for words in trace.reward_terms][-1] == "nodes"
    for step in trace.steps:
        term = step.reward.terms[-1]
        assert (term.name, term.value, term.price) == ("nodes", step.size, 0.1)
        assert term.contribution == pytest.approx(0.1 * step.size)
    text = io.to_json(trace)
    assert "λ₄ · nodes" in player_html(trace)
    del reward_terms.REWARD_TERMS["nodes"]  # a reader without the term draws it all the same
    assert io.from_json(text) == trace
