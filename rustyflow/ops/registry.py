"""The op pattern: a class that holds a formula, a forward and one gradient per operand; and `apply`, the only way in.

    @op
    class mul:
        '''y = a * b        da = g * b        db = g * a'''
        def forward(F, a, b): return a * b
        def grad_a(F, g, b): return g * b
        def grad_b(F, g, a): return g * a

`F` is the namespace of array functions: the backend's for arrays, and rustyflow's own recording functions when the gradient
itself is wanted as a graph. The parameter names of a gradient say what must be saved: operands, results (`y`, or the names in
`results`), and `shape`, the operand's own shape. Attributes are keyword-only. Broadcasting is the engine's business.
"""
from __future__ import annotations

import sys
from copy import copy
from functools import cached_property
from operator import itemgetter
from typing import Any, Callable

from ..backends import backend
from ..dtype import OF_NUMPY, OF_PYTHON, can_cast, dtype, refuse, result_type
from ..errors import ArgumentTypeError, DTypeError, NumberError, ShapeError, UnsupportedDTypeError, align_right
from ..history import Meta, Node, Output, View, mode, small, KEEP
from ..layout import broadcast_shapes
from ..storage import Storage, tick
from ..tensor import Tensor, check_write, history_of, new, over, refresh, storage_of

VARARGS, VARKEYWORDS = 0x04, 0x08  # flags of a code object

OPS: dict[str, "Op"] = {}
PUBLIC: dict[str, Callable] = {}


class _Recording:
    """F for tensors: every public function, and the ops that only gradients use."""


recording: Any = _Recording()
watchers: list[Callable] = []
"""Called with (op, operands, attrs, result) after every op: the tracer of `rustyflow.ir` reads along here."""


RESERVED = ("shape", "shapes", "needs")
"""What a gradient may ask for that need not be saved: its operand's shape; all shapes; which operands need a gradient."""


class Op:
    """What is known of one operation.

    Attributes:
        name, doc, forward: as written; `layout` in place of `forward` for a view.
        operands: the names of its tensors, in order (the last may be `*variadic`).
        grads: per operand the gradient function, or None where there is no gradient.
        reads: per operand what its gradient reads: indices into `slots`, or a name in RESERVED.
        slots: the names of all that may be saved. A name in `results` is a result, any other an operand.
        promote: 'common' brings operands to one dtype, 'float' also lifts integers to the default float, None leaves them;
            operands named in `apart` keep theirs.
        tensors: the operands that no number can stand for; "some" where at least one must be a tensor.
        optional: the operands that may be None, which are those with a default in `forward`.
        takes, refuses: NumPy kinds ("biuf"): of the common dtype, those the op is defined for; of any operand, those it turns down. `fit` is both.
        quick: for a view, (array, **attrs) -> the same view by an array method, or None where that may differ.
        vjp: all gradients at once, where they share their work: (F, g, *saved, **attrs) -> tuple.
    """

    def __init__(self, cls: type):
        self.name, self.doc = cls.__name__, cls.__doc__ or ""
        body = vars(cls)
        self.forward, self.layout = body.get("forward"), body.get("layout")
        code = (self.forward or self.layout).__code__
        named = _operands(self.forward or self.layout)
        self.operands = ["x"] if self.layout else named
        self.variadic = bool(code.co_flags & VARARGS)
        self.results = body.get("results", ("y",))
        self.promote = body.get("promote", "common" if len(self.operands) > 1 or self.variadic else None)
        self.apart = [self.operands.index(name) for name in body.get("apart", ())]
        self.tensors = body.get("tensors", self.operands if len(self.operands) == 1 else ())
        self.optional = named[len(named) - len(self.forward.__defaults__ or ()):] if self.forward else []
        self.takes, self.refuses = body.get("takes", "biuf"), body.get("refuses", "")
        self.compares = body.get("compares", False)  # written in place, it gives both operands zeros for gradients
        self.fit = "".join(kind for kind in self.takes if kind not in self.refuses)
        self.vjp = body.get("vjp")
        self.kinks, self.quick = body.get("kinks", ""), body.get("quick")
        self.grads = [body.get(f"grad_{name}") for name in self.operands]
        self.differentiable = self.vjp is not None or any(self.grads)
        wants = [_reads(f) for f in self.grads]
        self.slots = list(dict.fromkeys(n for names in [*wants, _reads(self.vjp)] for n in names if n not in RESERVED))
        self.reads = [[n if n in RESERVED else self.slots.index(n) for n in names] for names in wants]
        self.vjp_reads = [n if n in RESERVED else self.slots.index(n) for n in _reads(self.vjp)]
        self.torch_name = body.get("torch_name", "".join(w[:1].upper() + w[1:] for w in self.name.split("_")) + "Backward0")
        self.has_attrs = bool(self.layout or code.co_kwonlyargcount or code.co_flags & VARKEYWORDS)
        self.savers: dict[tuple, Callable] = {}
        self.saves_results = any(name in self.results for name in self.slots)

    @cached_property
    def Node(self) -> type:
        """The class of this op's nodes, under PyTorch's name; made when the first one is recorded."""
        return type(self.torch_name, (Node,), {"__slots__": ("attrs",) if self.has_attrs else (), "has_attrs": self.has_attrs, "op": self,
                                               "__doc__": f"A node made by {self.name}."})

    def saver(self, tracked: tuple[bool, ...]) -> Callable[[tuple], tuple]:
        """Picks what to save out of (*operands, None, *results): for each slot its value, or None where no tracked operand's gradient reads it."""
        if tracked not in self.savers:
            n = len(self.operands)
            used = {name for i, f in enumerate(self.grads) if f and tracked[i] for name in _reads(f)} | set(_reads(self.vjp))
            picks = [n if name not in used else n + 1 + self.results.index(name) if name in self.results else self.operands.index(name) for name in self.slots]
            # one pick alone would come without its tuple
            self.savers[tracked] = itemgetter(*picks) if len(picks) > 1 else itemgetter(*picks, n)
        return self.savers[tracked]

    def materialize(self, node) -> bool:
        """Whether a result that nobody used has zeros for its gradient, rather than None."""
        return True

    def __repr__(self):
        return f"<op {self.name}>"


