"""Functions of the user's as the engine sees them: their nodes, and the values that these save."""

from __future__ import annotations

import weakref
from contextlib import suppress

from ..dispatch import Operation, check_write, of_one_storage
from ..dispatch.rebase import rebase
from ..dispatch.run import held
from ..errors import GradError, kind_of
from ..tensor import IN_CUSTOM_FUNCTION, Node, Tensor, View, make_node, mode, output_of, small
from .contributions import zeros
from .hooks import as_user_tensor
from .shared import returned_array


class CustomNode(Node):
    """The node of a Function that ran; it shows all attributes of `ctx`.

    In PyTorch the two are one object.
    """

    __slots__ = ("attrs",)
    __repr__ = object.__repr__
    has_attrs = True

    def __getattr__(self, name):
        if name != "attrs" and not name.startswith("__"):
            with suppress(AttributeError):  # its own message would name ctx
                return getattr(self.attrs["ctx"], name)
        raise AttributeError(f"{self.name()!r} object has no attribute {name!r}", name=name, obj=self)

    def _places(self):
        return self.attrs["tensors"]

    def _differentiable(self):
        return range(len(self.attrs["outs"]))


class Custom(Operation):
    """One Function class, as the engine sees it."""

    def __init__(self, cls: type):
        self.cls, self.name = cls, cls.__name__
        self.Node = type(cls.__name__ + "Backward", (CustomNode,), {
            "__slots__": (), "__module__": "rustyflow.autograd.function", "op": self})

    def vjp(self, F, g, *, ctx, parents, outs, tensors):
        """Call the class's backward with tensors, and check what it returns.

        Raises:
            GradError (a RuntimeError): too few gradients, too many, what is no tensor, or one for what is none.
        """
        parts = g if type(g) is list else [g]
        if ctx._materialize:
            parts = [zeros(out, mode.enabled) if part is None and out is not None else part
                     for part, out in zip(parts, outs, strict=False)]
        got = self.cls.backward(ctx, *[part if part is None else as_user_tensor(part) for part in parts])
        got = got if isinstance(got, tuple) else (got,)
        if len(got) > len(parents) and all(x is None for x in got[len(parents) :]):
            got = got[: len(parents)]
        if len(got) != len(parents):
            raise GradError(f"{self.name}.backward returned {len(got)} gradients for {len(parents)} arguments",
                            f"function {self.name}Backward returned an incorrect number of gradients "
                            f"(expected {len(parents)}, got {len(got)})",
                            "return one gradient per argument of forward, None for those that need none")
        for k, x in enumerate(got):
            if x is not None and not isinstance(x, Tensor):
                raise GradError(f"{self.name}.backward returned {kind_of(x)} for argument {k}",
                                f"expected Variable or None (got {kind_of(x)})", "return tensors", value=x)
            if x is not None and k not in tensors:
                raise GradError(f"{self.name}.backward returned a gradient for argument {k}",
                                f"function {self.name}Backward returned a gradient different than None at position "
                                f"{k + 1}, but the corresponding forward input was not a Variable",
                                "return None for each argument that is no tensor")
        return [x if x is None or mode.enabled else returned_array(x) for x in got]


def link(cls, ctx, args, parents, results, several) -> None:
    """Make the node of a Function that ran, and the histories of its results.

    Raises:
        GradError (a RuntimeError): one of several results is a view that forward wrote to.
    """
    if "_custom" not in vars(cls):
        cls._custom = Custom(cls)
    outs = tuple([small(r._a) if isinstance(r, Tensor) else None for r in results])
    tensors = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
    ctx._kept = tuple([_without_cycle(x, args, results) for x in ctx._kept])
    saved = tuple([x[0] if type(x) is tuple else x for x in ctx._kept if x is not None])
    attrs = {"ctx": ctx, "parents": parents, "outs": outs, "tensors": tensors}
    node = make_node(cls._custom.Node, parents, saved, outs if several else outs[0], attrs)
    operands = [a if isinstance(a, Tensor | int | float) and not is_among(a, ctx._dirty) else None for a in args]
    node.given = tuple([held(a) if parent is None else None for a, parent in zip(operands, parents, strict=True)])
    ctx._node = weakref.ref(node)
    for k, r in enumerate(results):
        if not isinstance(r, Tensor) or not r.is_floating_point() or is_among(r, ctx._apart):
            continue
        history = output_of(node, k)
        if is_among(r, ctx._dirty):
            check_write(r, cls.__name__)
            if type(r._history) is View and len(results) > 1:
                raise GradError(f"{cls.__name__}.forward wrote to a view, and returned {len(results)} results",
                                "If your Function modifies inplace an input that is a view of another Tensor, your "
                                "Function cannot return more than one Tensor.",
                                f"{cls.__name__}.apply(x.clone()), or a Function for each result")
            rebase(r, history)
        else:
            base = next((a for a in args if of_one_storage(r, a)), None)
            if base is not None:  # a write to the base, which would bypass this Function's backward, is then refused
                base = base._history.base if type(base._history) is View else base
                history = View(base, history, r._storage.version, IN_CUSTOM_FUNCTION)
            r._history = history


def _without_cycle(x, args, results):
    """The tensor to save; for a result (an alias, the index of the result).

    The result itself would make the node hold itself.
    """
    if x is None or not is_among(x, results) or is_among(x, args):
        return x
    return x.detach(), next(k for k, r in enumerate(results) if r is x)


def is_among(x, some) -> bool:
    """True if an object is one of several, by identity."""
    return any([x is y for y in some])  # `in` would compare the cells
