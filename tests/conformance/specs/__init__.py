"""What is called: one module per family, one line per name."""

from importlib import import_module

MODULES = (
    "elementwise", "dtypes", "reductions", "numerics", "views", "indexing", "linalg", "nn_functional", "nn_more",
    "matrices", "creation", "inplace", "more",
)  # fmt: skip
FAMILIES = [family for name in (*MODULES, "text") for family in import_module(f".{name}", __name__).FAMILIES]
