"""A step of PyTorch's that is kept: the calls of its forward, noted in order to be made once more.

PyTorch's graph lets go of what it saved, and optimizers write over weights, so that neither can be asked later.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from sys import modules
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from ...errors import ArgumentValueError
from ...ir import graph
from .kept import called_in, parts_of, settle

MOST = 20_000
"""The most calls that are noted of a step."""

ASKS = "__get__", "size", "dim", "numel", "__deepcopy__"
"""The names of functions that ask a tensor for something, or copy it."""


class Made(NamedTuple):
    """A tensor that a noted call made, by number."""

    number: int


class Outside(NamedTuple):
    """A tensor that was there before: a weight, a batch."""

    number: int


class Call(NamedTuple):
    """A call that was noted.

    Attributes:
        given: its arguments, with places for tensors. makes: the numbers of what it made. tracked: whether gradients
            were recorded. cast: the kind of device, and the dtype of autocast there or None.
    """

    function: Callable
    given: tuple[tuple, dict]
    makes: tuple[int, ...]
    tracked: bool
    cast: tuple[str, Any]


class TheirStep(NamedTuple):
    """A step of PyTorch's that is kept.

    Attributes:
        number, loss: its number and its loss. result: which tensor the loss is. weights: those of each parameter before
            they changed. calls: what made it. outside: the tensors that were there. state: that of random numbers.
        names: the batch, as the loop calls it.
    """

    number: int
    loss: float
    result: Made
    weights: Mapping[int, np.ndarray]
    calls: tuple[Call, ...]
    outside: tuple[Any, ...]
    state: Any
    names: Mapping[str, Any]


def notebook() -> Any:
    """Returns a new notebook of calls, None where this version of PyTorch does not tell of its modes."""
    return noting()() if hasattr(modules["torch"].overrides, "_get_current_function_mode_stack") else None


@cache
def noting() -> type:
    """The class of a notebook of calls: a mode of PyTorch's, from the beginning of a step to its backward."""
    torch = modules["torch"]
    modes = torch.overrides._get_current_function_mode_stack

    class Noting(torch.overrides.TorchFunctionMode):
        def __init__(self) -> None:
            super().__init__()
            self.on = False

        def begin(self) -> None:
            """Begins with a step: from now on calls are noted."""
            self.clear()
            self.state, self.on = torch.get_rng_state(), True
            if not any(mode is self for mode in modes()):
                self.__enter__()

        def end(self) -> None:
            """Leaves PyTorch's stack of modes; one that is under another stays until that leaves, and notes nothing."""
            self.on, stack = False, modes()
            while stack and isinstance(top := stack.pop(), Noting) and not top.on:
                top.__exit__(None, None, None)

        def clear(self) -> None:
            """Lets go of all that was noted."""
            self.calls: list[Call] = []
            self.outside: list[Any] = []
            self.made: dict[int, tuple[ref, int, bool]] = {}
            self.there: dict[int, int] = {}
            self.count = 0

        def place(self, x: Any) -> Made | Outside:
            """Returns where a tensor comes from."""
            known, number, tracked = self.made.get(id(x), (lambda: None, 0, False))
            if known() is x and (tracked or x.grad_fn is None):  # else a function of the program's own gave it a node
                return Made(number)
            if id(x) not in self.there:
                self.there[id(x)] = len(self.outside)
                self.outside.append(x)
            return Outside(self.there[id(x)])

        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            if not self.on:
                return function(*args, **kwargs)
            name, given = function.__name__, None
            if name not in ASKS:  # a write gives what it writes to another history
                given = exchanged((args, kwargs), self.place)
            result = function(*args, **kwargs)
            tensors = (result,) if isinstance(result, torch.Tensor) else (*_tensors_in(result),)
            of = getattr(getattr(function, "__self__", None), "__name__", "")
            alone = name == "__setitem__" or (name, of) == ("__set__", "requires_grad")
            if self.on and (tensors or alone) and name != "__deepcopy__" and of not in ("grad", "data"):
                self.note(function, given or exchanged((args, kwargs), self.place), tensors)
                if alone and (known := self.made.get(id(args[0]))):
                    self.made[id(args[0])] = *known[:2], torch.is_grad_enabled()
            if kwargs.get("generator") is not None:
                self.on = False  # one of the program's own, which would be moved on
            return result

        def note(self, function: Callable, given: Any, tensors: Sequence[Any]) -> None:
            """Notes a call with what it made."""
            tracked, first = torch.is_grad_enabled(), self.count
            for x in tensors:
                self.made[id(x)] = ref(x), self.count, tracked
                self.count += 1
            device = tensors[0].device.type if tensors else "cpu"
            cast = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else None
            self.calls.append(Call(function, given, (*range(first, self.count),), tracked, (device, cast)))
            self.on = len(self.calls) < MOST

    return Noting


