"""Every operation, one file per family and one room per kind, loaded when the first of their names is used."""
from importlib import import_module as _import_module

from ..dispatch import OPS, PUBLIC, apply, op

__all__ = ["FAMILIES", "OPS", "PUBLIC", "apply", "load", "op"]

FAMILIES = {
    "elementwise": "arithmetic blend cast clamp compare division exponential fill hyperbolic integers logic operators "
                   "powers rounding selection signs trigonometry",
    "reduce": "cumulative differences extrema histogram order quantile running search statistics sums",
    "views": "broadcast part permute relayout shape slices slots split view",
    "index": "brackets mask put scatter scatter_reduce select setitem",
    "matrix": "addproduct contraction decomposition einsum linalg matrix_products norm solve triangle vectors",
    "join": "cat combine repeat",
    "creation": "typed",
    "nn": "activation adaptive_pooling attention batch_norm classification_loss convolution distance dropout "
          "embedding embedding_loss likelihood_loss linear margin_loss normalization padding piecewise pooling "
          "probability_loss rearrange regression_loss resize shrink softmax",
}


def load() -> None:
    """Put the functions and methods of every family into the table."""
    for room, families in FAMILIES.items():
        for family in families.split():
            _import_module(f".{room}.{family}", __name__)
