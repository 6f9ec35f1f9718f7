"""Singular values, eigenvalues, powers and products of matrices; whole numbers; tensors by their old type names."""

from ..grid import Family

DECOMPOSITIONS = Family("decompositions", """
svdvals: well; x; c; t(2, 3, 3); x * 1.5; v.unsqueeze(1) * w; q * float('nan') ! v; 'a'; x.to(torch.int64); x, foo=1
svd: = torch.linalg.{}(well).S; = torch.{}(x).S; = [p.shape for p in torch.linalg.{}(x)];
    = [p.shape for p in torch.linalg.{}(c.mT)];
    = (lambda u, s, v: (u[:, :3] * s) @ v[:3])(*torch.linalg.{}(x)); = torch.{}(x, False)[1];
    = torch.linalg.{}(x, full_matrices=False).S; = torch.linalg.{}(c, False)[1];
    = (lambda u, s, v: (u * s) @ v)(*torch.linalg.{}(well)); = abs(torch.linalg.{}(well)[0]);
    = torch.{}(x, compute_uv=False); = torch.{}(c.mT, True, False)
    ! = torch.linalg.{}(v); = torch.linalg.{}('a'); = torch.linalg.{}(x.to(torch.int64)); = torch.linalg.{}(q.half());
    = torch.linalg.{}(q / 0)
eigh: = torch.linalg.{}(spd).eigenvalues; = torch.linalg.{}(-spd)[0]; = torch.linalg.{}(q)[0];
    = torch.linalg.{}(q, 'U')[1] ** 2;
    = torch.linalg.{}(-spd)[1] ** 2; = torch.linalg.{}(q - q.mT + well)[1] ** 2;
    = torch.linalg.{}(t(2, 3, 3))[1] ** 2; = torch.linalg.{}(spd, 'U')[0]; = abs(torch.linalg.{}(spd)[1]);
    = (lambda e, v: (v * e.unsqueeze(-2)) @ v.mT)(*torch.linalg.{}(spd))
    ! = torch.linalg.{}(x); = torch.linalg.{}('a'); = torch.linalg.{}(spd, 'A'); = torch.linalg.{}(v)
eigvalsh: spd; spd, 'U'; well + well.mT; -spd; q; q, 'U'; -v.unsqueeze(1) * v; q * 0; t(2, 3, 3);
    t(0, 0) ! x; 'a'; v; spd, 'A'
cond: well; well, 2; well, -2; x ! v; 'a'
matrix_power: well, 3; well, 2; well, 0; well, 1; well, -1; spd, 5; well.expand(2, 3, 3), 2 ! x, 2; 'a', 2;
    well, 'a'; well, True; v, 2
multi_dot: [x, t(4, 2)]; [q, q, x]; [v, t(4, 2), t(2, 3)]; (x, t(4, 3), x, v) ! [x]; [x, x]; [x, 'a']
vander: v; v, N=3; x, N=2; c ! s; 'a'; v, N=1; v, N='a'
""", prefix="linalg.", dtypes=("float64", "float32"), layouts=("contiguous", "transposed", "sliced"),
    methods=False)  # fmt: skip

RANKS = Family("ranks and conditions", """
matrix_rank: well; x; x * 0; q, atol=2.0; q, rtol=0.5; t(2, 3, 3); v.unsqueeze(1) * w; -spd, hermitian=True;
    -v.unsqueeze(1) * v, hermitian=True; q, atol=2.0, hermitian=True; q * 0, hermitian=True
    ! v; 'a'; x.to(torch.int64); x, hermitian=True; q, hermitian=1; q / 0
cond: well, 'fro'; well, 1; spd, float('inf') ! v, 1; q * float('nan')
""", prefix="linalg.", dtypes=("float64", "float32"), layouts=("contiguous", "transposed"), methods=False,
    records=False)  # fmt: skip

POWERS = Family("matrix powers", """
matrix_power: well, 3; well, 0; spd, 5; well, -2 ! x, 2; 'a', 2; well, 'a'; v, 2
""", dtypes=("float64", "float32"), layouts=("contiguous", "transposed"))  # fmt: skip

WHOLE = Family("divisors", """
gcd lcm: abs(x), abs(y); abs(x), abs(v); abs(col), abs(row); abs(x) * 0, abs(y) ! x, 2; x; x, t(5); x, 'a'; x, None;
    x.to(torch.float64), y; mask, mask
unravel_index: i, (3,); abs(x) % 12, (3, 4); torch.tensor(5), (2, 3); torch.tensor([0, 11]), [3, 4]
    ! torch.tensor(6), (2, 3); x.to(torch.float64), (3, 4); 'a', (2,); torch.tensor(1), 'a'
""", dtypes=("int64", "int32", "uint8"), layouts=("contiguous", "transposed", "sliced", "0-d"))  # fmt: skip

OLD = Family("old names", """
FloatTensor DoubleTensor LongTensor IntTensor BoolTensor ByteTensor HalfTensor: [1, 2]; [[0.5], [2.0]]; [];
    = torch.{}(2, 3).shape; = isinstance(x, torch.{}); = x.type(torch.{})
""", dtypes=("float64", "float32", "int64", "bool"), layouts=("contiguous", "transposed"), methods=False)  # fmt: skip

FAMILIES = (DECOMPOSITIONS, RANKS, POWERS, WHOLE, OLD)
