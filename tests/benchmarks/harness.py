"""Side by side: one thread, one process, rounds interleaved, medians; gradients compared before anything is timed.

Machines are noisy: only the ratios of one run mean something, and the CPU time of the process is what is counted.
"""
from __future__ import annotations

import gc
import shutil
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np


@dataclass
class Case:
    """One program, written for several libraries.

    Attributes:
        goal: the ratio to PyTorch to stay below, or None.
        make: per library (a key of `libraries()`) a function of the shape that prepares and returns a program, or None
            where the library cannot do that shape. The program runs once and returns the arrays that must agree:
            results or gradients.
        shapes: the shape the goal is about, then another one, so that nothing is tuned to one.
    """

    name: str
    goal: float | None
    make: dict[str, Callable[[Any], Callable[[], Any]]]
    shapes: tuple = (None,)
    tolerance: float = 1e-3


@cache
def libraries() -> dict[str, Any]:
    """What is installed, under the names the table uses."""
    import rustyflow
    found = {"rustyflow": rustyflow}
    for name in ("torch", "mygrad", "autograd", "tinygrad"):
        try:
            found[name] = __import__(name)
        except ImportError:
            continue
    if "torch" in found:
        found["torch"].set_num_threads(1)
    if "tinygrad" in found and shutil.which("clang"):
        found["tinyjit"] = found["tinygrad"]
    else:
        found.pop("tinygrad", None)  # it compiles all it runs
    found["numpy"] = np
    return found


def data(*shape, scale=1.0):
    """Deterministic float32 numbers."""
    return (np.random.default_rng(len(shape) * 1000 + sum(shape)).standard_normal(shape) * scale).astype(np.float32)


def later(T):
    """Where a causal mask hides: of T places those to the right of the diagonal."""
    return np.triu(np.ones((T, T), bool), 1)


def transformer_weights(B, T, C, V):
    """Embeddings of V characters and T places, two layers (attention in, out, up, down, two norms), the way back."""
    weights = [data(V, C, scale=0.1), data(T, C, scale=0.1)]
    for _ in range(2):
        weights += [data(*s, scale=s[-1] ** -0.5) for s in ((3 * C, C), (C, C), (4 * C, C), (C, 4 * C))]
        weights += [np.ones(C, np.float32), np.zeros(C, np.float32), np.ones(C, np.float32), np.zeros(C, np.float32)]
    return [*weights, data(V, C, scale=0.1)]


def as_arrays(result) -> list[np.ndarray]:
    """What a program returned, as arrays."""
    if result is None:
        return []
    parts = result if isinstance(result, (list, tuple)) else [result]
    return [np.asarray(r.detach().numpy() if hasattr(r, "detach") else getattr(r, "data", r)) for r in parts]


def measure(programs: dict[str, Callable], seconds: float, rounds: int) -> dict[str, float]:
    """Median CPU seconds of one run of each program, rounds interleaved."""
    counts = {}
    for name, run in programs.items():
        run()
        start = time.process_time()
        run()
        counts[name] = max(1, int(seconds / rounds / max(time.process_time() - start, 1e-6)))
    times: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, run in programs.items():
            gc.collect()
            start = time.process_time()
            for _ in range(counts[name]):
                run()
            times[name].append((time.process_time() - start) / counts[name])
    return {name: statistics.median(t) for name, t in times.items()}


def compare(case: Case, shape, installed: dict) -> dict[str, Callable]:
    """The programs of a case, after their results were found equal.

    Raises:
        AssertionError: two libraries disagree.
    """
    made = {name: make(shape) for name, make in case.make.items() if name in installed}
    programs = {name: run for name, run in made.items() if run is not None}
    reference = as_arrays(programs["torch"]()) if "torch" in programs else as_arrays(programs["rustyflow"]())
    for name, run in programs.items():
        for ours, theirs in zip(as_arrays(run()), reference, strict=True):
            np.testing.assert_allclose(ours, theirs, case.tolerance, case.tolerance, err_msg=f"{case.name}, {name}")
    return programs
