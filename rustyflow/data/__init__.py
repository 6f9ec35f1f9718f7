"""Examples to learn from: datasets, the order in which they are taken, batches; `utils.data` is its public face."""
