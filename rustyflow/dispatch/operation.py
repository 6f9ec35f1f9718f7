"""The record of an op: its formula, its forward, a gradient per operand, and what each gradient reads."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, wraps
from inspect import CO_VARARGS, CO_VARKEYWORDS
from operator import itemgetter

from ..dtype import OF_NUMPY, float16, float32
from ..tensor import Node
from .saved import saved_values

OPS: dict[str, Op] = {}

watchers: list[Callable] = []
"""Called with (op, operands, attrs, result) after every op: the tracer of `rustyflow.ir` reads along here."""


@contextmanager
def watching(watcher: Callable) -> Iterator[None]:
    """Calls a watcher after every op that runs meanwhile."""
    watchers.append(watcher)
    try:
        yield
    finally:
        watchers.remove(watcher)


WIDE = {**OF_NUMPY, float16.numpy: float32}

RESERVED = ("shape", "shapes", "needs")
"""Parameters of gradients that are not saved: the operand's shape, all shapes, which operands need a gradient."""

SAID = {
    *("forward", "layout", "call", "write", "vjp", "promote", "apart", "called", "tensors", "takes", "refuses"),
    *("results", "materialize", "shown", "torch_name", "written", "quick", "into", "by", "back", "elementwise", "wide"),
    *("steps", "unseen", "kinks"),
}
"""The names that the class of an op may define, besides `grad_` and an operand."""


class Operation:
    """The parts of an operation behind a node that the engine, and readers of a graph, need to know.

    It is an `Op`, or a function of several steps that is one node, which keeps most of these defaults.

    Attributes:
        name: the operation's name.
        operands, reads, slots, results, optional, vjp_reads, shown, layout, promote, variadic, materialize: see `Op`.
        held, frees, left_out: see `Op`.
    """

    name: str
    operands = reads = slots = results = optional = vjp_reads = left_out = ()
    shown = layout = promote = None
    variadic = materialize = held = False
    frees = True


