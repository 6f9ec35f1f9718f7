"""For every op a program that contains it, and the shapes and domains of its operands: what second derivatives and
provenance are tried on. The ops of `tests.formulas` come with their operands; the others are said here as a program
would say them.
"""

import rustyflow as rf
import rustyflow.nn.functional as f
from rustyflow.dispatch.run import apply_view
from rustyflow.ops import OPS, apply
from tests.formulas.cases import AWAY, CASES, OVER_ONE, REGULAR, ROWS

WHERE = rf.tensor([[0, 2, 1], [1, 0, 0]])
ROWS_OF = rf.tensor([0, 2, 0])
CELLS, WEIGHTS = rf.tensor([[1, 0], [2, 2]]), rf.tensor([[0.5, 2], [0.25, -1]], dtype=rf.float64)
MASK = rf.tensor([[True, False, True, True], [False, True, True, False], [True, True, False, False]])
TARGET = rf.tensor([1, 0, 3])
CLASS_WEIGHT = rf.tensor([0.5, 1.5, 1.0, 2.0], dtype=rf.float64)
INNER = lambda shape, stride, offset: ((2, 3), stride[::-1], offset + stride[1])  # noqa: E731 - a view of (3, 4)
DENSE, BACK = ((3, 4), (4, 1), 0), ((2, 2), (1, 5), 2)
POOL = {"kernel": (2, 2), "stride": (1, 1), "padding": (0, 0), "ceil_mode": False}


def written(x, key, value):
    y = x * 1
    y[key] = value
    return y


def twice_through(op):
    """The gradient of an op as a program: what only gradients use, is used there."""

    def program(*operands):
        operands = [x if x.requires_grad else x.detach().requires_grad_() for x in operands]
        with rf.enable_grad():
            y = op(*operands)
            upstream = rf.linspace(-1, 1, y.numel(), dtype=y.dtype).view(y.shape) * operands[0].sum()
            return rf.autograd.grad(y, operands, upstream, create_graph=True)

    return program


VARIED = OVER_ONE  # what is not spread over one number
WIDE = ((3, 4), VARIED)
ONE, PAIR = (ROWS, AWAY), ((3, 4), AWAY)
SQUARE = ((3, 3), REGULAR)
IMAGE, KERNEL = ((1, 2, 4, 5), AWAY), ((4, 1, 2, 2), AWAY)
HEADS = (((2, 4, 3, 2), AWAY), ((2, 2, 3, 2), AWAY), ((2, 2, 3, 2), AWAY))


def without_signs(u, s, v):
    """What does not depend on the signs that singular vectors happen to have."""
    return (u * rf.tensor([1.0, -2.0, 4.0], dtype=u.dtype)) @ v.mT, s


def convolved(x, w, b=None):
    return f.conv2d(x, w, b, stride=2, padding=1, dilation=(1, 2), groups=2)


def attended(q, k, v, mask=None, **how):
    q, k, v = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in (q, k, v))  # as they come from one product
    return f.scaled_dot_product_attention(q, k, v, mask and rf.tensor(mask), enable_gqa=True, **how)


SEEN = [True, False, True], [False, False, False], [True, True, True]  # the second query sees nothing

