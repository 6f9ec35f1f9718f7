"""The programs of `cases` in NumPy's terms, for MyGrad and HIPS autograd, and in tinygrad's, as `said` takes them.

What is left out, or said otherwise:
    add, unrecorded; batched matmul    no autograd: its program is NumPy's own, on NumPy's arrays
    chain of scalars; doublings        no tinyjit: the gradient is a constant, so there is nothing to replay
    chain of 100,000 scalars           no tinygrad: 10,000 take it seconds
    chain of views                     no tinyjit: views are not computed; tinygrad's time is that of planning one
    layer norm, fused                  MyGrad and autograd have none, and are given the primitives
    transformer                        MyGrad and autograd lack layer norm and erf (autograd has SciPy's): theirs has
                                       the primitives and the GELU by tanh, which agrees within the case's tolerance
"""
from __future__ import annotations

import numpy as np

from .harness import data, later, transformer_weights
from .peers import said


@said("result")
def add(shape):
    return [data(*shape), data(shape[-1])], lambda m, a, b: a + b, lambda a, b: a + b


@said("unrecorded", without=("autograd",))
def add_plain(shape):
    return [data(*shape), data(shape[-1])], lambda m, a, b: a + b, lambda a, b: a + b


@said("unchanged")
def step(shape):
    return ([data(*shape) + np.float32(k) for k in range(3)],
            lambda m, a, b, c: m.sum(m.tanh(a * b + c)), lambda a, b, c: (a * b + c).tanh().sum())


@said("unchanged", without=("tinyjit",))
def chain(n):
    c = 1.0 + 1 / (1 << 20)

    def text(x):
        for _ in range(n):
            x = x * c
        return x
    return [np.float32(1.0)], lambda m, x: text(x), text if n <= 10_000 else None


@said("unchanged", without=("tinyjit",))
def doublings(n):
    def text(x):
        for _ in range(n):
            x = x + x
        return x
    return [np.float32(1.0)], lambda m, x: text(x), text


@said("result", without=("tinyjit",))
def views(shape):
    return ([data(*shape)], lambda m, x: m.squeeze(m.swapaxes(m.expand_dims(m.transpose(x), 0), 1, 2), 0)[1:],
            lambda x: x.T.unsqueeze(0).transpose(1, 2).squeeze(0)[1:].detach())


def mlp(sizes, batch):
    @said("sgd")
    def program(shape):
        n = len(sizes) - 1

        def text(m, h, t, *p):
            for k in range(n):
                h = h @ m.transpose(p[k]) + p[n + k]
                h = m.relu(h) if k < n - 1 else h
            return m.cross_entropy(h, t)

        def tiny(h, t, *p):
            for k in range(n):
                h = h.linear(p[k].T, p[n + k])
                h = h.relu() if k < n - 1 else h
            return h.sparse_categorical_crossentropy(t)
        weights = [data(o, i, scale=i ** -0.5) for i, o in zip(sizes, sizes[1:])]
        given = data(batch, sizes[0]), np.arange(batch) % sizes[-1]
        return weights + [data(o) for o in sizes[1:]], text, tiny, *given
    return program


@said("unrecorded", without=("autograd",))
def bmm(shape):
    return [data(*shape), data(*shape)], lambda m, a, b: m.matmul(a, b), lambda a, b: a @ b


@said("unchanged")
def broadcast_sum(shape):
    n, k = shape
    return [data(n, k), data(n, 1), data(k)], lambda m, x, s, o: m.sum(x * s + o), lambda x, s, o: (x * s + o).sum()


def normalized(m, x, w, b):
    mean = m.mean(x, axis=-1, keepdims=True)
    var = m.mean((x - mean) ** 2, axis=-1, keepdims=True)
    return (x - mean) / m.sqrt(var + 1e-5) * w + b


@said("unchanged")
def layer_norm_by_hand(shape):
    def tiny(x, w, b):
        mean = x.mean(-1, keepdim=True)
        var = ((x - mean) ** 2).mean(-1, keepdim=True)
        return ((x - mean) / (var + 1e-5).sqrt() * w + b).sum()
    return [data(*shape), data(shape[-1]), data(shape[-1])], lambda m, *p: m.sum(normalized(m, *p)), tiny


