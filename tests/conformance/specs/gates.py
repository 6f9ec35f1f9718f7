"""torch.nn.functional: activations that turn at a threshold, and gates."""

from ..grid import Family

GATES = Family("gates", """
threshold: x, 0.5, 2.0; x, 1, 0; odd, 0.5, 3.0; c, threshold=0.0, value=1.0; s, 0.5, 9.0 ! x; 'a', 1, 2; x, 'a', 2;
    x, 0.5; x, 1, 2, foo=1
hardshrink softshrink: x; x, 1.0; x, lambd=0.25; odd; c; s ! 'a'; x, 'a'; 3; x, foo=1
softsign tanhshrink: x; odd; c; s ! 'a'; x, 1; 3; x, foo=1
prelu: x, s; x, v; c, t(3); v, t(1); x, t(1); t(2, 4, 3, 2), v; odd, s ! x, t(3); x; 'a', s; x, 'a'; x, t(2, 2); x, 0.5;
    x, s.to(torch.float16)
glu: x; x, 1; c; c, dim=-1; c, 0; odd, 1; v ! x, 0; s; 'a'; x, 2; x, 'a'; x, foo=1
""", prefix="nn.functional.", dtypes=("float64", "float32", "int64"), methods=False)  # fmt: skip

FAMILIES = (GATES,)
