"""Layers whose weights are looked up, or are one slope."""

from __future__ import annotations

from typing import Any

from ..errors import AssertedError
from ..ops.creation import empty, full
from ..tensor import Tensor
from ..tensor.gradmode import no_grad
from . import functional as F, init
from .module import Module
from .parameter import Parameter


class Embedding(Module):
    """A vector for each whole number: row i of the weight.

    Shapes:
        input (...) of whole numbers below num_embeddings; output (..., embedding_dim).

    Raises:
        IndexError: a number that has no row. AssertionError: a padding_idx that has none.
    Differs from PyTorch: without max_norm, scale_grad_by_freq and sparse, which its call refuses.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.Embedding.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.Embedding(10, 3)(rf.tensor([1, 1, 9])).shape
        rustyflow.Size([3, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__()
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise AssertedError(
                f"padding_idx={padding_idx}",
                "Padding_idx must be within num_embeddings",
                f"an index below {num_embeddings}",
            )
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = padding_idx if padding_idx is None else padding_idx % num_embeddings
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        made = empty(num_embeddings, embedding_dim, device=device, dtype=dtype) if _weight is None else _weight
        self.weight = Parameter(made, requires_grad=not _freeze)
        if _weight is None:
            self.reset_parameters()

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, **settings: Any) -> Embedding:
        """A layer with these rows, which are not trained unless `freeze` is False.

        Raises:
            AssertionError: no matrix.
        """
        if embeddings.dim() != 2:
            rule = "Embeddings parameter is expected to be 2-dimensional"
            raise AssertedError(f"shape {tuple(embeddings.shape)}", rule, "a row for each number")
        return cls(*embeddings.shape, _weight=embeddings, _freeze=freeze, **settings)

    def reset_parameters(self) -> None:
        """Draw the rows again, of a normal distribution; that of padding_idx is 0."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    def extra_repr(self) -> str:
        said = f"{self.num_embeddings}, {self.embedding_dim}"
        return said + (f", padding_idx={self.padding_idx}" if self.padding_idx is not None else "")


class PReLU(Module):
    """max(0, x) + weight * min(0, x), with a slope that is learned, one in all or one a channel.

    Shapes:
        input (N, C, ...), or any with one slope; output the same.

    Raises:
        ShapeError (a RuntimeError): as many slopes as channels, or one.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.PReLU.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.PReLU()(rf.tensor([-4., 2.])).tolist()
        [-1.0, 2.0]
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None):
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(full((num_parameters,), init, device=device, dtype=dtype))

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"
