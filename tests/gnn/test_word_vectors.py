"""GNNs that learn vectors for words."""

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch

from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.sentences import SENTENCES, embedded, graph_of, read_table
from gfx_core.errors import UserError
from gfx_core.gnn.checkpoint import load_model, model_path, read_header, save_model
from gfx_core.gnn.predict import predict_all
from gfx_core.gnn.settings import WordsConfig, WordTrainingConfig, default_config
from gfx_core.gnn.training import parts_of, train
from gfx_core.gnn.word_vectors import WordGNN, numbered

WORDS = WordsConfig(width=6, buckets=211, spread=0.3, dropout=0.1, word_dropout=0.0)


def ours() -> GraphDataset:
    labels, sentences = zip(*SENTENCES.values(), strict=True)
    everything = np.arange(len(labels))
    parts = dict.fromkeys(("train", "validation", "test"), everything)
    return graph_of(sentences, labels, parts=parts)


def test_vectors_in_training_are_those_of_the_file() -> None:
    with pytest.raises(UserError, match="has no words"):
        numbered(replace(ours(), node_texts=()))
    assert len(parts_of(ours(), 0)["test"]) == len(SENTENCES)  # the data set's own
    dataset, words = numbered(ours())
    model = WordGNN(dataset, words, WordTrainingConfig(hidden=4, num_layers=2, words=WORDS)).eval()
    expected = embedded(dataset.node_texts, model.table.detach().numpy())
    assert model.vectors(torch.from_numpy(dataset.x)).detach().numpy() == pytest.approx(expected, abs=1e-5)
    assert not model.vectors(torch.zeros(3, 1)).any()  # a padded node


def test_it_learns_and_is_kept(tmp_path: Path) -> None:
    dataset = ours()
    config = WordTrainingConfig(
        hidden=16, epochs=60, patience=60, lr=0.03, batch_size=12, fragments=8, average=0.8, words=WORDS
    )
    model, header = train(dataset, config)
    assert type(model).__name__ == "GNN"
    assert header.accuracy["train"] > 0.9
    assert header.in_channels == 6
    path = tmp_path / "graph_sst2-sum.safetensors"
    save_model(model, header, path)
    kept = load_model("graph_sst2", path=path)
    table = read_table(path)
    assert table.shape == (211, 6)
    read = replace(dataset, x=embedded(dataset.node_texts, table))
    assert (predict_all(kept, read).argmax(1) == dataset.y).mean() == header.accuracy["test"]


def test_the_shipped_one_brings_its_vectors_and_reads_well() -> None:
    path = model_path("graph_sst2")
    header, table = read_header(path), read_table(path)
    config = header.training["config"]
    assert config == asdict(default_config("graph_sst2")) | {"seed": config["seed"]}
    assert table.shape == (config["words"]["buckets"], header.in_channels)
    assert header.accuracy["test"] >= 0.80
    assert path.stat().st_size < 4_000_000
    right = predict_all(load_model("graph_sst2"), ours()).argmax(1) == ours().y
    assert right.mean() > 0.5
