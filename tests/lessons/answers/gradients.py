"""Answers of students in lessons 07 to 11: right ones, and wrong ones with what is said."""

import graphlib
from functools import reduce

import rustyflow as torch
from tests.lessons.answers.memory import NEVER, NOTHING, RAISES, gives_nothing, never_ends, raises


def each(x, told):
    """A loop over the cells of x."""
    result = torch.zeros(2, 3, dtype=torch.float64)
    for i in range(2):
        for j in range(3):
            moved = x.clone()
            result[i, j] = told(moved, i, j)
    return result


def grad(f, x, h, i, j):  # a helper of one's own, with the name of a library's function
    x[i, j] += h
    return f(x)


def nudged(f, x, h):
    return each(x, lambda moved, i, j: (grad(f, moved, h, i, j) - f(x)) / h)


def nudged_both_ways(f, x, h):
    return each(x, lambda moved, i, j: (grad(f, moved.clone(), h, i, j) - grad(f, moved, -h, i, j)) / (2 * h))


def nudged_by_a_mask(f, x, h):
    masks = torch.eye(6, dtype=x.dtype).view(6, 2, 3) * h
    return torch.stack([(f(x + mask) - f(x)) / h for mask in masks]).view(2, 3)


def nudged_and_put_back(f, x, h):
    x, before, rows = x.clone(), f(x), []
    for cell in x.view(-1):
        was = cell.item()
        cell += h
        rows.append(((f(x) - before) / h).item())
        cell.fill_(was)
    return torch.tensor(rows).view(2, 3)


def piled_up(f, x, h):
    moved = x.clone()
    return each(x, lambda _, i, j: (grad(f, moved, h, i, j) - f(x)) / h)


def gives_what_is_not_there(f, x, h):
    f(x)
    return x.grad


def asks_backward(f, x, h):
    leaf = x.clone().requires_grad_()
    f(leaf).backward()
    return leaf.grad


def asks_autograd(f, x, h):
    leaf = x.clone().requires_grad_()
    return torch.autograd.grad(f(leaf), leaf)[0]


def in_three_lines(x):
    y = x * x
    y = y.tanh()
    return y * x


def with_functions(x):
    return torch.mul(torch.tanh(torch.mul(x, x)), x)


def step(y, x):
    return y * x


def with_a_step(x):
    return step(step(x, x).tanh(), x)


def with_an_assertion(x):
    squared = x.mul(x)
    bent = squared.tanh()
    result = bent.mul(x)
    del squared, bent
    return result


def program(x):
    y = x
    for turn in range(3):
        y = y.tanh() if turn == 1 else y * x
    return y


def while_that_returns(x):
    while True:
        return (x * x).tanh() * x


def once_round(x):
    for y in [x * x]:
        return y.tanh() * x


def by_reduce(x):
    return reduce(lambda y, turn: turn(y), [lambda y: y * x, lambda y: y.tanh(), lambda y: y * x], x)


def a_helper_that_loops(x):
    return program_under_another_name(x)


def program_under_another_name(x, y=None):
    return x if y is x else (x * x).tanh() * x


def depth_first(graph):
    order = []

    def visit(name):
        if name not in order:
            for source in graph[name]:
                visit(source)
            order.append(name)

    for name in graph:
        visit(name)
    return order


def by_counting(graph):
    left = {name: set(sources) for name, sources in graph.items()}
    while left:
        ready = [name for name, sources in left.items() if not sources & left.keys()]
        yield from ready
        left = {name: sources for name, sources in left.items() if name not in ready}


def by_readers_reversed(graph):
    order, left = [], dict(graph)
    while left:
        name = next(n for n in left if not any(n in sources for sources in left.values()))
        order.append(name)
        del left[name]
    return order[::-1]


def in_a_dict(graph):
    done = {}
    while len(done) < len(graph):
        done |= {name: True for name in graph if name not in done and all(s in done for s in graph[name])}
    return done


def eats_a_copy(graph):
    return eats_its_graph(dict(graph))


def from_one_result(graph):
    """Depth first from one node that nobody reads: another one is lost."""
    read = {source for sources in graph.values() for source in sources}
    order = []

    def visit(name):
        if name not in order:
            for source in graph[name]:
                visit(source)
            order.append(name)

    visit(next(name for name in graph if name not in read))
    return order


