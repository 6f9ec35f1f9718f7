"""The ops of neural networks by family; public as `rustyflow.nn.functional`, a few at the top level as in PyTorch."""