@said("unchanged")
def layer_norm_fused(shape):
    return ([data(*shape), data(shape[-1]), data(shape[-1])], lambda m, u, *p: m.sum(normalized(m, *p) * u),
            lambda u, x, w, b: ((x.layernorm() * w + b) * u).sum(), data(*shape) + 1)


@said("unchanged")
def conv(shape):
    n, c, h, o = shape
    return ([data(n, c, h, h), data(o, c, 3, 3), data(o)],
            lambda m, x, w, b: m.sum(m.conv(x, w) + m.reshape(b, (o, 1, 1))),
            lambda x, w, b: x.conv2d(w, b, padding=1).sum())


def heads(m, x, w, H, future):
    """Causal attention in NumPy's terms, up to the last product."""
    B, T, C = x.shape
    qkv = m.matmul(x, m.transpose(w))
    q, k, v = (m.swapaxes(m.reshape(qkv[..., i * C:i * C + C], (B, T, H, C // H)), 1, 2) for i in range(3))
    a = m.softmax(m.where(future, -np.inf, m.matmul(q, m.swapaxes(k, 2, 3)) * (C // H) ** -0.5))
    return m.reshape(m.swapaxes(m.matmul(a, v), 1, 2), (B, T, C))


def tiny_heads(x, w, H, future):
    B, T, C = x.shape
    q, k, v = (z.reshape(B, T, H, C // H).transpose(1, 2) for z in x.linear(w.T).split(C, dim=-1))
    a = (q @ k.transpose(-2, -1) * (C // H) ** -0.5).masked_fill(future, float("-inf")).softmax(-1)
    return (a @ v).transpose(1, 2).reshape(B, T, C)


@said("unchanged")
def attention(shape):
    B, T, C, H = shape
    return ([data(3 * C, C, scale=C ** -0.5), data(C, C, scale=C ** -0.5)],
            lambda m, x, future, w, p: m.sum(m.matmul(heads(m, x, w, H, future), m.transpose(p))),
            lambda x, future, w, p: tiny_heads(x, w, H, future).linear(p.T).sum(), data(B, T, C), later(T))


@said("unchanged")
def large_chain(n):
    return ([data(n, scale=0.5)],
            lambda m, x: m.sum(m.tanh(m.exp(x) * x) * x), lambda x: ((x.exp() * x).tanh() * x).sum())


@said("adam")
def transformer_step(shape):
    (B, T, _, V), H = shape, 4
    ids, target = np.arange(B * T).reshape(B, T) % V, np.arange(B * T) * 7 % V

    def text(m, ids, target, future, table, places, *p):
        x = table[ids] + places
        for qkv, out, up, down, g1, b1, g2, b2 in (p[:8], p[8:16]):
            x = x + m.matmul(heads(m, normalized(m, x, g1, b1), qkv, H, future), m.transpose(out))
            h = m.matmul(normalized(m, x, g2, b2), m.transpose(up))
            h = 0.5 * h * (1 + m.tanh((2 / np.pi) ** 0.5 * (h + 0.044715 * h * h * h)))
            x = x + m.matmul(h, m.transpose(down))
        return m.cross_entropy(m.reshape(m.matmul(x, m.transpose(p[16])), (B * T, V)), target)

    def tiny(ids, target, future, table, places, *p):
        x = table[ids] + places
        for qkv, out, up, down, g1, b1, g2, b2 in (p[:8], p[8:16]):
            x = x + tiny_heads(x.layernorm() * g1 + b1, qkv, H, future).linear(out.T)
            x = x + (x.layernorm() * g2 + b2).linear(up.T).gelu("none").linear(down.T)
        return x.linear(p[16].T).reshape(B * T, V).sparse_categorical_crossentropy(target)
    return transformer_weights(*shape), text, tiny, ids, target, later(T)