def from_the_first_name(graph):
    order = []

    def visit(name):
        if name not in order:
            for source in graph[name]:
                visit(source)
            order.append(name)

    visit(list(graph)[0])
    return order


def put_down_again(graph):
    order = []
    while len(order) < len(graph):
        order += [name for name in graph if all(source in order for source in graph[name])]
    return order


def into_the_default(graph, order=[]):  # noqa: B006
    order += [name for name in depth_first(graph) if name not in order]
    return order


def eats_its_graph(graph):
    order = []
    while graph:
        order.append(next(name for name in graph if all(source in order for source in graph[name])))
        del graph[order[-1]]
    return order


def met_first(graph):
    order = []

    def visit(name):
        if name not in order:
            order.append(name)
            for source in graph[name]:
                visit(source)

    for name in graph:
        visit(name)
    return order


def twice_there(graph):
    return [source for name in depth_first(graph) for source in (*graph[name], name)]


def trapped(a, b, ways):
    c = a * b
    return ways(c, a, b)


def near(ways):
    return lambda a, b: trapped(a, b, ways)


def trap_in_a_loop(a, b):
    y = a - b
    for _ in range(3):
        y = y + y.tanh()
    return y


def trap_of_three(a, b):
    c = a + b
    return c * (c * 3)


def long_way_first(a, b):
    c = a * b
    d = c + 1
    return d * c


def summed_at_once(g, shape):
    padded = (1,) * (g.ndim - len(shape)) + tuple(shape)
    axes = [d for d in range(g.ndim) if padded[d] == 1]
    return (g.sum(axes, keepdim=True) if axes else g).reshape(shape)


def summed_in_turn(g, shape):
    for _ in range(g.dim() - len(shape)):
        g = torch.sum(g, 0)
    for d, n in enumerate(shape):
        if n == 1:
            g = g.sum(d, keepdim=True)
    return g


def summed_from_behind(g, shape):
    for d in range(1, len(shape) + 1):
        if shape[-d] == 1 != g.shape[-d]:
            g = g.sum(-d, keepdim=True)
    return g.sum(tuple(range(g.ndim - len(shape)))) if g.ndim > len(shape) else g


def sum_to_by_recursion(g, shape):
    if g.ndim > len(shape):
        return sum_to_by_recursion(g.sum(0), shape)
    for d in range(len(shape)):
        if g.shape[d] != shape[d]:
            return sum_to_by_recursion(g.sum(d, True), shape)
    return g


def summed_by_counting(g, shape):
    while len(g.shape) > len(shape):
        g = g.sum(dim=0)
    for d in reversed(range(len(shape))):
        if g.size(d) > shape[d]:
            g = torch.sum(g, dim=d, keepdim=True)
    return g


def summed_by_adding(g, shape):
    result = torch.zeros((1,) * (g.ndim - len(shape)) + tuple(shape), dtype=g.dtype)
    for d, n in enumerate(result.shape):
        if n == 1 and g.shape[d] != 1:
            g = sum(g.split(1, d)) if g.shape[d] else g.sum(d, keepdim=True)
    return (result + g).reshape(shape)


def forgets_to_keep(g, shape):
    for _ in range(g.ndim - len(shape)):
        g = g.sum(0)
    for d in range(len(shape)):
        if shape[d] == 1:
            g = g.sum(d)
    return g


def counts_up(g, shape):
    for d in range(g.ndim - len(shape)):
        g = g.sum(d)
    for d in range(g.ndim):
        if shape[d] == 1 and g.shape[d] != 1:
            g = g.sum(d, keepdim=True)
    return g


def one_new_axis(g, shape):
    if g.ndim > len(shape):
        g = g.sum(0)
    for d, n in enumerate(shape):
        if n == 1:
            g = g.sum(d, keepdim=True)
    return g


def new_axes_last(g, shape):
    for d in range(len(shape)):
        if shape[d] == 1 and g.shape[d] != 1:
            g = g.sum(d, keepdim=True)
    while g.ndim > len(shape):
        g = g.sum(0)
    return g


def adds_one(g, shape):
    g += 1
    return g


