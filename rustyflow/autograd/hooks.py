"""Hooks: functions of the user's that see, and may replace, gradients on their way."""

from __future__ import annotations

import weakref
from itertools import count

from ..backends import backend
from ..errors import ArgumentTypeError, GradError, ShapeError, kind_of
from ..layout import is_dense
from ..tensor import AccumulateGrad, Node, Tensor, edge_of, history_of, wrap
from .shared import returned_array
from .step import Step

_numbers = count()


class RemovableHandle:
    """The result of registering a hook: `remove()` takes the hook away again; also a context.

    It keeps no graph.
    """

    def __init__(self, owner, field: str, entry):
        self.owner, self.field, self.entry, self.id = weakref.ref(owner), field, entry, next(_numbers)
        setattr(owner, field, (*getattr(owner, field), entry))
        owner.hooked = True

    def remove(self) -> None:
        owner = self.owner()
        if owner is not None:
            setattr(owner, self.field, tuple(e for e in getattr(owner, self.field) if e is not self.entry))

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


def register_hook(self, hook) -> RemovableHandle:
    """Call hook(grad) when this tensor's gradient is complete; what it returns, if not None, replaces it.

    As in PyTorch a gradient that was stretched, such as that of a sum, cannot be written to.
    Raises:
        GradError (a RuntimeError): the tensor is not tracked.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.register_hook.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.ones(2, requires_grad=True)
        >>> handle = x.register_hook(lambda g: g * 10)
        >>> x.sum().backward(); x.grad
        tensor([10., 10.])
    """
    node, index = edge_of(history_of(self))
    if node is None:
        raise GradError("register_hook on a tensor that does not require grad",
                        "cannot register a hook on a tensor that doesn't require gradient", "x.requires_grad_() first")
    return RemovableHandle(node, "hooks", (index, hook))


def register_post_accumulate_grad_hook(self, hook) -> RemovableHandle:
    """Call hook(tensor) after this leaf's .grad has been added to.

    Raises:
        GradError (a RuntimeError): not a leaf that requires grad.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.register_post_accumulate_grad_hook.html

    Example:
        >>> import rustyflow as rf
        >>> w = rf.tensor([1., 2.], requires_grad=True)
        >>> def descend(leaf):
        ...     leaf.data.sub_(0.25 * leaf.grad)
        ...     leaf.grad = None
        >>> handle = w.register_post_accumulate_grad_hook(descend)
        >>> (w * w).sum().backward(); w
        tensor([0.5000, 1.0000], requires_grad=True)
    """
    if type(self._history) is not AccumulateGrad:
        raise GradError("register_post_accumulate_grad_hook on a tensor that is no tracked leaf",
                        "post accumulate grad hooks cannot be registered on non-leaf tensors", "use register_hook")

    def after(leaf):
        got = hook(leaf)
        if got is not None:
            raise ArgumentTypeError(f"the hook {_called(hook)} returned {kind_of(got)}",
                                    "Tensor post accumulate grad hooks should return None.",
                                    "write to leaf.grad instead", value=got)

    return RemovableHandle(self._history, "after", after)


def as_tensor(g) -> Tensor:
    """A gradient as a tensor: over the engine's own array if that is dense, else over a copy."""
    if isinstance(g, Tensor):
        return g
    a = backend.asarray(g)
    return wrap(a if is_dense(a.shape, backend.stride(a)) else backend.dense(a))


def as_user_tensor(g) -> Tensor:
    """`as_tensor` for a function of the user's. A copy is read-only, because a write to it would be lost."""
    x = as_tensor(g)
    if x is not g and backend.asarray(g) is not x._a:
        backend.freeze(x._a)
    return x


def _replaced(g, new, hook, lifted):
    """The gradient after a hook returned `new`: that one, once checked, or the old one for None.

    Raises:
        ArgumentTypeError (a TypeError): no tensor. ShapeError, GradError (RuntimeErrors): of another shape, of another
        dtype.
    """
    if new is None:
        return g
    if not isinstance(new, Tensor):
        raise ArgumentTypeError(f"a hook returned {kind_of(new)}", "a hook returns a Tensor or None",
                                "return grad * 2, or return nothing", value=new)
    if new._a.shape != lifted._a.shape:
        raise ShapeError(f"gradient: {tuple(lifted.shape)}, hook {_called(hook)} returned: {tuple(new.shape)}",
                         "hook has changed the size of value", "return a gradient of the same shape")
    if new._a.dtype != lifted._a.dtype:
        raise GradError(f"gradient: {lifted.dtype!r}, hook returned: {new.dtype!r}",
                        "hook has changed the type of value", "convert it back with .to(grad.dtype)")
    return new if isinstance(g, Tensor) else returned_array(new)


