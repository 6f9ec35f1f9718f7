"""The tensors that a function uses from outside stand as operands, and what it changes is put back."""

import dis
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout
from functools import partial
from io import StringIO
from itertools import count
from math import prod
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from ...dispatch import watching
from ...errors import ArgumentValueError, kind_of
from ...ir.names import named_tensors
from ...ir.reader import in_order
from ...nn import Module
from ...ops.creation import from_numpy, tensor
from ...random import Generator, fork_rng
from ...tensor import Tensor, alias_of, history_of, storage_of
from ..source import source_of
from ..words.sentences import listed
from .call import MANY, call_with

DEEP = 3
"""So many functions, each called by the one before, are asked for what they load; so many lists, each in another."""

CELLS = 256
"""A tensor from outside of more cells is said, and not drawn."""


class Outside(NamedTuple):
    """The tensors that a function uses from outside, by name.

    They are operands, or large, or states of modules that it writes to."""

    operands: dict[str, Tensor]
    large: dict[str, Tensor]
    states: dict[str, Tensor]


def with_outside(
    f: Callable, operands: Sequence, attributes: Mapping, tensors: Sequence, names: Sequence[str], name: str | None,
    most: int,
) -> tuple[Callable, dict[str, Tensor], list[str]]:  # fmt: skip
    """Returns a call as a function of its tensors and of those that f uses from outside.

    Also these, by other names than the call's, up to `most` operands in all; and sentences about those that are none.
    `name` is what the caller calls f.

    Raises:
        ValueError: f writes to a tensor from outside.
    """
    call, known = partial(call_with, f, operands, attributes, tensors), variables(f, name or "f")
    if not known or max(prod(x.shape) for x in tensors) > MANY:
        return call, {}, []
    beside = outside(call, tensors, known)
    if not any(beside):
        return call, {}, []
    more = {(key if key not in names else f"f.{key}"): x for key, x in beside.operands.items()
            if not any(x is other for other in tensors)}  # fmt: skip
    shown = dict([*more.items()][: most - len(tensors)])
    left = {key: x for key, x in (more | beside.large).items() if key not in shown}
    values = [(x, np.array(x.detach().numpy())) for x in (*left.values(), *beside.states.values())]
    call = partial(call_beside, f, operands, attributes, tensors, [*shown.values()], values)
    return call, shown, [f"{key} of shape {tuple(x.shape)} is not drawn" for key, x in left.items()]


def variables(f: Any, name: str = "f", deep: int = DEEP) -> dict[str, Any]:
    """Returns the variables from outside that a function loads, and those that its own functions load, by name."""
    if isinstance(f, partial):
        return {**{f"{name}.args[{k}]": x for k, x in enumerate(f.args)}, **f.keywords, **variables(f.func, name, deep)}
    if isinstance(f, MethodType):
        return {"self": f.__self__} | variables(f.__func__, name, deep)
    if isinstance(f, type) or isinstance(f, FunctionType) and _is_ours(f):
        return {}
    if not isinstance(f, FunctionType):
        kinds = dict.fromkeys(map(type, f.modules() if isinstance(f, Module) else [f]))
        runs = [getattr(kind, "forward", None) or vars(kind).get("__call__") for kind in kinds]
        more = [variables(run, name, deep - 1) for run in runs if deep and isinstance(run, FunctionType)]
        return {name: f} | {key: x for part in more for key, x in part.items()}
    code, defaults = f.__code__, f.__defaults__ or ()
    taken = code.co_varnames[: code.co_argcount]
    reach = {**dict(zip(taken[len(taken) - len(defaults) :], defaults)), **(f.__kwdefaults__ or {})}
    everywhere = {key: f.__globals__[key] for key in sorted(_loaded(code)) if key in f.__globals__}
    cells = {key: cell.cell_contents for key, cell in zip(code.co_freevars, f.__closure__ or ()) if _filled(cell)}
    reach |= everywhere | cells
    for key, x in list(reach.items()) if deep else ():
        if isinstance(x, FunctionType | MethodType | partial):
            reach = {**variables(x, key, deep - 1), **reach}
    return reach


def _is_ours(f: Any) -> bool:
    """True if a function is one of rustyflow's functions, which use nothing from outside."""
    return str(getattr(f, "__module__", "")).partition(".")[0] == "rustyflow"


