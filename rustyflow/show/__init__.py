"""Figures: tensors and graphs as pictures that a class can step through.

Each function takes rustyflow tensors, NumPy arrays or PyTorch tensors and returns a `Figure`; `show.help()` tells which
of them answers which question.
"""

from ..arguments.explain import teach_calling as _teach_calling
from ..errors import missing
from ..scene import Figure, static
from .backward.figure import backward
from .broadcast.figure import broadcast
from .compare.figure import compare
from .curve.figure import curve
from .graph.figure import graph
from .matmul.figure import matmul
from .op.figure import op
from .questions import help
from .reduce.figure import reduce
from .strides.figure import strides
from .training.figure import training
from .training.kept import FIGURES as _FIGURES
from .training.memory import memory as _memory
from .training.seen import OF_MODELS as _OF_MODELS

__all__ = ["Figure", "backward", "broadcast", "compare", "curve", "graph", "help", "matmul", "op", "reduce", "static",
           "strides", "training"]  # fmt: skip
# a slot of a figure, which takes no other one
_FIGURES |= {"o": ("graph", graph), "g": ("backward", backward), "m": ("memory", _memory), **_OF_MODELS}
_teach_calling(globals(), __all__, "show")


def __getattr__(name):
    missing(__name__, name, __all__)


def __dir__():
    return __all__
