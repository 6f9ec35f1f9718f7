"""What every test shares: one thread a process, so that workers don't fight, code compiled once, Hypothesis without a
stopwatch, and no garbage collector among what was collected."""

import gc
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Tests start some hundred processes, each kernel one, and each would compile rustyflow anew: a second a process.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

from hypothesis import HealthCheck, settings

sys.dont_write_bytecode = False

# A busy machine is no failing example. In CI the examples are the same every time.
settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_collection_finish():
    """Thousands of collected tests live to the end: the garbage collector need not look at them during each."""
    gc.collect()
    gc.freeze()