def _tensors_in(x: Any) -> Iterator[Any]:
    """The tensors in what a call gives, in order."""
    return (part for part in parts_of(x) if isinstance(part, modules["torch"].Tensor))


def exchanged(x: Any, other: Callable[[Any], Any]) -> Any:
    """The same with something else for each tensor, and for each place of one."""
    if isinstance(x, (modules["torch"].Tensor, Made, Outside)):
        return other(x)
    if isinstance(x, tuple | list):
        parts = [exchanged(part, other) for part in x]
        return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts) if isinstance(x, tuple) else parts
    if isinstance(x, dict):
        return {key: exchanged(part, other) for key, part in x.items()}
    return x


def taken(
    number: int, result: Any, weights: Mapping[int, np.ndarray], noted: Any, names: Mapping[str, Any]
) -> TheirStep | None:
    """Returns a step that can be run again; None if what made its loss was not noted."""
    on = noted.on
    noted.end()
    if not on or not isinstance(place := noted.place(result), Made):
        return None
    loss, calls, outside = float(result.detach().sum()), tuple(noted.calls), tuple(noted.outside)
    noted.clear()
    return TheirStep(number, loss, place, weights, calls, outside, noted.state, names)


def again(step: TheirStep, model: Any) -> tuple[Any, dict[str, Any]]:
    """Returns the loss of a kept step, computed once more, and the names of the tensors behind it.

    Raises:
        ValueError: it cannot be: an operation of the program's own, or a batch that was written over.
    """
    torch = modules["torch"]
    made: dict[int, Any] = {}
    twins = [twin(step, x) for x in step.outside]

    def there(at: Made | Outside) -> Any:
        return made[at.number] if type(at) is Made else twins[at.number]

    with torch.random.fork_rng(devices=[]):
        torch.set_rng_state(step.state)
        for call in step.calls:
            args, kwargs = exchanged(call.given, there)
            device, cast = call.cast
            with torch.set_grad_enabled(call.tracked), torch.autocast(device, cast, cast is not None):
                made |= dict(zip(call.makes, _tensors_in(call.function(*args, **kwargs)), strict=True))
    loss = made[step.result.number]
    settle(step, loss)
    called = called_in(model) | {id(x): name for name, x in step.names.items()}
    names = {called[id(x)]: own for x, own in zip(step.outside, twins) if id(x) in called}
    met = {name for node in graph(loss, names=names) for name in node.names}  # a batch may be asked for its shape alone
    return loss, {"loss": loss} | {name: x for name, x in names.items() if name in met}


def twin(step: TheirStep, x: Any) -> Any:
    """A tensor that was there as it was then: a weight as it was kept, another one as it is."""
    if x.grad_fn is not None:
        rule = "a tensor came with a history that was not noted: of an operation of the program's own, or another step"
        raise ArgumentValueError(f"step {step.number}", rule, "x.detach() of what comes from another step")
    array, own = step.weights.get(id(x)), x.detach().clone()
    if array is not None:
        own.copy_(modules["torch"].from_numpy(np.array(array)))
    return own.requires_grad_(x.requires_grad)

