"""Answers of students in lessons 17 and 18: right ones, and wrong ones with what is said."""

import rustyflow as torch
from tests.lessons.answers.gradients import BORROWED
from tests.lessons.answers.memory import NEVER, NOTHING, RAISES, gives_nothing, never_ends, raises


def mean_by_keepdim(g, x, dim):
    return torch.zeros_like(x) + g.unsqueeze(dim) / x.size(dim)


def mean_by_repeating(g, x, dim):
    n = x.shape[dim]
    return torch.stack([g / n] * n, dim) if n else x * 0


def mean_by_moving(g, x, dim):
    result = torch.empty_like(x)
    result.movedim(dim, 0)[:] = g / x.shape[dim]
    return result


def mean_by_backward(g, x, dim):
    leaf = x.clone().requires_grad_()
    leaf.mean(dim).backward(g)
    return leaf.grad


def spread(g, x, dim):
    return g.unsqueeze(dim).expand(x.shape)


def top(x, dim):
    return (x == x.amax(dim, keepdim=True)).float()


def amax_by_masks(g, x, dim):
    mask = x.eq(x.max(dim, keepdim=True).values)
    shares = g.unsqueeze(dim) / mask.sum(dim, keepdim=True)
    return torch.where(mask, shares, torch.zeros_like(x))


def amax_lane_by_lane(g, x, dim):
    result = torch.zeros_like(x)
    lanes, back = x.movedim(dim, -1).reshape(-1, x.shape[dim]), result.movedim(dim, -1)
    found = []
    for part, lane in zip(g.reshape(-1), lanes, strict=True):
        largest = lane == lane.max()
        found.append(part * largest / largest.sum())
    if found:
        back.copy_(torch.stack(found).view(back.shape))
    return result


def amax_of_the_nearly_largest(g, x, dim):
    near = ((x - x.amax(dim, keepdim=True)).abs() < 0.1).float()
    return g.unsqueeze(dim) * near / near.sum(dim, keepdim=True)


def amax_by_grad(g, x, dim):
    leaf = x.clone().requires_grad_()
    return torch.autograd.grad(leaf.amax(dim), leaf, g)[0]


def first_of_the_largest(g, x, dim):
    return torch.zeros_like(x).scatter_(dim, x.argmax(dim, keepdim=True), g.unsqueeze(dim))


def by_index_add(g, words, rows):
    return torch.zeros(rows, g.shape[-1]).index_add_(0, words.flatten(), g.flatten(0, -2))


def by_one_hot(g, words, rows):
    hot = (words.reshape(-1, 1) == torch.arange(rows)).float()
    return hot.T @ g.reshape(-1, g.shape[-1])


def by_a_loop(g, words, rows):
    table = torch.zeros(rows, g.shape[-1])
    flat, parts = words.reshape(-1).tolist(), g.reshape(-1, g.shape[-1])
    for k in range(len(flat)):
        table[flat[k]] = table[flat[k]] + parts[k]
    return table


def written_at_once(g, words, rows):
    table = torch.zeros(rows, g.shape[-1])
    table[words] += g
    return table


def first_stays(g, words, rows):
    table, seen = torch.zeros(rows, g.shape[-1]), set()
    for word, part in zip(words.reshape(-1).tolist(), g.reshape(-1, g.shape[-1]), strict=True):
        if word not in seen:
            table[word] = part
        seen.add(word)
    return table


def averaged(g, words, rows):
    return by_index_add(g, words, rows) / by_index_add(torch.ones_like(g), words, rows).clamp(min=1)


def as_they_came(g, words, rows):
    table, parts = torch.zeros(rows, g.shape[-1]), g.reshape(-1, g.shape[-1])[:rows]
    table[: len(parts)] = parts
    return table


def looked_up(g, words, rows):
    table = torch.zeros(rows, g.shape[-1], requires_grad=True)
    torch.nn.functional.embedding(words, table).backward(g)
    return table.grad


def product_by_einsum(g, a, b):
    return torch.einsum("...ij,...kj->...ik", g, b), torch.einsum("...ik,...ij->...kj", a, g)


def product_by_sums(g, a, b):
    da = (g.unsqueeze(-2) * b.unsqueeze(-3)).sum(-1)
    db = (a.unsqueeze(-1) * g.unsqueeze(-2)).sum(-3)
    return da, db


def product_by_turning(g, a, b):
    return [(b @ g.transpose(-2, -1)).transpose(-2, -1), (g.transpose(-2, -1) @ a).transpose(-2, -1)]


