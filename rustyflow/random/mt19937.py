"""The words of PyTorch's CPU generator: MT19937, seeded as NumPy's legacy generator is, so that NumPy supplies them.

"Wide" words are 64 bits: two words, the high one first.
Source: M. Matsumoto, T. Nishimura, Mersenne Twister, 1998;
https://docs.pytorch.org/docs/stable/generated/torch.Generator.html
"""

from __future__ import annotations

from _thread import RLock  # threading.RLock, without the 3 ms that all of threading takes
from math import ceil

import numpy as np

from ..errors import ArgumentTypeError, ArgumentValueError, RandomError, kind_of

DEFAULT_SEED = 67280421310721
HALF, FRACTION = np.array(32, np.uint64), np.array(2**53 - 1, np.uint64)
"""The bits of a word, and those of a wide word that a float64 has room for: arrays, that none is made each time."""
STATE = np.dtype({"names": ["seed", "left", "seeded", "next", "key", "kept", "has_kept"],
                  "formats": ["<u8", "<i4", "<i4", "<u8", ("<u8", 624), "<f8", "<i4"],
                  "offsets": [0, 8, 12, 16, 24, 5024, 5040], "itemsize": 5056})
"""PyTorch's own layout of a state, so that states can be exchanged."""


class Words:
    """A seeded stream of random words, and the uniform numbers in [0, 1) made of one word or two.

    Threads may share it if who draws holds `_lock` for a whole draw, as PyTorch holds its generator's mutex.

    Example:
        >>> Words(0).words(2), Words(0).floats(2)
        (array([2357136044, 2546248239], dtype=uint32), array([0.4962566, 0.7682218], dtype=float32))
    """

    def __init__(self, seed: int = DEFAULT_SEED):
        self._lock = RLock()
        self.restart(seed)

    def __reduce__(self):
        return type(self), (), self.state()  # a lock can neither be copied nor pickled

    def restart(self, seed: int) -> None:
        """Begin the stream of a seed anew; negative seeds count back from 2**64, and the low 32 bits decide.

        Raises:
            ArgumentValueError (a ValueError): a seed outside -2**63 .. 2**64 - 1.
        """
        if not -(2**63) <= seed < 2**64:
            raise ArgumentValueError(f"manual_seed({seed})", "Overflow when unpacking long long: a seed has 64 bits",
                                     "a seed from 0 to 2**64 - 1")
        with self._lock:
            self._seed, self._kept, self._bits = seed % 2**64, None, None

    def _start(self):
        self._bits = _seeded(self._seed)
        return self._bits

    def words(self, n: int) -> np.ndarray:
        """The next n words, uint32."""
        return (self._bits or self._start()).random_raw(n).astype(np.uint32)

    def wide(self, n: int) -> np.ndarray:
        """The next n wide words, uint64."""
        words = (self._bits or self._start()).random_raw(2 * n)
        wide = words[::2] << HALF
        wide |= words[1::2]
        return wide

    def floats(self, n: int) -> np.ndarray:
        """n uniform float32 numbers in [0, 1): 24 bits of a word each."""
        words = self.words(n).view(np.int32)  # signed, for only these become floats by vector instructions
        words &= 0xFFFFFF
        out = words.view(np.float32)
        np.copyto(out, words, casting="same_kind")  # over themselves, cell by cell
        out *= np.float32(2**-24)
        return out

    def doubles(self, n: int) -> np.ndarray:
        """n uniform float64 numbers in [0, 1): 53 bits of a wide word each."""
        return self._in_units(n).view(np.int64) * 2.0**-53

    def below(self, p: float, n: int) -> np.ndarray:
        """A mask of n uniform float64 numbers that are less than p, which whole numbers tell as well."""
        return self._in_units(n) < np.uint64(ceil(p * 2**53))

    def _in_units(self, n: int) -> np.ndarray:
        """n uniform float64 numbers in units of 2**-53."""
        words = self.wide(n)
        words &= FRACTION
        return words

    def state(self) -> np.ndarray:
        """The state as 5056 bytes, uint8, in PyTorch's layout."""
        with self._lock:
            seed, kept, inner = self._seed, self._kept, (self._bits or self._start()).state["state"]
        key, at = inner["key"], inner["pos"]
        if at == 624 and (key == _seeded(seed).state["state"]["key"]).all():
            at = 0  # NumPy says 624 of a fresh key as of one that is used up; PyTorch tells them apart
        out = np.zeros((), STATE)
        out["seed"], out["seeded"], out["key"] = seed, 1, key
        out["left"], out["next"] = 625 - inner["pos"], at
        if kept is not None:
            out["kept"], out["has_kept"] = kept, 1
        return np.frombuffer(out.tobytes(), np.uint8).copy()

    def restore(self, state: np.ndarray) -> None:
        """Go back to a state that `state()`, or PyTorch, gave.

        Raises:
            ArgumentTypeError (a TypeError): not an array of uint8. RandomError (a RuntimeError): not a state.
        """
        if not isinstance(state, np.ndarray) or state.dtype != np.uint8:
            raise ArgumentTypeError(f"set_state({kind_of(state)})", "RNG state must be a uint8 tensor",
                                    "pass on what get_state() returned, unchanged", value=state)
        was, fix = f"a state of {state.size} bytes", "pass on what get_state() returned, unchanged"
        if state.shape != (STATE.itemsize,):
            raise RandomError(was, f"a state of this generator has {STATE.itemsize} bytes", fix)
        read = np.frombuffer(state.tobytes(), STATE)[0]
        if read["seeded"] != 1 or not 1 <= read["left"] <= 624 or read["key"].max() >= 2**32 or not read["key"].any():
            raise RandomError(was, "Invalid mt19937 state", fix)
        key = read["key"].astype(np.uint32)
        with self._lock:
            (self._bits or self._start()).state = {"bit_generator": "MT19937",
                                                   "state": {"key": key, "pos": 625 - int(read["left"])}}
            self._seed = int(read["seed"])
            self._kept = float(read["kept"]) if read["has_kept"] else None

    __setstate__ = restore


def _seeded(seed):
    """NumPy's generator at the beginning of a seed's stream."""
    from numpy.random import MT19937, RandomState  # 20 ms that a program without random numbers need not pay

    bits = MT19937(0)
    RandomState(bits).seed(seed & 0xFFFFFFFF)
    return bits
