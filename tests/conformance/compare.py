"""Make a call, see everything PyTorch would show of its result, and compare two such sights."""

import math
import signal
import time
import warnings
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from .grid import Inputs, is_expression

SECONDS, PATIENCE = 1.0, 10  # of processor time a call may take; of the clock before it is interrupted
TOLERANCE = {"float64": (1e-7, 1e-7), "float32": (1e-5, 1e-5), "float16": (2e-3, 1e-4)}  # relative, absolute


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


@dataclass(frozen=True, slots=True)
class Verdict:
    """`failed` names what differs: value, dtype, shape, gradient, sharing, stride, error, and layout: the strides of a
    result with memory of its own, which are told but held to no goal.
    """

    kind: str  # "returns" or "raises", as PyTorch does
    view: bool
    failed: tuple[str, ...] = ()
    note: str = ""

    @property
    def equal(self):
        return not set(self.failed) & {"value", "dtype", "shape", "gradient", "error"}

    @property
    def faithful(self):
        return not set(self.failed) & {"stride", "sharing", "error"}


def observe(module, case, trusted=False):
    """Run one case under one library; whatever happens is returned, never raised.

    A trusted library is not interrupted: PyTorch imports parts of itself on first use, and half an import would stay.
    """
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


def judge(want, got):
    """Compare what the subject gave with what PyTorch gave."""
    if want.error:
        note = "" if got.error == want.error else f"{got.message or 'no error'} (expected {want.error}: {want.message})"
        return Verdict("raises", False, ("error",) if note else (), note)
    view = want.shares or got.shares
    if got.error:
        return Verdict("returns", view, ("value", "error"), got.message)
    found = dict(differences(want.result, got.result))
    if got.trouble:
        found.setdefault("value", got.trouble)
    if got.same_object != want.same_object:
        found.setdefault("sharing", "an in-place call returns its own tensor")
    if not all(map(close, want.memory, got.memory)):
        found.setdefault("value", "the inputs hold other numbers after the call")
    if note := gradient_difference(want, got):
        found["gradient"] = note
    return Verdict("returns", view, tuple(found), "; ".join(f"{k}: {v}" for k, v in found.items()))


def differences(want, got):
    """(what, how) for everything in which two trees differ."""
    if isinstance(want, Sight) and isinstance(got, Sight):
        if want.shape != got.shape:
            yield "shape", f"{got.shape} (expected {want.shape})"
        elif not close(want.value, got.value):
            yield "value", f"{brief(got.value)} (expected {brief(want.value)})"
        if want.dtype != got.dtype:
            yield "dtype", f"{got.dtype} (expected {want.dtype})"
        if want.shares != got.shares:
            yield "sharing", f"{got.shares} (expected {want.shares})"
        elif any(want.shares) and (want.stride, want.offset) != (got.stride, got.offset):
            yield "stride", f"{got.stride} offset {got.offset} (expected {want.stride} offset {want.offset})"
        elif want.shape == got.shape and steps(want) != steps(got):
            yield "layout", f"{got.stride} (expected {want.stride})"
        if want.records != got.records:
            yield "gradient", f"requires_grad={got.records} (expected {want.records})"
    elif isinstance(want, list) and isinstance(got, list) and want[:2] == got[:2] and len(want) == len(got):
        for a, b in zip(want[2:], got[2:], strict=True):
            yield from differences(a, b)
    elif isinstance(want, float) and isinstance(got, float):
        if not (math.isclose(want, got, rel_tol=1e-6, abs_tol=1e-7) or want != want and got != got):
            yield "value", f"{got!r} (expected {want!r})"
    elif type(want) is not type(got) or want != got:
        yield "value", f"{got!r:.200} (expected {want!r:.200})"


def steps(sight):
    """The strides that matter: an axis of one element is never stepped along, nor anything that is empty."""
    return [step for n, step in zip(sight.shape, sight.stride, strict=True) if n > 1 and sight.value.size]


def gradient_difference(want, got):
    """How the gradients differ, in words. Where PyTorch has no derivative, any answer is as good."""
    if want.gradients is None:
        return ""
    if got.gradients is None:
        return "none implemented"
    if want.backward_error or got.backward_error:
        both = want.backward_error and got.backward_error
        return "" if both else f"{got.backward_error or 'no error'} (expected {want.backward_error or 'a gradient'})"
    if len(want.gradients) != len(got.gradients):
        return f"{len(got.gradients)} gradients (expected {len(want.gradients)})"
    for k, (a, b) in enumerate(zip(want.gradients, got.gradients, strict=True)):
        if (a is None) != (b is None) or a is not None and not (a.dtype == b.dtype and close(a, b, 10)):
            return f"of input {k}: {brief(b)} (expected {brief(a)})"
    return ""


def close(want, got, slack=1):
    if want.shape != got.shape:
        return False
    relative, absolute = TOLERANCE.get(want.dtype.name, (0, 0))
    with np.errstate(all="ignore"):
        return bool(np.allclose(got, want, relative * slack, absolute * slack, equal_nan=want.dtype.kind == "f"))


def brief(value):
    return None if value is None else np.array2string(value, precision=5, threshold=8, edgeitems=3).replace("\n", "")