def product_by_backward(g, a, b):
    a, b = a.clone().requires_grad_(), b.clone().requires_grad_()
    (a @ b).backward(g)
    return a.grad, b.grad


def product(g, a, b):
    return g @ b.mT, a.mT @ g


def summed_over_the_batch(g, a, b):
    def summed(part):
        batch = tuple(range(part.ndim - 2))
        return part.sum(batch, keepdim=True).expand(part.shape) if batch else part

    return tuple(map(summed, product(g, a, b)))


def of_all_rows(g, x, w):
    return x.reshape(-1, x.shape[-1]).T @ g.reshape(-1, g.shape[-1])


def summed_in_turn(g, x, w):
    dw = x.mT @ g
    while dw.ndim > 2:
        dw = dw.sum(0)
    return dw


def into_zeros(g, x, w):
    found = torch.zeros(w.shape)
    for g_row, x_row in zip(g.reshape(-1, g.shape[-1]), x.reshape(-1, x.shape[-1]), strict=True):
        found += torch.outer(x_row, g_row)
    return found


def row_by_row(g, x, w):
    dw = torch.zeros_like(w)
    for row, part in zip(x.reshape(-1, x.shape[-1]), g.reshape(-1, g.shape[-1]), strict=True):
        dw = dw + row[:, None] * part
    return dw


def one_table_of(g, x, w):
    while g.ndim > 2:
        g, x = g[0], x[0]
    return x.T @ g


def by_autograd(g, x, w):
    w = w.clone().requires_grad_()
    return torch.autograd.grad(x @ w, w, g)[0]


