"""Module: a function with parameters, which may be made of other modules."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from itertools import chain
from typing import Any

from ..dtype import dtype
from ..errors import AbsentError, ArgumentTypeError, ArgumentValueError, NameTakenError, NoInitError
from ..errors.foreign import kind_of
from ..ops.creation import empty
from ..tensor import Tensor
from ..tensor.gradmode import no_grad
from ..tensor.runs import running
from . import module_hooks
from .parameter import Parameter
from .state import HasState


class Module(HasState):
    """The base of all layers and models: assign parameters and modules to its attributes, and write `forward`.

    Attributes:
        training: whether it is being trained; `train()` and `eval()` set it, dropout and batch norm read it.

    Source: https://pytorch.org/docs/stable/generated/torch.nn.Module.html

    Example:
        >>> import rustyflow as rf
        >>> class Scale(rf.nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.by = rf.nn.Parameter(rf.tensor(2.0))
        ...
        ...     def forward(self, x):
        ...         return self.by * x
        >>> model = Scale()
        >>> model(rf.ones(2))
        tensor([2., 2.], grad_fn=<MulBackward0>)
        >>> [name for name, _ in model.named_parameters()]
        ['by']
    """

    training: bool = True

    def __init__(self):
        super().__setattr__("training", True)
        for kept in ("_parameters", "_buffers", "_modules"):
            super().__setattr__(kept, {})
        super().__setattr__("_non_persistent_buffers_set", set())
        super().__setattr__("_hooks", {kind: OrderedDict() for kind in module_hooks.KINDS})

    def forward(self, *input: Any) -> Any:
        """Computes what the module is for; every module writes its own.

        Raises:
            NotImplementedError: it has none.
        """
        near = get_close_matches("forward", {*vars(type(self))} - {"forward"}, 1)
        hint = f"; it has {near[0]!r}, which may be meant" if near else ""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function{hint}')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        hooks = self.__dict__.get("_hooks")
        if hooks is None:
            raise self._too_early("call it")
        try:
            with running(self):
                if not any(hooks.values()):
                    return self.forward(*args, **kwargs)
                return module_hooks.call(self, hooks, args, kwargs)
        except TypeError:
            from .calling import misfit
            if (error := misfit(self, args, kwargs)) is not None:
                raise error from None
            raise

    # -- attributes --------------------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        kept = self.__dict__
        special = isinstance(value, (Parameter, Module))
        if "_parameters" not in kept:
            if special or isinstance(value, Tensor):
                raise self._too_early(f"assign {name}")
            return super().__setattr__(name, value)
        if special:
            table = kept["_parameters" if isinstance(value, Parameter) else "_modules"]
            if name not in table:  # in its table it keeps its place
                self._forget(name)
            table[name] = value
        elif name in kept["_parameters"] or name in kept["_modules"]:
            kind = "_parameters" if name in kept["_parameters"] else "_modules"
            if value is not None:
                wanted = "nn.Parameter" if kind == "_parameters" else "nn.Module"
                raise ArgumentTypeError(
                    f"{name} = {kind_of(value)}",
                    f"cannot assign to {name}: it is a {wanted} ({wanted} or None expected)",
                    f"{name} = nn.Parameter(...)" if kind == "_parameters" else f"del model.{name}",
                    value=value,
                )
            kept[kind][name] = None
        elif name in kept["_buffers"]:
            if value is not None and not isinstance(value, Tensor):
                rule = f"cannot assign {kind_of(value)} as buffer {name!r} (a tensor or None required)"
                raise ArgumentTypeError(f"{name} = {kind_of(value)}", rule, "rustyflow.tensor(x)", value=value)
            kept["_buffers"][name] = value
        else:
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        for kind in ("_parameters", "_buffers", "_modules"):
            held = self.__dict__.get(kind)
            if held is not None and name in held:
                return held[name]
        if "_parameters" not in self.__dict__ and not name.startswith("__"):
            raise self._too_early("use it" if name.startswith("_") else f"ask for {name}")
        own = name.startswith("__") or name in dir(type(self))  # a property of the module's own, which failed
        public = [one for one in dir(self) if not one.startswith("_")]
        near = [] if own else get_close_matches(name, public, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}", name=name, obj=self)

    def __delattr__(self, name: str) -> None:
        plain = name in self.__dict__
        if not self._forget(name) and not plain:
            super().__delattr__(name)

    def _forget(self, name: str) -> bool:
        """Drop what a name stood for, so that it stands for one thing; whether it was a part."""
        self._non_persistent_buffers_set.discard(name)
        if name not in ("training", "_hooks"):
            self.__dict__.pop(name, None)
        found = [held for held in (self._parameters, self._buffers, self._modules) if name in held]
        for held in found:
            del held[name]
        return bool(found)

    def __dir__(self):
        parts = [self.__dict__.get(kind, ()) for kind in ("_parameters", "_buffers", "_modules")]
        return sorted({*super().__dir__(), *chain(*parts)})

    def _too_early(self, what: str) -> NoInitError:
        name = type(self).__name__
        return NoInitError(
            f"{name}: {what} before Module.__init__() was called",
            "a module keeps its parts in tables, which Module.__init__ makes",
            "super().__init__() as the first line of __init__",
        )

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name; None keeps the place.

        Raises:
            TypeError: no Parameter. KeyError: a name that is taken, is empty or holds a dot.
        """
        self._need_name(name, "parameter")
        if param is not None and not isinstance(param, Parameter):
            raise ArgumentTypeError(
                f"{name}: {kind_of(param)}",
                f"cannot assign {kind_of(param)} as parameter {name!r} (nn.Parameter or None required)",
                "nn.Parameter(x)",
                value=param,
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a tensor that is no parameter but belongs to the state, such as a running mean.

        If it is not `persistent`, it does not stand in the state dict.

        Raises:
            TypeError: no tensor. KeyError: a name that is taken, is empty or holds a dot.
        """
        self._need_name(name, "buffer")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise ArgumentTypeError(
                f"{name}: {kind_of(tensor)}",
                f"cannot assign {kind_of(tensor)} as buffer {name!r} (a tensor or None required)",
                "rustyflow.tensor(x)",
                value=tensor,
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a module under a name.

        Raises:
            TypeError: no Module. KeyError: a name that is taken, is empty or holds a dot.
        """
        if module is not None and not isinstance(module, Module):
            fix = "an nn.Module, such as nn.Linear(2, 3)"
            if isinstance(module, (list, tuple)):
                fix = "nn.Sequential(*layers), or nn.ModuleList(layers)"
            elif isinstance(module, type) and issubclass(module, Module):
                fix = f"nn.{module.__name__}(...): a module, not its class"
            rule = f"{kind_of(module)} is not a Module subclass"
            raise ArgumentTypeError(f"{name}: {kind_of(module)}", rule, fix, value=module)
        self._need_name(name, "module")
        self._modules[name] = module

    register_module = add_module

    def _need_name(self, name: Any, kind: str) -> None:
        if "_parameters" not in self.__dict__:
            raise self._too_early(f"register {name}")
        if not isinstance(name, str):
            raise ArgumentTypeError(f"{name!r}", f"{kind} name should be a string, got {kind_of(name)}", "'weight'")
        taken = name not in self.__dict__[f"_{kind}s"] and hasattr(self, name)
        if not name or "." in name or taken:
            raise NameTakenError(
                f"{kind} {name!r}",
                f"attribute {name!r} already exists" if taken else f"{kind} name can't be empty or contain a dot",
                "another name",
            )

    # -- what it is made of ------------------------------------------------------------------------------------------

    def named_modules(
        self, memo: set | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """The module itself and all below it, each with its path; one that stands in two places once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """The module itself and all below it."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules that it is made of directly, each with its name."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules that it is made of directly."""
        return (module for _, module in self.named_children())

    def _named(self, kind: str, prefix: str, recurse: bool, once: bool) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        for path, module in self.named_modules(prefix=prefix, remove_duplicate=once) if recurse else [(prefix, self)]:
            for name, held in getattr(module, kind).items():
                if held is not None and not (once and id(held) in seen):
                    seen.add(id(held))
                    yield f"{path}.{name}" if path else name, held

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters, each with its path; one that is tied to another once."""
        return self._named("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters, for an optimizer."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers, each with its path."""
        return self._named("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def get_submodule(self, target: str) -> Module:
        """The module at a path such as `encoder.0`; the empty path is the module itself.

        Raises:
            AttributeError: there is none.
        """
        module = self
        for part in target.split(".") if target else ():
            module = getattr(module, part)
            if not isinstance(module, Module):
                raise AttributeError(f"`{part}` is not an nn.Module")
        return module

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path such as `encoder.0.weight`.

        Raises:
            AttributeError: there is none.
        """
        path, _, name = target.rpartition(".")
        found = getattr(self.get_submodule(path), name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path.

        Raises:
            AttributeError: there is none.
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return module._buffers[name]

    # -- modes and dtypes --------------------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Module:
        """Be trained, or not: this module, and all below it, whose `train` is asked; returns itself."""
        if not isinstance(mode, bool):
            raise ArgumentValueError(f"train({mode!r})", "training mode is expected to be boolean", "train(True)")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Module:
        """Be used, not trained: `train(False)`."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Module:
        """Let all parameters ask for gradients, or none; returns itself."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters."""
        clear_gradients(self.parameters(), set_to_none)

    def apply(self, fn: Callable[[Module], Any]) -> Module:
        """Call a function with every module, those below first; returns itself."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, convert: Callable[[Tensor], Tensor], recurse: bool = True) -> Module:
        """Replace each parameter's and buffer's numbers; the Parameter objects stay, for optimizers hold them.

        A module of your own that keeps tensors elsewhere writes this, and is asked by those above it.
        """
        for module in self.children() if recurse else ():
            module._apply(convert)
        with no_grad():
            for parameter in self._parameters.values():
                if parameter is not None:
                    gradient, parameter.grad = parameter.grad, None
                    parameter.data = convert(parameter.data)
                    parameter.grad = gradient if gradient is None else convert(gradient)
            for name, buffer in self._buffers.items():
                self._buffers[name] = buffer if buffer is None else convert(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Module:
        """Take a dtype, or the device "cpu": `to(rustyflow.float64)`; whole numbers stay. Returns itself."""
        asked = empty(0).to(*args, **kwargs).dtype
        if not asked.is_floating_point:
            rule = f"nn.Module.to only accepts floating point dtypes, but got desired dtype={asked!r}"
            raise ArgumentTypeError(f"to({asked!r})", rule, "to(rustyflow.float64)")
        if not _asks_dtype(args, kwargs):
            return self
        return self._apply(lambda x: x.to(asked) if x.is_floating_point() else x)

    def type(self, dst_type: Any) -> Module:
        """Give all parameters and buffers a dtype; returns itself."""
        return self._apply(lambda x: x.to(dst_type))

    def float(self) -> Module:
        """Floating-point parameters and buffers to float32; returns itself."""
        return self._apply(lambda x: x.float() if x.is_floating_point() else x)

    def double(self) -> Module:
        """Floating-point parameters and buffers to float64; returns itself."""
        return self._apply(lambda x: x.double() if x.is_floating_point() else x)

    def half(self) -> Module:
        """Floating-point parameters and buffers to float16; returns itself."""
        return self._apply(lambda x: x.half() if x.is_floating_point() else x)

    def cuda(self, device: Any = None) -> Module:
        """Not here: every tensor is on the CPU.

        Raises:
            AbsentError (a NotImplementedError): always.
        """
        raise AbsentError("module.cuda()", "every tensor is on the CPU", "leave the line out")

    def cpu(self) -> Module:
        """All tensors are on the CPU: the module itself."""
        return self

    # -- hooks -------------------------------------------------------------------------------------------------------

    def register_forward_pre_hook(self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False):
        """Call `hook(module, args)` before each forward; what it returns, if anything, takes the place of args."""
        return module_hooks.add(self, "before", hook, prepend, with_kwargs)

    def register_forward_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ):
        """Call `hook(module, args, output)` after each forward; what it returns, if anything, takes the place of the
        output. With `always_call` also where the forward fails."""
        return module_hooks.add(self, "after", hook, prepend, with_kwargs, always_call)

    def register_full_backward_pre_hook(self, hook: Callable, prepend: bool = False):
        """Call `hook(module, grad_output)` when the gradient of the output has come; it may return another one."""
        return module_hooks.add(self, "back_before", hook, prepend)

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False):
        """Call `hook(module, grad_input, grad_output)` when the gradient of the input is known; it may return another
        one."""
        return module_hooks.add(self, "back_after", hook, prepend)

    # -- copies ------------------------------------------------------------------------------------------------------

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)  # here, so that a module's own may ask for it by super()

    # -- text --------------------------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """The words in the brackets of the module's text; a module of your own may say more."""
        return ""

    def __repr__(self) -> str:
        said = self.extra_repr()
        lines = said.split("\n") if said else []
        for name, module in self._modules.items():
            lines.append(f"({name}): " + repr(module).replace("\n", "\n  "))
        if not self._modules and len(lines) < 2:
            return f"{self._get_name()}({said})"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


def clear_gradients(parameters: Any, set_to_none: bool = True) -> None:
    """Forget the gradients of some parameters, or fill them with 0."""
    for parameter in parameters:
        if parameter.grad is not None:
            if set_to_none:
                parameter.grad = None
            else:
                parameter.grad.detach_().zero_()


def _asks_dtype(args: tuple, kwargs: Mapping[str, Any]) -> bool:
    """True if a call of `to` names a dtype, itself or by a tensor."""
    return any(isinstance(x, (dtype, Tensor)) for x in (*args, *kwargs.values()))
