"""Your own operation: a forward, and a backward that says what each input's gradient is."""

from __future__ import annotations

import functools
import weakref
from typing import Any

from ..errors import AbsentError, ArgumentTypeError, GradError
from ..gradmode import mode, no_grad
from ..history import OF_FUNCTION, Node, Output, View, small
from ..ops.operation import Operation
from ..ops.registry import rebase
from ..ops.write_check import check_write, of_one_storage
from ..storage import tick
from ..tensor import Tensor, history_of, storage_of
from .engine import zeros
from .hooks import shown
from .shared import lent
from .unpack import freed


class FunctionCtx:
    """What forward leaves for backward.

    Attributes: `needs_input_grad`, one bool per argument; anything you assign. `saved_tensors`: what
    `save_for_backward` kept.
    """

    def __init__(self):
        self._kept, self._dirty, self._apart, self._materialize, self._node = (), (), (), True, None

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors; backward refuses them if they were overwritten since."""
        for x in tensors:
            if x is not None and not isinstance(x, Tensor):
                raise ArgumentTypeError(
                    f"save_for_backward({type(x).__name__})",
                    f"save_for_backward can only save variables, but argument is of type {type(x).__name__}",
                    "assign other values to ctx: ctx.n = 3",
                )
        self._kept = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs forward wrote to; it returns them."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which results have no gradient."""
        self._apart = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether a result that nobody used gives zeros (the default) or None to backward."""
        self._materialize = value

    @property
    def saved_tensors(self) -> tuple:
        node = self._node() if self._node else None
        if node is not None and node.saved is None:
            raise freed(node)
        return tuple([self._unpacked(x, node) for x in self._kept])

    def _unpacked(self, x, node):
        if type(x) is tuple:  # an alias of a result, and which one
            alias, k = x[0].detach(), x[1]
            if node is not None and alias.is_floating_point():
                alias._history = Output(node, k, node.out[k]) if type(node.out) is tuple else node
            return alias
        return x


class _Custom(Operation):
    """One Function class, as the engine sees it."""

    def __init__(self, cls: type):
        self.cls, self.name = cls, cls.__name__
        self.Node = type(
            cls.__name__ + "Backward",
            (Node,),
            {
                "__slots__": ("attrs",),
                "__module__": "rustyflow.autograd.function",
                "__repr__": object.__repr__,
                "has_attrs": True,
                "op": self,
                "__getattr__": _of_ctx,
                "_places": lambda node: node.attrs["tensors"],
                "_differentiable": lambda node: range(len(node.attrs["outs"])),
            },
        )

    def vjp(self, F, g, *, ctx, parents, outs, tensors):
        """Call the class's backward with tensors, and check what it returns.

        Raises:
            GradError (a RuntimeError): too few gradients, too many, what is no tensor, or one for what is none.
        """
        parts = g if type(g) is list else [g]
        if ctx._materialize:
            parts = [zeros(out, mode.enabled) if part is None and out is not None else part
                     for part, out in zip(parts, outs, strict=False)]
        got = self.cls.backward(ctx, *[part if part is None else shown(part) for part in parts])
        got = got if isinstance(got, tuple) else (got,)
        if len(got) > len(parents) and all(x is None for x in got[len(parents) :]):
            got = got[: len(parents)]
        if len(got) != len(parents):
            raise GradError(
                f"{self.name}.backward returned {len(got)} gradients for {len(parents)} arguments",
                f"function {self.name}Backward returned an incorrect number of gradients (expected {len(parents)}, "
                f"got {len(got)})",
                "return one gradient per argument of forward, None for those that need none",
            )
        for k, x in enumerate(got):
            if x is not None and not isinstance(x, Tensor):
                raise GradError(f"{self.name}.backward returned {type(x).__name__} for argument {k}",
                                f"expected Variable or None (got {type(x).__name__})", "return tensors")
            if x is not None and k not in tensors:
                raise GradError(
                    f"{self.name}.backward returned a gradient for argument {k}",
                    f"function {self.name}Backward returned a gradient different than None at position {k + 1}, but "
                    "the corresponding forward input was not a Variable",
                    "return None for each argument that is no tensor",
                )
        return [x if x is None or mode.enabled else lent(x) for x in got]


def _of_ctx(node, name):
    """A node of a Function has all that its forward left on `ctx`, as in PyTorch, where they are one."""
    if name != "attrs" and not name.startswith("__"):
        return getattr(node.attrs["ctx"], name)
    raise AttributeError(name)


class Function:
    """Derive from it, write `forward(ctx, *args)` and `backward(ctx, *grads)` as static methods, call `apply`.

    `forward(*args)` with a separate `setup_context(ctx, inputs, output)` works too, and `vjp` as another name for
    backward. Forward is not recorded; backward is, when the caller asks for create_graph.
    Raises (from backward): GradError (a RuntimeError) for a wrong number of gradients or a wrong shape.
    Source: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function

    Example:
        >>> import rustyflow as rf
        >>> class Cube(Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x ** 3
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         x, = ctx.saved_tensors
        ...         return g * 3 * x ** 2
        >>> x = rf.tensor(2., requires_grad=True)
        >>> Cube.apply(x).backward(); x.grad
        tensor(12.)
    """

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "vjp" in vars(cls):
            if "backward" in vars(cls):
                raise GradError(f"{cls.__name__} has backward and vjp",
                                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed.",
                                "they are two names for one thing: keep one")
            cls.backward = vars(cls)["vjp"]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise GradError(f"calling an instance of {type(self).__name__}",
                        "Legacy autograd function with non-static forward method is deprecated.",
                        f"{type(self).__name__}.apply(...)")

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        raise AbsentError("a Function without forward",
                          "You must implement the forward function for custom autograd.Function.",
                          "def forward(ctx, x): ... as a staticmethod")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise AbsentError(
            "a Function without backward",
            "You must implement the backward function for custom autograd.Function to use it with backward().",
            "def backward(ctx, g): ... as a staticmethod",
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward and, where an argument is tracked, make the node.

        Raises:
            GradError (a RuntimeError): an input was marked as written to, and not returned.
        """
        ctx = FunctionCtx()
        apart = "setup_context" in {name for c in cls.__mro__[:-1] for name in vars(c)}
        if apart or kwargs:
            args, kwargs = _in_order(cls.forward, () if apart else (ctx,), args, kwargs)
        parents = tuple(history_of(a) if isinstance(a, Tensor) else None for a in args)
        tracked = mode.enabled and any(p is not None for p in parents)
        ctx.needs_input_grad = tuple(p is not None for p in parents)
        with no_grad():
            if apart:
                out = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, out)
            else:
                out = cls.forward(ctx, *args, **kwargs)
        several = isinstance(out, tuple)
        results = list(out) if several else [out]
        if not _among(ctx._dirty, results):
            raise GradError(
                f"{cls.__name__}.forward marked an input as dirty and did not return it",
                "Some elements marked as dirty during the forward method were not returned as output. The inputs that "
                "are modified inplace must all be outputs of the Function.",
                "return the input that was written to",
            )
        for k, r in enumerate(results):
            if isinstance(r, Tensor) and any(r is a for a in args) and not any(r is d for d in ctx._dirty):
                results[k] = r.detach()
        if tracked and any(isinstance(r, Tensor) for r in results):
            _link(cls, ctx, args, parents, results, several)
        return tuple(results) if several else results[0]