def _loaded(code: CodeType) -> set[str]:
    """The global names that some code loads, and the code inside it."""
    names = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return names.union(*(_loaded(part) for part in code.co_consts if isinstance(part, CodeType)))


def _filled(cell: Any) -> bool:
    """True if a variable of a closure has a value yet."""
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def outside(call: Callable, operands: Sequence[Any], known: Mapping[str, Any]) -> Outside:
    """Returns the tensors that a call uses besides its operands, as a run of it on copies shows.

    `known` is what it can reach, by name. A tensor that no variable leads to is one that the function makes, unless it
    is there again in a second run. Of a call that fails none is known.

    Raises:
        ValueError: the function writes to a tensor from outside that is no state of a module.
    """
    named = {id(x): (_indexed(name), x) for name, x in reversed([*named_tensors(known)]) if isinstance(x, Tensor)}
    copies = [(x, x.detach().clone()) for _, x in named.values()]
    try:
        operands = [from_numpy(np.array(source_of(x).array())) for x in operands]
        with put_back([*known.values()]), redirect_stdout(StringIO()), standing_in(copies):
            used = _used(call, operands, copies)
            again = used if named.keys() >= used.keys() else _used(call, operands, copies)
    except Exception:  # who draws the call says why
        return Outside({}, {}, {})
    unnamed = [x for key, x in used.items() if key not in named and key in again]
    free = (f"w{k or ''}" for k in count() if f"w{k or ''}" not in {name for name, _ in named.values()})
    named |= dict([(id(x), (next(free), x)) for x in unnamed])
    states = {id(x) for module in modules(known.values()) for x in module._buffers.values()}
    written = {id(x) for x, copy in copies if copy._storage is not None and copy._storage.written}
    if refused := [named[key][0] for key in written if key not in states]:
        raise ArgumentValueError(f"f writes to {listed(refused)}, which it uses from outside",
                                 "a figure shows what a result reads, and what f uses stays as it is",
                                 f"{refused[0]}.clone() in f, in place of {refused[0]}")  # fmt: skip
    by_name = dict(named[key] for key in (*used, *written) if key in named)
    kinds = ["states" if id(x) in written else "large" if x.numel() > CELLS else "operands" for x in by_name.values()]
    return Outside(**{kind: {name: x for (name, x), its in zip(by_name.items(), kinds) if its == kind}
                      for kind in Outside._fields})  # fmt: skip


def _indexed(name: str) -> str:
    """A name as a program writes it: of a Sequential f[0].weight.

    >>> _indexed("f.0.weight")
    'f[0].weight'
    """
    first, *parts = name.split(".")
    return first + "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in parts)


def _used(call: Callable, operands: Sequence[Tensor], copies: Sequence[tuple[Tensor, Tensor]]) -> dict[int, Tensor]:
    """Returns the tensors that operations of a call read, or that it returns, and that no operation made, in order."""
    given = [x.detach().clone() for x in operands]
    alive, results, used = [*given], {id(x) for x in given}, dict[int, Tensor]()
    index = {id(x._a): x for x, _ in copies}  # as it stands in now

    def seen(op: Any, read: Sequence, attrs: Mapping, out: Any) -> None:
        for x in read:
            if isinstance(x, Tensor) and id(x) not in results:
                used.setdefault(id(x), x)
        for x in attrs.get("arrays") or ():  # an index is no operand
            if id(x) in index:
                used.setdefault(id(index[id(x)]), index[id(x)])
        fresh = [x for x in (out if isinstance(out, tuple) else (out,)) if not any(x is part for part in read)]
        results.update(map(id, fresh))
        alive.extend([*fresh, *read])

    with watching(seen):
        result = call(*given)
    seen(None, result if isinstance(result, tuple | list) else [result], {}, ())
    return used


@contextmanager
def standing_in(pairs: Sequence[tuple[Tensor, Tensor]]) -> Iterator[None]:
    """Lets each first tensor be the second one, memory and history, for a while; then it is what it was."""
    before = [(x._a, x._storage, x._offset, x._history) for x, _ in pairs]
    try:
        for x, new in pairs:
            x._a, x._storage, x._offset, x._history = new._a, storage_of(new), new._offset, new._history
        yield
    finally:
        for (x, _), was in zip(pairs, before):
            x._a, x._storage, x._offset, x._history = was


