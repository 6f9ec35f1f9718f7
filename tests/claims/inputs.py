"""Numbers of all kinds that figures are made of."""

import numpy as np

import rustyflow as rf

X = np.arange(12).reshape(3, 4)
NAN, INF = float("nan"), float("inf")


def drawn(*shape, seed=0, dtype="float32"):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def t(x, grad=True):
    x = rf.tensor(x) if not isinstance(x, np.ndarray) else rf.from_numpy(x)
    return x.requires_grad_() if grad else x


THIRDS = np.arange(1, 7).reshape(2, 3) / 3
ODD = np.array([[NAN, 1.5, -0.0], [INF, -INF, 2.5]])
BIG = np.array([[1234567.5, -98765432.0, 3e20], [1e-7, 123456789.0, 4.5e-12]])
BYTES = np.array([[200, 100, 7], [255, 1, 64]], "uint8")
LANES = drawn(2, 15)
BOOLS = np.array([[True, False, True], [False, False, True]])
MINUS = -np.array([[1.5, 2.0, 3.25], [4.0, -0.5, 6.0]])
