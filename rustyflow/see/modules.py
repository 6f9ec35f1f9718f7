"""Twins of a reader's modules and classes: rustyflow's of the same name with the same state, or theirs again.

A class that a reader wrote is made again from its own functions, on rustyflow's `nn.Module` in place of PyTorch's.
"""

from inspect import signature
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

from .. import nn

STATE = {"training", "_parameters", "_buffers", "_modules", "_non_persistent_buffers_set", "_hooks"}
"""What a module keeps under names of its own in both libraries, or in one."""

HOOKS = {"_forward_pre_hooks": "register_forward_pre_hook", "_forward_hooks": "register_forward_hook"}


def twin_module(twins: Any, module: Any, name: str) -> Any:
    """Returns a module's twin, in the same mode, with the same weights and the same hooks on copies.

    Raises:
        NotCopied: rustyflow has no module of that name.
    """
    kind = type(module)
    if not twins.ours and kind.__module__.startswith("torch.") or kind.__module__.startswith("rustyflow."):
        return _filled(twins, module, twins.known(module, object.__new__(kind)))
    if kind.__module__.startswith("torch."):
        ours = getattr(nn, CALLED.get(kind.__name__, kind.__name__), None)
        if ours is None:
            twins._lost(module, name, f"rustyflow has no nn.{kind.__name__}")
        twin = _built(twins, module, ours)
        if twin is not None:
            return _hooked(twins, module, twins.known(module, twin))
        return _filled(twins, module, twins.known(module, object.__new__(ours)))
    return _filled(twins, module, twins.known(module, object.__new__(twins.of(kind))))


CALLED = {"NonDynamicallyQuantizableLinear": "Linear"}
"""PyTorch's names for modules that are others of ours."""


def _built(twins: Any, module: Any, ours: type) -> Any:
    """A module of ours made by its own constructor, from the attributes that PyTorch keeps of the arguments."""
    if next(module.children(), None) is not None:
        return None
    given, state = {}, module.state_dict()
    for key in signature(ours).parameters:
        if key == "bias" and not isinstance(getattr(module, key, None), bool):
            given[key] = any("bias" in part for part in state)
        elif hasattr(module, key) and key not in ("device", "dtype"):
            given[key] = twins.of(getattr(module, key))
    try:
        twin = ours(**given)
        twin.load_state_dict({key: twins.of(part.detach()) for key, part in state.items()})
    except (TypeError, ValueError, RuntimeError):
        return None
    for mine, theirs in zip(twin.parameters(), module.parameters()):
        mine.requires_grad_(theirs.requires_grad)
        twins.tensors[id(theirs)] = mine
    return twin.train(module.training)


def _filled(twins: Any, module: Any, twin: Any) -> Any:
    """A module with the twins of all that another keeps."""
    base = nn.Module if isinstance(twin, nn.Module) else type(module).__mro__[-2]
    base.__init__(twin)
    kept = vars(module)
    for key in ("_parameters", "_buffers", "_modules"):
        vars(twin)[key].update((part, twins.of(value)) for part, value in kept[key].items())
    twin.__dict__["_non_persistent_buffers_set"] = set(kept.get("_non_persistent_buffers_set", ()))
    for key, value in kept.items():
        if key not in STATE and not key.endswith("_hooks") and "_hooks_" not in key and not key.startswith("_is_"):
            twin.__dict__[key] = twins.of(value)
    twin.__dict__["training"] = module.training
    return _hooked(twins, module, twin)


def _hooked(twins: Any, module: Any, twin: Any) -> Any:
    """A twin with the hooks of its module."""
    if isinstance(module, nn.Module):
        for kind, hooks in vars(module)["_hooks"].items():
            vars(twin)["_hooks"][kind].update((key, twins.of(value)) for key, value in hooks.items())
        return twin
    for key, register in HOOKS.items():
        flags = vars(module).get(f"{key}_with_kwargs", {})
        for number, hook in vars(module).get(key, {}).items():
            getattr(twin, register)(twins.of(hook), with_kwargs=number in flags)
    return twin


def twin_class(twins: Any, kind: type) -> type:
    """Returns a reader's class again, with the twins of its functions, on the twins of its bases."""
    bases = tuple(twins.of(base) if base is not object else base for base in kind.__bases__)
    slots = MemberDescriptorType | GetSetDescriptorType
    inside = {key: value for key, value in vars(kind).items() if not isinstance(value, slots) and key != "__slots__"}
    meta = type(bases[0] if bases != (object,) else kind)
    body = {"__slots__": vars(kind)["__slots__"]} if "__slots__" in vars(kind) else {}
    twin = twins.known(kind, meta(kind.__name__, bases, body))
    for key, value in inside.items():
        if isinstance(value, staticmethod | classmethod):
            value = type(value)(twins.of(value.__func__))
        elif isinstance(value, property):
            value = property(*(part and twins.of(part) for part in (value.fget, value.fset, value.fdel)))
        else:
            value = twins.of(value)
        if key not in ("__doc__", "__module__") or value is not None:
            setattr(twin, key, value)
    return twin


def twin_object(twins: Any, value: Any) -> Any:
    """Returns a value of a class with twins of its attributes, in slots too, and of its items."""
    kind = twins.of(type(value))
    base = next(one for one in type(value).__mro__ if not one.__flags__ & HEAP)
    if base in (tuple, frozenset):
        twin = twins.known(value, base.__new__(kind, map(twins.of, base.__iter__(value))))
    else:
        twin = twins.known(value, base.__new__(kind))
    if isinstance(value, list):
        list.extend(twin, map(twins.of, list.__iter__(value)))
    elif isinstance(value, dict):
        dict.update(twin, twins._dict(value))
    elif isinstance(value, set):
        set.update(twin, map(twins.of, set.__iter__(value)))
    for key, part in getattr(value, "__dict__", {}).items():
        if not (callable(part) and hasattr(type(value), key)):  # a method put round one, which holds the reader's value
            twin.__dict__[key] = twins.of(part)
    if hasattr(value, "num_workers"):  # a loader's, which would be processes
        twin.__dict__["num_workers"] = 0
    for one in type(value).__mro__:
        for key, slot in vars(one).items():
            if isinstance(slot, MemberDescriptorType) and hasattr(value, key):
                object.__setattr__(twin, key, twins.of(getattr(value, key)))
    return twin


HEAP = 1 << 9
"""The flag of a class that was written in Python."""
