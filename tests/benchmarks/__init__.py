"""rustyflow beside others, on one thread: this has to be asked for before NumPy and the others are imported."""
import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUM_CPU_THREADS"):
    os.environ[_name] = "1"
os.environ["DEV"] = "CPU"  # where tinygrad computes
