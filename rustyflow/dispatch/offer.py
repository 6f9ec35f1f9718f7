"""The memory of `out=`, offered to the ops that a function calls.

While the function runs, its `Offer` is a watcher, so other calls pay nothing; the first op whose result fits in `out`
writes it there, if it can. How it writes depends on the op: some cells at a time (`elementwise`), some lines at a time
(`lines`), or by its own `to` or `into`.
"""
from __future__ import annotations

from _thread import get_ident
from collections.abc import Callable
from functools import partial
from typing import Any

from ..backends import backend
from ..backends.numpy.runs import RUN
from ..dtype import OF_NUMPY, can_cast
from ..layout import axis_order, broadcast_shapes
from ..tensor import Tensor, alias_of, storage_of, wrap
from .operation import Op, watchers
from .out_forms import FILLED
from .promotion import promoted
from .write_check import cell_on_cell, check_write, of_one_storage

OPERATORS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "div": "true_divide", "neg": "negative", "eq": "equal",
    "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
    **{name: name for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not")},
}
"""NumPy's name for each op whose forward is a single operator."""


class Offer:
    """What `name(out=outs)` offers, within a `with`.

    Attributes:
        open: whether no op has taken the offer.
        begun: whether writing to `outs` has begun; it counts as one write.
    """

    def __init__(self, name: str, outs: tuple):
        self.name, self.outs, self.open, self.begun, self.thread = name, outs, True, False, get_ident()

    def __enter__(self):
        watchers.append(self)
        return self

    def __exit__(self, *exc):
        watchers.remove(self)

    def __call__(self, *said):
        """Do nothing: being among the watchers is enough to be found by `offered`."""

    def begin(self) -> None:
        """Count the write before it happens, so that backward also notices one that was interrupted half way.

        Raises:
            GradError, MemoryOverlapError, ReadOnlyError (all RuntimeErrors): as `check_write`.
        """
        for out in self.outs:
            check_write(out, f"{self.name}(out=...)", alike=self.name in FILLED)
        storages = [storage_of(out) for out in self.outs]
        self.before = [(storage, storage.record) for storage in storages]
        for storage in storages:
            storage.wrote(self.name)
        self.open, self.begun = False, True

    def take_back(self) -> bool:
        """Undo `begin`, because nothing was written after all."""
        for storage, record in self.before:
            storage.record = record
        self.open, self.begun = True, False
        return False

    def take(self, apply: Callable, it: Op, operands: tuple, attrs: dict) -> Any:
        """Run an op into `outs` and return its results, which alias them; None if it cannot."""
        self.open = False
        if it.elementwise:
            done = self.cells(partial(apply, it), operands, attrs, it, False)
        else:
            arrays = promoted(it, operands)
            done = self._lines(it, arrays, attrs) if it.lines else self._direct(it, arrays, attrs)
        self.open = not done
        if not done:
            return None
        return tuple([alias_of(out) for out in self.outs]) if len(it.results) > 1 else alias_of(self.outs[0])

    def cells(self, run: Callable, operands: tuple, attrs: dict, it: Op | None = None, last: bool = True) -> bool:
        """Write what an elementwise run(*operands, **attrs) gives to `out`, a run of cells at a time.

        Returns False, and writes nothing, where the result has another shape or dtype (a castable dtype will do if this
        is the `last` step), where `out` overlaps an operand other than cell on cell, or where all operands have another
        order of axes than `out`, which would take longer.
        """
        out, *others = self.outs
        values = *operands, *attrs.values()
        given = [x for x in values if isinstance(x, Tensor)]
        across = [_order(x) != _order(out) for x in given if x._a.shape == out._a.shape]
        if others or across and all(across) or not all([_apart(out, x) for x in given]):
            return False

        def of(arrays):
            rest = iter(arrays)
            put = [wrap(next(rest)) if isinstance(x, Tensor) else x for x in values]
            return put[:len(operands)], dict(zip(attrs, put[len(operands):]))

        def over(F, *arrays):
            operands, attrs = of(arrays)
            return run(*operands, **attrs)._a

        one = [_cell(x._a) for x in given]
        try:
            if broadcast_shapes(*[x._a.shape for x in given]) != out._a.shape:
                return False
            d = over(backend, *one).dtype
        except (TypeError, ValueError, ArithmeticError, RuntimeError):
            return False  # the op on all cells raises this again, with their shapes
        if not (can_cast(OF_NUMPY[d], out.dtype) if last else d is out._a.dtype):
            return False
        self.begin()
        if it is not None and not attrs and (ufunc := _ufunc(it, tuple(of(one)[0]))) is not None:
            backend.quiet().run(ufunc, *promoted(it, operands), out=out._a)
        else:
            backend.quiet().run(backend.into, out._a, over, backend, *[x._a for x in given])
        return True

    def _lines(self, it: Op, arrays: list, attrs: dict) -> bool:
        """Write the results of an op that treats each line along `dim` separately, some lines at a time."""
        x, dim = arrays[0], attrs["dim"]
        along = range(x.ndim) if dim is None else [d % x.ndim for d in (dim if isinstance(dim, tuple) else (dim,))]
        kept = [d for d in range(x.ndim) if d not in along]
        outs = [out._a for out in self.outs]
        if not kept or not x.size or len(outs) != len(it.results):
            return False
        d = max(kept, key=lambda d: (x.shape[d] - 1) * abs(x.strides[d]))  # parts are then near in memory
        e = d if outs[0].ndim == x.ndim else kept.index(d)
        # more where they leave fewer cells, and no places
        run = 2 * RUN if len(outs) == 1 and outs[0].size < x.size else RUN
        step = max(run * x.shape[d] // x.size, 1)
        for k in range(0, x.shape[d], step):
            part = (*(slice(None),) * d, slice(k, k + step))
            made = backend.quiet().run(it.forward, backend, x[part], **attrs)
            made = made if isinstance(made, tuple) else (made,)
            if not k:
                for r, out in zip(made, self.outs):
                    if (*r.shape[:e], x.shape[d], *r.shape[e + 1:]) != out._a.shape or r.dtype != out._a.dtype:
                        return False
                self.begin()
            for r, out in zip(made, outs):
                backend.quiet().run(backend.write, out[(*(slice(None),) * e, slice(k, k + step))], r)
        return True

    def _direct(self, it: Op, arrays: list, attrs: dict) -> bool:
        """Let the op write into `out`: by its `to`, or by its `into` over a copy of its operand."""
        out, *others = [out._a for out in self.outs]
        if others or out.dtype != (attrs.get("dtype") or arrays[0].dtype):
            return False
        if it.to is not None and backend.Ufunc:
            self.begin()
            try:
                return backend.quiet().run(it.to, backend, out, *arrays, **attrs) is out or self.take_back()
            except (TypeError, ValueError):
                return self.take_back()  # forward raises it again
        if it.into is None or len(arrays) > 1 or arrays[0].shape != out.shape:
            return False
        return self._over(arrays[0], lambda a: it.into(backend, a, **attrs))

    def copy(self, x: Tensor, shape: tuple, write: Callable) -> Tensor | None:
        """Copy x, broadcast to `shape`, into `out`, and let `write` change it there; None where `out` does not fit."""
        out, *others = self.outs
        if others or out._a.shape != shape or out.dtype is not x.dtype:
            return None
        self._over(x._a, write)
        return alias_of(out)

    def _over(self, x: Any, write: Callable) -> bool:
        self.begin()
        out = self.outs[0]._a
        backend.write(out, x)
        backend.quiet().run(write, out)
        return True


def offered() -> Offer | None:
    """The offer of this thread that nobody has taken."""
    for watcher in watchers:
        if watcher.__class__ is Offer and watcher.open and watcher.thread == get_ident():
            return watcher
    return None


def room(shape: tuple, dtype: Any) -> Any:
    """The array on offer, if it is of that shape and NumPy dtype, else None."""
    offer = offered() if watchers else None
    if offer is None or len(offer.outs) > 1 or not backend.Ufunc:
        return None
    out = offer.outs[0]._a
    if out.shape != tuple(shape) or out.dtype != dtype:
        return None
    offer.begin()
    return out


def _cell(a: Any) -> Any:
    """The first cell of an array, or 0 for whole numbers: a division by 0 then fails before anything is written."""
    cell = a[(slice(1),) * a.ndim]
    return backend.zeros_like(cell) if a.dtype.kind in "iu" else cell


def _ufunc(it: Op, operands: tuple) -> Any:
    """The ufunc that alone makes an op's forward, if all operands have one dtype already; else None."""
    name = it.name if it.plain else OPERATORS.get(it.name)
    ufunc = getattr(backend, name, None) if name is not None and len(operands) == len(it.operands) else None
    if not isinstance(ufunc, backend.Ufunc):
        return None
    arrays = [*promoted(it, operands), *[x._a for x in operands if isinstance(x, Tensor)]]
    return ufunc if len({a.dtype for a in arrays}) == 1 else None


def _apart(out: Tensor, x: Tensor) -> bool:
    """Whether no cell of x is overwritten before it is read: x lies elsewhere, or cell on cell."""
    return (x is out or not backend.may_share(out._a, x._a)
            or of_one_storage(out, x) and x.dtype is out.dtype and cell_on_cell(out, x))


def _order(x: Tensor) -> tuple:
    return axis_order(x._a.shape, backend.stride(x._a))