def _operands(function) -> list[str]:
    """The parameters after F that may be given by position. (`inspect` would cost a third of the import.)"""
    return list(function.__code__.co_varnames[1:function.__code__.co_argcount])


def _reads(function) -> list[str]:
    """What a gradient reads: its parameters after F and g."""
    return _operands(function)[1:] if function else []


def op(cls: type | None = None, *, public: bool = True, method: bool = True, inplace: bool = False):
    """Turn a class into a function, a Tensor method and, with `inplace`, a method whose name ends in an underscore.

    A static `call` in the class gives the public signature, such as (input, dim=None, keepdim=False), and ends in `apply`.
    """
    def register(cls):
        it = Op(cls)
        OPS[cls.__name__] = it
        call = vars(cls).get("call") or _direct(it)
        call.op = it
        expose(cls.__name__, call, public, method)
        _document(call, cls)
        if inplace:
            _attach(cls.__name__ + "_", inplace_form(call) if "call" in vars(cls) else _direct_inplace(it))
        return call
    return register if cls is None else register(cls)


def renamed(it: Op, torch_name: str) -> Op:
    """The same op with the other name that PyTorch gives its node, such as SumBackward1 for a sum over dims."""
    twin = copy(it)
    twin.Node = type(torch_name, (Node,), {**{key: vars(it.Node)[key] for key in ("has_attrs", "__doc__")}, "__slots__": ("attrs",) if it.Node.has_attrs else (), "op": twin})
    return twin


def function(f: Callable | None = None, *, public: bool = True, method: bool = True, inplace: bool = False):
    """Expose a function made of other ops, as a function and a method; with `inplace`, also as a method with an underscore."""
    def register(f):
        expose(f.__name__, f, public, method)
        if inplace:
            _attach(f.__name__ + "_", inplace_form(f))
        return f
    return register if f is None else register(f)


def expose(name: str, call: Callable, public: bool = True, method: bool = True) -> None:
    """Give a function its places: F.name for tensors, rustyflow.name where `public`, Tensor.name where `method`."""
    setattr(recording, name, call)
    if public:
        PUBLIC[name] = call
    if method:
        setattr(Tensor, name, call)


