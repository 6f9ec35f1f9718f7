"""The sources of random numbers: `Generator`, the default one, and functions that seed it or keep its state.

The streams are PyTorch's own; there are none for other devices than the CPU.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..dispatch import PUBLIC, function, need_tensors
from ..errors import ArgumentTypeError, ArgumentValueError, RandomError, kind_of
from ..tensor import CPU, Tensor, need_cpu, wrap
from .stream import Stream


class Generator(Stream):
    """A stream of random numbers of its own, to be passed as `generator=`; starts at PyTorch's default seed.

    Source: https://pytorch.org/docs/stable/generated/torch.Generator.html

    Example:
        >>> import rustyflow as rf
        >>> rf.rand(2, generator=rf.Generator().manual_seed(0))
        tensor([0.4963, 0.7682])
    """

    def __init__(self, device: Any = "cpu"):
        need_cpu(device)
        super().__init__()
        self.device = CPU

    def manual_seed(self, seed: int) -> Generator:
        """Begin the stream of a seed, which may be negative; returns the generator.

        Raises:
            RandomError (a RuntimeError): not a whole number. ArgumentValueError (a ValueError): more than 64 bits.
        """
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise RandomError(f"manual_seed({seed!r})", f"manual_seed expected a long, but got {kind_of(seed)}",
                              "a whole number: manual_seed(0)", value=seed)
        self.restart(int(seed))
        return self

    def seed(self) -> int:
        """Begin the stream of a seed that nobody can foretell; returns it."""
        seed = int.from_bytes(os.urandom(8), "little")
        self.restart(seed)
        return seed

    def initial_seed(self) -> int:
        """The seed the stream began with."""
        return self._seed

    def get_state(self) -> Tensor:
        """The state as 5056 bytes, uint8, which PyTorch's CPU generator understands too."""
        return wrap(self.state())

    def set_state(self, new_state: Tensor) -> Generator:
        """Go back to a state that `get_state` gave; returns the generator.

        Raises:
            ArgumentTypeError (a TypeError): not a tensor of uint8. RandomError (a RuntimeError): not a state.
        """
        need_tensors("set_state", new_state=new_state)
        self.restore(new_state._a)
        return self


default_generator = Generator()
default_generator.seed()
PUBLIC.update(Generator=Generator, default_generator=default_generator)


def source_of(generator: Generator | None) -> Generator:
    """The generator that a `generator=` argument means."""
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        raise ArgumentTypeError(f"generator={generator!r}", f"generator must be a Generator, not {kind_of(generator)}",
                                "rustyflow.Generator().manual_seed(0)", value=generator)
    return generator


@function(method=False)
def manual_seed(seed) -> Generator:
    """Seed the default generator with a whole number, or with what int() makes of another thing; returns the generator.

    Raises:
        ArgumentValueError (a ValueError): no number, or more than 64 bits.
        ArgumentTypeError (a TypeError): nothing for int().
    Source: https://pytorch.org/docs/stable/generated/torch.manual_seed.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(0)
        >>> rf.rand(2), rf.randn(2)
        (tensor([0.4963, 0.7682]), tensor([-0.2905, -1.0704]))
    """
    rule, fix = "a seed is a whole number", "e.g. manual_seed(0)"
    try:
        whole = int(seed)
    except TypeError:
        raise ArgumentTypeError(f"manual_seed({seed!r})", rule, fix) from None
    except ValueError:
        raise ArgumentValueError(f"manual_seed({seed!r})", rule, fix) from None
    return default_generator.manual_seed(whole)


@function(method=False)
def seed() -> int:
    """Seed the default generator with a number nobody can foretell; returns it.

    Source: https://pytorch.org/docs/stable/generated/torch.seed.html

    Example:
        >>> import rustyflow as rf
        >>> rf.seed() == rf.initial_seed()
        True
    """
    return default_generator.seed()


@function(method=False)
def initial_seed() -> int:
    """The seed of the default generator.

    Source: https://pytorch.org/docs/stable/generated/torch.initial_seed.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(-1)
        >>> rf.initial_seed()
        18446744073709551615
    """
    return default_generator.initial_seed()


@function(method=False)
def get_rng_state() -> Tensor:
    """The state of the default generator: 5056 bytes, uint8.

    Source: https://pytorch.org/docs/stable/generated/torch.get_rng_state.html

    Example:
        >>> import rustyflow as rf
        >>> before = rf.get_rng_state(); x = rf.rand(3); rf.set_rng_state(before); rf.equal(x, rf.rand(3))
        True
    """
    return default_generator.get_state()


@function(method=False)
def set_rng_state(new_state: Tensor) -> None:
    """Put the default generator into a state that `get_rng_state` gave: what was drawn then is drawn again.

    Source: https://pytorch.org/docs/stable/generated/torch.set_rng_state.html

    Example:
        >>> import rustyflow as rf
        >>> state = rf.get_rng_state()
        >>> x = rf.rand(3)
        >>> rf.set_rng_state(state)
        >>> rf.equal(x, rf.rand(3))
        True
    """
    default_generator.set_state(new_state)
