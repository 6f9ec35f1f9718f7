"""Modules that are a function of `nn.functional` with its settings kept: activations, losses, pools, dropout."""

from __future__ import annotations

import inspect
import re
from numbers import Real
from typing import Any

from ..errors import ArgumentTypeError, ArgumentValueError
from ..errors.foreign import kind_of
from ..tensor import Tensor
from . import functional as F
from .module import Module

INPUTS = "input target input1 input2 x1 x2 anchor positive negative var".split()
LEFT_OUT = "training _stacklevel dtype".split()
WEIGHTS = "weight", "pos_weight"
"""The settings that are tensors."""


class FunctionModule(Module):
    """A function with its settings: `forward` passes its inputs on, and the settings after them."""

    function: Any
    settings: inspect.Signature
    inputs: tuple[str, ...] = ()
    told: tuple[str, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__()
        bound = self.settings.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            if name in WEIGHTS and value is not None and not isinstance(value, Tensor):
                rule = f"{name} is a tensor or None, not {kind_of(value)}"
                raise ArgumentTypeError(
                    f"{name}={value!r:.60}", rule, f"{name}=rustyflow.tensor([1.0, 2.0])", value=value
                )
            if isinstance(value, Tensor) and name not in WEIGHTS or name == "weight" and getattr(value, "ndim", 1) > 1:
                call = f"nn.{type(self).__name__}(...)({', '.join(self.inputs)})"
                raise ArgumentTypeError(
                    f"{type(self).__name__}(a tensor, ...)",
                    "a module is made of its settings first, and then called with tensors",
                    call,
                    value=value,
                )
            if name in WEIGHTS:
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)

    def extra_repr(self) -> str:
        told = [f"{name}={getattr(self, name)!r}" for name in self.told]
        if getattr(self, "inplace", False) and "inplace" not in self.told:
            told.append("inplace=True")
        return ", ".join(told)


class PoolModule(FunctionModule):
    """A pool steps by its kernel, where nothing else is said."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.stride = self.kernel_size if self.stride is None else self.stride


class LinePoolModule(PoolModule):
    """One whose settings are told as tuples."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        for name in ("kernel_size", "stride", "padding"):
            value = getattr(self, name)
            setattr(self, name, (value,) if isinstance(value, int) else value)


class DropoutModule(FunctionModule):
    """A dropout asks at once whether its p is a probability."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        if not isinstance(self.p, Real) or not 0 <= self.p <= 1:
            rule = f"dropout probability has to be between 0 and 1, but got {self.p}"
            error = ArgumentValueError if isinstance(self.p, Real) else ArgumentTypeError
            raise error(f"p={self.p!r:.60}", rule, "p=0.5")



def _forward(function: Any, settings: list[inspect.Parameter]) -> Any:
    """The forward of a module of a function: its parameters are the function's inputs."""
    taken = inspect.signature(function).parameters
    kept = [*[p.name for p in settings], *({"training"} & taken.keys())]

    def forward(self: Module, *inputs: Tensor, **named: Tensor) -> Any:
        return function(*inputs, **named, **{name: getattr(self, name) for name in kept})

    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    forward.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [itself, *[p.replace(annotation=p.empty) for p in taken.values() if p.name in INPUTS]])
    return forward


def _told(name: str, function: Any, example: str) -> str:
    """The docstring of a module of a function: its first lines, shapes, errors, and an example."""
    line, result = example.split(" -> ")
    doc = inspect.cleandoc(function.__doc__ or "")
    end = r"(?=^\w+:|^Differs|\n\n|\Z)"
    said = [re.search(f"^{word}:.*?{end}", doc, re.M | re.S)[0].rstrip() for word in ("Shapes", "Raises")]
    return f"""{doc.partition(chr(10) * 2)[0]}

The module of `nn.functional.{function.__name__}`, which says more; its settings are those that stand there.

{chr(10).join(said)}
Source: https://pytorch.org/docs/stable/generated/torch.nn.{name}.html

Example:
    >>> import rustyflow as rf
    >>> rf.nn.{name}{line}
    {result}
"""


