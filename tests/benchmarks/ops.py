"""`python -m tests.benchmarks.ops [NAME ...] [--rounds N] [--over RATIO]`: ops beside the NumPy calls they stand for.

At 1e6 elements of float32, contiguous and transposed, one thread, rounds interleaved, medians; results are compared
before anything is timed. PyTorch runs the same text as rustyflow. Where NumPy has no such call, its text is the fewest
calls that do the same, and the name has a star; a name with ~ has random numbers, which cannot be compared: NumPy draws
from an MT19937 of its own, by the functions of the same names, or by those of its new generator. Where PyTorch lays a
result out in rows whatever the order of its operand, NumPy's text asks for rows, too: C is np.ascontiguousarray. In the
texts x is a tensor and X one that requires grad.
"""
from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import cache

from . import gradient_rows, inplace_rows, matrix_rows, nn_rows, op_rows
from .harness import as_arrays, libraries  # first: it asks for one thread

import numpy as np  # isort: skip


@cache
def operands(transposed: bool) -> dict[str, np.ndarray]:
    """What the texts name: x, y, u in (0.1, 1), s of both signs, z near 1, d all different; masks; whole numbers."""
    rng, shape = np.random.default_rng(0), (1000, 1000)
    x, y, u = (rng.uniform(0.1, 0.99, shape).astype(np.float32) for _ in range(3))
    n, k, j = (rng.integers(0, 1000, shape) for _ in range(3))
    found = {"x": x, "y": y, "u": u, "s": rng.standard_normal(shape).astype(np.float32), "z": 1 + x * np.float32(1e-3),
             "b": x > 0.5, "c": y > 0.5, "o": x > 2, "a": x < 2, "n": n, "k": k, "j": j, "f": x.copy(),
             "i": rng.permuted(np.broadcast_to(np.arange(1000), shape), axis=1),
             "h": x[:500, :500] + 50 * np.eye(500, dtype=np.float32), "t": x[:31, :31]}
    if transposed:
        found = {name: value.T.copy().T for name, value in found.items()}
    return found | {"w": np.sort(x[0]), "v": x.reshape(-1), "r": rng.permutation(1000), "g": x.reshape(100, 100, 100),
                    "l": rng.permutation(1000000).reshape(shape), "p": x[:960, :1000].reshape(16, 3, 100, 200),
                    "q": x[:12, :9].reshape(4, 3, 3, 3),
                    "d": rng.permutation(1000000).astype(np.float32).reshape(shape)}


def programs(ours: str, numpys: str, transposed: bool, installed: dict, apart: bool) -> dict[str, Callable]:
    """A row's texts as a function per library; what is written to, f, is the memory of all, or each has its own."""
    given, made = dict(operands(transposed)), {}
    given["f"] = given["f"].copy("K")
    for name in ("rustyflow", "torch", "numpy"):
        if name in installed and (ours, ours, numpys)[len(made)]:
            m, names = installed[name], {**given, "f": given["f"].copy("K") if apart else given["f"]}
            if name == "numpy":
                names |= {"np": np, "C": np.ascontiguousarray, "N": given["x"], "R": np.arange(1000)[:, None],
                          "rng": np.random.Generator(np.random.MT19937(0))}
            else:
                names = {key: m.from_numpy(value) for key, value in names.items()}
                names |= {key.upper(): m.from_numpy(given[key]).requires_grad_() for key in "xpd"}
                names |= {"m": m, "F": m.nn.functional, "N": given["x"]}
                names["grad"] = lambda y, g, of=names["X"], m=m: m.autograd.grad(y, of, g)[0]
            made[name] = eval(f"lambda: {ours if name != 'numpy' else numpys}", names)
    return made


def agree(made: dict[str, Callable]) -> None:
    """Refuse to time what gives different results.

    Raises:
        AssertionError: two libraries disagree.
    """
    results = [as_arrays(run()) for run in made.values()]
    for other in results[1:]:
        for one, two in zip(results[0], other, strict=False):
            np.testing.assert_allclose(one, two, rtol=1e-3, atol=1e-3)


def medians(made: dict[str, Callable], rounds: int, seconds: float = 2.0) -> dict[str, float]:
    """Median CPU seconds of one run each, in turns; short ones several times a turn, and fewer turns of long ones."""
    times: dict[str, list[float]] = {name: [] for name in made}
    began, often = time.perf_counter(), 1
    for k in range(rounds):
        if k > 2 and time.perf_counter() - began > seconds:
            break
        for name, run in made.items():
            start = time.process_time()
            for _ in range(often):
                run()
            times[name].append((time.process_time() - start) / often)
        often = max(1, int(0.001 / max(1e-6, min([t[0] for t in times.values()]))))
    return {name: statistics.median(t) for name, t in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only the rows whose name has one of these words in it")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--over", type=float, default=0, help="only rows at least so far from NumPy (or PyTorch)")
    args = parser.parse_args()
    installed = libraries()
    print(f"{'op':<26}{'layout':<12}{'rustyflow':>12}{'numpy':>12}{'torch':>12}{'/ numpy':>9}{'/ torch':>9}")
    tables = op_rows, matrix_rows, inplace_rows, nn_rows, gradient_rows
    for row in "".join([table.ROWS.lstrip("\n") for table in tables]).strip().splitlines():
        name, ours, numpys = (text.strip() for text in f"{row} ".split(" | "))
        if args.names and not any(word in name for word in args.names):
            continue
        for layout in ("contiguous", "transposed"):
            if not name.endswith("~"):
                agree(programs(ours, numpys, layout == "transposed", installed, apart=True))
            made = programs(ours, numpys, layout == "transposed", installed, apart=False)
            times = medians(made, args.rounds)  # in one memory, for NumPy itself takes 46 or 60 us by where it lies
            ratios = [times["rustyflow"] / times[other] if other in times else None for other in ("numpy", "torch")]
            if next((r for r in ratios if r is not None), 0) >= args.over:
                shown = [f"{times[n] * 1e6:.0f}us" if n in times else "-" for n in ("rustyflow", "numpy", "torch")]
                shown += ["-" if r is None else f"{r:.2f}" for r in ratios]
                print(("{:<26}{:<12}" + 3 * "{:>12}" + 2 * "{:>9}").format(name, layout, *shown), flush=True)


if __name__ == "__main__":
    main()