class Op(Operation):
    """One operation: its formula and functions, as read from the class that `registry.op` decorates.

    Attributes:
        name, doc, forward: the class's name, docstring and forward; without one it is the function of F of that name. A
            view has `layout` in place of `forward`.
        operands: the names of its tensors, in order (the last may be `*variadic`).
        grads: per operand the gradient function, or None where there is no gradient.
        reads: per operand the values its gradient function takes: indices into `slots`, or names in RESERVED.
        slots: the names of the values that a node may save, and that backward then frees: the parameters of gradients
            before `*`. Each is a result (if in `results`) or an operand; or all are attributes, see `held`.
        held: whether all slots are attributes, such as index arrays. Attributes after `*` are never freed.
        promote: 'common' brings operands to one dtype, 'float' also lifts integers to the default float, None leaves
            them; operands named in `apart` keep theirs.
        called, arguments: the function that errors name, and its names for the operands: those of `call`, or those
            in `called = "add(input, other)"`, for an op that a function of another name runs.
        tensors: the operands for which no number may stand; "some" where any one of them must be a tensor.
        optional: the operands that may be None: those with a default in `forward`.
        takes, refuses: NumPy kinds ("biuf"). `takes` are those allowed for the common dtype, `refuses` those allowed
            for no operand; `fit` is `takes` without `refuses`.
        shown: the operands whose parents appear in `next_functions`; None for all, or a function of the node that
            returns these parents.
        quick: for a view, (array, **attrs) -> the same view by a NumPy method, or None where strides might differ.
        into: (F, a, ...) that writes the result over its first operand, to spare an array; used by the in-place form
            where no dtype changes.
        steps: for an op without gradients, such as a comparison: the two ops recorded when it is written in place, for
            a number and for a tensor operand; their gradients are zeros.
        unseen: whether, written in place, it is not recorded.
        written: PyTorch's name for the node of the in-place form, where that differs.
        elementwise: whether each cell of the result depends on one cell of each operand; the result then has the
            operands' order of axes.
        by: the backend function that runs forward: 'cellwise', in cache-sized runs of cells, where it makes several
            passes over memory, or 'in_single', at once; both compute float16 in float32, as PyTorch does.
        plain: whether forward, of one operand, only calls the backend function of the op's name.
        back: as `by`, for the gradients.
        wide: whether a number beside float16 stays float32, as in PyTorch's products and quotients; `narrow` is the
            op whose result is float16 again. `beside` maps the operands' dtype to the dtype that numbers get.
        vjp: all gradients at once, where they share work: (F, g, *saved, **attrs) -> tuple.
        materialize: whether an unused result gets zeros for its gradient, rather than None.
        kinks: where the function has no derivative and what the gradient is there, in words.
        left_out: of a node's op, the optional operands that its call went without.

    Raises:
        TypeError: the class defines another name, such as a gradient for something that is no operand.
    """

    def __init__(self, cls: type):
        body = vars(cls)
        self.name, self.doc = cls.__name__, cls.__doc__ or ""
        self.savers: dict[tuple, tuple[Callable, bool]] = {}
        self.twins: dict[tuple[bool, ...], Op] = {}
        self._read_operands(body)
        self._read_dtypes(body)
        self._read_gradients(body)
        self._read_ways(body)

    def _read_operands(self, body) -> None:
        """Read the operands and results of the forward, and the names that a user knows them by."""
        self.layout = body.get("layout")
        self.forward = body.get("forward") or (None if self.layout else _by_name(self.name, body))
        named = _operands(self.forward or self.layout)
        self.operands, self.code = ["x"] if self.layout else named, (self.forward or self.layout).__code__
        said = [n for n in body if not n.startswith("__")]  # dunder names are Python's own
        unknown = [n for n in said if n not in SAID and n.removeprefix("grad_") not in self.operands]
        if unknown:  # a typo would be a wrong gradient, without an error
            raise TypeError(f"op {self.name} says {', '.join(unknown)}, which no op does; its operands are "
                            f"{', '.join(self.operands)}")
        self.results = body.get("results", ("y",))
        self.variadic = bool(self.code.co_flags & CO_VARARGS)
        first = self.code.co_argcount
        self.settings = self.code.co_varnames[first:first + self.code.co_kwonlyargcount]
        self.has_attrs = bool(self.layout or self.code.co_kwonlyargcount or self.code.co_flags & CO_VARKEYWORDS)
        self.tensors = body.get("tensors", self.operands if len(self.operands) == 1 else ())
        self.optional = named[len(named) - len(self.forward.__defaults__ or ()):] if self.forward else []
        self.called, self.arguments = _spoken(body.get("called"), self.name, body.get("call"), self.operands)

    def _read_dtypes(self, body) -> None:
        """Read which dtypes operands may have, and to which dtype they are brought."""
        self.promote = body.get("promote", "common" if len(self.operands) > 1 or self.variadic else None)
        self.apart = [self.operands.index(name) for name in body.get("apart", ())]
        self.takes, self.refuses = body.get("takes", "biuf"), body.get("refuses", "")
        self.fit = "".join(kind for kind in self.takes if kind not in self.refuses)
        self.wide = body.get("wide", False)
        self.beside = WIDE if self.wide else OF_NUMPY

    def _read_gradients(self, body) -> None:
        """Read the gradients, what each of them takes, and what the node shows of them."""
        self.grads = [body.get(f"grad_{name}") for name in self.operands]
        self.vjp, self.materialize, self.kinks = body.get("vjp"), body.get("materialize", True), body.get("kinks", "")
        self.differentiable = self.vjp is not None or any(self.grads)
        some = not self.vjp and not all(self.grads)
        self.shown = body.get("shown", [i for i, grad in enumerate(self.grads) if grad] if some else None)
        wants, together = [_reads(f) for f in self.grads], _reads(self.vjp)
        self.slots = list(dict.fromkeys(n for names in [*wants, together] for n in names if n not in RESERVED))
        self.held = bool(self.slots) and not {*self.slots} & {*self.operands, *self.results}
        self.reads = [[n if n in RESERVED else self.slots.index(n) for n in names] for names in wants]
        self.vjp_reads = [n if n in RESERVED else self.slots.index(n) for n in together]
        if "back" in body:
            self.grads = [grad and _run_by(body["back"], grad) for grad in self.grads]
        capitals = "".join(word[:1].upper() + word[1:] for word in self.name.split("_"))
        self.torch_name, self.written = body.get("torch_name", capitals + "Backward0"), body.get("written")

    def _read_ways(self, body) -> None:
        """Read the ways to run the forward other than at once into a new array."""
        self.into, self.quick = body.get("into"), body.get("quick")
        self.steps, self.unseen = body.get("steps"), body.get("unseen", False)
        alone = len(self.operands) == 1 and not self.variadic and self.forward is not None and self.results == ("y",)
        cell_by_cell = (alone or len(self.operands) > 1 and self.promote is not None) and not self.has_attrs
        self.elementwise = body.get("elementwise", cell_by_cell)
        self.plain = alone and cell_by_cell and "forward" not in body
        if "by" in body:
            forward, by = self.forward, body["by"]
            self.forward = lambda F, *arrays, **attrs: getattr(F, by)(forward, F, *arrays, **attrs)

    @cached_property
    def Node(self) -> type:
        """The class of this op's nodes, under PyTorch's name; made when the first one is recorded."""
        body = {"__slots__": ("attrs",) if self.has_attrs else (), "__doc__": f"A node made by {self.name}.",
                "has_attrs": self.has_attrs, "op": self, **saved_values(self)}
        return type(self.torch_name, (Node,), body)

    @cached_property
    def over(self) -> Op:
        """The op as it is recorded when it writes over its first operand."""
        return renamed(self, self.written) if self.written else self

    @cached_property
    def frees(self) -> bool:
        """True if backward frees what a node saved; it does not where the gradients read only numbers.

        An operand that has a gradient and is not shown is a number.
        """
        shown = self.shown if isinstance(self.shown, list) else range(len(self.operands))
        numbers = [name for k, name in enumerate(self.operands) if self.grads[k] and k not in shown]
        read = [self.slots[k] for i in shown for k in self.reads[i] if k not in RESERVED]
        return not numbers or any([name not in numbers for name in read])

    @cached_property
    def send(self) -> Callable:
        """(F, g, parents, saved, attrs) -> [(parent, its gradient, its position)], for the parents that are not None.

        The code is generated for each op, because a loop over operands slows small gradients. For mul it is:
            p0, p1, = parents
            sent = []
            if p0 is not None and (d := grad0(F, g, saved[0])) is not None: sent.append((p0, d, 0))
            if p1 is not None and (d := grad1(F, g, saved[1])) is not None: sent.append((p1, d, 1))
            return sent
        """
        lines = ["".join([f"p{i}, " for i in range(len(self.grads))]) + "= parents", "sent = []"]
        for i, reads in enumerate(self.reads):
            if self.grads[i]:
                given = ["F", "g", *[f"p{i}.out.shape" if k == "shape" else f"saved[{k}]" for k in reads]]
                call = f"grad{i}({', '.join([*given, '**attrs'] if self.has_attrs else given)})"
                lines.append(f"if p{i} is not None and (d := {call}) is not None: sent.append((p{i}, d, {i}))")
        names: dict = {f"grad{i}": grad for i, grad in enumerate(self.grads)}
        body = "\n    ".join(["def send(F, g, parents, saved, attrs):", *lines, "return sent"])
        exec(compile(body, f"<what {self.name} sends back>", "exec"), names)
        return names["send"]

    @cached_property
    def narrow(self) -> Op:
        """The op for a float16 tensor and a number, which is float32: its result is float16."""
        twin, forward = renamed(self, self.torch_name), self.forward
        twin.forward = lambda F, a, b: F.narrowed(forward, F, a, b)
        return twin

    def without(self, absent: tuple[bool, ...]) -> Op:
        """The op as it is recorded by a call that left out these of its operands.

        An operand that nothing tracks is no other None.
        """
        if absent not in self.twins:
            self.twins[absent] = twin = renamed(self, self.torch_name)
            twin.left_out = tuple([name for name, out in zip(self.operands, absent) if out])
        return self.twins[absent]

    def saver(self, tracked: tuple[bool, ...]) -> tuple[Callable[[tuple], tuple] | None, bool]:
        """(pick, whether a result is saved), where pick(*operands, None, *results) gives the values to save.

        There is one value per slot, None where no tracked operand's gradient reads it; pick is None where none is read.
        """
        if tracked not in self.savers:
            n = len(self.operands)
            places = {name: k for k, name in enumerate([*self.operands, None, *self.results])}
            used = set(_reads(self.vjp))
            for grad, wanted in zip(self.grads, tracked):
                if wanted:
                    used.update(_reads(grad))
            picks = [places[name] if name in used else n for name in self.slots]
            # n once more: the last place is for the shape, and one pick alone would give no tuple
            pick = itemgetter(*picks, n) if any([k != n for k in picks]) else None
            self.savers[tracked] = pick, max(picks, default=0) > n
        return self.savers[tracked]

    def __repr__(self):
        return f"<op {self.name}>"