def _of(
    name: str,
    function: Any,
    example: str,
    told: str = "",
    without: str = "",
    order: str = "",
    kind: type = FunctionModule,
    **usual: Any,
) -> type:
    """A module of a function of `nn.functional`.

    Args:
        example: a line of its use, and what comes of it. told: the settings that its text shows. without: those that
            the module has not. order: its settings, where theirs differ. kind: its base. usual: other defaults.
    """
    signature = inspect.signature(function).parameters
    kept = [
        p.replace(default=usual.get(p.name, p.default), annotation=inspect.Parameter.empty)
        for p in signature.values()
        if p.name not in (*INPUTS, *LEFT_OUT, *without.split())
    ]
    if order:
        kept = [
            p.replace(kind=p.POSITIONAL_OR_KEYWORD) for p in sorted(kept, key=lambda p: order.split().index(p.name))
        ]
    return type(
        name,
        (kind,),
        {
            "__doc__": _told(name, function, example),
            "__module__": __name__,
            "function": staticmethod(function),
            "told": tuple(told.split()),
            "forward": _forward(function, kept),
            "inputs": tuple(name for name in signature if name in INPUTS),
            "settings": inspect.Signature(kept),
            "__signature__": inspect.Signature(kept),
        },
    )


_X, _PAIR = "(rf.tensor([-1., 2.]))", "(rf.tensor([1., 2.]), rf.tensor([1., 4.]))"
CELU = _of("CELU", F.celu, f"(){_X} -> tensor([-0.6321,  2.0000])", "alpha")
ELU = _of("ELU", F.elu, f"(){_X} -> tensor([-0.6321,  2.0000])", "alpha")
GELU = _of("GELU", F.gelu, f"(){_X} -> tensor([-0.1587,  1.9545])", "approximate", order="approximate")
GLU = _of("GLU", F.glu, "()(rf.tensor([1., 0.])) -> tensor([0.5000])", "dim")
Hardshrink = _of("Hardshrink", F.hardshrink, "()(rf.tensor([0.3, 2.])) -> tensor([0., 2.])")
Hardsigmoid = _of("Hardsigmoid", F.hardsigmoid, "()(rf.tensor([-3., 0., 3.])) -> tensor([0.0000, 0.5000, 1.0000])")
Hardswish = _of("Hardswish", F.hardswish, "()(rf.tensor([0., 3.])) -> tensor([0., 3.])")
Hardtanh = _of("Hardtanh", F.hardtanh, f"(){_X} -> tensor([-1.,  1.])", "min_val max_val")
LeakyReLU = _of("LeakyReLU", F.leaky_relu, f"(0.5){_X} -> tensor([-0.5000,  2.0000])", "negative_slope")
LogSigmoid = _of("LogSigmoid", F.logsigmoid, "()(rf.tensor([0.])) -> tensor([-0.6931])")
LogSoftmax = _of("LogSoftmax", F.log_softmax, "(dim=0)(rf.tensor([1., 1.])) -> tensor([-0.6931, -0.6931])", "dim")
Mish = _of("Mish", F.mish, "()(rf.tensor([0., 1.])) -> tensor([0.0000, 0.8651])")
ReLU = _of("ReLU", F.relu, f"(){_X} -> tensor([0., 2.])")
ReLU6 = _of("ReLU6", F.relu6, "()(rf.tensor([-1., 8.])) -> tensor([0., 6.])")
SELU = _of("SELU", F.selu, f"(){_X} -> tensor([-1.1113,  2.1014])")
SiLU = _of("SiLU", F.silu, "()(rf.tensor([0., 1.])) -> tensor([0.0000, 0.7311])")
Sigmoid = _of("Sigmoid", F.sigmoid, "()(rf.tensor([0., 100.])) -> tensor([0.5000, 1.0000])")
Softmax = _of("Softmax", F.softmax, "(dim=0)(rf.tensor([1., 1.])) -> tensor([0.5000, 0.5000])", "dim")
Softmin = _of("Softmin", F.softmin, "(dim=0)(rf.tensor([1., 1.])) -> tensor([0.5000, 0.5000])", "dim")
Softplus = _of(
    "Softplus", F.softplus, "()(rf.tensor([0.])) -> tensor([0.6931])", "beta threshold", beta=1.0, threshold=20.0
)
Softshrink = _of("Softshrink", F.softshrink, "()(rf.tensor([0.3, 2.])) -> tensor([0.0000, 1.5000])")
Softsign = _of("Softsign", F.softsign, "()(rf.tensor([1., 3.])) -> tensor([0.5000, 0.7500])")
Tanh = _of("Tanh", F.tanh, "()(rf.tensor([0., 1.])) -> tensor([0.0000, 0.7616])")
Tanhshrink = _of("Tanhshrink", F.tanhshrink, "()(rf.tensor([0., 1.])) -> tensor([0.0000, 0.2384])")
Threshold = _of("Threshold", F.threshold, f"(0.5, 9.){_X} -> tensor([9., 2.])", "threshold value")
for _kind in (Hardshrink, Softshrink):
    _kind.extra_repr = lambda self: str(self.lambd)

