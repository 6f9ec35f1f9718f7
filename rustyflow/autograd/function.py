"""Your own operation: a forward, and a backward that says what each input's gradient is."""

from __future__ import annotations

import functools
from typing import Any

from ..errors import AbsentError, ArgumentTypeError, GradError, kind_of
from ..tensor import Tensor, history_of, mode, no_grad, output_of, storage_of
from .custom import is_among, link
from .unpack import freed


class FunctionCtx:
    """The context in which forward leaves things for backward.

    Attributes: `needs_input_grad`, one bool per argument; anything you assign. `saved_tensors`: what
    `save_for_backward` kept.
    """

    def __init__(self):
        self._kept, self._dirty, self._apart, self._materialize, self._node = (), (), (), True, None

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors; backward refuses them if they were overwritten since."""
        for x in tensors:
            if x is not None and not isinstance(x, Tensor):
                raise ArgumentTypeError(f"save_for_backward({kind_of(x)})", "save_for_backward can only save "
                                        f"variables, but argument is of type {kind_of(x)}",
                                        "assign other values to ctx: ctx.n = 3", value=x)
        self._kept = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs forward wrote to; it returns them."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which results have no gradient."""
        self._apart = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Sets whether a result that nobody used gives zeros (the default) or None to backward."""
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
                alias._history = output_of(node, k)
            return alias
        return x


class Function:
    """Derive from it, write `forward(ctx, *args)` and `backward(ctx, *grads)` as static methods, call `apply`.

    `forward(*args)` with a separate `setup_context(ctx, inputs, output)` works too, and `vjp` as another name for
    backward. Forward is not recorded; backward is, when the caller asks for create_graph.
    Raises (from backward): GradError (a RuntimeError) for a wrong number of gradients or a wrong shape.
    Source: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function

    Example:
        >>> import rustyflow as rf
        >>> class Cube(rf.autograd.Function):
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
        raise GradError(f"calling an instance of {kind_of(self)}",
                        "Legacy autograd function with non-static forward method is deprecated.",
                        f"{kind_of(self)}.apply(...)")

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        raise AbsentError("a Function without forward",
                          "You must implement the forward function for custom autograd.Function.",
                          "def forward(ctx, x): ... as a staticmethod")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise AbsentError("a Function without backward", "You must implement the backward function for custom "
                          "autograd.Function to use it with backward().", "def backward(ctx, g): ... as a staticmethod")

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
        if not all([is_among(x, results) for x in ctx._dirty]):
            raise GradError(f"{cls.__name__}.forward marked an input as dirty and did not return it",
                            "Some elements marked as dirty during the forward method were not returned as output. The "
                            "inputs that are modified inplace must all be outputs of the Function.",
                            "return the input that was written to")
        for x in ctx._dirty:  # one write more than forward's own is counted, as in PyTorch
            storage_of(x).wrote(cls.__name__)
        for k, r in enumerate(results):
            if isinstance(r, Tensor) and is_among(r, args) and not is_among(r, ctx._dirty):
                results[k] = r.detach()
        if tracked and any(isinstance(r, Tensor) for r in results):
            link(cls, ctx, args, parents, results, several)
        return tuple(results) if several else results[0]


def _in_order(forward, before: tuple, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
    """The arguments of a forward in the order of its parameters, which is the order of backward's gradients.

    A forward without ctx gets its defaults as well, so that `setup_context` sees all arguments.
    """
    from inspect import signature
    bound = signature(forward).bind(*before, *args, **kwargs)
    if not before:
        bound.apply_defaults()
    return bound.args[len(before):], bound.kwargs


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
