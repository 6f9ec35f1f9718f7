"""HasState: what is saved of a module, what is loaded into it, and who is asked on the way."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from ...errors import ArgumentTypeError, AssertedError, StateError, warn
from ...errors.foreign import kind_of
from ...tensor import Tensor
from ...tensor.gradmode import no_grad
from ..module_hooks import Handle
from ..parameter import Parameter, is_lazy
from .fitting import IncompatibleKeys, misfit, restorer

KINDS = "save_before", "save_after", "load_before", "load_after"
EXTRA = "_extra_state"
"""The key of what `get_extra_state` returns, after the module's path."""


class HasState:
    """The part of Module that knows its state: parameters, persistent buffers, and what a module adds of its own.

    Each module of a model is asked, by `state_dict`, `_save_to_state_dict` and `get_extra_state`, and given its part
    back, by `_load_from_state_dict` and `set_extra_state`; a module of your own may write any of them.

    Attributes:
        _version: the version of a class's state, which is kept with it and which `_load_from_state_dict` is told.

    Source: https://pytorch.org/docs/stable/generated/torch.nn.Module.html

    Example:
        >>> import rustyflow as rf
        >>> class Counts(rf.nn.Module):
        ...     calls = 0
        ...     def get_extra_state(self):
        ...         return {"calls": self.calls}
        ...     def set_extra_state(self, state):
        ...         self.calls = state["calls"]
        >>> first, second = Counts(), Counts()
        >>> first.calls = 3
        >>> second.load_state_dict(first.state_dict())
        <All keys matched successfully>
        >>> second.calls
        3
    """

    _version: int = 1
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_hooks: Mapping[str, Mapping] = {kind: MappingProxyType({}) for kind in KINDS}

    # -- saving ------------------------------------------------------------------------------------------------------

    def state_dict(
        self, *args: Any, destination: dict | None = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """All parameters and persistent buffers by their paths, which share memory with the module's; and extra states.

        Args:
            destination: the dict to write into. prefix: what stands before each path. keep_vars: the parameters
                themselves, not detached. They may stand in this order without their names, which PyTorch deprecates.
        """
        if args:
            warn("Positional args of state_dict are being deprecated: name them, as prefix='net.'", FutureWarning)
            destination, prefix, keep_vars = (*args, *(destination, prefix, keep_vars)[len(args) :])[:3]
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        about = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = about
        for hook, _ in list(self._state_hooks["save_before"].values()):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook, may_replace in list(self._state_hooks["save_after"].values()):
            said = hook(self, destination, prefix, about)
            if said is not None and not may_replace:
                rule = "state_dict post-hook must return None"
                fix = "change the state dict that it is given"
                raise StateError(f"a hook that returned {kind_of(said)}", rule, fix)
            destination = destination if said is None else said
        return destination

    def _save_to_state_dict(self, destination: dict, prefix: str, keep_vars: bool) -> None:
        """Write the module's own state, without that of the modules below, into a state dict."""
        for name, x in self._own_state().items():
            destination[prefix + name] = x if keep_vars or is_lazy(x) else x.detach()
        if type(self).get_extra_state is not HasState.get_extra_state:
            destination[prefix + EXTRA] = self.get_extra_state()

    def _own_state(self) -> dict[str, Tensor]:
        """The module's own parameters and persistent buffers."""
        unsaved = self._non_persistent_buffers_set
        buffers = {name: x for name, x in self._buffers.items() if name not in unsaved}
        return {name: x for name, x in {**self._parameters, **buffers}.items() if x is not None}

    def get_extra_state(self) -> Any:
        """Returns what else belongs to the state; a module that writes this writes `set_extra_state` too.

        Raises:
            RuntimeError: it has none.
        """
        raise _no_extra_state(self)

    def set_extra_state(self, state: Any) -> None:
        """Take back what `get_extra_state` returned.

        Raises:
            RuntimeError: it has none.
        """
        raise _no_extra_state(self)

    # -- loading -----------------------------------------------------------------------------------------------------

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> tuple:
        """Copy numbers into the parameters and buffers of the same paths, and give extra states back.

        Args:
            strict: every key of one has to be in the other. assign: take the tensors themselves.

        Returns the keys that are missing and those that are unexpected.

        Raises:
            TypeError: no dict. StateError (a RuntimeError): keys that are missing, unexpected, or of another shape; all
                parameters and buffers are then as they were.
        """
        if not isinstance(state_dict, Mapping):
            raise ArgumentTypeError(
                f"load_state_dict({kind_of(state_dict)})",
                f"Expected state_dict to be dict-like, got {kind_of(state_dict)}.",
                "model.load_state_dict(other.state_dict())",
                value=state_dict,
            )
        keys, errors = IncompatibleKeys([], []), []
        metadata = getattr(state_dict, "_metadata", None)
        given: dict[str, Any] = OrderedDict(state_dict)
        if metadata is not None:
            given._metadata = metadata
        restore = restorer(self, given)
        try:
            _load(self, given, "", metadata or {}, {"assign_to_params_buffers": True} if assign else {}, keys, errors)
            if errors or strict and any(keys):
                raise misfit(type(self).__name__, errors, *(key * strict for key in keys))
        except BaseException:
            restore()
            raise
        return keys

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Take the module's own state, without that of the modules below, out of a state dict.

        Args:
            local_metadata: the "version" of the class whose state it is, where that is known. missing_keys,
                unexpected_keys, error_msgs: lists to add to.
        """
        for hook, with_module in list(self._state_hooks["load_before"].values()):
            told = state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
            hook(self, *told) if with_module else hook(*told)
        own, assign = self._own_state(), local_metadata.get("assign_to_params_buffers", False)
        for name, old in own.items():
            key = prefix + name
            if key in state_dict:
                error_msgs += self._take(name, old, key, state_dict[key], assign)
            elif strict:
                missing_keys.append(key)
        extra, wanted = prefix + EXTRA, type(self).set_extra_state is not HasState.set_extra_state
        if wanted and extra in state_dict:
            self.set_extra_state(state_dict[extra])
        elif strict and wanted:
            missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            others = [key for key in state_dict if key.startswith(prefix) and key != extra]
            unexpected_keys += [key for key in others if not self._knows(key.removeprefix(prefix), own)]

    def _knows(self, path: str, own: Any) -> bool:
        """True for what is the module's own, and for what a module below will look at."""
        name, *below = path.split(".", 1)
        return name in self._modules if below else name in own

    def _take(self, name: str, old: Tensor, key: str, new: Any, assign: bool) -> list[str]:
        """Copy numbers into a parameter or buffer, or put a tensor in its place; returns what is wrong with them."""
        if not isinstance(new, Tensor):
            expected = f"expected Tensor from checkpoint but received {kind_of(new)}"
            return [f"While copying the parameter named {key!r}, {expected}"]
        if is_lazy(old):
            if is_lazy(new):
                return []
            old.materialize(new.shape)
        if not old.shape and new.shape == (1,):  # so PyTorch kept scalars before 0.4
            new = new[0]
        if new.shape != old.shape:
            return [
                f"size mismatch for {key}: copying a param with shape {tuple(new.shape)} from checkpoint, the shape in "
                f"current model is {tuple(old.shape)}"
            ]
        try:
            with no_grad():
                if not assign:
                    old.copy_(new)
                    return []
                if isinstance(old, Parameter):
                    new = new if isinstance(new, Parameter) else Parameter(new, old.requires_grad)
                    new.requires_grad_(old.requires_grad)
                setattr(self, name, new)
        except Exception as error:
            return [f"While copying the parameter named {key!r}, an exception occurred: {error}"]
        return []

    # -- hooks -------------------------------------------------------------------------------------------------------

    def _hook(self, kind: str, hook: Callable, how: bool = False) -> Handle:
        if "_parameters" not in vars(self):
            raise self._too_early("register a hook")
        if "_state_hooks" not in vars(self):
            vars(self)["_state_hooks"] = {kind: OrderedDict() for kind in KINDS}
        hooks = self._state_hooks[kind]
        handle = Handle(hooks)
        hooks[handle] = hook, how
        return handle

    def register_state_dict_pre_hook(self, hook: Callable) -> Handle:
        """Call `hook(module, prefix, keep_vars)` before the module is asked for its state."""
        return self._hook("save_before", hook)

    def register_state_dict_post_hook(self, hook: Callable) -> Handle:
        """Call `hook(module, state_dict, prefix, local_metadata)` after the module has said its state; it returns None.
        """
        return self._hook("save_after", hook)

    def _register_state_dict_hook(self, hook: Callable) -> Handle:
        return self._hook("save_after", hook, how=True)

    def register_load_state_dict_pre_hook(self, hook: Callable) -> Handle:
        """Call `hook(module, *args)`, args as those of `_load_from_state_dict`, before the module takes its state; it
        may change the state dict, and add to the lists."""
        return self._hook("load_before", hook, how=True)

    def _register_load_state_dict_pre_hook(self, hook: Callable, with_module: bool = False) -> Handle:
        return self._hook("load_before", hook, with_module)

    def register_load_state_dict_post_hook(self, hook: Callable) -> Handle:
        """Call `hook(module, incompatible_keys)` after the module and those below have taken their state; it may change
        the lists of missing and of unexpected keys."""
        return self._hook("load_after", hook)


def _load(
    module: Any, state: dict, prefix: str, metadata: Any, more: dict, keys: IncompatibleKeys, errors: list
) -> None:
    """Let a module take its state, then those below it; each is given the part that is below its path."""
    about = {**metadata.get(prefix[:-1], {}), **more}
    module._load_from_state_dict(state, prefix, about, True, keys.missing_keys, keys.unexpected_keys, errors)
    for name, child in module._modules.items():
        if child is not None:
            path = f"{prefix}{name}."
            part = {key: value for key, value in state.items() if key.startswith(path)}
            _load(child, part, path, metadata, more, keys, errors)
    for hook, _ in list(module._state_hooks["load_after"].values()):
        if (said := hook(module, keys)) is not None:
            rule = "hooks of register_load_state_dict_post_hook are not expected to return new values"
            fix = "incompatible_keys.missing_keys.clear(), and return nothing"
            raise AssertedError(f"a hook that returned {kind_of(said)}", rule, fix)


def _no_extra_state(module: Any) -> StateError:
    rule = "a module that has an extra state writes both get_extra_state and set_extra_state"
    return StateError(f"extra state of {type(module).__name__}", rule, "def get_extra_state(self): return {...}")
