"""Widgets: figures that Python makes anew while one looks at them. They need the extra `[lab]`."""

from ..arguments.explain import teach_calling as _teach_calling
from ..errors import missing
from ..errors.installation import extra

with extra("lab", "from rustyflow import widgets"):
    from .base import Control, Widget
    from .beside import beside
    from .curve import Curve
    from .engine import BeTheEngine
    from .expression import Expression
    from .figures import Backward, Broadcast, Graph, Matmul, Reduce, Strides
    from .op import Op
    from .playgrounds import BroadcastPlayground, StridesPlayground
    from .predict import Predict
    from .training import Training

__all__ = [
    "Backward", "BeTheEngine", "Broadcast", "BroadcastPlayground", "Control", "Curve", "Expression", "Graph",
    "Matmul", "Op", "Predict", "Reduce", "Strides", "StridesPlayground", "Training", "Widget",
    "beside",
]
_teach_calling(globals(), __all__, "widgets")


def __getattr__(name):
    missing(__name__, name, __all__)


def __dir__():
    return __all__
