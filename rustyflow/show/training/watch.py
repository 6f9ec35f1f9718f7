"""The watcher of one model, ours or PyTorch's: it measures each layer by hooks of modules and parameters."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import wraps
from math import inf, nan, sqrt
from sys import modules
from threading import get_ident, local
from typing import Any, NamedTuple

import numpy as np

from ...autograd.backward import begun
from ...errors.foreign import is_torch
from ...tensor.gradmode import is_grad_enabled

KINDS = "gradient", "activation", "update", "dead"
"""What is measured of each layer: the norm of its parameters' gradient, the root mean square of what it gives, the
change of its parameters relative to themselves, and the share of its units that no example of the batch turns on."""

TINY = 1e-30
"""A sum of squares below this may have lost digits in float32, whose least number is 1e-45."""


class Layer(NamedTuple):
    """A module that has parameters of its own, under its name in the model."""

    name: str
    module: Any
    parameters: tuple


def layers_of(model: Any) -> tuple[Layer, ...]:
    """Returns the layers of a model, in the order of its modules.

    >>> import rustyflow as rf
    >>> [layer.name for layer in layers_of(rf.nn.Sequential(rf.nn.Linear(2, 3), rf.nn.ReLU(), rf.nn.Linear(3, 1)))]
    ['0', '2']
    """
    several = model.named_modules()
    layers = [Layer(name, module, tuple(p for p in module.parameters(recurse=False) if p.requires_grad))
              for name, module in several]  # fmt: skip
    return tuple(layer for layer in layers if layer.parameters)


class Watcher:
    """Measures single steps of a loop; in between it does nothing but see the loss.

    Args:
        model: a module of ours or of PyTorch's.

    Attributes:
        layers: those of the model. losses: the numbers that backward was called on since the step began. began: called
            with the tensors that backward is called on, in a step that is measured.
    """

    def __init__(self, model: Any, began: Callable[[Sequence[Any]], None] = lambda tensors: None):
        self.layers, self.losses, self.began = layers_of(model), [], began
        self._buffers = [*model.buffers(), *(p for p in model.parameters() if not p.requires_grad)]
        layers = {id(layer.module) for layer in self.layers}
        # what runs without gradients, as a validation within a loop does, is none of what is learned from
        self._tracks = modules["torch"].is_grad_enabled if is_torch(next(model.parameters())) else is_grad_enabled
        self._between = [module for module in model.modules()
                         if id(module) not in layers and not any(True for _ in module.children())]  # fmt: skip
        self._before: list[list[np.ndarray]] = []
        self._held: dict[int, np.ndarray] = {}
        self._handles: list[Any] = []
        self._rows: dict[str, list[float]] = {}
        self._last: int | None = None  # the layer that gave something last

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Listens for backward for as long as a loop runs."""
        try:
            with backwards(self._began):
                yield
        finally:
            self._unhook()

    def begin(self, measures: bool, keeps: bool = False) -> None:
        """A step begins; of one that is measured the parameters are kept, to see how they change.

        With `keeps`, since it may be run once more, what else the model holds is kept, too.
        """
        self._unhook()  # of a step that was broken off
        self.losses, self._last, self._squares = [], None, [0.0] * len(self.layers)
        if measures:
            self._rows = {kind: [nan] * len(self.layers) for kind in KINDS}
            self._before = [[array(p).copy() for p in layer.parameters] for layer in self.layers]
            self._held = {id(x): array(x).copy() for x in self._buffers * keeps}
            self._hook()

    def end(self) -> dict[str, list[float]] | None:
        """Returns the numbers of each kind, one for each layer; None of a step that is not measured."""
        if not self._handles:
            return None
        self._unhook()
        with np.errstate(all="ignore"):  # of weights that are infinite
            for k, (layer, before) in enumerate(zip(self.layers, self._before, strict=True)):
                sizes = sqrt(sum(map(square, before)))
                changes = (square(array(p) - old) for p, old in zip(layer.parameters, before, strict=True))
                self._rows["update"][k] = sqrt(sum(changes)) / sizes if sizes else nan
        self._before = []
        return self._rows

    @property
    def weights(self) -> dict[int, np.ndarray]:
        """The parameters and buffers as they were when a measured step began, by their ids."""
        return self._held | {id(p): array for layer, arrays in zip(self.layers, self._before, strict=True)
                for p, array in zip(layer.parameters, arrays, strict=True)}  # fmt: skip

    def _hook(self) -> None:
        for k, layer in enumerate(self.layers):
            self._handles.append(layer.module.register_forward_hook(Hook(self._gave(k))))
            self._handles += [p.register_post_accumulate_grad_hook(self._got(k)) for p in layer.parameters]
        self._handles += [module.register_forward_hook(Hook(self._passed)) for module in self._between]

    def _unhook(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _began(self, tensors: Sequence[Any]) -> None:
        self._squares = [0.0] * len(self.layers)
        self.losses.append(sum(float(x.detach().sum()) for x in tensors))
        if self._handles:
            self.began(tensors)

    def _got(self, k: int) -> Callable:
        def hook(parameter: Any) -> None:
            self._squares[k] += square(array(parameter.grad))
            self._rows["gradient"][k] = sqrt(self._squares[k])
        return hook

    def _gave(self, k: int) -> Callable:
        def hook(module: Any, args: Any, output: Any) -> None:
            x = _tensor_in(output) if self._tracks() else None
            if x is not None:
                self._last = k
                with suppress(RuntimeError):  # in a vmap nothing can be read: who looks on stops no program
                    self._rows["activation"][k] = sqrt(square(array(x)) / max(1, x.numel()))
        return hook

    def _passed(self, module: Any, args: Any, output: Any) -> None:
        """Counts the units that a module after a layer leaves at 0 for all of the batch."""
        x = _tensor_in(output) if self._tracks() else None
        if self._last is not None and x is not None and x.ndim > 1 and x.numel():
            with suppress(RuntimeError):
                on = array(x).any(axis=(0, *range(2, x.ndim)))
                self._rows["dead"][self._last] = 1 - float(on.mean())
            self._last = None


class Hook:
    """A function that a module calls, idle in a copy of the module.

    So it is in a file that the module is pickled into, and there of Python's own, so that the file needs no rustyflow.
    """

    def __init__(self, function: Callable):
        self.function = function

    def __call__(self, *given: Any) -> None:
        self.function(*given)

    def __reduce__(self) -> tuple:
        return getattr, (nullcontext(), "__exit__")


def array(x: Any) -> np.ndarray:
    """The numbers of a tensor, where they lie if NumPy has their dtype.

    Those of a sparse one are those that it stores.
    """
    x = x.detach()
    if getattr(x, "is_sparse", False):
        x = x.coalesce().values()
    try:
        return x.numpy()
    except (TypeError, RuntimeError):  # bfloat16, or on another device
        return x.cpu().float().numpy()


def square(x: np.ndarray) -> float:
    """The sum of squares, in float64 where those of float32 are too small or too large for it."""
    flat = x.ravel()
    if flat.dtype.char in "fdFD" and TINY < (found := float(np.vdot(flat, flat).real)) < inf:
        return found
    flat = flat.astype(np.complex128 if flat.dtype.kind == "c" else np.float64)
    return float(np.vdot(flat, flat).real)


def _tensor_in(output: Any) -> Any:
    """The first tensor of what a module gives, of floats: it may be in a tuple or in a dict."""
    if isinstance(output, dict):
        output = [*output.values()]
    if isinstance(output, tuple | list):
        return next((x for x in map(_tensor_in, output) if x is not None), None)
    return output if getattr(output, "is_floating_point", bool)() else None


@contextmanager
def backwards(seen: Callable[[Sequence[Any]], None]) -> Iterator[None]:
    """Calls `seen` with the tensors that this thread calls backward on, ours and, where it is loaded, PyTorch's.

    PyTorch has no hook there: its function is another one meanwhile. A backward within another, as of a checkpoint that
    computes anew, is a part of that one.
    """
    torch, here = modules.get("torch"), get_ident()

    def heard(tensors: Sequence[Any]) -> None:
        if get_ident() == here:
            seen(tensors)

    begun.append(heard)
    if torch:
        _listen(torch.autograd, heard)
    try:
        yield
    finally:
        begun.remove(heard)
        if torch:
            _ears.remove(heard)
            own = torch.autograd.backward
            if not _ears and getattr(own, "ears", None) is _ears:  # nobody has put another one in its place
                torch.autograd.backward = own.__wrapped__


_ears: list[Callable] = []
"""Called with the tensors that PyTorch's backward is called on."""

_inside = local()
"""The number of PyTorch's backwards that a thread is in."""


def _listen(autograd: Any, seen: Callable) -> None:
    """Adds who is called, and puts our function around PyTorch's if it is not there yet."""
    _ears.append(seen)
    before = autograd.backward
    if getattr(before, "ears", None) is _ears:
        return

    @wraps(before)
    def backward(tensors: Any, *args: Any, **settings: Any) -> Any:
        depth = getattr(_inside, "depth", 0)
        for see in () if depth else (*_ears,):
            see((tensors,) if hasattr(tensors, "detach") else tuple(tensors))
        _inside.depth = depth + 1
        try:
            return before(tensors, *args, **settings)
        finally:
            _inside.depth = depth

    backward.ears = _ears  # type: ignore[attr-defined]
    autograd.backward = backward
