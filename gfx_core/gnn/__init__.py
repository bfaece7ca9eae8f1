"""The GNNs that are explained: models, training, checkpoints, predictions of many subgraphs."""
