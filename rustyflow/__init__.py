"""rustyflow: tensors and gradients you can see. PyTorch's API on NumPy, honest down to storage, stride and offset.

Importing it loads tensors and their creation; the ops come with the first one used, and `rustyflow.show`, `.ir`,
`.nn`, `.lessons` when they are first named.
"""
import sys as _sys
from importlib import import_module as _import_module
from math import e, inf, nan, pi
from os.path import exists as _exists

# before ours: after them, a full pass of the garbage collector falls into its import and takes 25 ms
import numpy

from . import errors as _errors
from .arguments.explain import explaining_once as _taught
from .dispatch.registry import PUBLIC as _PUBLIC
from .ops import creation as _creation
from .tensor import table as _table
from .tensor.table import fill as _fill

__version__ = "0.1.0"


_loading: list[None] = []


def _load():
    _loading.append(None)
    try:
        for room in ("autograd", "random", "ops.families"):
            _import_module(f".{room}", __name__)
    finally:
        _loading.pop()
    if not _loading:  # or it was called from within, or a thread waits for another's
        _table.load = lambda: None


# slots of rooms below, for what only those above know
_table.load = _load
_errors.explain = lambda owner, name, names: _import_module(".absent", __name__).explain(owner, name, names)
newaxis = None
globals().update(_PUBLIC)
_HERE = {
    "dtype": "bool can_cast double dtype finfo float float16 float32 float64 get_default_dtype half iinfo int int8 "
             "int16 int32 int64 long promote_types set_default_dtype short uint8",
    "tensor.gradmode": "enable_grad inference_mode is_grad_enabled is_inference_mode_enabled no_grad set_grad_enabled",
    "tensor.device": "device get_default_device get_float32_matmul_precision set_default_device "
                     "set_float32_matmul_precision",
    "tensor.memory_format": "contiguous_format memory_format preserve_format",
    "tensor.size": "Size", "tensor.storage": "UntypedStorage",
    "tensor.typed_storage": "TypedStorage", "arguments.numbers": "result_type",
}
for _module, _names in _HERE.items():
    _found = vars(_import_module(f".{_module}", __name__))
    globals().update({_name: _found[_name] for _name in _names.split()})
for _name in ("can_cast", "get_default_device", "get_float32_matmul_precision", "promote_types", "result_type",
              "set_default_device", "set_default_dtype", "set_float32_matmul_precision"):
    globals()[_name] = _taught(globals()[_name])

_MODULES = ("show", "ir", "lessons", "nn", "optim", "utils", "scene", "linalg", "autograd", "random", "backends",
            "cuda", "errors", "widgets", "see", "accelerator", "distributions")
_PLACES = {"accelerator": "backends.accelerator"}
"""Modules that lie elsewhere than their names say."""
_EXTENSION = "load_ipython_extension", "unload_ipython_extension"
"""What IPython asks for at `%load_ext rustyflow`."""
_ELSEWHERE = {"save": "tensor.serialization", "load": "tensor.serialization", "set_printoptions": "tensor.printing",
              "is_anomaly_enabled": "autograd.anomaly"}


def _host(run, key):
    return _import_module(".widgets", __name__).Training(run, _key=key)


def __getattr__(name):
    if name in _MODULES:
        module = _import_module(f".{name}", __name__)
        if name == "show":  # a slot, too: a widget, for a run that a notebook shows
            _import_module(".show.training.live", __name__).hosts[:] = [_host]
        return module
    if name in _EXTENSION:
        return getattr(_import_module(".see", __name__), name)
    if name in _ELSEWHERE:
        if _ELSEWHERE[name] == "tensor.serialization":
            _import_module(".nn", __name__)  # which tells the files of Parameters
        return _taught(getattr(_import_module(f".{_ELSEWHERE[name]}", __name__), name))
    if name == "__all__":  # what `import *` asks for: as in PyTorch no modules
        return [name for name in __dir__() if not name.startswith("_") and name not in _MODULES]
    if not name.startswith("__"):
        _fill()
        from .tensor import Tensor
        globals().update(_PUBLIC, Tensor=Tensor)
        if name in globals():
            return globals()[name]
        _errors.missing("rustyflow", name, __dir__())
    raise AttributeError(f"module 'rustyflow' has no attribute {name!r}")


class _Finder:
    """Asked first for every module, and answers for ours under another name and for PyTorch's that are not here.

    Those of ours lie elsewhere, or a program calls them by another name; the others say why they are not here where
    they are used.
    """

    @staticmethod
    def find_spec(name, path=None, target=None):
        root, _, rest = name.partition(".")
        ours = _sys.modules.get(__name__)
        if not rest or ours is None or _sys.modules.get(root) is not ours:
            return None
        if root != __name__:  # sys.modules["torch"] = rustyflow: the modules themselves, not a second copy of each
            return _import_module(".absent.modules", __name__).same(name, _import_module(f"{__name__}.{rest}"))
        if rest in _PLACES:
            there = _import_module(f".{_PLACES[rest]}", __name__)
            return _import_module(".absent.modules", __name__).same(name, there)
        place = f"{__path__[0]}/{rest.replace('.', '/')}"
        if _exists(place) or _exists(f"{place}.py"):
            return None
        return _import_module(".absent", __name__).module_spec(name)


_sys.meta_path.insert(0, _Finder)


def __dir__():
    _fill()
    here = {name for name, value in globals().items() if not isinstance(value, type(numpy))}
    return sorted({*here, *_PUBLIC, *_MODULES, *_ELSEWHERE, "Tensor"})
