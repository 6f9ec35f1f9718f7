"""Twins: copies of a reader's values for a line to be run on, so that nothing of the reader's changes.

Tensors keep their shapes, strides and offsets, and those that shared a storage share one again. In a world of ours
PyTorch's and NumPy's values become rustyflow's; in a world of theirs each stays what it was.
"""

import builtins
import copy
import enum
import sys
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from functools import partial
from types import BuiltinFunctionType, CellType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

import numpy as np

from .. import nn, optim
from ..errors.foreign import is_torch, kind_of, sized, unreadable
from ..ops.creation import from_numpy
from ..ops.creation.foreign import read
from ..random import Generator
from ..show.source import storage_of
from ..tensor import Tensor
from .line import written
from .modules import twin_class, twin_module, twin_object
from .outside import ACTS, ALLOWED, Guard, NotCopied, Refused, TooMany, Twinned, harmless, refuse, root

OURS: Any = sys.modules["rustyflow"]

MOST = 10**7
"""The most numbers that are copied for a line."""

ARRAYS = np.ndarray, np.memmap, np.recarray
"""The arrays that compute as an array of NumPy's does: a matrix, or an array with a mask, does not."""

PLAIN = (type(None), bool, int, float, complex, str, bytes, slice, range, type(...), type(NotImplemented))


class Space(dict):
    """Names and their twins, each made when the name is first used."""

    def __init__(self, readers: Mapping[str, Any], twins: "Twins"):
        super().__init__(__builtins__=harmless(twins.imported), __written__=written, __name__="__main__")
        self.readers, self.twins = readers, twins

    def __missing__(self, name: str) -> Any:
        if name not in self.readers:
            raise KeyError(name)
        self[name] = self.twins.of(self.readers[name], name)
        return self[name]


