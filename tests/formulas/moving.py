"""What the ops are tried on that move cells or pick some of them."""

from functools import partial

import numpy as np

from rustyflow import layout as rules
from tests.formulas.cases import AWAY, BOOLS, EVERY_OTHER, OVER_ONE, PLACES, ROW_NUMBERS, ROWS

X, VARIED = (ROWS, AWAY), (ROWS, OVER_ONE)  # the latter is never spread over one number, so that all cells differ
AT = (np.array([2, 0, 2]), np.array([1, 3, 1]))
DISTINCT = (np.array([2, 0]), np.array([1, 3]))


IMAGE, OWN, OTHER = ((2, 5, 6), AWAY), ((3, 4), (4, 1), 0), ((2, 3), (1, 3), 1)
PART = partial(rules.narrow, dim=1, start=1, length=2)
WINDOWS = {"kernel": (2, 3), "stride": (2, 2)}


FILTERS = {"stride": (2, 2), "padding": (0, 0), "dilation": (1, 1), "groups": 1}


def on(*operands, **attrs):
    return list(operands), [attrs]


MOVES = {
    "slots_read": on(X, own=OWN, other=OTHER),
    "slots_add": on(((2, 3), AWAY), own=OWN, other=OTHER),
    "slots_clear": on(X, own=OWN, other=OTHER),
    "through": on(X, layout=PART),
    "scatter_through": on(((3, 2), AWAY), size=(3, 4), layout=PART),
    "write_part": on(X, ((3, 2), AWAY), layout=PART),
    "max_pool2d_with_indices": ([IMAGE], [
        {"out": (2, 2), **WINDOWS, "padding": (0, 0), "dilation": (1, 1)},
        {"out": (2, 2), **WINDOWS, "padding": (1, 1), "dilation": (3, 2)},
    ]),
    "avg_pool2d_windows": ([IMAGE], [
        {"out": (2, 2), **WINDOWS, "padding": (0, 0), "count_padding": True, "override": 5},
        *({"out": (3, 3), **WINDOWS, "padding": (1, 1), "count_padding": count, "override": None}
          for count in (True, False)),
    ]),
    "avg_pool2d_input": on(((2, 3, 3), AWAY), size=(2, 5, 6), out=(3, 3), **WINDOWS, padding=(1, 1), count_padding=True,
                           override=None),
    "adaptive_max_pool2d_with_indices": ([IMAGE], [{"sizes": (2, 3)}, {"sizes": (3, 4)}]),
    "alias": on(X),
    "view": on(X, size=(3, 2, 2)),
    "unsafe_view": on(X, size=(2, 6)),
    "t": on(X),
    "transpose": on(((2, 3, 4), AWAY), dim0=0, dim1=2),
    "permute": on(((2, 3, 4), AWAY), dims=(2, 0, 1)),
    "unsqueeze": on(X, dim=1),
    "squeeze": on(((3, 1, 4), AWAY), dims=(1,)),
    "expand": on(((3, 1), AWAY), size=(2, 3, 4)),
    "sum_to": ([X], [{"size": (3, 1)}, {"size": (4,)}]),
    "narrow": on(X, dim=1, start=1, length=2),
    "select": on(X, dim=0, index=2),
    "diagonal": on(X, diag=1, dim1=0, dim2=1),
    "read_select": on(X, items=(slice(None, None, 2), -1)),
    "read_slice": on(X, items=(1, slice(1, None))),
    "unfold": on(((2, 5), AWAY), dim=1, size=3, step=2),
    "unbind": on(X, dim=1),
    "split_equal": on(X, dim=1, lengths=(2, 2)),
    "split_with_sizes": on(X, dim=1, lengths=(1, 3)),
    "cat": on(X, ((3, 2), AWAY), X, dim=1, lengths=(4, 2, 4)),
    "stack": on(X, X, X, dim=1),
    "block_diag": on(X, ((2, 3), AWAY), size=(5, 7), parts=((0, 0, 3, 4), (3, 4, 2, 3))),
    "flip": on(X, dims=(0, 1)),
    "repeat": on(X, repeats=(2, 1, 3)),
    "roll": ([X], [{"shifts": (1, -2), "dims": (0, 1)}, {"shifts": 5, "dims": None}]),
    "rot90": ([X], [{"k": k, "dims": (0, 1)} for k in (1, 2, 3)]),
    "shift": ([X], [{"dim": 1, "by": by, "fill": 2.0} for by in (1, -2)]),
    "constant_pad": on(X, pad=(1, -1, 0, 2), value=3.0),
    "weighed": on(X, dim=1, cells=np.array([[1, 0, 1], [2, 2, 3]]), weights=np.array([[0.5, 2, -1], [0.25, 1, 0]])),
    "weighed_zeros": on(((3, 2), AWAY), length=4, dim=1, cells=np.array([[1, 3]]), weights=np.array([[0.5, 2]])),
    "stretch_means": ([((2, 5, 4), AWAY)], [{"sizes": (3, 2)}, {"sizes": (4, 7)}]),
    "stretch_means_input": ([((2, 3, 2), AWAY)], [{"sizes": (5, 4)}, {"sizes": (2, 5)}]),
    "pad_from": on(X, dims=(1,), arrays=(np.array([1, 0, 1, 2, 3, 2]),)),
    "diag_embed": ([X], [{"size": (3, 5, 5), "offset": k, "dim1": 1, "dim2": 2} for k in (1, -1)]),
    "nan_to_num": on(X, nan=0.0, posinf=None, neginf=None),
    "gather": on(X, ((2, 3), ROW_NUMBERS), dim=0),
    "index": on(X, dims=(0, 1), arrays=AT),
    "index_select": on(X, ((4,), ROW_NUMBERS), dim=0),
    "take": on(X, ((5,), ROW_NUMBERS)),
    "embedding": on(X, ((4,), ROW_NUMBERS), padding_idx=-1),
    "embedding_rows": on(X, ((3,), ROW_NUMBERS), count=5, padding_idx=-1),
    "pick": on(X, (ROWS, BOOLS)),
    "masked_place": on(((6,), AWAY), ((6, 2), EVERY_OTHER)),
    "first_places": on(((5,), AWAY), size=(2, 4)),
    "write_at": on(X, ((2,), AWAY), dims=(0, 1), arrays=DISTINCT),
    "add_at": on(X, ((3,), AWAY), dims=(0, 1), arrays=AT),
    "index_clear": on(X, dims=(0, 1), arrays=AT),
    "index_zeros": on(((3,), AWAY), size=(3, 4), dims=(0, 1), arrays=AT),
    "index_copy": on(X, ((2,), PLACES), ((2, 4), AWAY), dim=0),
    "add_slices": on(X, ((4,), ROW_NUMBERS), ((4, 4), AWAY), dim=0, alpha=1.5),
    "fill_slices": on(X, ((2,), PLACES), ((), AWAY), dim=0),
    "scatter_from": on(X, ((2, 3), PLACES), ((2, 3), AWAY), dim=0),
    "scatter_value": on(X, ((2, 3), ROW_NUMBERS), dim=0, value=3.0),
    "scatter_add": on(X, ((2, 3), ROW_NUMBERS), ((2, 3), AWAY), dim=0),
    "scatter_reduced": (
        [X, ((4, 3), ROW_NUMBERS), ((4, 3), AWAY)],
        [{"dim": 0, "reduce": reduce, "include_self": own}
         for reduce in ("sum", "prod", "mean") for own in (True, False)],
    ),
    "scatter_add_zeros": on(((2, 3), AWAY), ((2, 3), ROW_NUMBERS), size=(3, 4), dim=0),
    "scatter_clear": on(X, ((2, 3), ROW_NUMBERS), dim=0),
    "scatter_mask": on(X, (ROWS, BOOLS), (ROWS, AWAY)),
    "amax_all": on(VARIED),
    "amin_all": on(VARIED),
    "median_all": on(VARIED),
    "nanmedian_all": on(VARIED),
    **{name: ([VARIED], [{"dim": 1, "keepdim": k} for k in (True, False)]) for name in ("max_dim", "min_dim")},
    "median_dim": ([VARIED], [{"dim": 0, "keepdim": k} for k in (True, False)]),
    "nanmedian_dim": ([VARIED], [{"dim": 0, "keepdim": k} for k in (True, False)]),
    "mode_along": ([VARIED], [{"dim": 0, "keepdim": k} for k in (True, False)]),
    "kth_along": ([VARIED], [{"dim": 1, "k": 2, "keepdim": k} for k in (True, False)]),
    "sort_along": ([VARIED], [{"dim": 0, "descending": k} for k in (True, False)]),
    "cummax_along": on(VARIED, dim=1),
    "cummin_along": on(VARIED, dim=0),
    "top_along": ([VARIED], [{"dim": 1, "k": 2, "largest": k} for k in (True, False)]),
    "convolution": on(
        *[(shape, AWAY) for shape in ((2, 2, 4, 5), (3, 2, 2, 2), (3,))],
        **FILTERS,
    ),
    "convolution_input": on(((2, 3, 2, 2), AWAY), ((3, 2, 2, 2), AWAY), ((2,), AWAY), size=(2, 2, 5, 4), **FILTERS),
    "convolution_weight": on(((2, 3, 2, 2), AWAY), ((2, 2, 5, 4), AWAY), size=(3, 2, 2, 2), **FILTERS),
    "dots": on(X, X, dim=1),
    "distinct": ([X], [{"dim": dim, "runs": runs, "inverse": True, "counts": True}
                       for dim, runs in ((None, False), (1, False), (None, True), (0, True))]),
    "scatter_joined": ([X, ((2, 3), ROW_NUMBERS), ((2, 3), AWAY)],
                       [{"dim": 0, "how": how} for how in ("add", "multiply")]),
    "nll_loss": on(X, ((3,), ROW_NUMBERS), ((4,), OVER_ONE), ignore=None, reduction="mean"),
    "cross_entropy": on(X, ((3,), ROW_NUMBERS), ignore=None, reduction="mean"),
    "multi_margin_loss": (
        [X, ((3,), ROW_NUMBERS), ((4,), OVER_ONE)], [{"p": p, "margin": 0.75, "reduction": "mean"} for p in (1, 2)]
    ),
    "standardize": on(VARIED, ((4,), AWAY), ((4,), AWAY), eps=0.01, inner=(3, 4), dims=(1,), affine=(4,)),
}

PARTS = ("unbind", "split_equal", "split_with_sizes")
"""The ops with any number of views for results."""
