"""The functions to write, as a student could have typed them: an exercise shows them to those who ask.

They say how, with what the lesson has told so far. What is right is decided by an exercise's key, which runs the
library; each model has to pass the exercise like any other answer. `value` and `rules` are what lesson 12 gives.
"""

from collections import defaultdict

from .. import ir
from ..autograd import no_grad
from ..ops.creation import arange, tensor, zeros


def slot_of(index, stride, offset):
    slot = offset
    for i, s in zip(index, stride, strict=True):
        slot += i * s
    return slot


def stride_of_new(shape):
    stride, step = [], 1
    for size in reversed(shape):
        stride.insert(0, step)
        step *= max(size, 1)
    return tuple(stride)


def unscramble(line, rows, columns):
    return line.view(columns, rows).T


def expanded_stride(shape, stride, size):
    new = len(size) - len(shape)
    result = [0] * new
    for old, wanted, step in zip(shape, size[new:], stride, strict=True):
        result.append(step if old == wanted else 0)
    return tuple(result)


def fixed_loss(pred, target):
    return ((pred[:, 0] - target) ** 2).mean()


def broadcast_shape(a, b):
    rank = max(len(a), len(b))
    a = (1,) * (rank - len(a)) + a
    b = (1,) * (rank - len(b)) + b
    result = []
    for m, n in zip(a, b, strict=True):
        if m != n and m != 1 and n != 1:
            return "clash"
        result.append(n if m == 1 else m)
    return tuple(result)


def centred_rows(x):
    return x - x.mean(dim=1, keepdim=True)


def softmax_by_hand(x, dim):
    e = x.exp()
    return e / e.sum(dim, keepdim=True)


def straight(x):
    y = x * x
    y = y.tanh()
    return y * x


def topological_order(graph):
    order = []
    while len(order) < len(graph):
        for name in graph:
            if name not in order and all(source in order for source in graph[name]):
                order.append(name)
    return order


def trap(a, b):
    c = a * b
    return c + c * 2


def sum_to(g, shape):
    while g.ndim > len(shape):
        g = g.sum(0)
    for d in range(g.ndim):
        if shape[d] == 1 and g.shape[d] != 1:
            g = g.sum(d, keepdim=True)
    return g


def sensitivities(f, x, h):
    result = x.clone()
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            moved = x.clone()
            moved[i, j] += h
            result[i, j] = (f(moved) - f(x)) / h
    return result


def vjp_mul(g, a, b):
    return g * b, g * a


def vjp_div(g, a, b):
    return g / b, -g * a / (b * b)


def vjp_pow(g, x, n):
    if n == 0:
        return g * 0
    return g * n * x ** (n - 1)


def product_cell(a, b, i, j):
    total = 0
    for k in range(a.shape[1]):
        total += a[i, k] * b[k, j]
    return total


def all_scores(q, k):
    return q @ k.transpose(1, 2)


def vjp_sub(g, a, b):
    return g, -g


def vjp_sum(g, x):
    return g.expand(x.shape)


def value(graph, ref):
    if ref[0] != "%":
        return tensor(float(ref))
    node = graph[ref]
    if node.op == "expand":
        return value(graph, node.operands[0]).expand(node.shape)
    return tensor(node.out)


rules = {
    "add": lambda g, a, b: (g, g),
    "sub": vjp_sub,
    "mul": vjp_mul,
    "div": vjp_div,
    "pow": lambda g, x, n: [vjp_pow(g, x, n)],
    "sum": lambda g, x: [vjp_sum(g, x)],
    "expand": lambda g, x: [sum_to(g, x.shape)],
}


def backward(graph):
    reads = {node.id: [ref for ref in node.operands if ref[0] == "%"] for node in graph}
    order = list(topological_order(reads))
    grad = defaultdict(float)
    grad[graph.results[0]] = tensor(1.0)
    for id in reversed(order):
        node = graph[id]
        if id in grad and node.operands:
            values = [value(graph, ref) for ref in node.operands]
            for ref, part in zip(node.operands, rules[node.op](grad[id], *values)):
                if ref[0] == "%":
                    grad[ref] += part
    return grad


def linear(x, weight, bias):
    return x @ weight.T + bias


def step(parameters, lr):
    with no_grad():
        for p in parameters:
            if p.grad is not None:
                p -= lr * p.grad


def cross_entropy(scores, target):
    z = scores - scores.amax(dim=1, keepdim=True)
    log_shares = z - z.exp().sum(dim=1, keepdim=True).log()
    return -log_shares[arange(len(target)), target].mean()


def scores_grad(scores, target):
    e = (scores - scores.amax(dim=1, keepdim=True)).exp()
    shares = e / e.sum(dim=1, keepdim=True)
    shares[arange(len(target)), target] -= 1
    return shares / len(target)


def shares(g, x):
    top = x == x.max()
    return g * top / top.sum()


def my_test(engine):
    x = tensor([2.0, 2.0], requires_grad=True)
    found = engine(ir.graph(x.max(), names={"x": x}))["x"]
    return found.tolist() == [0.5, 0.5]


def vjp_sigmoid(g, x):
    s = x.sigmoid()
    return g * s * (1 - s)


def causal_weights(scores):
    n = scores.shape[-1]
    later = scores.new_ones(n, n).triu(1) > 0
    return scores.masked_fill(later, float("-inf")).softmax(-1)


def vjp_mean(g, x, dim):
    return g.unsqueeze(dim).expand(x.shape) / x.shape[dim]


def vjp_amax(g, x, dim):
    top = x == x.amax(dim, keepdim=True)
    return g.unsqueeze(dim) * top / top.sum(dim, keepdim=True)


def vjp_embedding(g, words, rows):
    table = zeros(rows, g.shape[-1])
    for word, part in zip(words.reshape(-1), g.reshape(-1, g.shape[-1])):
        table[word] += part
    return table


def vjp_matmul(g, a, b):
    return g @ b.mT, a.mT @ g


def vjp_linear(g, x, w):
    rows = x.reshape(-1, x.shape[-1])
    return rows.T @ g.reshape(-1, g.shape[-1])


def pull(student, teacher):
    loss = ((student - teacher.detach()) ** 2).mean()
    loss.backward()


def accumulate(w, parts):
    w.grad = None
    for x in parts:
        loss = ((w * x - 1) ** 2).mean() / len(parts)
        loss.backward()