def call_beside(
    f: Callable, operands: Sequence, attributes: Mapping, tensors: Sequence, beside: Sequence[Tensor],
    values: Sequence[tuple[Tensor, np.ndarray]], *given: Tensor,
) -> Any:  # fmt: skip
    """Runs f with `given` in the place of the tensors in its arguments, and then of those beside.

    Others of its tensors are copies for this run."""
    others = [(x, tensor(array, dtype=x.dtype)) for x, array in values]
    pairs = [(x, new) for x, new in zip([*tensors, *beside], given) if isinstance(x, Tensor)] + others
    with standing_in(pairs):
        aliases = {id(x): _alias(x) for x, _ in pairs}
        result = _put(call_with(f, operands, attributes, tensors, *given[: len(tensors)]), aliases)
    some = result if isinstance(result, tuple | list) else [result]
    for node in in_order([history_of(x) for x in some if isinstance(x, Tensor)]) if pairs else ():
        if getattr(node, "saved", None):
            node.saved = _put(node.saved, aliases)
    return result


def _alias(x: Tensor) -> Tensor:
    """Returns another tensor of the same memory and history."""
    other = alias_of(x)
    other._history = x._history
    return other


def _put(x: Any, aliases: Mapping[int, Tensor]) -> Any:
    """Returns results, or what a node saved, with aliases for tensors that are about to be others again."""
    if type(x) in (tuple, list):
        return type(x)(_put(part, aliases) for part in x)
    return aliases.get(id(x), x)


@contextmanager
def put_back(reached: Sequence[Any]) -> Iterator[None]:
    """Puts random generators, and the modules among some values, back into the state that they were in."""
    dicts = [d for module in modules(reached) for d in (vars(module), module._buffers, module._parameters)]
    were = [dict(d) for d in dicts]
    buffers = [(x._a, x._a.copy()) for module in modules(reached) for x in module._buffers.values() if x is not None]
    ours = [(x.set_state, x.get_state()) for x in reached if isinstance(x, Generator)]
    theirs = [(partial(setattr, x.bit_generator, "state"), x.bit_generator.state)
              for x in reached if isinstance(x, np.random.Generator)]  # fmt: skip
    theirs += [(x.set_state, x.get_state()) for x in reached if kind_of(x) == "torch.Generator"]
    python = [(x.setstate, x.getstate()) for x in reached if isinstance(x, random.Random)]
    if any(isinstance(x, ModuleType) or callable(x) for x in reached):  # by which those of all are used
        python += [(random.setstate, random.getstate()), (np.random.set_state, np.random.get_state())]
    try:
        with fork_rng():
            yield
    finally:
        for put, state in (*ours, *theirs, *python):
            put(state)
        for d, was in zip(dicts, were):
            d.clear()
            d.update(was)
        for array, kept in buffers:  # which a running mean is written into
            if not np.array_equal(array, kept, equal_nan=array.dtype.kind == "f"):
                array[...] = kept


def modules(values: Iterable[Any], deep: int = DEEP) -> list[Any]:
    """The modules among some values, in their lists and dicts, and in the attributes of objects."""
    parts: list[Any] = []
    for x in values:
        if isinstance(x, Module):
            parts += [module for module in x.modules() if not any(module is other for other in parts)]
        elif deep and isinstance(x, list | tuple | dict) and len(x) <= CELLS:
            parts += modules(x.values() if isinstance(x, dict) else x, deep - 1)
        elif deep and type(getattr(x, "__dict__", None)) is dict and not isinstance(x, FunctionType | ModuleType):
            parts += modules([*vars(x).values()], deep - 1)
    return parts


def reached(call: Callable) -> list[Any]:
    """The values that a call's function and its arguments lead to: modules, generators."""
    f, operands, attributes = call.args[:3] if isinstance(call, partial) else (call, (), {})
    return [*variables(f).values(), *operands, *attributes.values()]


def repeated(call: Callable, of: Callable | None = None) -> Callable:
    """An operation that draws the same random numbers in each run, changes no module, and prints in the first alone.

    `of` is the function that it calls, if that is another one.
    """
    values, printed = reached(of or call), False

    def again(*operands: Any) -> Any:
        nonlocal printed
        quiet = redirect_stdout(StringIO()) if printed else nullcontext()
        printed = True
        with put_back(values), quiet:
            return call(*operands)

    return again