def alias(call: Callable, *names: str) -> None:
    """Give a function, its method and its in-place method PyTorch's other names for it."""
    for name in names:
        expose(name, call, public=call.__name__ in PUBLIC, method=hasattr(Tensor, call.__name__))
        if hasattr(Tensor, call.__name__ + "_"):
            setattr(Tensor, name + "_", getattr(Tensor, call.__name__ + "_"))


def _attach(name, form):
    form.__name__ = form.__qualname__ = name
    form.__doc__ = f"In-place form of `{name[:-1]}`: writes the result into the tensor's own memory, and returns the tensor."
    setattr(Tensor, name, form)


def _document(call, cls):
    call.__name__ = call.__qualname__ = cls.__name__
    call.__doc__, call.__module__ = cls.__doc__, cls.__module__
    module = sys.modules[cls.__module__]
    if not hasattr(module, "__test__"):
        module.__test__ = {}
    module.__test__[cls.__name__] = call.__doc__


def _direct(it: Op) -> Callable:
    """The function of an op without attributes; for one and two operands written out, because small tensors feel every call."""
    if len(it.operands) == 1:
        return _unary(it)
    if it.promote == "common" and len(it.operands) == 2:
        return _binary(it)

    def call(input, other):
        return apply(it, input, other)
    return call


def _direct_inplace(it: Op) -> Callable:
    if len(it.operands) == 1:
        def form(input):
            return apply_inplace(it, input)
    else:
        def form(input, other):
            return apply_inplace(it, input, other)
    return form


def _unary(it):
    forward, track, lift, fit = it.forward, it.differentiable, it.promote == "float", "f" if it.promote == "float" else it.fit
    pick, late = it.saver((True,)) if it.slots else None, it.saves_results

    def call(input):
        if not isinstance(input, Tensor):
            raise not_a_tensor(it.name, "input", input)
        a = input._a
        if a.dtype.kind not in fit:
            if not lift:
                raise unfit(it, input.dtype)
            a = backend.cast(a, result_type(common_float()).numpy)
        r = backend.quiet().run(forward, backend, a)
        out = new(Tensor)
        out._a = r if r.__class__ is backend.Array else backend.asarray(r)
        out._storage, out._offset, out._history = None, 0, None
        if track and input._history is not None and mode.enabled:
            h = history_of(input)
            if h is not None:
                node = new(it.Node)
                node.saved = pick((input, None, out)) if pick else ()
                a = out._a
                node.parents, node.number, node.out, out._history = (h,), tick(), a if a.size <= KEEP else Meta(a), node
                if late:
                    node.saved = with_results(node.saved, out)
        if watchers:
            notify(it, (input,), {}, out)
        return out
    return call


def _binary(it):
    forward, track = it.forward, it.differentiable

    pick = [None, it.saver((True, False)), it.saver((False, True)), it.saver((True, True))] if it.slots else None
    late, fit = it.saves_results, it.fit

    def call(input, other):
        if isinstance(other, Tensor) and isinstance(input, Tensor) and input._a.dtype is other._a.dtype and input._a.dtype.kind in fit:
            a, b, h, k = input._a, other._a, input._history, other._history
        else:
            a, b = promoted(it, (input, other))
            h, k = getattr(input, "_history", None), getattr(other, "_history", None)
        try:
            r = backend.quiet().run(forward, backend, a, b)
        except ValueError:
            broadcast_shapes(a.shape, b.shape)
            raise
        out = new(Tensor)
        out._a = r if r.__class__ is backend.Array else backend.asarray(r)
        out._storage, out._offset, out._history = None, 0, None
        if track and (h is not None or k is not None) and mode.enabled:
            if h.__class__ is View:
                h = refresh(input, h)
            if k.__class__ is View:
                k = refresh(other, k)
            if h is not None or k is not None:
                node = new(it.Node)
                node.saved = pick[(h is not None) + 2 * (k is not None)]((input, other, None, out)) if pick else ()
                a = out._a
                node.parents, node.number, node.out, out._history = (h, k), tick(), a if a.size <= KEEP else Meta(a), node
                if late:
                    node.saved = with_results(node.saved, out)
        if watchers:
            notify(it, (input, other), {}, out)
        return out
    return call