RIGHT = {
    "vjp_matmul": [product, product_by_einsum, product_by_sums, product_by_turning],
    "vjp_linear": [of_all_rows, summed_in_turn, row_by_row, into_zeros],
    "vjp_mean": [lambda g, x, dim: g.unsqueeze(dim).expand(x.shape) / x.shape[dim], mean_by_keepdim, mean_by_repeating,
                 mean_by_moving],
    "vjp_amax": [lambda g, x, dim: g.unsqueeze(dim) * top(x, dim) / top(x, dim).sum(dim, keepdim=True),
                 amax_by_masks, amax_lane_by_lane],
    "vjp_embedding": [by_index_add, by_one_hot, by_a_loop],
}
WRONG = {
    "vjp_matmul": [
        (lambda g, a, b: (g @ b.reshape(b.mT.shape), a.reshape(a.mT.shape) @ g), "to reshape is to transpose"),
        (lambda g, a, b: (g @ b.T, a.T @ g), "a transpose turns all axes"),
        (lambda g, a, b: (b @ g.mT, g.mT @ a), "a gradient may lie on its side"),
        (lambda g, a, b: (a.mT @ g, g @ b.mT), "the gradient of the left side comes second"),
        (lambda g, a, b: (torch.ones_like(g) @ b.mT, a.mT @ torch.ones_like(g)), "upstream can be ignored"),
        (summed_over_the_batch, "the tables of a batch are summed"),
        (lambda g, a, b: g @ b.mT, "two gradients are asked for"),
        (lambda g, a, b: (g @ b, a @ g), "It stopped with an error"),
        (lambda g, a, b: (g @ b.mT, a * 0), "db: shape (2, 3), where (3, 4) is asked for"),
        (lambda g, a, b: (a, b), "da: the shape is right, the numbers are not"),
        (lambda g, a, b: (g @ b.mT, -a.mT @ g), "db: the shape is right, the numbers are not"),
        (lambda g, a, b: [part.tolist() for part in product(g, a, b)], "da: a tensor is asked for, not a list"),
        (product_by_backward, f"{BORROWED} backward,"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "vjp_linear": [
        (lambda g, x, w: x.mT @ g, "each table of the batch has a gradient of its own"),
        (one_table_of, "one table is enough"),
        (lambda g, x, w: (x.mT @ g).reshape(-1, *w.shape).mean(0), "the gradient is averaged over the batch"),
        (lambda g, x, w: of_all_rows(torch.ones_like(g), x, w), "upstream can be ignored"),
        (lambda g, x, w: of_all_rows(g, x, w).T, "shape (2, 3), where (3, 2) is asked for"),
        (lambda g, x, w: of_all_rows(g, x, w).sum(), "shape (), where (3, 2) is asked for"),
        (lambda g, x, w: of_all_rows(g, x, w).tolist(), "a tensor is asked for, not a list"),
        (lambda g, x, w: -of_all_rows(g, x, w), "got tensor([[-7., -9.]"),
        (lambda g, x, w: w, "got tensor([[0., 0.], [0., 0.], [0., 0.]])"),
        (lambda g, x, w: x @ g, "It stopped with an error"),
        (by_autograd, f"{BORROWED} grad,"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "vjp_mean": [
        (lambda g, x, dim: spread(g, x, dim), "what arrives goes whole to all that were reduced"),
        (lambda g, x, dim: spread(g, x, dim) / x.numel(), "a mean divides by all cells of x"),
        (lambda g, x, dim: spread(g, x, dim) / len(x), "a mean divides by the number of rows"),
        (lambda g, x, dim: torch.ones_like(x) / x.shape[dim], "upstream can be ignored"),
        (lambda g, x, dim: g.reshape(-1).repeat(x.shape[dim]).reshape(x.shape) / x.shape[dim],
         "if the sizes fit, the numbers stand in their lanes"),
        (lambda g, x, dim: torch.zeros_like(x) + g.mean() / x.shape[dim], "the way back is a mean, too"),
        (lambda g, x, dim: g / x.shape[dim], "shape (2,), where (2, 3) is asked for"),
        (lambda g, x, dim: g.unsqueeze(dim) / x.shape[dim], "shape (2, 1), where (2, 3) is asked for"),
        (lambda g, x, dim: g.expand(x.shape) / x.shape[dim], "It stopped with an error"),
        (lambda g, x, dim: (spread(g, x, dim) / x.shape[dim]).tolist(), "a tensor is asked for, not a list"),
        (lambda g, x, dim: -spread(g, x, dim) / x.shape[dim], "got tensor([[-2., -2., -2.], [-4."),
        (lambda g, x, dim: (spread(g, x, dim) / x.shape[dim]).double(), "float64, where"),
        (mean_by_backward, f"{BORROWED} backward,"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "vjp_amax": [
        (lambda g, x, dim: g.unsqueeze(dim) * top(x, dim), "each of the largest gets all that arrives"),
        (first_of_the_largest, "the first of the largest gets all"),
        (lambda g, x, dim: spread(g, x, dim) / x.shape[dim], "all cells of the lane share"),
        (lambda g, x, dim: top(x, dim) / top(x, dim).sum(dim, keepdim=True), "upstream can be ignored"),
        (lambda g, x, dim: g.unsqueeze(dim) * (x == x.max()) / (x == x.max()).sum(),
         "the largest is one number for the whole tensor"),
        (lambda g, x, dim: g.unsqueeze(dim) * top(x, dim) / top(x, dim).sum(),
         "how many they are is counted in the whole tensor"),
        (lambda g, x, dim: g * top(x, dim), "It stopped with an error"),
        (lambda g, x, dim: spread(g, x, dim), "got tensor([[6., 6., 6.], [5., 5., 5.]])"),
        (lambda g, x, dim: g.unsqueeze(dim) * x / x.amax(dim, keepdim=True), "got tensor([[2.571"),
        (lambda g, x, dim: g / top(x, dim).sum(dim), "shape (2,), where (2, 3) is asked for"),
        (lambda g, x, dim: amax_by_masks(g, x, dim).tolist(), "a tensor is asked for, not a list"),
        (amax_by_grad, f"{BORROWED} grad,"),
        (amax_of_the_nearly_largest, "nearly equal is equal"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "vjp_embedding": [
        (written_at_once, "what comes later is written over what was there"),
        (first_stays, "who was there first keeps its gradient"),
        (averaged, "two that read one row send their mean"),
        (as_they_came, "the rows come back in the order in which they were read"),
        (lambda g, words, rows: g, "got tensor([[1., 2.], [3., 4.], [5., 6.]])"),
        (lambda g, words, rows: by_index_add(g, words, rows)[:-1], "shape (2, 2), where (3, 2) is asked for"),
        (lambda g, words, rows: by_index_add(g, words, rows).T, "shape (2, 3), where (3, 2) is asked for"),
        (lambda g, words, rows: by_index_add(g, words, rows).tolist(), "a tensor is asked for, not a list"),
        (lambda g, words, rows: torch.zeros(rows, g.shape[-1]), "got tensor([[0., 0.], [0., 0.], [0., 0.]])"),
        (lambda g, words, rows: by_index_add(g, words, rows) * 2, "got tensor([[ 6., 8.], [ 0., 0.], [12., 16.]])"),
        (looked_up, f"{BORROWED} embedding,"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
}  # fmt: skip
