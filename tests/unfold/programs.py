"""Programs of a class, in float64, with the names that a reader gives."""

import rustyflow as rf
import rustyflow.nn.functional as F


def net(r):
    x, w, v, b = r(3, 4, grad=False), r(4, 8), r(8, 3), r(3)
    z = x @ w
    h = z.tanh()
    out = h @ v + b
    loss = F.cross_entropy(out, rf.tensor([0, 2, 1]))
    return loss, dict(x=x, w=w, v=v, b=b, z=z, h=h, out=out, loss=loss)


def attention(r):
    q, k, v, future = r(4, 8), r(4, 8), r(4, 8), rf.ones(4, 4).triu(1).bool()
    s = (q @ k.t() / 8**0.5).masked_fill(future, float("-inf"))
    p = s.softmax(-1)
    y = p @ v
    loss = (y * y).mean()
    return loss, dict(q=q, k=k, v=v, s=s, p=p, y=y, future=future, loss=loss)


def fused_attention(r):
    q, k, v = r(4, 8), r(4, 8), r(4, 8)
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    loss = (y * y).mean()
    return loss, dict(q=q, k=k, v=v, y=y, loss=loss)


def convolution(r):
    x, w, b = r(1, 1, 4, 4), r(1, 1, 2, 2), r(1)
    y = F.conv2d(x, w, b, padding=1)
    loss = (y * y).sum()
    return loss, dict(x=x, w=w, b=b, y=y, loss=loss)


def batch_norm(r):
    x, gamma, beta = r(6, 3), r(3), r(3)
    mu = x.mean(0)
    var = ((x - mu) ** 2).mean(0)
    n = (x - mu) / (var + 1e-5).sqrt()
    y = n * gamma + beta
    loss = (y**3).mean()
    return loss, dict(x=x, gamma=gamma, beta=beta, mu=mu, var=var, n=n, y=y, loss=loss)


def layer_norm(r):
    x, gamma, beta = r(4, 5), r(5), r(5)
    y = F.layer_norm(x, (5,), gamma, beta)
    loss = (y**3).mean()
    return loss, dict(x=x, gamma=gamma, beta=beta, y=y, loss=loss)


def shares(r):
    x = r(3, 4)
    y = x / x.sum(1, keepdim=True)
    loss = (y * y).sum()
    return loss, dict(x=x, y=y, loss=loss)


def picks(r):
    x, index = r(3, 3), rf.tensor([[0, 0, 1], [0, 2, 2]])
    y = x.gather(0, index)
    m, _ = y.max(1)
    loss = (y * y).sum() + (m * m).sum() + y.amax()
    return loss, dict(x=x, y=y, m=m, index=index, loss=loss)


def writes(r):
    x = r(2, 3)
    y = x * 2
    t = y[1]
    t.mul_(x[0])
    y += 1
    loss = (y * y).sum()
    return loss, dict(x=x, y=y, t=t, loss=loss)


def recurrent(r):
    x, w, h = r(2, 4, grad=False), r(4, 4), rf.zeros(2, 4, dtype=rf.float64)
    for _ in range(4):
        h = (h @ w + x).tanh()
    return (h * h).mean(), dict(x=x, w=w, h=h)


def joins(r):
    a, b = r(2, 2), r(3, 2)
    c = rf.cat([a, b, a])
    first, *_, last = c.unbind(0)
    loss = (first * last).sum() + c[1:, ::2].flip(0).cumsum(0).sum()
    return loss, dict(a=a, b=b, c=c, loss=loss)


def large(r):
    """Results of more numbers than a node keeps."""
    x, w = r(9, 12, grad=False), r(12, 9)
    y = (x @ w).relu()
    loss = (y * 0.5 + 1).exp().sum(1).log().mean()
    return loss, dict(x=x, w=w, loss=loss)


PROGRAMS = [net, attention, fused_attention, convolution, batch_norm, layer_norm, shares, picks, writes, recurrent,
            joins, large]  # fmt: skip


def made(program, dtype=rf.float64):
    """The result of a program, and the names in it."""
    rf.manual_seed(0)
    return program(lambda *shape, grad=True: rf.randn(*shape, dtype=dtype).requires_grad_(grad))