def not_a_tensor(name: str, operand: str, value: Any) -> ArgumentTypeError:
    """The error for an operand that is no tensor."""
    return ArgumentTypeError(f"{name}({operand}={str(value)[:60]!s}) got {type(value).__name__}", f"{name}(): argument '{operand}' must be Tensor, not {type(value).__name__}",
                             "wrap it: rustyflow.tensor(...)")


def promoted(it: Op, operands: tuple) -> list:
    """The operands as arrays of one dtype (or as they are); None stays None, Python numbers become 0-d arrays.

    Raises:
        ArgumentTypeError (a TypeError): no tensor and no number where one must be. DTypeError (a RuntimeError), UnsupportedDTypeError
        (a NotImplementedError): a dtype the op does not take.
    """
    for k, x in enumerate(operands):
        if not isinstance(x, Tensor):
            name = it.operands[min(k, len(it.operands) - 1)] if it.operands else "tensors"
            if x is None and name in it.optional:
                continue
            if it.tensors and (name in it.tensors or it.tensors == "some" and not any(isinstance(o, Tensor) for o in operands)):
                raise not_a_tensor(it.name, name, x)
            if type(x) not in OF_PYTHON:
                if getattr(x, "dtype", None) is None or getattr(x, "ndim", 1):
                    raise not_a_tensor(it.name, name, x)
                operands = operands[:k] + (x.item(),) + operands[k + 1:]
    if it.promote is None:
        if it.fit != "biuf":
            for x in operands:
                if isinstance(x, Tensor) and x._a.dtype.kind not in it.fit:
                    raise unfit(it, x.dtype)
        return [x._a if isinstance(x, Tensor) else x for x in operands]
    together = [x for k, x in enumerate(operands) if x is not None and k not in it.apart]
    common = result_type(*together)
    if it.promote == "float" and not common.is_floating_point:
        common = result_type(common_float())
    elif common.numpy.kind not in it.takes or it.refuses and any(result_type(x).numpy.kind in it.refuses for x in together):
        broadcast_shapes(*[x._a.shape for x in together if isinstance(x, Tensor)])
        raise unfit(it, common)
    return [None if x is None else x._a if k in it.apart else backend.cast(x._a, common.numpy) if isinstance(x, Tensor) else constant(x, common)
            for k, x in enumerate(operands)]


def unfit(it: Op, d: dtype) -> DTypeError:
    """The error for a dtype that an op does not take, of the type PyTorch raises."""
    need = {"iuf": "numbers, not bools", "f": "a floating dtype", "biu": "whole numbers or bools", "iu": "whole numbers"}[it.fit]
    error = refuse(it.name, d, need)
    return error if it.refuses else UnsupportedDTypeError(error.was, error.rule, error.fix)


def common_float() -> float:
    """A Python float: stands for the default dtype in `result_type`."""
    return 1.0


def constant(x, d: dtype):
    """A Python number as a 0-d array of a dtype; integers wrap around as they do in PyTorch, large floats become infinite.

    Raises:
        NumberError (an OverflowError): a whole number of more than 64 bits.
    """
    if isinstance(x, int) and not -1 << 63 <= x < 1 << 63:
        raise NumberError(f"the number {x}", "int too big to convert: whole numbers have at most 64 bits", "write it as a float")
    if d.category == 1 and isinstance(x, int):
        bits = 8 * d.itemsize
        x = x & ((1 << bits) - 1)
        if d.is_signed and x >> (bits - 1):
            x -= 1 << bits
    if -65504 <= x <= 65504:
        return backend.from_data(x, d.numpy)
    return backend.quiet().run(backend.from_data, x, d.numpy)


