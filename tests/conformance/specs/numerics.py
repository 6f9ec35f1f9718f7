"""Numerical building blocks: signs and steps, differences and areas, quantiles, choices, matrices made of parts."""

from ..grid import Family

SIGNS = Family("signs", """
signbit isneginf isposinf isreal: x; odd; s; c ! 'a'; 3; x, 1; x, foo=1
copysign: x, y; x, v; x, 2; x, -2.5; odd, y; s, x; x, odd ! x, 'a'; x; x, t(5); x, None
fmax fmin: x, y; x, v; x, x; odd, y; y, odd; s, x; col, row ! x, 2; x; x, t(5); x, 'a'; x, None
sinc deg2rad rad2deg: x; odd; s; c; u ! 'a'; x, 1; 3; x, foo=1
concat concatenate: [x, y]; [x, y], 1; (x, y), dim=-1; [c] ! x, y; [x, v]; [x, 'a']; []
row_stack: [x, y]; [v, w]; [s, s] ! x, y; [x, v[:2]]; []
""")  # fmt: skip

STEPS = Family("steps", """
heaviside: x, y; x, v; odd, s; x * 0, y; s, x ! x, 2; x; x, t(5); x, 'a'; x, x.to(torch.float16)
vander: v; v, 3; v, N=2; v, increasing=True; v, 0; v, 6, True ! x; v, -1; 'a'; v, 'a'; v, foo=1
""", records=False)  # fmt: skip

DIFFERENCES = Family("differences", """
diff: x; x, 2; x, 1, 0; x, dim=0; c, 1, 1; x, 0; x, 5; v, prepend=w; x, append=y, dim=0; x, 2, 1, y, x; mask
    ! 'a'; s; x, -1; x, 'a'; x, 1, 2; x, prepend=v; x, foo=1
trapezoid trapz: x; x, y; x, dx=2; x, dx=0.5, dim=0; x, v; c, dim=1; c, v; c, t(3), dim=1; v, w; x, t(3), dim=0
    ! 'a'; x, t(5); x, 'a'; x, dim=2; x, foo=1
cumulative_trapezoid: x; x, y; x, dx=2; x, dx=0.5, dim=0; x, v; c, dim=1; v, w ! 'a'; x, t(5); x, 'a'; x, dim=2
cummax cummin: x, 0; x, 1; x, -1; c, 1; odd, 1; v, 0; x * 0, 1; s, 0; = torch.{}(x, 1).indices ! x; x, 2; x, 'a';
    3, 0; x, (0, 1); x, foo=1
""", methods=False)  # fmt: skip

QUANTILES = Family("quantiles", """
quantile: x, 0.5; x, 0.3, 1; x, torch.tensor([0.1, 0.6]).to(x), 0; c, 0.25, 1, True; odd, 0.5, 1; odd, 0.5;
    x, 0.4, 0, interpolation='lower'; x, 0.4, 0, interpolation='higher'; x, 0.4, 0, interpolation='nearest';
    x, 0.4, 0, interpolation='midpoint'; x, torch.tensor([0.0, 1.0]).to(x), keepdim=True; v, 1.0; x, 0.5, keepdim=True;
    c, torch.tensor([0.2]).to(c), -1, keepdim=True;
    x, np.float32(0.5); x, 0.5, axis=0, keepdims=True
    ! x, 1.5; x, 'a'; x.to(torch.int64), 0.5; x, 0.5, 2; x; 'a', 0.5; x, 0.5, interpolation='a'; t(0), 0.5;
    x, torch.tensor([0.5], dtype=torch.float16)
nanquantile: x, 0.5; odd, 0.3, 1; odd, 0.5; odd, torch.tensor([0.1, 0.6]).to(x), 0; c, 0.25, 1, True;
    odd, 0.4, 1, interpolation='lower' ! x, 1.5; x, 'a'; x, 0.5, 2; x
nanmedian: x; odd; v; s; odd * float('nan') ! 'a'; 3; x, foo=1
histogram: x.detach(); x.detach(), 4; x.detach(), bins=3, range=(-2., 2.);
  x.detach(), 5, density=True; p.detach(), 4, weight=p.detach(), density=True
  ! x, 0; i, 3; x, 'a'; x, foo=1; x, 4, range=(2., 1.)
histc: x; x, 4; x, 4, -1, 2; x, bins=3, min=-2, max=2; p, 5; u, 10, 0, 1; v, 3 ! x, 0; x, 4, 2, 1; 'a'; x, 'a'; x, foo=1
cov: x; v; x, correction=0; x.t(); s; p, correction=2; q; x, fweights=torch.tensor([1, 2, 0, 3]);
    x, aweights=p.detach()[0]; x, fweights=torch.tensor([1, 2, 1, 3]), aweights=p.detach()[0] ! c; 'a'; x, foo=1;
    x, fweights=torch.tensor([1, 2])
corrcoef: x; x.t(); p; q ! c; 'a'; x, foo=1
""", dtypes=("float64", "float32"), layouts=("contiguous", "transposed", "sliced"))  # fmt: skip

PARTS = Family("choices and parts", """
cartesian_prod: v, w; v, w, t(2); v ! x, v; v, 'a'; 3
combinations: v; v, 3; v, r=1; v, 0; v, 2, True; v, 3, with_replacement=True; v, 5 ! x; v, -1; 'a'; v, 'a'; v, foo=1
block_diag: x, y; x; v, x; s, v; x, t(2, 2), s ! c; 'a'; x, 'a'
diagflat: v; v, 1; x; x, -1; s; c ! 'a'; v, 'a'; v, foo=1
fill_diagonal_: x, 2; x, 2.5; q, 0; q, 1, True; t(7, 3), 2, wrap=True; t(3, 7), 1, True; t(2, 2, 2), 3;
    x, np.int64(2); x, torch.tensor(2) ! v, 1; x, 'a';
    c, 1; x; x, y
""")  # fmt: skip

FAMILIES = (SIGNS, STEPS, DIFFERENCES, QUANTILES, PARTS)
