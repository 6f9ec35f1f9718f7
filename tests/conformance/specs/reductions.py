"""Reductions and running results: which dims, keepdim, correction, dtype, empty tensors, ties."""

from ..grid import COMPUTED, LAYOUTS, Family

REDUCTIONS = Family("reductions", """
sum: x; x, 0; x, -1, keepdim=True; c, (0, 2); c, (1, -1), True; x, dtype=torch.float32; x, 1, dtype=torch.int64;
    x, None; c, []; c, dim=1; x, axis=0; odd; x, (0,) ! x, 2; x, (0, 0); x, 'a'; x, 0.5; x, foo=1; x, 0, 'a'; 3;
    x, dtype='a'; c, (0, -3)
mean: x; x, 0; x, -1, keepdim=True; c, (0, 2); c, (1, -1), True; x, dtype=torch.float32; x, 1, dtype=torch.float64;
    c, dim=1; x, axis=0; odd, 0 ! x, 2; x, (0, 0); x, 'a'; x, foo=1; x.to(torch.int64); 3; x, dtype=torch.int32
prod: u; x, 0; p, 1; x, -1, keepdim=True; c, 1; u, dtype=torch.float64; x, 0, dtype=torch.float32; v;
    c, dim=0, keepdim=True ! x, 2; x, (0, 1); x, 'a'; x, foo=1; 3; x, keepdim=True
amax amin: x; x, 0; x, -1, keepdim=True; c, (0, 2); c, (1, -1), True; c, dim=1; odd, 1; x.to(torch.int32); x * 0, 1;
    c, () ! x, 2; x, (0, 0); x, 'a'; x, foo=1; 3; x, keepdim=2.5; t(0, 4); t(0, 4), 0
max min: x; x, 0; x, -1, True; c, 1; c, dim=0, keepdim=True; x, y; x, v; odd; odd, 1; x * 0; x * 0, 1;
    = torch.{}(x, 0).values; = torch.{}(x, 1).indices; = x.{}(dim=1)[1] ! x, 2; x, (0, 1); x, 'a'; x, 0.5; x, foo=1;
    3; t(0, 4); t(0, 4), 0; x, 1, 2, 3
argmax argmin: x; x, 0; x, -1, keepdim=True; c, 1; c, dim=0, keepdim=True; odd; odd, 1; x * 0, 1; x, None; v ! x, 2;
    x, (0, 1); x, 'a'; x, 0.5; x, foo=1; 3; t(0, 4); t(0, 4), 0
var std: x; x, 0; x, 1, correction=0; x, -1, keepdim=True; c, (0, 2); c, (0, 2), correction=2; x, False;
    x, 0, False; x, correction=0; x, 1, unbiased=True, keepdim=True; x, dim=None; v, correction=4;
    x, 1, correction=9; x, correction=20 ! x, 2; x, (0, 0);
    x, 'a'; x, foo=1; 3; x.to(torch.int64); x, 0, 1, 2, 3
var_mean: x; x, 0; x, 1, correction=0; x, -1, keepdim=True; c, (0, 2); x, False; x, 0, False; x, correction=0
    ! x, 2; x, (0, 0); x, 'a'; x, foo=1; 3; x.to(torch.int64)
cumsum: x, 0; x, 1; x, -1; c, 1; x, 0, dtype=torch.float32; v, 0; c, dim=-1; x, 1, dtype=torch.int64; s, 0 ! x;
    x, 2; x, (0, 1); x, 'a'; x, foo=1; 3, 0; x, None
cumprod: u, 0; x, 1; x, -1; c, 1; u, 0, dtype=torch.float64; v, 0; p, dim=-1; u * (u > 0), 1; s, 0 ! x; x, 2;
    x, (0, 1); x, 'a'; x, foo=1; 3, 0; x, None
logsumexp: x, 0; x, 1; c, (0, 2); x, -1, True; x, dim=0, keepdim=True; odd, 1; v, 0; x * 100, 1; s, 0 ! x; x, 2;
    x, (0, 0); x, 'a'; x, foo=1; 3, 0
any all: x; x, 0; x, -1, keepdim=True; x, (); mask; mask, 1; c, (0, 2); c, 1; odd; mask, dim=0; v ! x, 2; x, (0, 0);
    x, 'a'; x, foo=1; 3; x, 0.5
norm: x; x, 1; x, 2, 1; x, float('inf'); c, 2, (0, 2); x, 'fro'; x, p=3, dim=0, keepdim=True; x, 0; x, dim=1; v, 2;
    x, -1, 0; x, float('-inf'), 1; x, 1, 0, dtype=torch.float64 ! x, 2, 2; x, 'a'; x, 2, 'a'; x.to(torch.int64); 3;
    x, 2, (0, 0); x, foo=1; x, [0]; x, 2, 0, dtype=torch.int64; x, 2, 0, dtype=torch.float16
dist: x, y; x, v; x, y, 1; x, y, float('inf'); s, x ! x, 2; x; 3, x; x.to(torch.int64), x.to(torch.int64)
median: x; c; v; s; odd; x * 0 ! 'a'; 3; x, foo=1; mask
count_nonzero: x; x, 0; c, (0, 2); x, -1; mask; c, dim=1; odd; v ! x, 2; x, (0, 0); x, 'a'; x, foo=1; 3;
    x, keepdim=True
""")  # fmt: skip

# Which of several equal elements these pick is not said, so they are asked only where no two are equal.
ORDERED = Family("ordered", """
median: x, 0; x, -1, keepdim=True; c, 1; odd, 1; x, dim=1; q, 0; s, 0; = torch.median(x, 1).indices ! x, 2;
    x, (0, 1); x, 'a'; x, 0.5; t(0, 4), 0
topk: x, 2; x, 2, 0; v, 3; x, 2, 1, False; c, 1, dim=1; x, 3, largest=False; v, 0; s, 1; x, 4; x, 1, -1, True, True
    ! x, 5; x, -1; x, 2, 2; x; x, 'a'; x, 2.5; s, 2; 3, 1; mask, 1
""", dtypes=COMPUTED[:-1], layouts=LAYOUTS[:3] + LAYOUTS[4:])  # fmt: skip

FAMILIES = (REDUCTIONS, ORDERED)