BCELoss = _of(
    "BCELoss", F.binary_cross_entropy, "()(rf.tensor([0.5]), rf.tensor([1.])) -> tensor(0.6931)"
)
BCEWithLogitsLoss = _of(
    "BCEWithLogitsLoss", F.binary_cross_entropy_with_logits, "()(rf.tensor([0.]), rf.tensor([1.])) -> tensor(0.6931)"
)
CosineEmbeddingLoss = _of(
    "CosineEmbeddingLoss", F.cosine_embedding_loss, "()(rf.ones(1, 2), rf.ones(1, 2), rf.ones(1)) -> tensor(0.)"
)
CrossEntropyLoss = _of("CrossEntropyLoss", F.cross_entropy, "()(rf.zeros(1, 2), rf.tensor([1])) -> tensor(0.6931)")
GaussianNLLLoss = _of(
    "GaussianNLLLoss", F.gaussian_nll_loss, "()(rf.ones(2), rf.ones(2), rf.ones(2)) -> tensor(0.)"
)
HingeEmbeddingLoss = _of(
    "HingeEmbeddingLoss", F.hinge_embedding_loss, "()(rf.ones(2), rf.ones(2)) -> tensor(1.)"
)
HuberLoss = _of("HuberLoss", F.huber_loss, f"(){_PAIR} -> tensor(0.7500)", without="weight")
KLDivLoss = _of("KLDivLoss", F.kl_div, "(reduction='sum')(rf.zeros(2), rf.ones(2)) -> tensor(0.)")
L1Loss = _of("L1Loss", F.l1_loss, f"(){_PAIR} -> tensor(1.)", without="weight")
MSELoss = _of("MSELoss", F.mse_loss, f"(){_PAIR} -> tensor(2.)", without="weight")
MarginRankingLoss = _of(
    "MarginRankingLoss", F.margin_ranking_loss, "()(rf.ones(2), rf.zeros(2), rf.ones(2)) -> tensor(0.)",
)
MultiLabelSoftMarginLoss = _of(
    "MultiLabelSoftMarginLoss", F.multilabel_soft_margin_loss, "()(rf.zeros(1, 2), rf.ones(1, 2)) -> tensor(0.6931)",
)
MultiMarginLoss = _of("MultiMarginLoss", F.multi_margin_loss, "()(rf.zeros(1, 2), rf.tensor([1])) -> tensor(0.5000)")
NLLLoss = _of("NLLLoss", F.nll_loss, "()(rf.tensor([[-1., -2.]]), rf.tensor([1])) -> tensor(2.)")
PoissonNLLLoss = _of("PoissonNLLLoss", F.poisson_nll_loss, "()(rf.zeros(2), rf.ones(2)) -> tensor(1.)")
SmoothL1Loss = _of("SmoothL1Loss", F.smooth_l1_loss, f"(){_PAIR} -> tensor(0.7500)")
SoftMarginLoss = _of(
    "SoftMarginLoss", F.soft_margin_loss, "()(rf.zeros(2), rf.ones(2)) -> tensor(0.6931)"
)
TripletMarginLoss = _of(
    "TripletMarginLoss", F.triplet_margin_loss, "()(rf.ones(1, 2), rf.ones(1, 2), rf.ones(1, 2)) -> tensor(1.)",
)
PairwiseDistance = _of(
    "PairwiseDistance", F.pairwise_distance, "(eps=0)(rf.ones(1, 4), rf.zeros(1, 4)) -> tensor([2.])"
)
TripletMarginWithDistanceLoss = _of(
    "TripletMarginWithDistanceLoss",
    F.triplet_margin_with_distance_loss,
    "()(rf.ones(1, 2), rf.ones(1, 2), rf.ones(1, 2)) -> tensor(1.)",
    distance_function=PairwiseDistance(),
)
CosineSimilarity = _of("CosineSimilarity", F.cosine_similarity, "()(rf.ones(1, 2), rf.ones(1, 2)) -> tensor([1.0000])")

