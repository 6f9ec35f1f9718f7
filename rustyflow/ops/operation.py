"""What is known of an op: its formula, its forward, a gradient per operand, and what each of those reads."""
from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from inspect import CO_VARARGS, CO_VARKEYWORDS
from operator import itemgetter

from ..dtype import OF_NUMPY, float16, float32
from ..history import Node
from .saved import saved_values

OPS: dict[str, Op] = {}

watchers: list[Callable] = []
"""Called with (op, operands, attrs, result) after every op: the tracer of `rustyflow.ir` reads along here."""

WIDE = {**OF_NUMPY, float16.numpy: float32}

RESERVED = ("shape", "shapes", "needs")
"""What a gradient may ask for and nobody saves: its operand's shape, all shapes, which operands need a gradient."""

_PLAIN = {1: (lambda F, a: F.exp(a)).__code__.co_code, 2: (lambda F, a, b: F.hypot(a, b)).__code__.co_code}
"""By how many operands, the code of a forward that is one call of F and no more. Which, its `co_names` say."""

SAID = {
    *("forward", "layout", "call", "write", "vjp", "promote", "apart", "called", "tensors", "takes", "refuses"),
    *("results", "materialize", "shown", "torch_name", "written", "quick", "into", "by", "back", "elementwise", "wide"),
    *("steps", "unseen", "kinks", "lines", "to"),
}
"""What the class of an op may say, besides `grad_` and an operand."""


class Operation:
    """What the engine, and the readers of a graph, ask of what a node stands for.

    That is an `Op`, which says more, or a function of several steps that is one node: it leaves most of this as it is.

    Attributes:
        name: what it is called.
        operands, reads, slots, results, optional, vjp_reads, shown, layout, promote, variadic, materialize: see `Op`.
        held, frees: see `Op`.
    """

    name: str
    operands = reads = slots = results = optional = vjp_reads = ()
    shown = layout = promote = None
    variadic = materialize = held = False
    frees = True