class Twins:
    """Makes twins, each value's once.

    Attributes:
        ours: whether PyTorch's and NumPy's values become rustyflow's.
        foreign, arrays: whether any value was PyTorch's, or an array of NumPy's.
        tensors: each twin of a tensor, by the identity of the reader's.
        room: how many numbers may still be copied.
    """

    def __init__(self, ours: bool, most: int = MOST):
        self.ours, self.foreign, self.arrays, self.room = ours, False, False, most
        self.met: dict[Any, tuple[Any, Any]] = {}
        self.tensors: dict[int, Any] = {}
        self.spaces: dict[int, Space] = {}

    def of(self, value: Any, name: str = "") -> Any:
        """Returns the twin of a value; `name` is what the reader calls it.

        Raises:
            NotCopied: no copy can be made of it.
        """
        if isinstance(value, PLAIN):
            return value
        if id(value) not in self.met:
            self.met[id(value)] = value, self._made(value, name)
        return self.met[id(value)][1]

    def known(self, value: Any, twin: Any) -> Any:
        """Keeps a twin that is still being made, so that what it holds may refer to it."""
        self.met[id(value)] = value, twin
        return twin

    def _made(self, value: Any, name: str) -> Any:
        if isinstance(value, ModuleType):
            return self._module(value)
        if isinstance(value, Tensor) or is_torch(value):
            self.foreign |= is_torch(value)
            self.tensors[id(value)] = twin = self._tensor(value, name)
            return twin
        if isinstance(value, np.ndarray):
            self.arrays = True
            self.tensors[id(value)] = twin = self._array(value, name)
            return twin
        for kinds, make in CONTAINERS:
            if type(value) in kinds:
                return make(self, value)
        if isinstance(value, weakref.ref):
            return value if value() is None else weakref.ref(self.of(value()))
        if (code := self._code(value, name)) is not None:
            return code
        if isinstance(value, partial):
            return partial(self.of(value.func), *map(self.of, value.args), **self._dict(value.keywords))
        if isinstance(value, GeneratorType) or hasattr(value, "__next__") and not hasattr(value, "__reduce__"):
            self._lost(value, name, "what it gives next it gives once")
        if isinstance(value, enum.Enum) or isinstance(value, type) and issubclass(value, enum.Enum):
            return value
        if isinstance(value, type) and _is_readers(value):
            return twin_class(self, value)
        if not isinstance(value, type) and hasattr(value, "state_dict") and hasattr(value, "forward"):
            self.foreign |= not isinstance(value, nn.Module)
            return twin_module(self, value, name)
        if "torch" in (root(value), root(type(value))) or "numpy" in (root(value), root(type(value))):
            return self._of_library(value, name)
        if not isinstance(value, type) and _is_readers(type(value)):
            return twin_object(self, value)
        if hasattr(value, "__next__"):
            return self._iterator(value, name)
        return self._generator(value) if isinstance(value, Generator) else self._other(value, name)

    def _other(self, value: Any, name: str) -> Any:
        """A value of another library: what computes is handed out, what holds numbers is copied, the rest refused."""
        if isinstance(value, type) or callable(value) and hasattr(value, "__name__"):
            called = value.__name__
            if root(value) in ALLOWED and not ACTS.fullmatch(called):
                return value
            return refuse(name or called) if name else Refused(called)
        if root(type(value)) == "rustyflow" and hasattr(value, "__dict__"):
            return twin_object(self, value)
        try:
            if root(type(value)) in ALLOWED:
                return copy.deepcopy(value)
        except Exception:  # what refuses to be copied
            pass
        if not name:
            return Refused(f"a {kind_of(value)}")
        return self._lost(value, name, "what is done with it may act outside of the tensors")

    # -- tensors -----------------------------------------------------------------------------------------------------

    def _take(self, numbers: int, name: str) -> None:
        self.room -= numbers
        if self.room < 0:
            was = f"{name or 'a tensor'} has {numbers:,} numbers"
            raise TooMany(was, f"a line is run again on copies, of up to {MOST:,} numbers", "a small part of it")

    def _tensor(self, x: Any, name: str) -> Any:
        self._take(x.numel(), name)
        if is_torch(x) and (lost := unreadable(x)) is not None:
            raise NotCopied(f"{name or 'a tensor'}, a {sized(x)}", *lost)
        if storage_of(x) is None and x.numel():
            self._lost(x, name, "it has no storage that can be read")
        if self.ours or isinstance(x, Tensor):
            twin = self._flat(x, name).as_strided(tuple(x.shape), tuple(x.stride()), x.storage_offset())
        else:
            twin = self._torch_copy(x, name)
        return self._asking(x, twin)

    def _flat(self, x: Any, name: str) -> Tensor:
        """The storage of a tensor as a line of ours; a twin of it is made once."""
        storage = x.untyped_storage()
        key = storage.data_ptr() or id(x), storage.nbytes(), str(x.dtype)
        if key not in self.met:
            size = storage.nbytes() // max(x.element_size(), 1)
            self._take(size, name)
            line = x.detach().as_strided((size,), (1,), 0)
            numbers = line.numpy() if isinstance(x, Tensor) else read(line)
            self.met[key] = storage, from_numpy(np.array(numbers))
        return self.met[key][1]

    def _torch_copy(self, x: Any, name: str) -> Any:
        torch, storage = sys.modules["torch"], x.untyped_storage()
        key = "torch", storage.data_ptr() or id(x), storage.nbytes()
        if key not in self.met:
            self._take(storage.nbytes() // max(x.element_size(), 1), name)
            self.met[key] = storage, storage.clone()
        with torch.no_grad():
            empty = torch.empty(0, dtype=x.dtype, device=x.device)
            return empty.set_(self.met[key][1], x.storage_offset(), tuple(x.shape), x.stride())

    def _asking(self, x: Any, twin: Any) -> Any:
        """A twin that asks for a gradient where the tensor does; parameters stay parameters."""
        if hasattr(x, "retain_grad") and type(x).__name__ == "Parameter":
            kind = nn.Parameter if isinstance(twin, Tensor) else type(x)
            return kind(twin.detach(), requires_grad=x.requires_grad)
        return twin.detach().requires_grad_() if x.requires_grad else twin

    def _array(self, x: np.ndarray, name: str) -> Any:
        if type(x) not in ARRAYS:
            was, kept = f"{name or 'an array'} is a {kind_of(x)}", name or "x"
            write = f"{kept}.filled(0)" if isinstance(x, np.ma.MaskedArray) else f"np.asarray({kept})"
            raise NotCopied(was, "its class may compute otherwise than NumPy's arrays do", f"{write} in its place")
        if x.dtype.kind not in "biufc":
            return x if not self.ours else from_numpy(x)
        root = x
        while isinstance(root.base, np.ndarray):
            root = root.base
        new = id(root) not in self.met or root is x
        self._take(max(x.size, root.size * new), name)
        if new:
            self.met[id(root)] = root, root.copy(order="K")
        copy = self.met[id(root)][1]
        if copy.strides != root.strides:
            twin = x.copy()
        else:
            offset = x.__array_interface__["data"][0] - root.__array_interface__["data"][0]
            twin = np.ndarray(x.shape, x.dtype, _memory(copy), offset, x.strides) if offset >= 0 else x.copy()
        return from_numpy(twin if min(twin.strides, default=0) >= 0 else twin.copy()) if self.ours else twin

    # -- what holds values -------------------------------------------------------------------------------------------

    def _list(self, value: list) -> list:
        twin = self.known(value, [])
        twin += map(self.of, value)
        return twin

    def _dict(self, value: Mapping) -> dict:
        twin = self.known(value, {})
        twin.update((self.of(key), self.of(part)) for key, part in dict.items(value))
        return twin

    def _like(self, value: Any) -> Any:
        parts = [self.of(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)

    def _iterator(self, value: Any, name: str) -> Any:
        """A copy of an iterator, which goes on where it stands: over a twin of its rest."""
        try:
            how, (what, *more), *at = value.__reduce__()
        except (TypeError, ValueError):
            self._lost(value, name, "what it gives next it gives once")
        twin = how(self.of(what), *map(self.of, more))
        if at and at[0] is not None:
            twin.__setstate__(at[0])
        return twin

    def _lost(self, value: Any, name: str, why: str) -> None:
        was = f"{name or 'a value'} is a {kind_of(value)}"
        raise NotCopied(was, f"no copy can be made of it: {why}", "the line with a tensor in its place")

    # -- code --------------------------------------------------------------------------------------------------------

    def space(self, readers: Mapping[str, Any]) -> Space:
        """The space of a reader's names, one for each dict of them."""
        return self.spaces.setdefault(id(readers), Space(readers, self))

    def _code(self, value: Any, name: str) -> Any:
        """The twin of a function of a reader's, or of a method of any value; None of what is neither."""
        if isinstance(value, FunctionType) and not is_library(value.__globals__):
            return self._function(value)
        holder = getattr(value, "__self__", None)
        if isinstance(value, MethodType | BuiltinFunctionType) and not isinstance(holder, ModuleType | None):
            return getattr(self.of(holder, name), value.__name__)
        if isinstance(inside := getattr(value, "__wrapped__", None), FunctionType) and not is_library(
                inside.__globals__):  # a cache of results, which is not asked and not filled
            return self._function(inside)
        return None

    def imported(self, name: str, *args: Any) -> Any:
        """A module that a reader's function imports when it runs."""
        if name.partition(".")[0] not in ALLOWED and name not in sys.modules:
            refuse(f"import {name}")
        return self.of(builtins.__import__(name, *args))

    def _function(self, f: FunctionType) -> FunctionType:
        if isinstance(f.__globals__, Space):
            return f
        if acts := {"tofile", "dump"} & {*f.__code__.co_names}:
            refuse(f"{f.__name__}, which calls {min(acts)},")
        cells = tuple(CellType() for _ in f.__closure__ or ())
        names = self.space(f.__globals__)
        twin = self.known(f, FunctionType(f.__code__, names, f.__name__, None, cells or None))
        twin.__defaults__, twin.__kwdefaults__ = self.of(f.__defaults__), self.of(f.__kwdefaults__)
        for cell, of in zip(cells, f.__closure__ or ()):
            if of != CellType():
                cell.cell_contents = self.of(of.cell_contents)
        return twin

    # -- libraries ---------------------------------------------------------------------------------------------------

    def _module(self, module: ModuleType) -> Any:
        if isinstance(module, Twinned):
            return module
        module = vars(module).get("__guarded__", module)
        home, _, rest = module.__name__.partition(".")
        self.foreign |= home == "torch"
        if not is_library(vars(module)):
            return Twinned(module, self.space(vars(module)))
        if not self.ours or home not in ("torch", "numpy"):
            return Guard(module, self.of)
        ours: Any = OURS
        for step in filter(None, rest.split(".")):
            ours = getattr(ours, step)
        return Guard(ours, self.of)

    def _of_library(self, value: Any, name: str) -> Any:
        """A dtype, a function, a class, a number or a generator of PyTorch's or NumPy's."""
        kind, called = type(value).__name__, getattr(value, "__name__", "")
        self.foreign |= "torch" in (type(value).__module__.partition(".")[0], getattr(value, "__module__", ""))
        if kind == "Generator" and hasattr(value, "get_state"):
            return self._generator(value)
        if called and ACTS.fullmatch(called):
            return refuse(name or called) if name else Refused(called)
        if kind in ("Generator", "RandomState") or root(type(value)) == "numpy" and hasattr(value, "random_raw"):
            return copy.deepcopy(value) if not self.ours else self._lost(value, name, "rustyflow draws other numbers")
        if not called and hasattr(value, "__dict__") and not isinstance(value, type | np.generic | np.dtype):
            return twin_object(self, value)
        if hasattr(value, "n_sequence_fields"):  # several results under names, as those of max
            return self._like(value) if self.ours else type(value)(map(self.of, value))
        if not self.ours:
            return value
        if isinstance(value, np.generic):
            return value.item()
        if kind == "Size":
            return OURS.Size(value)
        if kind in ("dtype", "device", "memory_format", "layout"):
            called = str(value).rpartition(".")[2]
            return OURS.device("cpu") if kind == "device" else getattr(OURS, called)
        if called == "Tensor":
            return Tensor
        places: tuple[Any, ...] = (OURS, nn.functional, nn, OURS.linalg, optim)
        if (library := sys.modules.get(getattr(value, "__module__", "") or "")) and called:
            with_path = library.__name__.partition(".")[2].split(".")
            places = (_place(with_path), *places)
        ours = next((getattr(place, called) for place in places if called and _has(place, called)), None)
        if ours is None:
            self._lost(value, name or called, "rustyflow has nothing of that name")
        return ours

    def _generator(self, value: Any) -> Any:
        twin = Generator() if self.ours else type(value)()
        state = value.get_state()
        twin.set_state(OURS.tensor(state.numpy()) if self.ours and is_torch(state) else state)
        return twin


CONTAINERS: tuple[tuple[tuple[type, ...], Callable[[Twins, Any], Any]], ...] = (
    ((list,), Twins._list), ((dict, OrderedDict), Twins._dict), ((tuple, set, frozenset), Twins._like),
    ((deque,), lambda twins, value: deque(map(twins.of, value), value.maxlen)),
    ((defaultdict,), lambda twins, value: defaultdict(twins.of(value.default_factory), twins._dict(value))),
)
"""How what holds values is copied."""


def _memory(copy: np.ndarray) -> Any:
    """The bytes of an array, in the order in which they lie."""
    return np.lib.stride_tricks.as_strided(copy, (copy.size,), (copy.itemsize,)).view(np.uint8).data


def _place(path: list[str]) -> Any:
    """Our module at a path, or nothing."""
    ours: Any = OURS
    for step in path:
        ours = getattr(ours, step, None) if _has(ours, step) else None
    return ours


def _has(place: Any, name: str) -> bool:
    try:
        return hasattr(place, name)
    except NotImplementedError:  # a name that we leave out, which says why
        return False


def is_library(names: Mapping[str, Any]) -> bool:
    """True if names are those of a module that was installed, not of a reader's."""
    file = str(names.get("__file__") or "")
    return "site-packages" in file or str(names.get("__name__")).partition(".")[0] in HOME


HOME = {"rustyflow", "torch", "numpy", *sys.stdlib_module_names} - {"__main__"}
"""Libraries whose code is never a reader's own."""


def _is_readers(kind: type) -> bool:
    """True for a class that a reader has written."""
    module = sys.modules.get(kind.__module__)
    return kind.__module__ == "__main__" or not (module is None or module is builtins or is_library(vars(module)))


