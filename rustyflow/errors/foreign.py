"""Another library's tensors, dtypes, generators and devices by name, and the ways of their numbers here.

No other library is imported for it: what is given brings its own along, and is known by the module of its class.
"""
from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

_HOME = frozenset(("builtins", "numpy", "rustyflow", "__main__", *sys.stdlib_module_names))


def kind_of(value: Any) -> str:
    """The type of a value as a message names it: another library's with its module.

    For its name may be one of ours.

    Example:
        >>> import numpy as np
        >>> kind_of(2), kind_of(np.True_), kind_of(np.random.default_rng(0))
        ('int', 'numpy.bool', 'numpy.random.Generator')
    """
    kind = type(value)
    if is_torch(value) and _library(kind) != "torch":
        return f"{kind.__name__} (a torch.Tensor)"
    return kind.__name__ if _library(kind) in _HOME - {"numpy"} else _public(kind)


def _library(cls: type) -> str:
    return str(cls.__module__).partition(".")[0]


def _public(cls: type) -> str:
    """The shortest name under which the library's user finds a class: torch.Generator, not torch._C.Generator."""
    root, *rest = str(cls.__module__).split(".")
    path = root
    for part in (*rest, "_"):
        if vars(sys.modules.get(path, sys)).get(cls.__name__) is cls:
            return f"{path}.{cls.__name__}"
        if part.startswith("_"):
            break
        path += f".{part}"
    return f"{root}.{cls.__name__}"


def role_of(value: Any) -> str:
    """The role of another library's value, not NumPy's: "tensor", "dtype", "generator", "device"; empty for all else.

    Example:
        >>> import numpy as np
        >>> Stranger = type("Stranger", (), {"__module__": "elsewhere.core", "shape": (2,), "dtype": "f4"})
        >>> role_of(Stranger()), kind_of(Stranger()), role_of(np.zeros(2)), role_of(2)
        ('tensor', 'elsewhere.Stranger', '', '')
    """
    kind: Any = type(value)
    name = _strange(kind)
    if name in ("", "dtype", "generator", "device", "tensor"):
        return name
    if isinstance(value, type):  # as jax.numpy.float32 is
        return "dtype" if hasattr(value, "dtype") else ""
    return "tensor" if hasattr(value, "shape") and hasattr(value, "dtype") else ""


@cache
def _strange(kind: type) -> str:
    """The name, in small letters, of the first class of another library that a class is made from."""
    return next((cls.__name__.lower() for cls in kind.__mro__ if _library(cls) not in _HOME), "")


def stranger(given: Any, deep: int = 2) -> Any:
    """The first value of another library that was given, alone or in a row; None where there is none.

    Example:
        >>> stranger(2), stranger((1, [2, 3]))
        (None, None)
    """
    if deep and isinstance(given, (list, tuple)):
        return next((found for part in given[:64] if (found := stranger(part, deep - 1)) is not None), None)
    return given if role_of(given) else None


def sized(x: Any) -> str:
    """Another library's tensor as a message shows it: by its type, and its shape where it tells one."""
    try:
        return f"{kind_of(x)}{tuple(x.shape)}"
    except Exception:
        return kind_of(x)


def is_torch(value: Any) -> bool:
    """True if a value is a PyTorch tensor, or of a class made from it."""
    return any(cls.__name__ == "Tensor" and _library(cls) == "torch" for cls in type(value).__mro__)


def way_across(value: Any) -> str:
    """The fix for a value of another library, so that it is one of ours.

    Empty for what is not `role_of` any.

    Example:
        >>> way_across(type("Generator", (), {"__module__": "elsewhere"})())
        'rustyflow.Generator().manual_seed(0)'
    """
    role = role_of(value)
    if role == "tensor":
        return _tensor_across(value)
    if role == "dtype":
        name = getattr(value, "name", None) or getattr(value, "__name__", None) or str(value).rpartition(".")[2]
        ours = type(vars(sys.modules["rustyflow"]).get(name)).__name__ == "dtype"
        return f"rustyflow.{name}" if ours else f"another dtype, such as rustyflow.float32: rustyflow has no {name}"
    if role == "generator":
        if hasattr(value, "initial_seed"):
            return "rustyflow.Generator().manual_seed(g.initial_seed()), which draws the same numbers from the start"
        return "rustyflow.Generator().manual_seed(0)"
    return "leave device out, or device='cpu'" if role == "device" else ""


