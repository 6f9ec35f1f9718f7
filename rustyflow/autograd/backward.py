"""`backward` and `grad`: what a program says to start the walk."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..arguments.explain import explaining_once
from ..backends import backend
from ..dispatch import recording
from ..errors import (
    ArgumentTypeError,
    ArgumentValueError,
    AssertedError,
    DimError,
    GradError,
    ShapeError,
    align_right,
    kind_of,
    warn,
)
from ..tensor import Tensor, edge_of, history_of, wrap
from .contributions import cast
from .engine import walk
from .goal import Goal
from .shared import as_tensors

observers: list[Callable] = []
"""Called with every `step.Step` of every walk, besides the walk's own observer."""

begun: list[Callable] = []
"""Called with the tensors that `backward` is called on, before it walks."""


def _watch(observer):
    """One observer out of all that are set; None when there is none."""
    several = [*observers, observer] if observer else list(observers)
    if len(several) > 1:
        return lambda step: [see(step) for see in several]
    return several[0] if several else None


def _several(x, name: str) -> tuple:
    """One tensor, or several in anything that can be walked through.

    Raises:
        ArgumentTypeError (a TypeError): neither.
    """
    if isinstance(x, Tensor):
        return (x,)
    try:
        return tuple(x)
    except TypeError:
        raise ArgumentTypeError(f"{name}={x!r:.60}", f"'{kind_of(x)}' object is not iterable: {name} are tensors",
                                "a tensor, or a list of tensors", value=x) from None


def roots_of(tensors, grads, create_graph):
    """Pairs of history and seed, checked; without `grads` every seed is 1. More seeds than tensors may
    be given: as in PyTorch, they are left unread.

    Raises:
        GradError: an untracked tensor, or no seed for more than one element. ShapeError: a seed of another shape.
        ArgumentTypeError (a TypeError): a gradient that is no tensor. AssertedError (an AssertionError): no tensor.
    """
    grads = (None,) * len(tensors) if grads is None else _several(grads, "gradients")
    for g in grads[:len(tensors)]:
        if g is not None and not isinstance(g, Tensor):
            raise ArgumentTypeError(f"gradient={g!r:.60}", "gradients can be either Tensors or None",
                                    "rustyflow.tensor(...)", value=g)
    if len(grads) < len(tensors):
        raise GradError(f"{len(tensors)} tensors, {len(grads)} gradients",
                        "got different numbers of tensors and gradients", "give one gradient per tensor, or None")
    roots = []
    for k, (x, g) in enumerate(zip(tensors, grads)):
        if not isinstance(x, Tensor):
            raise AssertedError(f"backward from {x!r:.60}",
                                f"Expected output to be a Tensor, but element {k} of tensors is {kind_of(x)}",
                                "give the tensor itself, not its item()", value=x)
        history = history_of(x)
        if history is None:
            raise GradError(f"backward from a tensor of shape {tuple(x.shape)} without history",
                            f"element {k} of tensors does not require grad and does not have a grad_fn: "
                            "nothing that made it was tracked",
                            "requires_grad=True on the leaves, outside no_grad(), and create_graph=True for a "
                            "gradient's gradient; detach(), item(), comparisons and integer dtypes cut the graph")
        if g is not None:
            _check_seed(x, g)
            g = g if create_graph else g._a
            g = g if g.dtype in (x.dtype, x._a.dtype) else cast(g, x._a.dtype)
        elif x._a.size == 1:
            g = backend.filled(x._a.shape, 1, x._a.dtype)
            g = wrap(g) if create_graph else g
        else:
            raise GradError(f"backward from a tensor of shape {tuple(x.shape)}",
                            "grad can be implicitly created only for scalar outputs: "
                            "a gradient says how one number changes",
                            "y.sum().backward(), or y.backward(upstream) with a gradient of y's shape")
        roots.append((history, g))
    return roots


