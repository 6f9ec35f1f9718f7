"""The ops of neural networks by family; public as `rustyflow.nn.functional`, a few at the top level as in PyTorch."""
from . import (  # noqa: F401  # noqa: F401
    activation,
    attention,
    classification_loss,
    convolution,
    distance,
    dropout,
    embedding,
    linear,
    normalization,
    padding,
    pooling,
    probability_loss,
    regression_loss,
    shrink,
    softmax,
)
