"""The programs. Each is written once for rustyflow and PyTorch, whose API is the same, in `peer_cases` for their peers,
and by hand in NumPy where that says something."""
from __future__ import annotations

from functools import partial
from importlib.util import find_spec

import numpy as np

from . import everyday, peer_cases as peers
from .harness import Case, data, later, libraries, transformer_weights


def both(program):
    """The same program for rustyflow and PyTorch: `program(m, shape)` with m the module."""
    return {name: partial(program, libraries()[name]) for name in ("rustyflow", "torch") if name in libraries()}


def leaf(m, array):
    return m.tensor(array).requires_grad_()


# Small tensors, where every call is felt

def small_add(m, shape):
    a, b = leaf(m, data(*shape)), leaf(m, data(shape[-1]))
    return lambda: a + b


def small_add_plain(m, shape):
    a, b = m.tensor(data(*shape)), m.tensor(data(shape[-1]))
    return lambda: a + b


def numpy_add(shape):
    a, b = data(*shape), data(shape[-1])
    return lambda: a + b


def step(m, shape):
    a, b, c = (leaf(m, data(*shape) + k) for k in range(3))

    def run():
        a.grad = b.grad = c.grad = None
        (a * b + c).tanh().sum().backward()
        return a.grad, b.grad, c.grad
    return run


def numpy_step(shape):
    a, b, c = (data(*shape) + np.float32(k) for k in range(3))

    def run():
        y = np.tanh(a * b + c)
        g = 1 - y * y
        return g * b, g * a, g
    return run


def chain(m, n):
    x, c = m.tensor(1.0, requires_grad=True), m.tensor(1.0 + 1 / (1 << 20))

    def run():
        x.grad, y = None, x
        for _ in range(n):
            y = y * c
        y.backward()
        return x.grad
    return run


def doublings(m, n):
    x = m.tensor(1.0, requires_grad=True)

    def run():
        x.grad, y = None, x
        for _ in range(n):
            y = y + y
        y.backward()
        return x.grad
    return run


def views(m, shape):
    x = leaf(m, data(*shape))
    return lambda: x.t().unsqueeze(0).transpose(1, 2).squeeze(0)[1:].detach()


# Models

def mlp(sizes, batch):
    def program(m, shape):
        F = m.nn.functional
        x, t = m.tensor(data(batch, sizes[0])), m.tensor(np.arange(batch) % sizes[-1])
        w = [leaf(m, data(o, i, scale=i ** -0.5)) for i, o in zip(sizes, sizes[1:])]
        b = [leaf(m, data(o)) for o in sizes[1:]]

        def run():
            h = x
            for k, (wk, bk) in enumerate(zip(w, b)):
                h = F.linear(h, wk, bk)
                h = h.relu() if k < len(w) - 1 else h
            F.cross_entropy(h, t).backward()
            grads = [p.grad for p in (*w, *b)]
            with m.no_grad():
                for p in (*w, *b):
                    p.sub_(p.grad * 0.0)
                    p.grad = None
            return grads
        return run
    return program


SMALL, LARGE = ((784, 128, 64, 10), 64), ((784, 1024, 1024, 10), 256)


def bmm(m, shape):
    a, b = m.tensor(data(*shape)), m.tensor(data(*shape))
    return lambda: a @ b


def numpy_bmm(shape):
    a, b = data(*shape), data(*shape)
    return lambda: a @ b


def broadcast_sum(m, shape):
    n, k = shape
    x, s, o = leaf(m, data(n, k)), leaf(m, data(n, 1)), leaf(m, data(k))

    def run():
        x.grad = s.grad = o.grad = None
        (x * s + o).sum().backward()
        return x.grad, s.grad, o.grad
    return run


def numpy_broadcast_sum(shape):
    n, k = shape
    x, s, o = data(n, k), data(n, 1), data(k)

    def run():
        (x * s + o).sum()
        return np.broadcast_to(s, x.shape).copy(), x.sum(1, keepdims=True), np.full(k, n, np.float32)
    return run