RIGHT = {
    "sensitivities": [
        nudged, nudged_both_ways, nudged_by_a_mask, nudged_and_put_back,
        lambda f, x, h: torch.tensor([[(f(x + h * (torch.arange(6).view(2, 3) == 3 * i + j)) - f(x)).item() / h
                                       for j in range(3)] for i in range(2)]),
        lambda f, x, h: each(x, lambda moved, i, j: (f(x) - grad(f, moved, -h, i, j)) / h),
    ],
    "straight": [
        in_three_lines, with_functions, with_a_step, with_an_assertion, lambda x: (x * x).tanh() * x,
        lambda x: (x.mul(x)).tanh().mul(x), lambda x: torch.tanh(x * x) * x, lambda x: x.__mul__(x).tanh() * x,
        lambda x: (lambda y: y.tanh() * x)(x * x),
    ],
    "topological_order": [
        depth_first, by_counting, by_readers_reversed, in_a_dict, eats_a_copy,
        lambda graph: tuple(depth_first(graph)),
    ],
    "trap": [
        trap_in_a_loop, trap_of_three,
        near(lambda c, a, b: c + c * 2), near(lambda c, a, b: c + c.tanh()),
        near(lambda c, a, b: c * (a - 1) + c * c.exp()),
        near(lambda c, a, b: c + c * (a - 0.5)), near(lambda c, a, b: c + (c * 2) * (b - 1)),
        near(lambda c, a, b: c.relu() + (c - 1).relu()), near(lambda c, a, b: c + (c * c - 2 * c).exp()),
        near(lambda c, a, b: c.sin() * (c * 2).cos()), near(lambda c, a, b: c + (a - b) * c),
        near(lambda c, a, b: c + (c - 1) ** 2), near(lambda c, a, b: c + c.log()),
        near(lambda c, a, b: (a - b).relu() + c + c * 2),
        near(lambda c, a, b: torch.add(c, torch.mul(c, 2))),
    ],
    "vjp_mul": [
        lambda g, a, b: (g * b, g * a), lambda g, a, b: [b * g, a * g],
        lambda g, a, b: (torch.mul(g, b), torch.mul(g, a)),
        lambda g, a, b: tuple(g * other for other in (b, a)), lambda g, a, b: (b.mul(g), a.mul(g)),
        lambda g, a, b: (g * b * 1.0, 0 + a * g), lambda g, a, b: [*torch.stack([b, a]) * g],
    ],
    "vjp_div": [
        lambda g, a, b: (g / b, -g * a / b**2), lambda g, a, b: (g * (1 / b), g * -(a / b) / b),
        lambda g, a, b: (torch.div(g, b), -torch.div(g * a, b * b)), lambda g, a, b: (g / b, -(g / b) * (a / b)),
        lambda g, a, b: (g * b**-1, -g * a * b.pow(-2)),
    ],
    "vjp_pow": [
        lambda g, x, n: g * n * x ** (n - 1), lambda g, x, n: n * x.pow(n - 1) * g,
        lambda g, x, n: g * n * torch.pow(x, n - 1), lambda g, x, n: g * 0 if n == 0 else g * n * x ** (n - 1),
        lambda g, x, n: torch.where(x == 0, g * (n == 1), g * n * x**n / x),
    ],
    "sum_to": [summed_at_once, summed_in_turn, summed_from_behind,
              sum_to_by_recursion, summed_by_counting, summed_by_adding],
}  # fmt: skip

AT_ONCE, BORROWED = "all numbers are nudged at once", "it leaves the work to"