def _check_seed(x, g):
    """Refuse an upstream gradient of another shape than x's; its dtype may be any, and becomes x's."""
    if g._a.shape != x._a.shape:
        raise ShapeError(align_right(("tensor", x._a.shape), ("gradient", g._a.shape)),
                         "Mismatch in shape: a gradient has the shape of its tensor",
                         "give an upstream gradient of that shape, e.g. rustyflow.ones_like(y)")


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, inputs=None, *,
             observer: Callable | None = None) -> None:
    """Add the gradients of the tensors' sum to the .grad of every leaf (or only of `inputs`).

    Args:
        tensors: one tensor or several.
        grad_tensors: upstream gradients of the same shapes; None is 1 for a tensor of one element.
        retain_graph: keep saved values for another walk; by default only with `create_graph`.
        inputs: accumulate only into these.
        observer: called with every `step.Step`.

    Raises:
        GradError (a RuntimeError): nothing tracked, no seed, graph freed, or a saved value overwritten.
    Source: https://pytorch.org/docs/stable/generated/torch.autograd.backward.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([1., 2.], requires_grad=True)
        >>> rf.autograd.backward((x * x).sum()); x.grad
        tensor([2., 4.])
    """
    tensors = _several(tensors, "tensors")
    roots = roots_of(tensors, grad_tensors, create_graph)
    for see in begun:
        see(tensors)
    retain = create_graph if retain_graph is None else retain_graph
    only = None
    if inputs is not None:
        wanted = _several(inputs, "inputs")
        if not wanted:
            raise GradError("inputs=()", "`inputs` argument to `backward()` cannot be empty",
                            "leave it out to reach every leaf")
        roots, only = _leading_to(_edges(wanted), roots)
        for x in wanted:
            x.retain_grad()
    walk(roots, create_graph=create_graph, retain_graph=retain, goal=Goal(only=only), observer=_watch(observer))


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, materialize_grads=False) -> tuple[Tensor | None, ...]:
    """The gradients of the outputs' sum for each input, returned instead of accumulated.

    As in PyTorch, gradients may share memory, with one another and with grad_outputs. That of a sum, which PyTorch
    gives as one expanded number, has cells of its own.

    With is_grads_batched each of grad_outputs is a batch of upstream gradients along dim 0, and so is each result; the
    graph is walked once for each of them, where PyTorch walks it once for all.

    Raises:
        GradError (a RuntimeError): as `backward`; or an input that the outputs do not depend on, unless `allow_unused`.
        ShapeError (a RuntimeError): upstream gradients of other shapes. ArgumentValueError (a ValueError), DimError (an
        IndexError): batches of several sizes, or empty ones.
    Source: https://pytorch.org/docs/stable/generated/torch.autograd.grad.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor(3., requires_grad=True)
        >>> dx, = rf.autograd.grad(x ** 3, x, create_graph=True)
        >>> dx.item(), rf.autograd.grad(dx, x)[0].item()
        (27.0, 18.0)
    """
    inputs = _several(inputs, "inputs")
    if not only_inputs:
        warn("only_inputs is deprecated: gradients go to the inputs alone. Call backward() to accumulate others.")
    if materialize_grads and allow_unused is False:
        raise ArgumentValueError("allow_unused=False, materialize_grads=True",
                                 "Expected allow_unused to be True or not passed when materialize_grads=True",
                                 "leave allow_unused out")
    if not inputs:
        raise GradError("inputs=()", "`inputs` argument to `grad()` cannot be empty.",
                        "give the tensors whose gradients are wanted")
    retain, outputs = create_graph if retain_graph is None else retain_graph, _several(outputs, "outputs")
    if grad_outputs is not None:
        grad_outputs = _several(grad_outputs, "grad_outputs")[:len(outputs)]
    if is_grads_batched:
        *rows, last = _rows(outputs, grad_outputs or (None,))
        each = [*[_found(outputs, inputs, row, True, create_graph) for row in rows],
                _found(outputs, inputs, last, retain, create_graph)]
        found = [None if gs[0] is None else recording.stack(gs) for gs in zip(*each)]
    else:
        found = _found(outputs, inputs, grad_outputs, retain, create_graph)
    if materialize_grads:
        return tuple(wrap(backend.filled(x._a.shape, 0, x._a.dtype)) if g is None else g for x, g in zip(inputs, found))
    if not allow_unused:
        for k, g in enumerate(found):
            if g is None:
                raise GradError(f"input {k} of shape {tuple(inputs[k].shape)}",
                                "One of the differentiated Tensors appears to not have been used in the graph. "
                                "Set allow_unused=True if this is the desired behavior.",
                                "allow_unused=True gives None for it, materialize_grads=True gives zeros")
    return tuple(found)