def _replaced_all(parts, new, hook, lifted):
    """The gradients of a node after a hook returned `new`: a tuple with all, or None to leave them.

    Raises:
        ArgumentTypeError (a TypeError), ShapeError, GradError (RuntimeErrors).
    """
    if new is None:
        return parts
    if not isinstance(new, tuple):
        raise ArgumentTypeError(f"the hook {_called(hook)} on a node returned {kind_of(new)}",
                                f"expected tuple, but hook returned '{kind_of(new)}'",
                                "return one gradient per place, e.g. (g * 2,), or nothing", value=new)
    if len(new) != len(parts):
        raise GradError(f"the hook {_called(hook)} returned {len(new)} gradients for {len(parts)}",
                        f"hook '{_called(hook)}' has returned an incorrect number of values (got {len(new)}, but "
                        f"expected {len(parts)})",
                        "return a tuple as long as the one that came in, None where there is no gradient")
    if any(old is None and n is not None for old, n in zip(parts, new, strict=True)):
        raise GradError(f"the hook {_called(hook)} returned a gradient where there was none",
                        "can't replace a None gradient with a non-None value",
                        "return None in the places where None came in")
    return [None if n is None else _replaced(old, n, hook, up) for old, n, up in zip(parts, new, lifted, strict=True)]


def _called(hook) -> str:
    return getattr(hook, "__name__", type(hook).__name__)


def hooked(node, upstream, goal, observer):
    """Runs a node's hooks on the gradient that arrived, and returns what they make of it.

    For several results it is a list.

    As in PyTorch, the gradient kept for the goal is the one before tensor hooks where the walk goes on, else the one
    after.
    """
    came = [*upstream] if upstream.__class__ is list else upstream
    further = goal.is_beyond(node)
    if goal.sinks is not None and further:
        goal.keep(node, came)
    g = on_tensors(node, upstream)
    if goal.sinks is not None and not further:
        goal.keep(node, g)
    if further or goal.only is None:
        g = before_node(node, g)
    if observer is not None and replaced(came, g):
        observer(Step("hook", node, None, came, g))
    return g


def replaced(came, g) -> bool:
    """True if hooks replaced the gradient, or one of several."""
    return any([a is not b for a, b in zip(came, g)]) if came.__class__ is list else came is not g


def on_tensors(node, g):
    """Run the tensor hooks on a node's complete gradient, in order of registration; then add it to retained .grads."""
    parts = g if type(g) is list else [g]
    for index, hook in node.hooks:
        if parts[index] is not None:
            lifted = as_user_tensor(parts[index])
            parts[index] = _replaced(parts[index], hook(lifted), hook, lifted)
    for index, ref in node.retained or ():
        x = ref()
        if x is not None and parts[index] is not None:
            kept = as_tensor(parts[index])
            x._grad = kept.clone() if x._grad is None else x._grad + kept
    return parts if type(g) is list else parts[0]


def before_node(node, g):
    """Run the prehooks of a node that is about to run, and return its gradient after them."""
    parts, places = (g, node._differentiable()) if type(g) is list else ([g], [0])
    for hook in node.prehooks:
        came = [parts[k] for k in places]
        lifted = tuple([p if p is None else as_user_tensor(p) for p in came])
        for k, new in zip(places, _replaced_all(came, hook(lifted), hook, lifted), strict=True):
            parts[k] = new
    return parts if type(g) is list else parts[0]


def after_node(node, arrivals, g, F):
    """Call the node hooks, hook(grad_inputs, grad_outputs), after the node ran; return the gradients that it sends on.

    A tuple that a hook returns replaces the gradients. A hook sees each gradient summed to its operand's shape; where
    no hook replaces it, the gradient that the node sent is returned unsummed.
    """
    if not node.posthooks:
        return arrivals
    came = {i: (parent, sent, _as_operand(sent, parent.out.shape, F)) for parent, sent, i in arrivals}
    places = node._places()
    into = [came[i][2] if i in came else None for i in places]
    parts = [g[k] for k in node._differentiable()] if type(g) is list else [g]
    out = tuple([p if p is None else as_user_tensor(p) for p in parts])
    if type(node) is AccumulateGrad:  # the leaf may have taken the array itself
        out = (out[0].clone(),)
    for hook in node.posthooks:
        lifted = tuple([p if p is None else as_user_tensor(p) for p in into])
        into = _replaced_all(into, hook(lifted, out), hook, lifted)
    made = {i: g for i, g in zip(places, into, strict=True) if g is not None}
    return [(parent, sent if made[i] is own else made[i], i) for i, (parent, sent, own) in came.items() if i in made]


def _as_operand(sent, shape, F):
    """A gradient in its operand's shape.

    A sum is read-only: the walk goes on with the gradient that the node sent.
    """
    if sent.shape == shape:
        return sent
    summed = F.sum_to(sent, shape)
    backend.freeze(summed._a if isinstance(summed, Tensor) else summed)
    return summed


def _node_hook(self, fn):
    """Call fn(grad_inputs, grad_outputs) after this node ran; a tuple that it returns replaces the gradients it sends
    on.

    Source: https://pytorch.org/docs/stable/generated/torch.autograd.graph.Node.register_hook.html
    """
    return RemovableHandle(self, "posthooks", fn)


def _node_prehook(self, fn):
    """Call fn(grad_outputs) before this node runs; a tuple that it returns replaces them.

    Source: https://pytorch.org/docs/stable/generated/torch.autograd.graph.Node.register_prehook.html
    """
    return RemovableHandle(self, "prehooks", fn)


for _kind in (Node, AccumulateGrad):
    _kind.register_hook, _kind.register_prehook = _node_hook, _node_prehook
Tensor.register_hook = register_hook
Tensor.register_post_accumulate_grad_hook = register_post_accumulate_grad_hook