def layer_norm_by_hand(m, shape):
    x, w, b = leaf(m, data(*shape)), leaf(m, data(shape[-1])), leaf(m, data(shape[-1]))

    def run():
        x.grad = w.grad = b.grad = None
        mean = x.mean(-1, keepdim=True)
        var = ((x - mean) ** 2).mean(-1, keepdim=True)
        ((x - mean) / (var + 1e-5).sqrt() * w + b).sum().backward()
        return x.grad, w.grad, b.grad
    return run


def layer_norm_fused(m, shape):
    x, w, b = leaf(m, data(*shape)), leaf(m, data(shape[-1])), leaf(m, data(shape[-1]))
    u = m.tensor(data(*shape) + 1)

    def run():
        x.grad = w.grad = b.grad = None
        m.nn.functional.layer_norm(x, (shape[-1],), w, b).backward(u)
        return x.grad, w.grad, b.grad
    return run


def conv(m, shape):
    n, c, h, o = shape
    x, w, b = leaf(m, data(n, c, h, h)), leaf(m, data(o, c, 3, 3)), leaf(m, data(o))

    def run():
        x.grad = w.grad = b.grad = None
        m.nn.functional.conv2d(x, w, b, padding=1).sum().backward()
        return x.grad, w.grad, b.grad
    return run