def _found(outputs, inputs, grad_outputs, retain_graph, create_graph) -> list[Tensor | None]:
    """The gradient of every input by one walk; None for one that the outputs do not depend on."""
    roots = roots_of(outputs, grad_outputs, create_graph)
    edges = _edges(inputs)
    roots, only = _leading_to(edges, roots)
    goal = Goal(edges, only)
    walk(roots, create_graph=create_graph, retain_graph=retain_graph, goal=goal, observer=_watch(None))
    sinks: Any = goal.sinks
    given = dict(zip(sinks, sinks.values() if create_graph else as_tensors([*sinks.values()], grad_outputs or ())))
    return [given[edge] for edge in edges]


def _rows(outputs, batches) -> list[tuple]:
    """Batches of upstream gradients, one for each output, as one upstream gradient for each output and row.

    Raises:
        As `grad` with is_grads_batched.
    """
    for x, g in zip(outputs, batches):
        if not isinstance(g, Tensor):
            raise ArgumentValueError(f"grad_outputs={g!r:.60}, is_grads_batched=True",
                                     "every output needs a batch of gradients", "rustyflow.eye(n) for n outputs")
        if isinstance(x, Tensor) and g._a.shape[1:] != x._a.shape or not g._a.ndim:
            raise ShapeError(align_right(("output", x._a.shape), ("grad_output", g._a.shape)),
                             "is_grads_batched=True takes the first dimension of each grad_output as the batch "
                             "dimension, and the others must be the output's", f"shape (batch, {str(x._a.shape)[1:]}")
    sizes = [len(g._a) for g in batches]
    if len(set(sizes)) > 1:
        raise ArgumentValueError(f"batches of {sizes} gradients", "expected all of the same size in dimension 0",
                                 "as many gradients for one output as for another")
    if not sizes[0]:
        raise DimError("a batch of 0 gradients", "there is no first gradient along dimension 0", "one or more")
    return [*zip(*[g.unbind(0) for g in batches])]


def _edges(inputs) -> list[tuple[int, int]]:
    """The number of the node that made each input, and which of its results it is.

    Raises:
        GradError: an input that is no tensor, or not tracked.
    """
    edges = []
    for x in inputs:
        if not isinstance(x, Tensor):
            raise GradError(f"{x!r:.60} among the inputs", f"all inputs have to be Tensors, but got {kind_of(x)}",
                            "give the tensors whose gradients are wanted", value=x)
        history = history_of(x)
        if history is None:
            raise GradError(f"an input of shape {tuple(x.shape)} that does not require grad",
                            "One of the differentiated Tensors does not require grad",
                            "x.requires_grad_() before computing")
        edges.append((history.number, edge_of(history)[1]))
    return edges


def _leading_to(edges, roots) -> tuple[list, set[int]]:
    """The roots from which some edge can be reached, and the numbers of all nodes on the way.

    Ends are included.
    """
    nodes: dict[int, Any] = {}
    stack, oldest = [history for history, _ in roots], min([number for number, _ in edges], default=0)
    while stack:
        node, _ = edge_of(stack.pop())
        if node.number not in nodes:
            nodes[node.number] = node
            if node.number > oldest:  # the parents of others are older still
                stack.extend([p for p in node.parents if p is not None])
    reach = {number for number, _ in edges}
    for number in sorted(nodes):
        if any([p is not None and p.number in reach for p in nodes[number].parents]):
            reach.add(number)
    return [root for root in roots if root[0].number in reach], reach


def _method(self, gradient=None, retain_graph=None, create_graph=False, inputs=None) -> None:
    """Add this tensor's gradients to the .grad of every leaf: `rustyflow.autograd.backward` of it.

    Args:
        gradient: the gradient to begin with, in the tensor's shape; 1 when it is left out and the tensor is one number.

    Raises:
        GradError (a RuntimeError): not tracked, no gradient for several numbers, or a graph that was freed.
        VersionError (a RuntimeError): a saved value was overwritten.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.backward.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([1., 2.], requires_grad=True)
        >>> (x * x).backward(rf.tensor([1., 10.]))
        >>> x.grad
        tensor([ 2., 40.])
    """
    backward((self,), gradient, retain_graph, create_graph, inputs)


_method.__name__ = _method.__qualname__ = "backward"
Tensor.backward = explaining_once(_method)