def apply(it: Op, *operands, **attrs) -> Any:
    """Run an op: bring operands to a common dtype, compute, record if a gradient may be wanted, tell the watchers.

    Returns a tensor, or a tuple of tensors for an op with several results.
    """
    x = operands[0] if len(operands) == 1 else None
    alone = x is not None and it.promote is None and isinstance(x, Tensor) and x._a.dtype.kind in it.fit
    arrays = (x._a,) if alone else promoted(it, operands)
    try:
        r = backend.quiet().run(it.forward, backend, *arrays, **attrs)
    except ValueError:
        if it.promote and not it.variadic:
            broadcast_shapes(*[a.shape for a in arrays if a is not None])
        raise
    if len(it.results) == 1 and not isinstance(r, tuple):
        out: Any = _fresh(r)
        results = out
    else:
        results = out = tuple(map(_fresh, r))
    if it.differentiable and mode.enabled and not (alone and x._history is None):
        record(it, operands, results, attrs)
    if watchers:
        notify(it, operands, attrs, out)
    return out


def _fresh(r):
    out = new(Tensor)
    out._a = r if r.__class__ is backend.Array else backend.asarray(r)
    out._storage, out._offset, out._history = None, 0, None
    return out


def with_results(saved: tuple, out: Tensor) -> tuple:
    """Saved values with the result itself replaced by an alias that has no history, which would be a cycle."""
    if out._storage is None:
        out._storage = Storage(out._a)
    kept = new(Tensor)
    kept._a, kept._storage, kept._offset, kept._history = out._a, out._storage, 0, None
    return tuple([kept if x is out else x for x in saved])


def record(it: Op, operands: tuple, out, attrs: dict):
    """Make the node of an op that ran, when an operand is tracked; return it."""
    parents = tuple([history_of(x) if isinstance(x, Tensor) else None for x in operands])
    if not any(parents):
        return None
    node = new(it.Node)
    if node.has_attrs:
        node.attrs = attrs
    node.parents, node.number = parents, tick()
    results = out if type(out) is tuple else (out,)
    if not it.slots:
        node.saved = ()
    elif it.variadic:
        node.saved = (operands,)
    else:
        kept = [o.detach() for o in results] if it.saves_results else ()
        node.saved = it.saver(tuple([p is not None for p in parents]))((*operands, None, *kept))
    if type(out) is tuple:
        node.out = tuple(small(o._a) for o in out)
        for k, o in enumerate(out):
            if o._a.dtype.kind == "f":
                o._history = Output(node, k, node.out[k])
    else:
        node.out = small(out._a)
        if out._a.dtype.kind == "f":
            out._history = node
    return node


def apply_view(it: Op, x: Tensor, **attrs) -> Tensor:
    """Run a view: compute the new layout, share the storage, and remember the base.

    An op's `quick` makes the same view with a method of the array, where that surely gives the strides of its layout:
    the array, or the array and how many slots later it begins.
    """
    try:
        storage = x._storage
    except AttributeError:
        raise not_a_tensor(it.name, "input", x) from None
    if storage is None:
        storage = x._storage = Storage(x._a)
    a = it.quick(x._a, **attrs) if it.quick is not None else None
    if a is None:
        out = over(storage, *it.layout(x._a.shape, backend.stride(x._a), x._offset, **attrs))
        a = out._a
    else:
        out = new(Tensor)
        offset = x._offset
        if a.__class__ is tuple:
            a, offset = a[0], offset + a[1]
        out._a, out._storage, out._offset, out._history = a, storage, offset, None
    if a.dtype.kind == "f":
        history = x._history
        base = x
        if history.__class__ is View:
            base, history = history.base, refresh(x, history)
        if mode.enabled:
            node = None
            if history is not None:
                node = new(it.Node)
                node.attrs, node.parents, node.saved, node.number, node.out = attrs, (history,), (), tick(), a if a.size <= KEEP else Meta(a)
            out._history = View(base, node, storage.version)
        else:
            out._history = View(base, None, storage.version, True)
    if watchers:
        notify(it, (x,), attrs, out)
    return out


def apply_inplace(it: Op, x: Tensor, *others, **attrs) -> Tensor:
    """Run an op and write its result over its first operand, whose history then starts at this op.

    Raises:
        ShapeError: the result does not fit. DTypeError: it cannot be cast. GradError, MemoryOverlapError: see `check_write`.
    """
    check_write(x, it.name + "_", *others)
    for other in others:
        if isinstance(other, Tensor) and other._a.shape != x._a.shape:
            check_shape(x, broadcast_shapes(x._a.shape, other._a.shape), it.name)
    arrays = promoted(it, (x, *others))
    try:
        r = backend.quiet().run(it.forward, backend, *arrays, **attrs)
    except ValueError:
        broadcast_shapes(*[a.shape for a in arrays if a is not None])
        raise
    check_fit(x, r, it.name)
    overwrite(it, x, others, r, attrs)
    if watchers:
        notify(it, (x, *others), attrs, x)
    return x