def attention(m, shape):
    B, T, C, H = shape
    x, mask = m.tensor(data(B, T, C)), m.tensor(later(T))
    w, p = leaf(m, data(3 * C, C, scale=C ** -0.5)), leaf(m, data(C, C, scale=C ** -0.5))
    F = m.nn.functional

    def run():
        w.grad = p.grad = None
        q, k, v = (z.view(B, T, H, C // H).transpose(1, 2) for z in F.linear(x, w).split(C, dim=-1))
        a = (q @ k.transpose(-2, -1) * (C // H) ** -0.5).masked_fill(mask, float("-inf")).softmax(-1)
        F.linear((a @ v).transpose(1, 2).reshape(B, T, C), p).sum().backward()
        return w.grad, p.grad
    return run


def large_chain(m, n):
    x = leaf(m, data(n, scale=0.5))

    def run():
        x.grad = None
        (x.exp() * x).tanh().mul(x).sum().backward()
        return x.grad
    return run


def numpy_large_chain(n):
    x = data(n, scale=0.5)

    def run():
        e = np.exp(x)
        t = np.tanh(e * x)
        d = (1 - t * t) * x
        return t + d * (e + e * x)
    return run


def transformer_step(m, shape):
    """One Adam step of a two-layer character transformer, written with tensors alone."""
    B, T, C, V = shape
    F, H = m.nn.functional, 4
    ids, target = m.tensor(np.arange(B * T).reshape(B, T) % V), m.tensor((np.arange(B * T) * 7) % V)
    params, mask = [leaf(m, w) for w in transformer_weights(*shape)], m.tensor(later(T))
    first, second = [m.zeros_like(p) for p in params], [m.zeros_like(p) for p in params]

    def run():
        x = F.embedding(ids, params[0]) + params[1]
        for layer in range(2):
            qkv, out, up, down, g1, b1, g2, b2 = params[2 + 8 * layer:10 + 8 * layer]
            h = F.layer_norm(x, (C,), g1, b1)
            q, k, v = (z.view(B, T, H, C // H).transpose(1, 2) for z in F.linear(h, qkv).split(C, dim=-1))
            a = (q @ k.transpose(-2, -1) * (C // H) ** -0.5).masked_fill(mask, float("-inf")).softmax(-1)
            x = x + F.linear((a @ v).transpose(1, 2).reshape(B, T, C), out)
            x = x + F.linear(F.gelu(F.linear(F.layer_norm(x, (C,), g2, b2), up)), down)
        F.cross_entropy(F.linear(x, params[-1]).view(B * T, V), target).backward()
        result = [p.grad for p in params]
        with m.no_grad():
            for p, m1, m2 in zip(params, first, second):
                g = p.grad
                m1.mul_(0.9).add_(g, alpha=0.1)
                m2.mul_(0.999).addcmul_(g, g, value=0.001)
                p.addcdiv_(m1, m2.sqrt().add_(1e-8), value=-0.0)
                p.grad = None
        return result
    return run


CASES = [
    Case("add, recorded", 0.75, both(small_add) | {"numpy": numpy_add} | peers.add, ((3, 4), (7, 5))),
    Case("add, unrecorded", 0.9, both(small_add_plain) | {"numpy": numpy_add} | peers.add_plain, ((3, 4), (7, 5))),
    Case("(a*b+c).tanh().sum(), backward", 0.25, both(step) | {"numpy": numpy_step} | peers.step, ((3, 4), (5, 7))),
    Case("chain of scalars", 0.5, both(chain) | peers.chain, (10_000, 100_000)),
    Case("doublings", 0.4, both(doublings) | peers.doublings, (60, 45)),
    Case("chain of views", 2.2, both(views) | peers.views, ((4, 6), (9, 5))),
    Case("MLP 784-128-64-10, batch 64, SGD", 1.0, both(mlp(*SMALL)) | peers.mlp(*SMALL)),
    Case("MLP 784-1024-1024-10, batch 256, SGD", 1.05, both(mlp(*LARGE)) | peers.mlp(*LARGE)),
    Case("batched matmul", 1.05, both(bmm) | {"numpy": numpy_bmm} | peers.bmm, ((32, 128, 128), (20, 96, 96))),
    Case("x*(n,1)+(k,), summed, backward", 0.85,
         both(broadcast_sum) | {"numpy": numpy_broadcast_sum} | peers.broadcast_sum, ((1000, 1000), (700, 1300))),
    Case("layer norm from primitives, backward", 1.0,
         both(layer_norm_by_hand) | peers.layer_norm_by_hand, ((512, 1024), (300, 700)), 1e-2),
    Case("layer norm fused, backward", 1.5,
         both(layer_norm_fused) | peers.layer_norm_fused, ((512, 1024), (300, 700)), 1e-2),
    Case("conv2d 3x3, backward", 1.2, both(conv) | peers.conv, ((16, 3, 32, 16), (8, 4, 28, 12)), 1e-2),
    Case("causal attention, backward", 1.05, both(attention) | peers.attention,
         ((8, 64, 128, 4), (4, 48, 96, 4)), 1e-2),
    Case("tanh(exp(x)*x)*x, backward", 0.6,
         both(large_chain) | {"numpy": numpy_large_chain} | peers.large_chain, (1_000_000, 700_000)),
    Case("transformer, one Adam step", 1.1,
         both(transformer_step) | peers.transformer_step, ((16, 32, 64, 65), (8, 24, 64, 50)), 1e-2),
    *[Case("matplotlib's plot(y)", 3, both(everyday.plot), (10_000, 3_000))] * bool(find_spec("matplotlib")),
    Case("np.asarray of a list of numbers", 3, both(everyday.array_of_numbers), (100, 1_000)),
    Case("for row in x", 3, both(everyday.loop), ((1_000,), (100, 100))),
    Case("randn", 3, both(everyday.randn), ((512, 512), (1_000, 300))),
    Case("multinomial, one sample", 2, both(everyday.multinomial), (27, 1_000)),
    Case("LSTM, a sequence of one", 2, both(everyday.lstm), ((8, 32, 64), (1, 10, 20))),
    Case("LSTMCell, one step", 2, both(everyday.lstm_cell), ((8, 32, 64), (1, 10, 20))),
    Case("conv2d, batch norm, relu, backward", 1.6, both(everyday.block), ((16, 16, 16, 32), (8, 3, 28, 16)), 1e-2),
]
