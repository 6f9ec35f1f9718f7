"""Further names: those that are another's under a second name, and relatives of the names in the other tables."""

from ..grid import DTYPES, Family

ALIASES = Family("second names", """
absolute fix negative: x; odd; s; c; v; x.t() ! 'a'; 3; x, 1; x, foo=1
positive: x; s; c ! 'a'; 3; x, 1; mask
arccos arcsin arctanh: u; s * 0; v * 0 ! 'a'; 3; x, 1
arccosh: p + 1; s * s + 1 ! 'a'; 3; x, 1
arcsinh arctan: x; s; c; odd ! 'a'; 3; x, 1
arctan2: x, y; x, v; s, x; col, row; odd, y ! x, 2; x; x, t(5); x, 'a'
divide: x, p; x, 2; x, p, rounding_mode='floor'; x, v; s, p ! x, p, rounding_mode='up'; x, 'a'; x
multiply: x, y; x, 2.5; col, row; s, x ! x, 'a'; x; x, t(5)
subtract: x, y; x, 2; x, y, alpha=2; col, row ! x, 'a'; x; x, t(5)
clip: x, -1, 1; x, 0; x, max=1; x, y, p; x, min=y; x, v, None; x, 2, -2 ! x; x, 'a'; x, y, 1; x, None, None
greater greater_equal less less_equal not_equal: x, y; x, 0; x, v; s, x; odd, y ! x, 'a'; x; x, t(5); x, None
moveaxis: c, 0, 2; c, (0, 1), (2, 0); x, -1, 0; s, 0, 0 ! c, 0; c, 0, 3; c, (0, 1), 2; x, 'a', 0
swapdims: c, 0, 2; x, 0, 1; x, -1, 0; s, 0, -1 ! x, 0; x, 0, 2; x, 'a', 0
adjoint: x; c; q ! v; 'a'; x, 1
""")  # fmt: skip

NO_GRADIENT = Family("second names without gradients", """
# recorded, PyTorch's sgn_ has a gradient that NumPy cannot read, and a bool written in place cannot go backward
sgn: x; odd; s; c; v; x.t() ! 'a'; 3; x, 1; x, foo=1
greater greater_equal less less_equal not_equal: mask, x
""", records=False)  # fmt: skip

PARTS = Family("parts written and read", """
select_scatter: x, v, 0, 1; x, t(3), 1, -1; c, t(2, 4), 1, 0; x, v, dim=0, index=2
    ! x, v, 0, 3; x, v, 1, 0; x, 2, 0, 1; x, v, 2, 0; x, v
slice_scatter: x, t(1, 4), 0, 1, 2; x, t(3, 2), 1, 0, 4, 2; x, y; x, t(2, 4), 0, 1; c, t(2, 1, 4), 1, -1
    ! x, v, 0, 0, 1; x, t(2, 4), 0, 0, 1; x; x, 2; x, y, 2
diagonal_scatter: x, t(3); x, t(3), 1; x, t(2), -1; c, t(4, 2), 0, 0, 1; q, t(3) ! x, v; x, 2; x; v, v; x, t(3), 0, 0, 0
masked_scatter: x, mask, y; x, mask, t(20); x, v > 0, y; c, mask, t(30); row, mask, y
    ! x, y, y; x, mask, 2; x, mask, t(1) > 0; x, mask; x, mask, 'a'
hsplit vsplit: x, 2 - 1; x, [1]; x, [1, 2]; c, 1; c, [1] ! s, 1; x, 7; x, 'a'; x
hsplit: v, 2; x, 2; x, 4; v, [1, 3] ! v, 3
dsplit: c, 2; c, [1]; c, [1, 3]; c, 4 ! x, 2; c, 3; c, 'a'
fliplr: x; c; q ! v; s; 'a'
flipud: x; c; v ! s; 'a'
""")  # fmt: skip