def _tensor_across(x: Any) -> str:
    """The expression that makes our tensor of another library's, which it calls p."""
    if is_torch(x):
        if (lost := without_dtype(x) or unreadable(x)) is not None:
            return lost[1]
        needed = needs(x)
        calls = "".join(f".{step}()" for step in needed)
        if not needed:
            ways = "rustyflow.from_numpy(p.numpy()), or rustyflow.from_dlpack(p): both share p's memory"
        elif needed == ["detach"]:
            ways = "rustyflow.from_numpy(p.detach().numpy()): it shares p's memory, without its history"
        else:
            ways = f"rustyflow.from_numpy(p{calls}.numpy())"
        return ways + "; p.item() for its number" * (_ask(x, "ndim", 1) == 0)
    if hasattr(x, "get") and hasattr(x, "__cuda_array_interface__"):
        return "rustyflow.from_numpy(p.get()), a copy in this machine's memory"
    found = next((how for how in ("numpy", "toarray") if hasattr(x, how)), None)
    if found is not None:
        return f"rustyflow.from_numpy(p.{found}())"
    return "rustyflow.from_dlpack(p)" if hasattr(x, "__dlpack__") else "rustyflow.tensor(p), which copies it"


def _ask(x: Any, name: str, default: Any = False) -> Any:
    """An attribute of a foreign tensor, or what its method of that name returns; else the default."""
    try:
        found = getattr(x, name)
        return found() if callable(found) else found
    except Exception:
        return default


def _dtype(x: Any) -> str:
    return str(_ask(x, "dtype", "")).rpartition(".")[2]


STEPS: dict[str, Callable[[Any], bool]] = {
    "detach": lambda x: _ask(x, "requires_grad"),
    "to_dense": lambda x: str(_ask(x, "layout", "torch.strided")) != "torch.strided",
    "dequantize": lambda x: _ask(x, "is_quantized"),
    "cpu": lambda x: getattr(_ask(x, "device", None), "type", "cpu") != "cpu",
    "resolve_conj": lambda x: _ask(x, "is_conj"),
    "resolve_neg": lambda x: _ask(x, "is_neg"),
    "float": lambda x: _dtype(x).startswith(("bfloat", "float8")),
}
"""What PyTorch has to do before NumPy can read a tensor, and when. float32 holds every bfloat16 and float8 exactly."""


def needs(x: Any) -> list[str]:
    """The methods, in order, that make of a PyTorch tensor one that NumPy can read."""
    return [step for step, needed in STEPS.items() if needed(x)]


def unreadable(x: Any) -> tuple[str, str] | None:
    """Why nothing can be read of a PyTorch tensor, and what to write instead; None where something can."""
    if _ask(x, "is_nested"):
        return ("a nested tensor has rows of different lengths, and no shape that strides could walk",
                "[rustyflow.tensor(row) for row in p.unbind()], one tensor a row")
    if _ask(x, "is_meta"):
        return ("a tensor on the meta device has a shape and no numbers",
                "make it on the CPU: torch.empty_like(p, device='cpu'), or rustyflow.empty(p.shape)")
    if not {*needs(x)} - {"detach"}:  # nothing is copied
        try:
            numbers_of(x)
        except Exception as error:
            return cannot_read(x, error)
    return None


def numbers_of(x: Any) -> Any:
    """NumPy's array of a PyTorch tensor, after the steps that it needs; raises what PyTorch does."""
    for step in needs(x):
        x = getattr(x, step)()
    return x.numpy()


def cannot_read(x: Any, error: Exception) -> tuple[str, str]:
    """The rule and what to write for a tensor that its own library gives no array of."""
    said = next(iter(str(error).splitlines()), type(error).__name__)
    fix = "" if is_torch(x) else way_across(x)
    return (f"NumPy cannot read a {kind_of(x)} of {_ask(x, 'dtype', 'no dtype')}: {said:.200}",
            fix or "rustyflow.tensor(numbers), of its numbers in a plain tensor or in a list")


def without_dtype(x: Any) -> tuple[str, str] | None:
    """As `unreadable`, for numbers that NumPy can read and rustyflow has no dtype for."""
    name = _dtype(x)
    if name.startswith("complex"):
        return "rustyflow has no complex dtypes", "two tensors: rustyflow.tensor(p.real) and rustyflow.tensor(p.imag)"
    if name in ("uint16", "uint32", "uint64"):
        return f"rustyflow has no {name}", "rustyflow.from_numpy(p.long().numpy())"
    return None
