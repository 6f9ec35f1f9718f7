"""Products of vectors, matrices and stacks of them; norms, inverses, factorizations."""

from ..grid import Family

PRODUCTS = Family("linear algebra", """
matmul: x, t(4, 5); x, v; v, w; q, x; c, t(4, 2); c, t(2, 4, 3); t(2, 1, 3, 4), t(5, 4, 2); v, t(4, 3);
    v, t(2, 4, 3); c, v; t(3), x; t(0, 3), x ! x, x; x; x, 2; s, x; x, s; x, t(5); c, t(3, 4, 2); x, 'a';
    x, t(4, 5).to(torch.float16); x, None
mm: x, t(4, 5); q, x; q, q; t(0, 3), x; t(2, 3), x ! x, x; v, x; x; x, 2; c, x; x, v; x, 'a';
    x, t(4, 5).to(torch.float16)
bmm: c, t(2, 4, 5); t(2, 3, 3), c; t(1, 3, 4), t(1, 4, 2); t(0, 3, 4), t(0, 4, 2) ! x, x; c, c; c, t(4, 2); c; c, 2;
    c, t(1, 4, 5); c, t(2, 4, 5).to(torch.float16)
mv: x, v; q, t(3); t(5, 4), v; t(0, 4), v ! x, x; x, t(5); v, x; x; x, 2; x, s; x, v.to(torch.float16)
dot: v, w; t(3), t(3); v, v; t(0), t(0) ! x, y; v, t(5); v; v, 2; s, s; v, w.to(torch.float16)
outer: v, w; t(3), v; t(0), v; v, t(1) ! x, v; v, x; v; v, 2; s, v
inner: v, w; x, v; x, y; c, v; s, x; x, s; c, x ! x, t(5); x; x, 2; x, 'a'; v, t(5)
einsum: 'ij,jk->ik', x, t(4, 5); 'ij->ji', x; 'ij->', x; 'ij->i', x; 'ii->i', q; 'ii', q; 'i,j->ij', v, w;
    'bij,bjk->bik', c, t(2, 4, 5); 'ij,ij->', x, y; '...j,j->...', c, v; 'ij,jk', x, t(4, 2);
    'ij,j,i->', x, v, t(3); 'b...->...b', c; 'ij', [x]; 'i,i->i', v, w; 'abc,cd,de->abe', c, t(4, 2), t(2, 5);
    ' i j , j -> i ', x, v ! 'ij,jk->ik', x, y; 'ij->k', x; 'ijk', x; 'ij,jk->ik', x; x; 'i1->i', x; 2, x;
    'ij->ii', x; 'ij,jk->ik', x, 2; 'ij-ji', x
tensordot: x, t(4, 5), 1; x, y, 2; x, y, ([0, 1], [0, 1]); x, t(5, 4), ([1], [1]); c, t(3, 4, 2), ([1, 2], [0, 1]);
    v, w, 0; c, x, dims=([1], [0]); x, y; x, row, 2; col, x, ([1], [1]) ! x, x, 1; x, y, 3; x, y, -1;
    x, y, ([0], [1, 0]); x; x, 2; x, y, 'a'
addmm: q, x, t(4, 3); s, x, t(4, 3); t(3), x, t(4, 3); q, x, t(4, 3), beta=0.5, alpha=2; q, x, t(4, 3), beta=0;
    q, q, q; col, x, t(4, 3);
    q, x, t(4, 3), beta=np.float32(0.5), alpha=torch.tensor(2)
    ! q, x, x; q, x; x; q, v, v; t(5), x, t(4, 3); q, x, 2; q, x, t(4, 3), beta='a';
    q, x, t(4, 3).to(torch.float16); q, 2, x
addmv: t(3), x, v; t(3), x, v, beta=0.5, alpha=2; s, x, v; t(3), q, t(3); t(3), x, v, beta=0 ! t(3), x, x;
    t(5), x, v; t(3), x; v, x, v; t(3), x, 2; q, x, v
addbmm: q, c, t(2, 4, 3); q, c, t(2, 4, 3), beta=0.5, alpha=2; s, c, t(2, 4, 3); q, c, t(2, 4, 3), beta=0 ! q, x, x;
    q, c, c; q, c; x, c, t(2, 4, 3); q, c, 2; q, c, t(1, 4, 3)
baddbmm: q, c, t(2, 4, 3); t(2, 3, 3), c, t(2, 4, 3), beta=0.5, alpha=2; s, c, t(2, 4, 3); t(3), c, t(2, 4, 3);
    t(2, 3, 3), c, t(2, 4, 3), beta=0 ! q, x, x; q, c, c; q, c; x, c, t(2, 4, 3); q, c, 2; q, c, t(1, 4, 3)
trace: x; q; t(5, 2); mask.to(x); t(0, 0) ! v; s; c; 3; x, 1; 'a'
kron: x, q; v, w; x, v; s, x; q, t(2, 2); c, x; col, row ! x; x, 2; x, 'a'; x, None
det: well; spd; t(2, 3, 3, kind='well'); q; t(2, 2); t(0, 0); x[:2, :2] if x.dim() else x ! x; v; s; 3; 'a'; well, 1
inverse: well; spd; t(2, 3, 3, kind='well'); t(0, 0) ! x; v; t(2, 2) * 0; 3; well, 1
""")  # fmt: skip

LINALG = Family("linalg", """
norm: x; v; x, 'fro'; x, 1; x, float('inf'); x, -1; v, 1; v, 0; v, 3; c, 2, (0, 2) if False else 1; c, dim=1;
    x, 2, dim=0; x, dim=(0, 1), keepdim=True; x, float('-inf'); c, 'fro', (1, 2); v, float('inf');
    x, dtype=torch.float64; x, 1, (0, 1) ! x, 'a'; x, 2, 2; x, 2, (0, 0); x, 2, (0, 1, 1); x.to(torch.int64); 3;
    c, 'fro'; x, foo=1; v, 'fro'; x, 0
vector_norm: x; v; x, 1; x, float('inf'); x, 0; x, 3; x, 2, 0; c, 2, (0, 2); x, dim=1, keepdim=True; x, -1, 1;
    x, float('-inf'), 0; x, 2.5; x, dtype=torch.float64; s; odd, 2, 1;
    x, np.int64(1); x, 2, axis=0, keepdims=True ! x, 'a'; x, 2, 2; x, 2, (0, 0);
    x.to(torch.int64); 3; x, foo=1; t(0, 4), float('inf')
inv: well; spd; t(2, 3, 3, kind='well'); t(0, 0); t(2, 2); well * 2 ! x; v; t(2, 2) * 0; 3; 'a'; well, 1; s;
    t(2, 2).to(torch.int64)
solve: well, t(3); well, t(3, 2); spd, q; t(2, 3, 3, kind='well'), t(2, 3, 2); well, x;
    t(2, 3, 3, kind='well'), t(2, 3); well, q, left=False ! x, q; well, t(5); t(2, 2) * 0, t(2); well; well, 2;
    v, v; well.to(torch.int64), t(3); well, t(3, 2).to(torch.float16)
det: well; spd; t(2, 3, 3, kind='well'); q; t(2, 2); t(0, 0) ! x; v; s; 3; 'a'; well, 1; well.to(torch.int64)
cholesky: spd; t(2, 3, 3, kind='spd'); t(0, 0); spd, upper=True; spd * 2; spd @ spd.mT ! x; v; -spd; 3; 'a'; s;
    spd.to(torch.int64)
""", prefix="linalg.", dtypes=("float64", "float32", "int64"), methods=False)  # fmt: skip

FAMILIES = (PRODUCTS, LINALG)