MATRICES = Family("products and pairs", """
addr: x, t(3), v; x, t(3), w, beta=2; x, t(3), w, alpha=2; v, t(3), w; s, t(3), w; x, t(3), w, beta=0, alpha=3;
    col, t(3), v ! x, v, v; x, x, v; x, v; 'a', v, v; x, t(3), 'a'
ger: t(3), v; v, w ! x, v; v; v, 2; s, v
cross: t(4, 3), t(4, 3); t(3, 4), t(3, 4), 0; t(2, 3, 4), t(2, 3, 4), 1; t(4, 3), t(3); t(1, 3), t(4, 3), dim=1;
    t(4, 3), t(4, 3), -1 ! x, v; v, w; x, y, 1; x; x, 'a', 0
column_stack: [v, w]; [x, y]; [x, t(3)]; [s, s]; (x, x) ! x; [x, v]; []
dstack: [v, w]; [x, y]; [c, c]; [s, s] ! x; [x, v]; []
broadcast_shapes: = torch.broadcast_shapes((3, 1), (4,)); = torch.broadcast_shapes((2,), (3, 2), ());
    = torch.broadcast_shapes(2, (3, 1)) ! = torch.broadcast_shapes((2,), (3,)); = torch.broadcast_shapes((-1,), (3,));
    = torch.broadcast_shapes('a')
rsub: x, y; x, 2; x, y, alpha=2; x, v; x, 2.5 ! x, 'a'; x; x, t(5)
""")  # fmt: skip

FLOATING = Family("floats that are reduced or ranked", """
aminmax: x; x, dim=0; x, dim=1, keepdim=True; odd, dim=1; s; v, dim=0; c, dim=-1; = torch.aminmax(x).max
    ! x, dim=2; 'a'; x, 0; x, dim=(0, 1); t(0)
kthvalue: x, 1; x, 3; p, 2, 0; x, 2, 1, True; v, 4; s, 1; c, 2, -1 ! x, 0; x, 5; x, 1, 2; x; 'a', 1; x, 'a'
logcumsumexp: x, 0; x, 1; odd, 1; v, 0; s, 0; c, -1 ! x; x, 2; x, 'a'; 'a', 0
msort: x; v; c; p ! 'a'; 3; x, 1
nansum: x; odd; odd, 1; odd, (0, 1), True; x, 0, dtype=torch.float64; s; c, -1 ! x, 2; x, 'a'; 'a'
nanmean: x; odd; odd, 1; odd, 0, True; c, (0, 2); s ! x, 2; x, 'a'; 'a'
std_mean: x; x, 0; x, 1, correction=0; c, (0, 1); v, 0, keepdim=True; x, unbiased=False ! x, 2; x, 'a'; 'a'
""", dtypes=DTYPES[:2])  # fmt: skip

COUNTED = Family("counted and found", """
bucketize: x, v.sort().values; x, v.sort().values, right=True; s, v.sort().values; 2.5, v.sort().values;
    x, v.sort().values, out_int32=True ! x, y; x; x, 'a'; 'a', v
# of test elements that do not lie row by row, PyTorch takes a view that it cannot have
isin: x, y.contiguous(); x, v; x, 2; 2, x; x, v, invert=True; x, v, assume_unique=True; s, x ! x; 'a', x; x, 'a'; 1, 2
unique_consecutive: x; v; x, return_inverse=True; x, return_counts=True; x, dim=0; x * 0; c, dim=1;
    x // 2, True, True ! 'a'; x, dim=2; 3
is_nonzero: s; s * 0; v[:1] ! x; v; 'a'
is_tensor: x; 2; 'a'; [x] ! = torch.is_tensor()
""", records=False)  # fmt: skip

SCALARS = Family("scalars", """
scalar_tensor: = torch.scalar_tensor(2); = torch.scalar_tensor(2.5, dtype={D}); = torch.scalar_tensor(True)
    ! = torch.scalar_tensor('a'); = torch.scalar_tensor([1]); = torch.scalar_tensor()
ndimension: = x.ndimension(); = s.ndimension(); = c.ndimension() ! = x.ndimension(1)
sum_to_size: = x.sum_to_size(4); = x.sum_to_size(3, 1); = x.sum_to_size((1, 4)); = c.sum_to_size(3, 4);
    = x.sum_to_size(3, 4) ! = x.sum_to_size(5); = x.sum_to_size('a'); = x.sum_to_size(2, 3, 4)
""")  # fmt: skip

PREFIX = "nn.functional."

