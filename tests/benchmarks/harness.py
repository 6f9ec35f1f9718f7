"""Side by side: one thread, one process, rounds interleaved, medians and ratios to PyTorch; gradients compared before anything is timed.

Machines are noisy: only the ratios of one run mean something, and the CPU time of the process is what is counted.
"""
from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import gc  # noqa: E402
import statistics  # noqa: E402
import time  # noqa: E402
from dataclasses import dataclass, field  # noqa: E402
from typing import Any, Callable  # noqa: E402

import numpy as np  # noqa: E402


@dataclass
class Case:
    """One program, written for several libraries.

    Attributes:
        goal: the ratio to PyTorch to stay below, or None.
        make: per library (a key of LIBRARIES) a function of (shape) that prepares and returns a program; the program runs
            once and returns the arrays that must agree (results or gradients), or None.
        shapes: the shape the goal is about, then another one, so that nothing is tuned to one.
    """

    name: str
    goal: float | None
    make: dict[str, Callable[[Any], Callable[[], Any]]]
    shapes: tuple = (None,)
    tolerance: float = 1e-3
    extra: dict = field(default_factory=dict)


def libraries() -> dict[str, Any]:
    """What is installed, under the names the table uses."""
    import rustyflow
    found = {"rustyflow": rustyflow}
    for name in ("torch", "mygrad", "autograd"):
        try:
            found[name] = __import__(name)
        except ImportError:
            continue
    if "torch" in found:
        found["torch"].set_num_threads(1)
    found["numpy"] = np
    return found


def as_arrays(result) -> list[np.ndarray]:
    """What a program returned, as arrays."""
    if result is None:
        return []
    return [np.asarray(r.detach().numpy() if hasattr(r, "detach") else getattr(r, "data", r)) for r in (result if isinstance(result, (list, tuple)) else [result])]


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
    programs = {name: make(shape) for name, make in case.make.items() if name in installed}
    reference = as_arrays(programs["torch"]()) if "torch" in programs else as_arrays(programs["rustyflow"]())
    for name, run in programs.items():
        for ours, theirs in zip(as_arrays(run()), reference):
            np.testing.assert_allclose(ours, theirs, rtol=case.tolerance, atol=case.tolerance, err_msg=f"{case.name}, {name}")
    return programs