PROGRAMS = {
    # another layout of the same cells
    "alias": (lambda x: apply_view(OPS["alias"], x), ONE),
    "as_strided": (lambda x: x.contiguous().as_strided((2, 2), (4, 1), 1), ONE),
    "as_strided overlapping": (lambda x: x.contiguous().as_strided((3, 2), (1, 1), 1), ONE),
    "diagonal": (lambda x: x.diagonal(1), ONE),
    "trace": (lambda x: x.trace(), ONE),
    "expand": (lambda x: x.expand(2, 3, 4), ONE),
    "narrow": (lambda x: apply_view(OPS["narrow"], x, dim=1, start=1, length=2), ONE),
    "permute": (lambda x: x.permute(1, 0), ONE),
    "read_select": (lambda x: x[:, -1], ONE),
    "read_slice": (lambda x: x[1:, ::2], ONE),
    "unsafe_view": (lambda x: x.t().reshape(2, 6), WIDE),
    "select": (lambda x: x.select(1, 2), ONE),
    "split_equal": (lambda x: x.split(3, 1), ONE),
    "split_with_sizes": (lambda x: x.split([1, 3], 1), ONE),
    "squeeze": (lambda x: x.squeeze(), ((3, 1, 2), AWAY)),
    "sum_to": (lambda x: apply(OPS["sum_to"], x, size=(3, 1)), ONE),
    "t": (lambda x: x.t(), ONE),
    "transpose": (lambda x: x.transpose(0, 1), ONE),
    "unbind": (lambda x: x.unbind(1), ONE),
    "unfold": (lambda x: x.unfold(1, 3, 1), ONE),
    "unsqueeze": (lambda x: x.unsqueeze(1), ONE),
    "view": (lambda x: x.contiguous().view(2, 6), ONE),
    # cells moved, joined or repeated
    "block_diag": (lambda x, y: rf.block_diag(x, y, x * 2), ONE, ((3,), AWAY)),
    "cat": (lambda x, y: rf.cat([x, y, x], 1), ONE, ((3, 2), AWAY)),
    "constant_pad": (lambda x: f.pad(x, (1, -1, 0, 2), value=3.0), ONE),
    "diag_embed": (lambda x: rf.diag_embed(x, 1), ONE),
    "flip": (lambda x: x.flip(0, 1), ONE),
    "nan_to_num": (lambda x: x.nan_to_num(), ONE),
    "pad_from": (lambda x: f.pad(x[None], (2, 1), mode="reflect"), ONE),
    "repeat": (lambda x: x.repeat(2, 1, 2), ONE),
    "roll": (lambda x: x.roll((1, 2), (0, 1)), ONE),
    "rot90": (lambda x: x.rot90(), ONE),
    "shift": (lambda x: apply(OPS["shift"], x, dim=1, by=1, fill=2.0), ONE),
    "stack": (lambda x, y: rf.stack([x, y, x], 1), ONE, PAIR),
    "write_part": (lambda x, y: rf.select_scatter(x, y, 1, 2), ONE, ((3,), AWAY)),
    # through the slots of a storage
    "copy_slices": (lambda x, y: written(x, (slice(1, None), 0), y), ONE, ((2,), AWAY)),
    "scatter_through": (lambda x: apply(OPS["scatter_through"], x, size=(3, 4), layout=INNER), ((2, 3), AWAY)),
    "through": (lambda x: apply(OPS["through"], x, layout=INNER), ONE),
    "slots_add": (lambda x: apply(OPS["slots_add"], x, own=DENSE, other=BACK), ((2, 2), AWAY)),
    "slots_clear": (lambda x: apply(OPS["slots_clear"], x, own=DENSE, other=BACK), ONE),
    "slots_read": (lambda x: apply(OPS["slots_read"], x, own=DENSE, other=BACK), ONE),
    # cells named by an index or a mask
    "add_at": (lambda x, y: x.index_put((ROWS_OF,), y, accumulate=True), ONE, PAIR),
    "add_slices": (lambda x, y: x.index_add(0, ROWS_OF, y), ONE, PAIR),
    "embedding": (lambda x: f.embedding(ROWS_OF, x), ONE),
    "embedding_rows": (lambda x: apply(OPS["embedding_rows"], x, ROWS_OF, count=4, padding_idx=-1), ONE),
    "fill_slices": (lambda x, y: x.index_fill(0, ROWS_OF, y), ONE, ((), AWAY)),
    "first_places": (lambda x: apply(OPS["first_places"], x, size=(2, 5)), ((7,), AWAY)),
    "gather": (lambda x: x.gather(1, WHERE), ONE),
    "index": (lambda x: x[ROWS_OF, [1, 1, 2]], ONE),
    "index_clear": (lambda x: apply(OPS["index_clear"], x, dims=(0,), arrays=(ROWS_OF._a,)), ONE),
    "index_copy": (lambda x, y: x.index_copy(0, ROWS_OF[:2], y), ONE, ((2, 4), AWAY)),
    "index_select": (lambda x: x.index_select(0, ROWS_OF), ONE),
    "take": (lambda x: x.take(rf.tensor([[0, 5], [5, -1]])), ONE),
    "weighed": (lambda x: apply(OPS["weighed"], x, dim=1, cells=CELLS._a, weights=WEIGHTS._a), ONE),
    "weighed_zeros": (lambda x: apply(OPS["weighed_zeros"], x, length=5, dim=1, cells=CELLS._a, weights=WEIGHTS._a),
                      ((3, 2), AWAY)),
    "index_zeros": (lambda x: apply(OPS["index_zeros"], x, size=(3, 4), dims=(0,), arrays=(ROWS_OF._a,)), ONE),
    "masked_place": (lambda x: apply(OPS["masked_place"], x, MASK), ((7,), AWAY)),
    "pick": (lambda x: x.masked_select(MASK), ONE),
    "scatter_add": (lambda x, y: x.scatter_add(1, WHERE, y), ONE, ((2, 3), AWAY)),
    "scatter_add_zeros": (lambda x: apply(OPS["scatter_add_zeros"], x, WHERE, size=(3, 4), dim=1), ((2, 3), AWAY)),
    "scatter_reduced": (lambda x, y: x.scatter_reduce(1, WHERE, y, "mean"), ONE, ((2, 3), AWAY)),
    "scatter_clear": (lambda x: apply(OPS["scatter_clear"], x, WHERE, dim=1), ONE),
    "scatter_from": (lambda x, y: x.scatter(1, WHERE[:1], y), ONE, ((1, 3), AWAY)),
    "scatter_mask": (lambda x, y: x.masked_scatter(MASK, y), ONE, PAIR),
    "scatter_value": (lambda x: x.scatter(1, WHERE, 3.0), ONE),
    "write_at": (lambda x, y: written(x, (rf.tensor([0, 2]), [1, 3]), y), ONE, ((2,), AWAY)),
    # one cell of several
    "amax_all": (lambda x: x.max(), WIDE),
    "amin_all": (lambda x: x.min(), WIDE),
    "median_all": (lambda x: x.median(), WIDE),
    "nanmedian_all": (lambda x: x.nanmedian(), WIDE),
    "both_ends": (lambda x: tuple(x.aminmax(dim=1)), WIDE),
    "cummax_along": (lambda x: x.cummax(1).values, WIDE),
    "cummin_along": (lambda x: x.cummin(0).values, WIDE),
    "kth_along": (lambda x: x.kthvalue(2, 0).values, WIDE),
    "mode_along": (lambda x: x.mode(1).values, WIDE),
    "max_dim": (lambda x: x.max(1).values, WIDE),
    "min_dim": (lambda x: x.min(1).values, WIDE),
    "median_dim": (lambda x: x.median(1).values, WIDE),
    "nanmedian_dim": (lambda x: x.nanmedian(1).values, WIDE),
    "sort_along": (lambda x: x.sort(1, descending=True).values, WIDE),
    "top_along": (lambda x: x.topk(2, 1).values, WIDE),
    # windows
    "avg_pool2d_windows": (lambda x: f.avg_pool2d(x, 2, 1, 1, count_include_pad=False), ((1, 2, 3, 4), AWAY)),
    "constant_in": (twice_through(f.relu), PAIR),
    "avg_pool2d_input": (twice_through(lambda x: f.avg_pool2d(x, 2)), ((1, 1, 4, 4), AWAY)),
    "stretch_means": (lambda x: f.adaptive_avg_pool2d(x, (2, 3)), ((1, 2, 3, 4), AWAY)),
    "stretch_means_input": (twice_through(lambda x: f.adaptive_avg_pool2d(x, (2, 3))), ((1, 2, 3, 4), AWAY)),
    "convolution": (convolved, IMAGE, KERNEL, ((4,), AWAY)),
    "convolution_input": (lambda x, w: f.conv_transpose2d(x, w, stride=2), ((1, 2, 2, 2), AWAY), ((2, 1, 2, 2), AWAY)),
    "convolution_weight": (twice_through(convolved), IMAGE, KERNEL),
    "max_pool2d_with_indices": (lambda x: f.max_pool2d(x, 2, 1), ((1, 2, 3, 4), VARIED)),
    "adaptive_max_pool2d_with_indices": (lambda x: f.adaptive_max_pool2d(x, (2, 3)), ((1, 2, 3, 4), VARIED)),
    # classes and statistics
    "cross_entropy": (lambda x: f.cross_entropy(x, TARGET, CLASS_WEIGHT), ONE),
    "cross_entropy smoothed": (lambda x: f.cross_entropy(x, TARGET, CLASS_WEIGHT, label_smoothing=0.1), ONE),
    "nll_loss": (lambda x: f.nll_loss(x, TARGET, CLASS_WEIGHT), ONE),
    "nll_input": (twice_through(lambda x: f.nll_loss(x * x, TARGET, CLASS_WEIGHT)), ONE),
    "multi_margin_loss": (lambda x: f.multi_margin_loss(x, TARGET, 2, 0.5, CLASS_WEIGHT), ONE),
    "var_mean": (lambda x: rf.var_mean(x, 1), WIDE),
    "std_mean": (lambda x: rf.std_mean(x, 1), WIDE),
    "standardize": (lambda x, w, b: f.layer_norm(x, (4,), w, b), ((3, 4), VARIED), ((4,), AWAY), ((4,), AWAY)),
    "flash_attention": (attended, *HEADS),
    "flash_attention causal": (lambda q, k, v: attended(q[:, :, :2], k, v, is_causal=True), *HEADS),
    "flash_attention masked": (lambda q, k, v: attended(q, k, v, SEEN, scale=-0.5), *HEADS),
    # matrices
    "cdist": (lambda x, y: rf.cdist(x, y), ((3, 4), VARIED), ((2, 1, 4), VARIED)),
    "cdist by a product": (lambda x, y: rf.cdist(x, y, 2.0, "use_mm_for_euclid_dist"), ((3, 4), VARIED),
                           ((2, 1, 4), VARIED)),
    "cdist of the third powers": (lambda x, y: rf.cdist(x, y, 3.0), ((3, 4), VARIED), ((2, 4), VARIED)),
    "cholesky_factor": (lambda x: rf.linalg.cholesky(x @ x.t()), SQUARE),
    "sign_and_log": (lambda x: rf.linalg.slogdet(x)[1], SQUARE),
    "svd": (lambda x: apply(OPS["svd"], x)[1], ((2, 3, 4), VARIED)),
    "svd vectors": (lambda x: without_signs(*apply(OPS["svd"], x)), ((4, 3), VARIED)),
    "svd singular": (lambda x: rf.linalg.svd(x * rf.tensor([1.0, 1.0, 0.0], dtype=x.dtype))[0] ** 2, SQUARE),
    "eigen": (lambda x: rf.linalg.eigvalsh(x + x.mT), ((3, 3), VARIED)),
    "eigen vectors": (lambda x: rf.linalg.eigh(x + x.mT, "U")[1] ** 2, ((3, 3), VARIED)),
    "eigen negative": (lambda x: rf.linalg.eigvalsh(-x @ x.mT), SQUARE),
    "svd norm": (lambda x: rf.linalg.matrix_norm(x, "nuc") + rf.linalg.matrix_norm(x, 2), SQUARE),
    # several results, or another rule than the first
    "step": (lambda x: (x * x).gt_(0.5), ONE),
    "var biased": (lambda x: x.var(correction=0), WIDE),
    "batch_norm": (lambda x: f.batch_norm(x, None, None, training=True), WIDE),
}

UNPROVED = {
    "distinct": "has no derivative, as in PyTorch",
    "scatter_joined": "has no derivative, as in PyTorch",
    "floor_divide": "has no derivative, as in PyTorch",
    "heaviside": "has no derivative, as in PyTorch",
}
"""The differentiable ops without a second derivative to check, and why."""


def cases():
    """(name, program, operand specs), for each op of `tests.formulas` with each of its attributes, and each program."""
    for name, (operands, settings) in CASES.items():
        for k, attrs in enumerate(settings):
            program = lambda *x, op=OPS[name], attrs=attrs: apply(op, *x, **attrs)  # noqa: E731
            yield (f"{name} {k}" if k else name), program, operands
    for name, (program, *operands) in PROGRAMS.items():
        yield name, program, operands
