"""Flow: whether a gradient goes back through what a student's function returns."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from ....autograd import grad
from ....tensor import Tensor
from .answer import same
from .call import call

CUT = (
    "no gradient can flow back through its result, so nothing could be trained with it. What .item(), .tolist(), "
    ".detach() or a new torch.tensor(...) gives has forgotten what it was computed from: compute with the tensors"
)


def cut(function: Callable[..., object], key: Callable[..., Any], case: Mapping[str, Any], to: Collection[str]) -> str:
    """Why no gradient flows back through a right result, or another one than the key's; empty where it does.

    Args:
        function: right in its numbers, of this case as well.
        case: its tensors hold floats.
        to: the arguments to which a gradient has to flow.

    >>> import rustyflow as rf
    >>> cut(lambda x: (x + x).detach(), lambda x: x + x, {"x": rf.ones(2)}, ["x"])[:31]
    'no gradient can flow back throu'
    """
    if not to:
        return ""
    leaves = {name: case[name].detach().clone().requires_grad_() for name in to}
    given = {name: value * 1 if isinstance(value, Tensor) else value for name, value in (case | leaves).items()}
    made = call(function, tuple(given.values()))
    if made.problem:
        return f"with tensors that want a gradient it stops.\n{_error(made.problem)}"
    if not getattr(made.value, "requires_grad", False):
        return CUT
    wanted, sent = _sent(key(**case | leaves), leaves), call(lambda result: _sent(result, leaves), (made.value,))
    if sent.problem:
        return f"no gradient gets back through its result: on the way it stops.\n{_error(sent.problem)}"
    got: Any = sent.value
    for name in to:
        if not same(got[name], wanted[name]):
            way = "no gradient" if got[name] is None else "another gradient than it should"
            return f"through its result {name} gets {way}: a part of it is cut off, as by .item() or .detach()"
    return ""


def _error(problem: str) -> str:
    """The words of an error, without the line where it came up, for a sentence that ends behind them."""
    return "\n".join(problem.splitlines()[2:]).rstrip(".") or problem


def _sent(result: Any, leaves: Mapping[str, Tensor]) -> dict[str, Tensor | None]:
    """The gradients of leaves, when another number arrives at each cell of a result."""
    upstream = result.detach() * 0
    upstream.view(-1)[:] = upstream.new_tensor([(7 * n + 3) % 11 - 5.0 for n in range(upstream.numel())])
    sent = grad(result, [*leaves.values()], upstream, retain_graph=True, allow_unused=True)
    return dict(zip(leaves, sent, strict=True))
