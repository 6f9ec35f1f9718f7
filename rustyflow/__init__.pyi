"""What type checkers and editors see. Functions and methods come from the op table, which they cannot read: any name
is taken for one of them, with any arguments.
"""
from math import e as e, inf as inf, nan as nan, pi as pi
from typing import Any

from . import (
    autograd as autograd,
    backends as backends,
    cuda as cuda,
    distributions as distributions,
    errors as errors,
    ir as ir,
    lessons as lessons,
    linalg as linalg,
    nn as nn,
    optim as optim,
    random as random,
    scene as scene,
    show as show,
    utils as utils,
    widgets as widgets,
)
from .see import see as see
from .tensor.device import (
    get_default_device as get_default_device,
    get_float32_matmul_precision as get_float32_matmul_precision,
    set_default_device as set_default_device,
    set_float32_matmul_precision as set_float32_matmul_precision,
)
from .tensor.memory_format import (
    contiguous_format as contiguous_format,
    memory_format as memory_format,
    preserve_format as preserve_format,
)
from .tensor.size import Size as Size
from .tensor.storage import UntypedStorage as UntypedStorage
from .tensor.typed_storage import TypedStorage as TypedStorage

newaxis: None
__version__: str

class Tensor(Any): ...
class device(Any): ...
class dtype(Any): ...

def tensor(data: Any, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor: ...

def __getattr__(name: str) -> Any: ...