def _in_order(forward, before: tuple, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
    """The arguments of a forward in the order of its parameters, each of which has a gradient's place in backward.

    One that begins without ctx, for `setup_context` to see them all, gets those left out as well.
    """
    from inspect import signature
    bound = signature(forward).bind(*before, *args, **kwargs)
    if not before:
        bound.apply_defaults()
    return bound.args[len(before):], bound.kwargs


def _among(some, results) -> bool:
    return all(any(x is r for r in results) for x in some)


def _link(cls, ctx, args, parents, results, several):
    """Make the node, and let the results' histories begin at it."""
    if "_custom" not in vars(cls):
        cls._custom = _Custom(cls)
    node = object.__new__(cls._custom.Node)
    outs = tuple([small(r._a) if isinstance(r, Tensor) else None for r in results])
    tensors = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
    node.attrs = {"ctx": ctx, "parents": parents, "outs": outs, "tensors": tensors}
    node.parents, node.number = parents, tick()
    ctx._node = weakref.ref(node)
    ctx._kept = tuple([_without_cycle(x, args, results) for x in ctx._kept])
    node.saved = tuple([x[0] if type(x) is tuple else x for x in ctx._kept if x is not None])
    node.out = outs if several else outs[0]
    for k, r in enumerate(results):
        if not isinstance(r, Tensor) or not r.is_floating_point() or any(r is x for x in ctx._apart):
            continue
        history = Output(node, k, outs[k]) if several else node
        if any(r is d for d in ctx._dirty):
            check_write(r, cls.__name__)
            storage_of(r).wrote(cls.__name__)
            node.number = tick()
            rebase(r, history)
        else:
            base = next((a for a in args if of_one_storage(r, a)), None)
            if base is not None:  # a write to it would go past what this Function says of its gradient: it is refused
                base = base._history.base if type(base._history) is View else base
                history = View(base, history, r._storage.version, OF_FUNCTION)
            r._history = history


def _without_cycle(x, args, results):
    """What to keep of a tensor; of a result, whose node would keep itself, an alias and which result it is."""
    if x is None or not _among((x,), results) or _among((x,), args):
        return x
    return x.detach(), next(k for k, r in enumerate(results) if r is x)


def once_differentiable(backward):
    """Mark a backward whose own gradient is not defined: asking for it raises instead of giving a wrong one.

    Source: https://pytorch.org/docs/stable/autograd.html
    """

    @functools.wraps(backward)
    def once(ctx, *grads):
        with no_grad():
            got = backward(ctx, *grads)
        if not mode.enabled or not any(isinstance(g, Tensor) and g.requires_grad for g in grads):
            return got
        ends = tuple([_Once.apply(backward.__qualname__, x, *grads) if isinstance(x, Tensor) else x
                      for x in (got if isinstance(got, tuple) else (got,))])
        return ends if isinstance(got, tuple) else ends[0]

    return once


class _Once(Function):
    """A gradient whose own gradient is refused."""

    @staticmethod
    def forward(ctx, name, x, *grads):
        ctx.name = name
        return x.clone()

    @staticmethod
    def backward(ctx, *grads):
        raise GradError(f"a second derivative through {ctx.name}",
                        "trying to differentiate twice a function that was marked with @once_differentiable",
                        "write backward in tensor operations and leave the mark out")