def inplace_form(call: Callable) -> Callable:
    """The in-place form of any function: its result is written over its first operand, whose history goes on from the result's."""
    def form(input, *args, **kwargs):
        name = call.__name__
        if not isinstance(input, Tensor):
            raise not_a_tensor(name + "_", "input", input)
        others = (*args, *kwargs.values())
        check_write(input, name + "_", *others)
        old = input
        if is_recorded(input, *others):
            it = getattr(call, "op", None)
            old = before(input, it is None or it.operands[0] in it.slots)
        result = call(old, *args, **kwargs)
        check_fit(input, result._a, name)
        backend.write(input._a, result._a)
        storage_of(input).wrote(name + "_")
        if result._history is not None:
            rebase(input, history_of(result.to(input.dtype)))
        if watchers:
            notify(OPS["copy_into"], (input, result), {}, input)
        return input
    return form


def is_recorded(*operands) -> bool:
    """Whether an op on these operands will be recorded."""
    return mode.enabled and any(isinstance(x, Tensor) and history_of(x) is not None for x in operands)


def before(x: Tensor, read: bool) -> Tensor:
    """A tensor that is about to be overwritten, with its history: a copy where a gradient will read the old values."""
    old = _fresh(backend.dense(x._a)) if read else x.detach()
    old._history = history_of(x)
    return old


def check_fit(x: Tensor, r, name: str) -> None:
    """Refuse to write a result that has another shape than the tensor, or a dtype that would lose its kind.

    Raises:
        ShapeError, DTypeError (both RuntimeErrors).
    """
    check_shape(x, r.shape, name)
    if not can_cast(OF_NUMPY[r.dtype], x.dtype):
        raise DTypeError(f"tensor of {x.dtype!r}, result of {r.dtype.name}", f"result type {r.dtype.name} can't be cast to the desired output type {x.dtype.name}",
                         "convert the tensor first, or use the form without the underscore")


def check_shape(x: Tensor, shape: tuple, name: str) -> None:
    """Refuse to write a result that has another shape than the tensor.

    Raises:
        ShapeError (a RuntimeError).
    """
    if shape != x._a.shape:
        raise ShapeError(align_right(("tensor", tuple(x.shape)), ("result", tuple(shape))),
                         f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(shape)}: a write cannot grow the tensor",
                         f"use the form without the underscore: {name}")


def overwrite(it: Op, x: Tensor, others: tuple, value, attrs: dict) -> None:
    """Write `value` into x and let its history, and its base's, go on from this op. A function as `value` writes into the array itself."""
    storage = storage_of(x)
    node = None
    if is_recorded(x, *others):
        if not it.differentiable:
            it, others, attrs = (OPS["step"], others, {}) if it.compares else (OPS["zero"], (), {})
        old = before(x, it.operands[0] in it.slots)
        result = x.detach()
        node = record(it, (old, *others), result, attrs)
    value(x._a) if callable(value) else backend.write(x._a, value)
    storage.wrote(it.name + "_")
    if node is not None:
        # a node is dated after its own write, unless it saved an operand from the memory that was written to: that one is gone
        if not any(isinstance(kept, Tensor) and kept._storage is storage and name not in it.results for kept, name in zip(node.saved, it.slots)):
            node.number = tick()
        rebase(x, node)


def rebase(x: Tensor, node) -> None:
    """x's history starts anew at `node`; when x is a view, its base becomes the base with this part copied in."""
    if type(x._history) is View:
        from .slots import write_slices
        write_slices(x._history.base, x, node)
    else:
        x._history = node


def notify(it, operands, attrs, out) -> None:
    """Tell the watchers that an op ran."""
    for watcher in tuple(watchers):
        watcher(it, operands, attrs, out)