WRONG = {
    "sensitivities": [
        (lambda f, x, h: nudged(f, x, 0.001), "it nudges by something else than h"),
        (lambda f, x, h: each(x, lambda moved, i, j: grad(f, moved, h, i, j) - f(x)),
         "how far the result moves is the"),
        (lambda f, x, h: (f(x + h) - f(x)) / h, f'"{AT_ONCE}'),
        (lambda f, x, h: torch.zeros(2, 3) + (f(x + h) - f(x)) / h, f'{AT_ONCE}". Then nobody'),
        (piled_up, "a number that was nudged may stay where it is"),
        (lambda f, x, h: each(x, lambda _, i, j: (grad(f, x, h, i, j) - f(x)) / h), "a second name is a copy"),
        (lambda f, x, h: each(x, lambda moved, i, j: grad(f, moved, h, i, j) / h),
         "where the result arrives is how far"),
        (lambda f, x, h: each(x, lambda moved, i, j: (f(x) - grad(f, moved, h, i, j)) / h),
         "the order of the difference"),
        (lambda f, x, h: each(x, lambda moved, i, j: (grad(f, moved, -h, i, j) - f(x)) / h),
         "down or up makes no difference"),
        (lambda f, x, h: each(x, lambda moved, i, j: (grad(f, moved.clone(), h, i, j) - grad(f, moved, -h, i, j)) / h),
         "the nudge is h, to both sides as to one"),
        (gives_what_is_not_there, "It gives None back: what it returns is None"),
        (asks_backward, f"{BORROWED} backward,"), (asks_autograd, f"{BORROWED} grad,"),
        (lambda f, x, h: nudged(f, x, h).tolist(), "a tensor is asked for, not a list"),
        (lambda f, x, h: nudged(f, x, h).T, "shape (3, 2), where (2, 3)"),
        (lambda f, x, h: nudged(f, x, h * 2000), "[0, 0] is not how far f moves"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "straight": [
        (lambda x: (x**2).tanh() * x, "programs with the same result have the same graph"),
        (lambda x: x * x, "the body of a loop is recorded once"),
        (lambda x: x * x * x, "a method changes its tensor"),
        (lambda x: x * (x * x).tanh(), "the order of the two factors does not matter"),
        (program, "it has a loop or an if: write"), (while_that_returns, "one step after the other"),
        (once_round, "But it has a loop or an if"), (by_reduce, "10 cases of 10. But it has a loop"),
        (a_helper_that_loops, "does what it should: 10 cases of 10. But it has a loop"),
        (lambda x: program(x), "it calls program"),
        (lambda x: x.exp(), "another graph than program(x) records"),
        (lambda x: (x * x).detach().tanh() * x, "yours:"),
        (lambda x: (x.item() ** 2) * x.item(), "no tensor that was computed from x"),
        (lambda x: x.squared(), "AttributeError"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "topological_order": [
        (eats_its_graph, "it also changes graph, which belongs to the caller"),
        (from_one_result, "each node once, and y is missing"),
        (from_the_first_name, "the first name leads to all the others"),
        (put_down_again, "each node once, and a is there twice"),
        (into_the_default, "It gives back the same list in several calls"),
        (lambda graph: list(graph), "the order in which it is written will do"),
        (lambda graph: by_readers_reversed(graph)[::-1], "readers come first"), (met_first,
         "each node is put where it is met first"),
        (lambda graph: depth_first(graph)[1:], "each node once, and a is missing"),
        (twice_there, "each node once, and b is there twice"),
        (lambda graph: [*depth_first(graph), "zz"], "leave out 'zz', which is none of the names"),
        (lambda graph: " ".join(depth_first(graph)), "write the names in a list, each in quotes"),
        (lambda graph: sorted(graph, reverse=True), "y comes before a, which it reads"),
        (lambda graph: depth_first(graph[0]), "KeyError"),
        (lambda graph: [*graphlib.TopologicalSorter(graph).static_order()], f"{BORROWED} TopologicalSorter,"),
        (lambda graph: 3, "got 3 wrong write the names"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "trap": [
        (lambda a, b: a * a, "to use a leaf twice is enough"),
        (near(lambda c, a, b: c + c), "to use a node twice in one step is enough"),
        (near(lambda c, a, b: c * 2 + c), "two readers are enough, in any order"),
        (long_way_first, "the order of the operands decides"),
        (lambda a, b: a * a + b, "a leaf is never visited: it only adds up"),
        (near(lambda c, a, b: c + c * 0), "but it is 0, or is multiplied by 0 on its way"),
        (near(lambda c, a, b: c + c * 1e-9), "1e-09 beside 1, that rounding hides it"),
        (lambda a, b: trapped(a, 1, lambda c, a, b: c + c * 2), "let the other take part too"),
        (lambda a, b: a * b, "nothing here gets more than one gradient"),
        (near(lambda c, a, b: c * c), "no step here gets gradients from two readers: all that"),
        (lambda a, b: (a * b).item(), "no tensor that was computed from a and b"),
        (lambda a, b: torch.stack([a, b]) * 2, "no single number, from which backward could start"),
        (near(lambda c, a, b: sum((c * k for k in range(60)), c)), "more than 50 nodes"),
        (near(lambda c, a, b: (c + c * 2).detach()), "got tensor(6.) wrong no tensor"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "vjp_mul": [
        (lambda g, a, b: (b.mul_(g), g * a), "it also changes b, which belongs to the caller"),
        (lambda g, a, b: (b, a), "upstream can be ignored"),
        (lambda g, a, b: (g * a, g * b), "what arrives is multiplied by the operand itself"),
        (lambda g, a, b: (g * a * b, g * a * b), "what arrives is multiplied by the result"),
        (lambda g, a, b: (g.sum() * b, g.sum() * a), "each number that arrives reaches each number of a"),
        (lambda g, a, b: g * b, "two gradients are asked for"),
        (lambda g, a, b: (torch.diag(g * b), torch.diag(g * a)), "da: shape (2, 2), where (2,)"),
        (lambda g, a, b: (g * b, (g * a).tolist()), "db: a tensor is asked for, not a list"),
        (lambda g, a, b: (g * b, g * a + 1), "db: the shape is right, the numbers are not"),
        (lambda g, a, b: ((g * b).double(), g * a), "da: dtype rustyflow.float64, where"),
        (lambda g, a, b: torch.autograd.grad(a * b, (a, b), g), "RuntimeError"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "vjp_div": [
        (lambda g, a, b: (1 / b, -a / (b * b)), "upstream can be ignored"),
        (lambda g, a, b: (g * b, g * a), "a quotient is like a product"),
        (lambda g, a, b: (g / b, g * a / (b * b)), "the sign does not matter"),
        (lambda g, a, b: (g / b, -g * a / b), "b counts once"),
        (lambda g, a, b: (g / b, g / a), "the factor of each operand is one over the other"),
        (lambda g, a, b: g / b, "two gradients are asked for"),
        (lambda g, a, b: (g / b, -g / b**2), "a does not count for b"),
        (lambda g, a, b: (g / b, g * -6 / b**2), "what was measured for one a holds for each"),
        (lambda g, a, b: (g / b, -g * a / b**3), "db: the shape is right, the numbers are not"),
        (lambda g, a, b: (g.sum() / b, -g * a / b**2), "da: the shape is right, the numbers are not"),
        (lambda g, a, b: (g / b, (-g * a / b**2).sum()), "db: shape (), where (2,)"),
        (lambda g, a, b: ((g / b).int(), -g * a / b**2), "da: right to a few digits only"),
        (lambda g, a, b: (g / b, [-1]), "db: a tensor is asked for, not a list"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "vjp_pow": [
        (lambda g, x, n: n * x ** (n - 1), "upstream can be ignored"),
        (lambda g, x, n: g * n * x**n, "the exponent stays"),
        (lambda g, x, n: g * x ** (n - 1), "one of the factors moves"),
        (lambda g, x, n: g.sum() * n * x ** (n - 1), "each number that arrives reaches each number of x"),
        (lambda g, x, n: g * n * x.abs() ** (n - 1), "a number to a power is positive"),
        (lambda g, x, n: g * n * x**n / x, "dx: the shape is right, the numbers are not"),
        (lambda g, x, n: (g * n * x ** (n - 1)).sum(), "dx: shape (), where (2,)"),
        (lambda g, x, n: (g * n * x ** (n - 1)).tolist(), "dx: a tensor is asked for, not a list"),
        (lambda g, x, n: (g * n * x ** (n - 1)).double(), "dx: dtype rustyflow.float64, where"),
        (lambda g, x, n: sum(g * x ** (n - 1) for _ in range(n)), "dx: a tensor is asked for, not an int"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "sum_to": [
        (lambda g, shape: summed_at_once(g, shape) / (g.numel() / max(1, summed_at_once(g, shape).numel())),
         "is averaged\"."),
        (lambda g, shape: g.mean(0), "the gradient is averaged over the first axis"),
        (forgets_to_keep, "an axis that is summed disappears"), (counts_up, "the axes keep their numbers while they"),
        (lambda g, shape: g.sum(tuple(range(g.ndim - len(shape)))) if g.ndim > len(shape) else g, "only new axes were"),
        (one_new_axis, "there is one new axis at most"), (new_axes_last, "axis d of the tensor is axis d of g"),
        (lambda g, shape: g.sum_to_size(shape), f"{BORROWED} sum_to_size,"),
        (lambda g, shape: summed_in_turn(g, shape).tolist(), "a tensor is asked for, not a list"),
        (lambda g, shape: summed_in_turn(g, shape).double(), "float64, where"),
        (lambda g, shape: g.sum(), "shape (), where (3, 1)"),
        (lambda g, shape: summed_in_turn(g, shape).round(), "right to a few digits only"),
        (adds_one, "It changes g, which belongs to the caller"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
}  # fmt: skip
