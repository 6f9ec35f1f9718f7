"""Make a call, and see everything that either library shows of its result."""

import signal
import time
import warnings
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from .grid import Inputs, is_expression

SECONDS, PATIENCE = 1.0, 10  # of processor time a call may take; of the clock before it is interrupted


@dataclass(slots=True)
class Sight:
    """A tensor as seen from outside. `shares` says of each input whether the two are one memory."""

    value: np.ndarray
    dtype: str
    shape: tuple
    stride: tuple
    offset: int
    shares: tuple
    records: bool


@dataclass(slots=True)
class Outcome:
    """What a call gave: a tree of sights and plain values, or the name of its exception's built-in type."""

    result: object = None
    error: str | None = None
    message: str = ""
    gradients: list | None = field(default_factory=list)  # None: the library says it has no derivative
    backward_error: str | None = None
    memory: list = field(default_factory=list)  # the inputs' whole storages after the call
    same_object: bool | None = None  # an in-place method returns its own tensor
    trouble: str | None = None  # a NumPy warning, or too slow

    @property
    def shares(self):
        return any(any(sight.shares) for sight in sights(self.result))


def observe(module, case, trusted=False):
    """Run one case under one library; whatever happens is returned, never raised.

    A trusted library is not interrupted: PyTorch imports parts of itself on first use, and half an import would stay.
    """
    warm(module)
    outcome, inputs = Outcome(), Inputs(module, case)
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with nullcontext() if trusted else time_limit():
                if case.seeded:
                    with suppress(AttributeError):
                        module.manual_seed(11)
                call(inputs, case, outcome)
        except Exception as error:
            outcome.error, outcome.message = builtin_type(error), f"{type(error).__name__}: {error}"
        finally:
            if "torch.set_" in case.text:
                restore(module)
    if any(issubclass(w.category, RuntimeWarning) for w in caught):
        outcome.trouble = str(next(w.message for w in caught if issubclass(w.category, RuntimeWarning)))
    elif time.process_time() - start > SECONDS:
        outcome.trouble = f"took longer than {SECONDS:g} s"
    return outcome


@cache
def warm(module):
    """One backward before anything is timed: PyTorch imports a good part of itself at its first."""
    module.ones(1, requires_grad=True).sum().backward()


def restore(module):
    """Undo what a case that failed half-way may have left set for the whole module."""
    with suppress(Exception):
        module.set_default_dtype(module.float32)
    with suppress(Exception):
        module.set_printoptions(profile="default")


def call(inputs, case, outcome):
    """The call itself, then its gradients."""
    module, code = inputs.module, compiled(case.text)
    result = eval(code, {}, inputs)
    if case.writes:
        if result is not None:  # a statement such as x += y gives none
            outcome.same_object = any(result is made for made in inputs.values())
    outcome.memory = [array(base) for base in inputs.bases]
    homes = [home(base) for base in inputs.bases]
    outcome.result = look(module, result, homes)
    if case.records:
        try:
            outcome.gradients = gradients(module, result, inputs, case.writes)
        except Exception as error:
            if "not implemented" in str(error):
                outcome.gradients = None
            else:
                outcome.backward_error = f"{type(error).__name__}: {error}"


@cache
def compiled(text):
    return compile(text, text, "eval" if is_expression(text) else "exec")


def gradients(module, result, inputs, writes):
    """The gradient of every leaf for a random upstream gradient of every output; after a write, of the bases too."""
    outputs = [t for t in tensors(module, result) if t.requires_grad]
    if writes:
        outputs += [base for base in inputs.bases if base.requires_grad]
    if not outputs:
        return []
    if len(outputs) == 1:
        outputs[0].backward(upstream(module, outputs[0], 0))
    else:
        terms = [(t * upstream(module, t, k)).sum().to(module.float64) for k, t in enumerate(outputs)]
        sum(terms[1:], terms[0]).backward()
    return [None if leaf.grad is None else array(leaf.grad) for leaf in inputs.leaves]


def upstream(module, tensor, seed):
    numbers = np.random.default_rng(seed).standard_normal(tuple(tensor.shape))
    return module.from_numpy(np.asarray(numbers).astype(name_of(tensor.dtype)))


def look(module, thing, homes):
    """A result as a tree: tensors as sights, everything else as plain values that can be compared."""
    if isinstance(thing, module.Tensor):
        mine = home(thing)
        shares = tuple(mine is not None and mine == other for other in homes)
        place = tuple(thing.stride()), thing.storage_offset()
        return Sight(array(thing), name_of(thing.dtype), tuple(thing.shape), *place, shares, bool(thing.requires_grad))
    if isinstance(thing, module.dtype):
        return "dtype " + name_of(thing)
    if isinstance(thing, np.ndarray):
        return "ndarray", thing.dtype.name, thing.shape, thing.tolist()
    if isinstance(thing, (tuple, list)):
        fields = getattr(type(thing), "_fields", getattr(type(thing), "__match_args__", ()))
        kind = "Size" if isinstance(thing, module.Size) else "list" if isinstance(thing, list) else "tuple"
        return [kind, tuple(fields), *(look(module, part, homes) for part in thing)]
    if isinstance(thing, str):
        return thing.replace(module.__name__, "torch")
    return thing if isinstance(thing, (bool, int, float, type(None))) else type(thing).__name__


def tensors(module, thing):
    if isinstance(thing, module.Tensor):
        yield thing
    elif isinstance(thing, (tuple, list)):
        for part in thing:
            yield from tensors(module, part)


def sights(tree):
    if isinstance(tree, Sight):
        yield tree
    elif isinstance(tree, list):
        for part in tree[2:]:
            yield from sights(part)


def home(tensor):
    """The address of a tensor's storage; None where it holds nothing, since empty memory has no address."""
    return tensor.data_ptr() - tensor.storage_offset() * tensor.element_size() if tensor.numel() else None


def array(tensor):
    return np.array(tensor.detach().numpy())


def name_of(dtype):
    return str(dtype).rpartition(".")[2]


def builtin_type(error):
    """The built-in exception type a handler would name: a library's own subclass counts as what it derives from."""
    return next(t.__name__ for t in type(error).__mro__ if t.__module__ == "builtins")


@contextmanager
def time_limit():
    """Interrupt a call that hangs, where the platform can; elsewhere `observe` still sees that it was slow."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def give_up(*_):
        raise TimeoutError(f"longer than {PATIENCE} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
