"""The fit of a state dict to a model: words where it does not, and the way back."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from ...errors import StateError
from ...tensor import Tensor
from ...tensor.gradmode import no_grad
from ..parameter import is_lazy


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The keys that `load_state_dict` missed, and those it did not expect."""

    __slots__ = ()

    def __repr__(self):
        return super().__repr__() if self.missing_keys or self.unexpected_keys else "<All keys matched successfully>"


IncompatibleKeys = _IncompatibleKeys  # whose text has PyTorch's name


def restorer(module: Any, given: Mapping[str, Any]) -> Callable[[], None]:
    """A function that gives a module, and those below it, the parameters and buffers that they have now.

    It costs a copy of the model, which is not made where nothing can go wrong.
    """
    if _surely_fits(module, given):
        return lambda: None
    tables = [table for one in module.modules() for table in (one._parameters, one._buffers)]
    held = [(table, dict(table)) for table in tables]
    parts = [x for _, kept in held for x in kept.values() if x is not None]
    waiting = [(x, type(x)) for x in parts if is_lazy(x)]
    numbers = {id(x): (x, x.detach().clone()) for x in parts if not is_lazy(x)}

    def restore() -> None:
        for table, kept in held:
            table.clear()
            table.update(kept)
        for x, kind in waiting:
            x.__class__ = kind
        with no_grad():
            for x, kept in numbers.values():
                if not x.equal(kept):
                    x.copy_(kept)

    return restore


def _surely_fits(module: Any, given: Mapping[str, Any]) -> bool:
    """True where every key and shape fits, and no code of a program's own is asked."""
    many = 0
    for path, one in module.named_modules(remove_duplicate=False):
        asked = type(one)._load_from_state_dict, type(one).set_extra_state
        if any(one._state_hooks.values()) or not all(str(call.__module__).startswith("rustyflow.") for call in asked):
            return False
        own = one._own_state()
        many += len(own)
        for name, x in own.items():
            new = given.get(f"{path}.{name}" if path else name)
            if not isinstance(new, Tensor) or is_lazy(x) or is_lazy(new) or new.shape != x.shape:
                return False
    return many == len(given)


def misfit(name: str, wrong: list[str], missing: list[str], unexpected: list[str]) -> StateError:
    """All that is wrong with a state dict at once, and what to do about it."""
    keys = {"Missing": missing, "Unexpected": unexpected}
    said = [f"{kind} key(s) in state_dict: {', '.join(map(repr, keys[kind]))}" for kind in keys if keys[kind]]
    fix = "a model of the same layers and sizes"
    if not wrong:
        fix = _renamed(missing, unexpected) or f"{fix}; or strict=False, which copies what there is"
    elif not said:
        fix += "; or a state dict without these keys, and strict=False"
    return StateError(f"loading a state dict into {name}", "; ".join([*said, *map(str, wrong)]), fix)


def _renamed(missing: list[str], unexpected: list[str]) -> str:
    """The call that loads keys with a beginning too many, or too few; "" where it is not that."""
    for short, long, key in (missing, unexpected, "k.removeprefix({!r})"), (unexpected, missing, "{!r} + k"):
        prefix = long[0].removesuffix(short[0]) if short and long else ""
        if prefix and long == [prefix + one for one in short]:
            return f"load_state_dict({{{key.format(prefix)}: x for k, x in state.items()}})"
    return ""