Dropout = _of("Dropout", F.dropout, "(0.5).eval()(rf.ones(2)) -> tensor([1., 1.])", "p inplace", kind=DropoutModule)
Dropout1d = _of(
    "Dropout1d", F.dropout1d, "(0.5).eval()(rf.ones(1, 1, 2)) -> tensor([[[1., 1.]]])", "p inplace", kind=DropoutModule
)
Dropout2d = _of(
    "Dropout2d", F.dropout2d, "(0.5).eval()(rf.ones(1, 1, 1, 2)) -> tensor([[[[1., 1.]]]])", "p inplace",
    kind=DropoutModule,
)
AdaptiveAvgPool1d = _of(
    "AdaptiveAvgPool1d", F.adaptive_avg_pool1d, "(1)(rf.tensor([[[1., 3.]]])) -> tensor([[[2.]]])", "output_size"
)
AdaptiveAvgPool2d = _of(
    "AdaptiveAvgPool2d", F.adaptive_avg_pool2d, "(1)(rf.tensor([[[[1., 3.]]]])) -> tensor([[[[2.]]]])", "output_size"
)
AdaptiveMaxPool1d = _of(
    "AdaptiveMaxPool1d", F.adaptive_max_pool1d, "(1)(rf.tensor([[[1., 3.]]])) -> tensor([[[3.]]])", "output_size"
)
AdaptiveMaxPool2d = _of(
    "AdaptiveMaxPool2d", F.adaptive_max_pool2d, "(1)(rf.tensor([[[[1., 3.]]]])) -> tensor([[[[3.]]]])", "output_size"
)
AvgPool1d = _of(
    "AvgPool1d", F.avg_pool1d, "(2)(rf.tensor([[[1., 3.]]])) -> tensor([[[2.]]])", "kernel_size stride padding",
    kind=LinePoolModule,
)
AvgPool2d = _of(
    "AvgPool2d", F.avg_pool2d, "(2)(rf.ones(1, 1, 2, 2)) -> tensor([[[[1.]]]])", "kernel_size stride padding",
    kind=PoolModule,
)
_ORDER, _TOLD = (
    "kernel_size stride padding dilation return_indices ceil_mode",
    ("kernel_size stride padding dilation ceil_mode"),
)
MaxPool1d = _of(
    "MaxPool1d", F.max_pool1d, "(2)(rf.tensor([[[1., 3.]]])) -> tensor([[[3.]]])", _TOLD, order=_ORDER, kind=PoolModule
)
MaxPool2d = _of(
    "MaxPool2d", F.max_pool2d, "(2)(rf.arange(4.).view(1, 1, 2, 2)) -> tensor([[[[3.]]]])", _TOLD, order=_ORDER,
    kind=PoolModule,
)
Fold = _of(
    "Fold",
    F.fold,
    "((2, 2), 1)(rf.ones(1, 1, 4)).shape -> rustyflow.Size([1, 1, 2, 2])",
    "output_size kernel_size dilation padding stride",
)
Unfold = _of(
    "Unfold",
    F.unfold,
    "(2)(rf.ones(1, 1, 3, 3)).shape -> rustyflow.Size([1, 4, 4])",
    "kernel_size dilation padding stride",
)
ChannelShuffle = _of(
    "ChannelShuffle", F.channel_shuffle, "(2)(rf.ones(1, 4, 1, 1)).shape -> rustyflow.Size([1, 4, 1, 1])", "groups"
)
PixelShuffle = _of(
    "PixelShuffle", F.pixel_shuffle, "(2)(rf.ones(1, 4, 1, 1)).shape -> rustyflow.Size([1, 1, 2, 2])", "upscale_factor"
)
PixelUnshuffle = _of(
    "PixelUnshuffle",
    F.pixel_unshuffle,
    "(2)(rf.ones(1, 1, 2, 2)).shape -> rustyflow.Size([1, 4, 1, 1])",
    "downscale_factor",
)

NAMES = [
    _name
    for _name, _kind in list(globals().items())
    if not _name.startswith("_")
    and isinstance(_kind, type)
    and hasattr(_kind, "function")
]
"""The modules made here."""