def _by_name(name: str, body) -> Callable:
    """The forward of an op that says none: F's function of its name.

    It is called with what has gradients (or x) and with the settings.
    """
    grads = {key.removeprefix("grad_"): grad for key, grad in body.items() if key.startswith("grad_")}
    code, operands = next(iter(grads.values()), lambda x: x).__code__, [*grads] or ["x"]
    settings = code.co_varnames[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]
    taken = ", ".join([*operands, *["*"][:len(settings)], *settings])
    return eval(f"lambda F, {taken}: F.{name}({', '.join([*operands, *settings])})")


def _operands(function) -> list[str]:
    """The positional parameters after F. (`inspect` would cost a third of the import.)"""
    return list(function.__code__.co_varnames[1:function.__code__.co_argcount])


def _spoken(said: str | None, name: str, call, operands: list[str]) -> tuple[str, list[str]]:
    """The function that a user calls for an op, and its names for the operands."""
    if said is not None:
        name, _, listed = said.rstrip(")").partition("(")
        return name, listed.split(", ")
    if call is None:
        return name, ["input", *(operands[1:] if len(operands) > 2 else ["other"])]
    code = getattr(call, "__wrapped__", call).__code__
    return name, list(code.co_varnames[:code.co_argcount])


def _reads(function) -> list[str]:
    """The values that a gradient takes: its positional parameters after F and g."""
    return _operands(getattr(function, "__wrapped__", function))[1:] if function else []


def _run_by(by: str, grad: Callable) -> Callable:
    """The gradient, run by the backend function `by`. g, which may be one number, is passed last."""
    @wraps(grad)
    def back(F, g, *saved, **attrs):
        return getattr(F, by)(lambda F, *parts: grad(F, parts[-1], *parts[:-1], **attrs), F, *saved, g)
    return back


def renamed(it: Op, torch_name: str, shown: list[int] | None = None, called: str | None = None) -> Op:
    """The same op under another of PyTorch's node names, such as SumBackward1 for a sum over dims.

    With `shown`, all other operands are numbers; with `called`, errors name another function.
    """
    twin = object.__new__(Op)
    own = {name: value for name, value in vars(it).items() if not isinstance(vars(Op).get(name), cached_property)}
    twin.__dict__.update(own, torch_name=torch_name, called=called or it.called, twins={})
    if shown is not None:
        twin.shown = shown
    return twin


def notify(it, operands, attrs, out) -> None:
    """Tell the watchers that an op ran."""
    for watcher in tuple(watchers):
        watcher(it, operands, attrs, out)