LAYERS = Family("further layers", """
celu selu mish hardswish relu6: x; odd; s; c ! 'a'; 3; x, foo=1
# PyTorch's gradient is by a sixth in single precision, of float64 as well
hardsigmoid: x.float(); odd.float(); s.float(); c.float() ! 'a'; 3; x, foo=1
celu: x, 0.5; x, alpha=2.0 ! x, 'a'
softmin: x, 0; x, 1; x, dim=-1; c, 1; v, 0; s, 0 ! x, 2; x, 'a'; 'a', 0
pairwise_distance: x, y; x, y, 1; x, v; x, y, 2, 0.1, True; v, w; c, c + 1, p=3 ! x, t(5); x; 'a', y
avg_pool1d: t(2, 3, 6), 2; t(3, 6), 2, 1; t(2, 3, 6), 3, 2, 1; t(2, 3, 7), 2, ceil_mode=True;
    t(2, 3, 6), 3, 1, 1, False, False ! v, 2; t(2, 3, 6), 7; t(2, 3, 6); t(2, 3, 6), 'a'
max_pool1d: t(2, 3, 6), 2; t(3, 6), 2, 1; t(2, 3, 6), 3, 2, 1; t(2, 3, 7), 2, ceil_mode=True; t(2, 3, 7), 2, 1, 0, 2
    ! v, 2; t(2, 3, 6), 7; t(2, 3, 6); t(2, 3, 6), 'a'
adaptive_avg_pool2d: t(2, 3, 4, 6), 2; t(3, 4, 5), (2, 3); t(2, 3, 4, 6), (None, 2); t(1, 1, 5, 5), 1
    ! v, 2; t(2, 3, 4, 6), 'a'; t(2, 3, 4, 6)
conv_transpose1d: t(2, 3, 5), t(3, 2, 3); t(2, 3, 5), t(3, 2, 3), t(2); t(3, 5), t(3, 2, 3), stride=2;
    t(2, 3, 5), t(3, 2, 3), None, 2, 1, 1; t(2, 4, 5), t(4, 1, 3), groups=2; t(2, 3, 5), t(3, 2, 2), dilation=2
    ! t(2, 3, 5), t(2, 2, 3); v, t(3, 2, 3); t(2, 3, 5); t(2, 3, 5), t(3, 2, 3), stride=0
conv_transpose2d: t(2, 3, 4, 4), t(3, 2, 3, 3); t(3, 4, 4), t(3, 2, 2, 2), t(2), 2;
    t(1, 2, 3, 3), t(2, 2, 3, 3), None, 2, 1, 1
    ! t(2, 3, 4, 4), t(2, 2, 3, 3); v, t(3, 2, 3, 3)
instance_norm: t(2, 3, 5); t(2, 3, 4, 4); t(2, 3, 5), eps=0.1; t(2, 3, 5), weight=t(3), bias=t(3) ! v; t(2, 3, 1); 'a'
""", prefix=PREFIX, dtypes=DTYPES[:2], methods=False)  # fmt: skip

LINALG = Family("further linalg", """
cross: t(4, 3), t(4, 3); t(3, 4), t(3, 4), dim=0; t(4, 3), t(3); t(1, 3), t(4, 3) ! x, y; v, w; x; t(4, 3), 'a'
vecdot: x, y; x, v; x, y, dim=0; c, x, dim=-1; v, w ! x, t(5); x; x, 'a'; x, y, dim=2
matrix_norm: x; c; x, 1; x, -1; x, float('inf'); x, -float('inf'); x, 'fro', keepdim=True; c, 1, (0, 2);
    well, 2; well, 'nuc'; well, -2 ! v; x, 3; x, 'a'; 'a'; x, 'fro', (0, 0)
slogdet: well; = torch.linalg.slogdet(well * -1) ! x; v; 'a'
""", prefix="linalg.", dtypes=DTYPES[:2], methods=False)  # fmt: skip

LOGDET = Family("logdet", """
logdet: spd; = torch.logdet(spd @ spd) ! x; v; 'a'
slogdet: well ! x; v; 'a'
""", dtypes=DTYPES[:2])  # fmt: skip

FAMILIES = (ALIASES, NO_GRADIENT, PARTS, MATRICES, FLOATING, COUNTED, SCALARS, LAYERS, LINALG, LOGDET)
