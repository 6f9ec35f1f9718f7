"""Activations, by their formulas."""

from __future__ import annotations

import math

from .elementwise import abs, clamp, erf, exp, expm1, log1p, minimum, sigmoid, tanh, where


def hardsigmoid(a):
    return clamp(a + 3, 0, 6) / 6


def hardswish(a):
    return a * hardsigmoid(a)


def mish(a):
    return a * tanh(softplus(a, 1, 20))


def prelu(a, weight):
    return where(a > 0, a, a * weight)


def leaky_relu(a, slope):
    return where(a > 0, a, a * slope)


def elu(a, alpha, scale):
    return where(a <= 0, scale * alpha * expm1(a), scale * a)


def celu(a, alpha):
    return where(a <= 0, alpha * expm1(a / alpha), a)


def softshrink(a, lambd):
    return where(a > lambd, a - lambd, where(a < -lambd, a + lambd, a * 0))


def silu(a):
    return a * sigmoid(a)


def softplus(a, beta, threshold):
    scaled = a * beta
    return where(scaled > threshold, a, log1p(exp(scaled)) / beta)


def logsigmoid(a):
    return minimum(a, 0) - log1p(exp(-abs(a)))


def gelu(a):
    return a * ((1 + erf(a * math.sqrt(0.5))) * 0.5)


def gelu_tanh(a):
    return a * 0.5 * (1 + tanh(a * (1 + a * a * 0.044715) * math.sqrt(2 / math.pi)))