class Op(Operation):
    """What is known of one operation.

    Attributes:
        name, doc, forward: as written; `layout` in place of `forward` for a view.
        operands: the names of its tensors, in order (the last may be `*variadic`).
        grads: per operand the gradient function, or None where there is no gradient.
        reads: per operand what its gradient reads: indices into `slots`, or a name in RESERVED.
        slots: the names of all that may be saved, and is then freed by a backward: what gradients name before the star.
            A name in `results` is a result, any other an operand; or all are attributes.
        held: whether all slots are attributes. Those behind the star are what a node says of itself, and stay.
        promote: 'common' brings operands to one dtype, 'float' also lifts integers to the default float, None leaves
            them; operands named in `apart` keep theirs.
        called, arguments: the function a user writes, and its names for the operands, as errors say them; those of
            `call`, or as in "add(input, other)" where an op of its own stands behind a function.
        tensors: the operands that no number can stand for; "some" where at least one must be a tensor.
        optional: the operands that may be None, which are those with a default in `forward`.
        takes, refuses: NumPy kinds ("biuf"): of the common dtype, those the op is defined for; of any operand, those
            it turns down. `fit` is both.
        shown: the operands whose parents `next_functions` shows, None for all, or a function of the node that gives
            these parents.
        quick: for a view, (array, **attrs) -> the same view by an array method, or None where that may differ.
        into: forward written over its first operand, (F, a, ...), where that spares an array; used in place, when no
            dtype changes.
        lines: whether the results along `dim` are made of each line for itself; some lines at a time then make `out`.
        to: forward written into another array, (F, out, ...), which it returns; anything else where that does not fit.
        steps: written in place, the op that is recorded instead, for a number and for a tensor: a comparison, which
            has no gradient of its own, gives gradients of zeros.
        unseen: whether, written in place, it leaves the histories as they were.
        written: the name of its node where it writes in place, if PyTorch has another for that.
        elementwise: whether each cell of the result is made of one cell of each operand; it then lies as they do.
        by: the backend's function that runs a forward of every cell for itself: 'cellwise', a run of cells at a time,
            where it goes several times over memory, or 'in_single'; either computes float16 in float32, as PyTorch.
        plain: whether forward is nothing but the backend's function of the same name, of one operand or two.
        back: the backend's function that runs the gradients so, where each goes several times over memory.
        wide: whether a number beside float16 stays float32, as PyTorch has it for products and quotients; `narrow` is
            the op whose result is float16 again. `beside` says what a number is among arrays of a dtype.
        vjp: all gradients at once, where they share their work: (F, g, *saved, **attrs) -> tuple.
        materialize: whether a result that nobody used has zeros for its gradient, rather than None.

    Raises:
        TypeError: the class says something else, such as a gradient of what is no operand.
    """

    def __init__(self, cls: type):
        body = vars(cls)
        self.name, self.doc = cls.__name__, cls.__doc__ or ""
        self.savers: dict[tuple, tuple[Callable, bool]] = {}
        self._read_operands(body)
        self._read_dtypes(body)
        self._read_gradients(body)
        self._read_ways(body)

    def _read_operands(self, body) -> None:
        """What the forward takes and gives, and how a user says it."""
        self.forward, self.layout = body.get("forward"), body.get("layout")
        named = _operands(self.forward or self.layout)
        self.operands, self.code = ["x"] if self.layout else named, (self.forward or self.layout).__code__
        said = [n for n in body if not n.startswith("__")]  # those are Python's own, more of them with every version
        unknown = [n for n in said if n not in SAID and n.removeprefix("grad_") not in self.operands]
        if unknown:  # a slip of the pen would be a wrong gradient, and nobody would hear of it
            raise TypeError(f"op {self.name} says {', '.join(unknown)}, which no op does; its operands are "
                            f"{', '.join(self.operands)}")
        self.results = body.get("results", ("y",))
        self.variadic = bool(self.code.co_flags & CO_VARARGS)
        self.has_attrs = bool(self.layout or self.code.co_kwonlyargcount or self.code.co_flags & CO_VARKEYWORDS)
        self.tensors = body.get("tensors", self.operands if len(self.operands) == 1 else ())
        self.optional = named[len(named) - len(self.forward.__defaults__ or ()):] if self.forward else []
        self.called, self.arguments = _spoken(body.get("called"), self.name, body.get("call"))

    def _read_dtypes(self, body) -> None:
        """Of which dtypes operands may be, and to which they are brought."""
        self.promote = body.get("promote", "common" if len(self.operands) > 1 or self.variadic else None)
        self.apart = [self.operands.index(name) for name in body.get("apart", ())]
        self.takes, self.refuses = body.get("takes", "biuf"), body.get("refuses", "")
        self.fit = "".join(kind for kind in self.takes if kind not in self.refuses)
        self.wide = body.get("wide", False)
        self.beside = WIDE if self.wide else OF_NUMPY

    def _read_gradients(self, body) -> None:
        """The gradients, what each of them reads, and what the node says of them."""
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
        """The ways to run the forward other than at once into a new array."""
        self.into, self.to, self.lines = body.get("into"), body.get("to"), body.get("lines", False)
        self.quick, self.steps, self.unseen = body.get("quick"), body.get("steps"), body.get("unseen", False)
        self.plain = self.code.co_names == (self.name,) and self.code.co_code == _PLAIN.get(len(self.operands))
        alone = len(self.operands) == 1 and not self.variadic and self.forward is not None and self.results == ("y",)
        cell_by_cell = (alone or len(self.operands) > 1 and self.promote is not None) and not self.has_attrs
        self.elementwise = body.get("elementwise", cell_by_cell)
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
        """Whether a node that saved anything is freed by a backward: not one that read numbers alone, which stay.

        An operand that has a gradient and is not shown is a number.
        """
        shown = self.shown if isinstance(self.shown, list) else range(len(self.operands))
        numbers = [name for k, name in enumerate(self.operands) if self.grads[k] and k not in shown]
        read = [self.slots[k] for i in shown for k in self.reads[i] if k not in RESERVED]
        return not numbers or any([name not in numbers for name in read])

    @cached_property
    def send(self) -> Callable:
        """(F, g, parents, saved, attrs) -> [(parent, its gradient, its position)], for the parents that are not None.

        Written out for each op, since small gradients feel every turn of a loop over operands. That of mul reads:
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
        """The op for float16 and a number that is float32."""
        twin, forward = renamed(self, self.torch_name), self.forward
        twin.forward = lambda F, a, b: F.narrowed(forward, F, a, b)
        return twin

    def saver(self, tracked: tuple[bool, ...]) -> tuple[Callable[[tuple], tuple] | None, bool]:
        """Picks what to save out of (*operands, None, *results), and whether a result is among it.

        For each slot that is its value, or None where no tracked operand's gradient reads it. None where none does.
        """
        if tracked not in self.savers:
            n = len(self.operands)
            places = {name: k for k, name in enumerate([*self.operands, None, *self.results])}
            used = set(_reads(self.vjp))
            for grad, wanted in zip(self.grads, tracked):
                if wanted:
                    used.update(_reads(grad))
            picks = [places[name] if name in used else n for name in self.slots]
            # with a place for the shape; and one pick alone would come without its tuple
            pick = itemgetter(*picks, n) if any([k != n for k in picks]) else None
            self.savers[tracked] = pick, max(picks, default=0) > n
        return self.savers[tracked]

    def __repr__(self):
        return f"<op {self.name}>"


def _operands(function) -> list[str]:
    """The parameters after F that may be given by position. (`inspect` would cost a third of the import.)"""
    return list(function.__code__.co_varnames[1:function.__code__.co_argcount])


def _spoken(said: str | None, name: str, call) -> tuple[str, list[str]]:
    """How a user calls an op, and what its operands are called there."""
    if said is not None:
        name, _, listed = said.rstrip(")").partition("(")
        return name, listed.split(", ")
    if call is None:
        return name, ["input", "other"]
    code = getattr(call, "__wrapped__", call).__code__
    return name, list(code.co_varnames[:code.co_argcount])


def _reads(function) -> list[str]:
    """What a gradient reads: its parameters after F and g."""
    return _operands(getattr(function, "__wrapped__", function))[1:] if function else []


def _run_by(by: str, grad: Callable) -> Callable:
    """A gradient that the backend's function `by` runs; what it reads comes before g, which may be one number."""
    @wraps(grad)
    def back(F, g, *saved, **attrs):
        return getattr(F, by)(lambda F, *parts: grad(F, parts[-1], *parts[:-1], **attrs), F, *saved, g)
    return back


def renamed(it: Op, torch_name: str, shown: list[int] | None = None, called: str | None = None) -> Op:
    """The same op with the other name that PyTorch gives its node, such as SumBackward1 for a sum over dims.

    Perhaps with numbers for all operands but those that are `shown`, or for a function `called` otherwise.
    """
    twin = object.__new__(Op)
    own = {name: value for name, value in vars(it).items() if not isinstance(vars(Op).get(name), cached_property)}
    twin.__dict__.update(own, torch_name=torch_name, called=called or it.called)
    if shown is not None:
        twin.shown = shown
    return twin


def notify(it, operands, attrs, out) -> None:
    """Tell the watchers that an op ran."""
    for watcher in tuple(watchers):
        watcher(it, operands, attrs, out)
