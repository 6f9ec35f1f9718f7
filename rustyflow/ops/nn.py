"""The ops of neural networks, family by family; public as `rustyflow.nn.functional`, and a few at the top level as in PyTorch."""
from . import activation, attention, classification_loss, convolution, distance, dropout, embedding, linear, normalization, padding, pooling, probability_loss, regression_loss, softmax  # noqa: F401
