"""What figures say that a call computes and hands on is run as a program would run it: with arguments that are not the
usual ones, operands left out, and several shapes."""

import ast
import re
from itertools import product

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import ir, show
from rustyflow.claims.say import say_right, say_rule
from rustyflow.claims.work import Cells
from rustyflow.show.words.rule import rule_of, rules_of
from tests.show.shown_rules import expression

F = rf.nn.functional
X = rf.tensor([[1.0, -2.0, 3.0], [4.0, 0.5, -6.0], [0.25, 2.0, 1.5], [-3.0, 1.0, 0.75]])
MANY = rf.tensor([[[1.0, 2.0], [0.5, -1.0], [3.0, 0.25]], [[2.0, 4.0], [-2.0, 0.5], [1.0, 1.5]]])
W, B = rf.tensor([1.0, 2.0, 4.0]), rf.tensor([0.5, -1.0, 3.0])
C, SOME, PLACES = rf.tensor([2, 0, 1, 1]), rf.tensor([2, -100, 1, -100]), rf.tensor([[0, 1], [0, -100]])
INTO = rf.tensor([[0, 2, 1], [1, 0, 2], [2, 1, 0], [0, 1, 2]])
FAR = rf.tensor([[0.5, 1.0, -1.0], [2.0, 0.0, 5.0]])
INF = float("inf")


def one_hot(target, classes=3):
    return (target.unsqueeze(-1) == rf.arange(classes)).float()


def cells(function):
    """Of numbers, too."""
    return lambda *sides: function(*map(rf.as_tensor, sides))


def written(x, row):
    x[0] = row
    return x


def softmax(x, dim=None):
    return F.softmax(x, min(1, x.dim() - 1) if dim is None else dim)


NAMES = {name: getattr(rf, name) for name in "mean log sum exp sqrt var abs amax amin tanh sign erf".split()} | {
    "softmax": softmax, "one_hot": one_hot, "pi": rf.pi, "range": range, "len": len, "inf": INF,
    "sqrt": lambda x: rf.as_tensor(x).sqrt(), "inverse": rf.linalg.inv, "outer": rf.outer, "det": rf.det,
    "view": lambda x, *size: x.view(*size), "gather": rf.gather, "movedim": rf.movedim, "numel": rf.Tensor.numel,
    "both": cells(rf.logical_and), "either": cells(rf.logical_or), "prod": rf.prod,
    "where": lambda c, a, b: rf.where(c, *map(rf.as_tensor, (a, b))),
    **{name: cells(getattr(rf, name)) for name in ("maximum", "minimum")}, "logsumexp": rf.logsumexp,
}  # fmt: skip


def worked(rule, names):
    """What Python makes of a rule: `A where C, else B` is a choice of each cell."""
    tree = ast.parse(expression(rule) if " where " in rule else rule, mode="eval")
    return eval(compile(ast.fix_missing_locations(Cells().visit(tree)), rule, "eval"), names)


def run(rule, names):
    """What a rule comes to; `A at the targets, else 0` in the cells of the targets."""
    rule, _, known = rule.partition(" with ")
    names = {**NAMES, **names}
    for definition in re.split(r", (?=\w+ = )", known) if known else ():
        letter, _, made = definition.partition(" = ")
        names[letter] = eval(made, names)
    rule, there, _ = rule.partition(" at the targets")
    found = worked(rule, names)
    if there:
        found = one_hot(names["target"] * names.get("k", 1)) * (found.unsqueeze(-1) if found.dim() else found)
    return found


def told(node, left):
    """The right side of a rule as figures say it; nothing where there is none."""
    rule = rule_of(node, left)
    return say_right(rule) if rule else ""


def classes(function, x, target, weight=None, **how):
    return lambda x: function(x, target, weight, **how), x, {"target": target, "weight": weight}


CALLS = {
    **{f"{function.__name__} {how} weighed {weight is not None} {list(c.shape)} without {out}": classes(
        function, x, c, weight, reduction=how, ignore_index=out)
       for function in (F.cross_entropy, F.nll_loss) for how in ("mean", "sum", "none") for weight in (None, W)
       for x, c, out in ((X, C, -100), (X, SOME, -100), (X, C, 1), (X[0], rf.tensor(2), -100))},
    **{f"images {how} {weight is not None} {c is PLACES}": classes(F.cross_entropy, MANY, c, weight, reduction=how)
       for how in ("mean", "sum") for weight in (None, W) for c in (PLACES, PLACES.abs() % 3)},
    **{f"layer norm {weight is not None} {bias is not None}": (
        lambda x, w=weight, b=bias: F.layer_norm(x, (3,), w, b), X, {"weight": weight, "bias": bias})
       for weight in (None, W) for bias in (None, B)},
    "layer norm over two": (lambda x: F.layer_norm(x, (3, 2), MANY[0]), MANY, {"weight": MANY[0]}),
    **{f"batch norm {x.dim()} {weight is not None}": (
        lambda x, w=weight: F.batch_norm(x, None, None, w, training=True), x, {"weight": weight})
       for x in (X, MANY, MANY[:, :, None]) for weight in (None, W)},
    "instance norm": (lambda x: F.group_norm(x, 3, W, B), MANY, {"weight": W, "bias": B}),
    "group norm": (lambda x: F.group_norm(x, 1), MANY, {}),
    **{f"gelu {how}": (lambda x, how=how: F.gelu(x, approximate=how), X, {}) for how in ("tanh", "none")},
    **{f"norm {p} {dim}": (lambda x, p=p, dim=dim: x.norm(p, dim, keepdim=True), X, {})
       for p in (INF, -INF, 0.0, 2.0, 3.0) for dim in (None, 1)},
    **{f"cdist {p}": (lambda x, p=p: rf.cdist(x, FAR, p), X, {"b": FAR}) for p in (2.0, 3.0, INF)},
    **{f"{function.__name__} {dim} {keep}": (
        lambda x, f=function, dim=dim, keep=keep: f(x, dim, keepdim=keep), x, {})
       for function in (rf.logsumexp, rf.var, rf.std, rf.nansum)
       for x, dim, keep in ((X, 1, False), (X, 0, False), (X, 1, True), (MANY, 1, False), (MANY, (0, 2), False))},
    **{f"norm of {p} along {dim}": (lambda x, p=p, dim=dim: x.norm(p, dim), MANY, {})
       for p in (1.0, 2.0, 3.0) for dim in (1, (0, 2))},
    **{f"{'above' if up else 'below'} {k}": (
        lambda x, up=up, k=k: x.triu(k) if up else x.tril(k), X, {"column": rf.arange(3), "row": rf.arange(4)[:, None]})
       for up in (True, False) for k in (-2, -1, 1, 2)},
    **{f"{loss.__name__} {how}": (
        lambda x, loss=loss, how=how, to=to: loss(x, X.flip(0), reduction=how, **to), X, {"target": X.flip(0)})
       for loss, to in ((F.huber_loss, {"delta": 2.5}), (F.smooth_l1_loss, {"beta": 2.5}))
       for how in ("mean", "sum", "none")},
    **{f"logits {how} {weight is not None} {more is not None}": (
        lambda x, how=how, w=weight, p=more: F.binary_cross_entropy_with_logits(x, X.tanh(), w, None, None, how, p),
        X, {"target": X.tanh(), "weight": weight, "pos_weight": more})
       for how in ("mean", "sum", "none") for weight in (None, X.abs()) for more in (None, W)},
    **{f"probabilities {how} {weight is not None}": (
        lambda x, how=how, w=weight: F.binary_cross_entropy(x, X.sigmoid(), w, reduction=how), X.sigmoid().flip(0),
        {"target": X.sigmoid(), "weight": weight}) for how in ("mean", "none") for weight in (None, X.abs())},
    **{f"margins {p} {how} {weight is not None} {x.dim()}": (
        lambda x, p=p, how=how, w=weight, c=c: F.multi_margin_loss(x, c, p, 0.75, w, reduction=how), x,
        {"target": c, "weight": weight, "margin": 0.75})
       for p in (1, 2) for how in ("mean", "sum", "none") for weight in (None, W) for x, c in ((X, C), (X[0], C[0]))},
    **{f"solve for {list(b.shape)} {how}": (lambda x, b=b, how=how: rf.linalg.solve(x, b, **how), a, {"b": b})
       for a, b, how in ((X[:3], W, {}), (X[:3], X[:3].T + 1, {}), (X[:3], X[:2], {"left": False}),
                         (MANY[:, :2] + rf.eye(2), MANY[:, 2], {}))},
    **{f"{f.__name__} {list(how.values())}": (lambda x, f=f, how=how: f(x, **how), X, {})
       for f, how in ((F.hardtanh, {"min_val": -1.5, "max_val": 2.5}), (F.relu6, {}), (F.hardsigmoid, {}), (F.selu, {}),
                      (F.elu, {"alpha": 2.0}), (F.leaky_relu, {"negative_slope": 0.5}))},
    "det of several": (rf.det, MANY[:, 1:], {}),
    "logdet of several": (lambda x: rf.linalg.slogdet(x)[1], MANY[:, 1:], {}),
    "cdist of several": (lambda x: rf.cdist(x, MANY.mT, 1.5), MANY.mT.flip(2), {"b": MANY.mT}),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_rules_come_to_what_was_computed_and_handed_on(name):
    call, x, names = CALLS[name]
    x = x.clone().requires_grad_()
    y = call(x)
    node = next(node for node in ir.graph(y, depth=0) if node.kind == "op")
    given = {**node.history.attrs, **dict(node.attrs), "n": x.numel() / y.numel()}
    given = {key: value for key, value in given.items() if type(value) in (int, float)}
    own = {"x": x.detach(), "a": x.detach(), **names, **given, "y": y.detach()}
    rule = told(node, "y")
    found = run(rule, own) if rule else y.detach()  # of several results there are several rules
    assert found.shape == y.shape or found.numel() == y.numel() == 1, rule
    np.testing.assert_allclose(found.reshape(y.shape), y.detach(), 1e-4, 1e-4, err_msg=rule)
    g = rf.arange(1.0, y.numel() + 1).reshape(y.shape)
    y.backward(g)
    for left in ("dx", "da"):
        rule = told(node, left)
        if rule not in ("", "0") and ", shared" not in rule:
            np.testing.assert_allclose(run(rule, {**own, "g": g}), x.grad, 1e-4, 1e-4, err_msg=rule)
    assert show.backward(call(x)).sentences


@pytest.mark.parametrize("call, w", [
    (lambda w, b: F.layer_norm(X, (3,), w, b), W),
    (lambda w, b: F.batch_norm(MANY, None, None, w, b, training=True), W),
    (lambda w, b: F.group_norm(MANY.repeat(1, 2, 1), 3, w, b), rf.cat([W, B])),
])  # fmt: skip
def test_rules_of_a_normalization_are_those_of_its_weight_and_bias_too(call, w):
    w, b = w.clone().requires_grad_(), w.flip(0).requires_grad_()
    y = call(w, b)
    node = next(node for node in ir.graph(y, depth=0) if node.rule == "standardize")
    x = X if y.dim() == 2 else MANY if len(w) == 3 else MANY.repeat(1, 2, 1)
    g = rf.arange(1.0, y.numel() + 1).reshape(y.shape)
    y.backward(g)
    for letter, operand in (("weight", w), ("bias", b)):
        rule = told(node, f"d{letter}")
        if not rule:  # of groups it is too long
            continue
        found = run(rule, {"x": x, "weight": w.detach(), "g": g, **node.history.attrs})
        np.testing.assert_allclose(found, operand.grad, 1e-4, 1e-4, err_msg=rule)


def test_a_bias_of_zeros_is_a_bias_and_an_index_is_no_count():
    """Both said otherwise, of every new layer and of two pictures."""
    x = rf.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    layer, conv = rf.nn.LayerNorm(2), rf.nn.Conv2d(3, 1, 2)
    assert ")·[1, 1] + [0, 0]" in show.backward(layer(x).sum()).text()
    assert "[n, o, i, j]" in str(show.graph(conv(rf.ones(2, 3, 4, 4)).sum()).scene)


def at_every_index(rule, arrays):
    """What `y[n, o, i] = sum(x[n, c, i * 2 + p] * w[o, c, p])` comes to: for all letters, as far as arrays reach, a
    product is added to the cell on the left; a cell beyond the ends counts as 0 where the rule says that it is."""
    rule, _, beyond = rule.partition(", x being 0 beyond its ends")
    read = re.findall(r"(\w+)\[(.*?)\]", rule)
    sizes = {}
    for name, index in read:
        axes = zip(index.split(", "), arrays[name].shape, strict=True)
        sizes |= {letter: n for letter, n in axes if letter.isalpha()}
    (left, place), *terms = read
    found, places = np.zeros(arrays[left].shape), [eval(f"lambda {', '.join(sizes)}: ({i},)") for _, i in read]
    for letters in product(*map(range, sizes.values())):
        cells = [where(*letters) for where in places[: len(terms) + 1 - rule.endswith("+ bias[o]")]]
        inside = [all(0 <= i < n for i, n in zip(at, arrays[name].shape, strict=True))
                  for (name, _), at in zip(read, cells)]
        assert all(inside) or "padding" in arrays, rule
        if all(inside):
            found[cells[0]] += np.prod([arrays[name][at] for (name, _), at in zip(terms, cells[1:])])
    if rule.endswith("+ bias[o]"):
        found += arrays["bias"].reshape(-1, *[1] * (found.ndim - 2))
    return found


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("function, size, kernel, how", [
    (F.conv1d, (2, 2, 5), (3, 2, 2), {}),
    (F.conv1d, (1, 4, 6), (4, 2, 3), {"groups": 2, "padding": 1}),
    (F.conv1d, (2, 6, 5), (3, 2, 2), {"groups": 3, "stride": 2, "dilation": 2}),
    (F.conv2d, (2, 3, 4, 4), (1, 3, 2, 2), {"stride": 2, "padding": 1}),
    (F.conv2d, (2, 3, 4, 5), (6, 1, 2, 2), {"groups": 3, "stride": (1, 2), "padding": (0, 1), "dilation": (2, 1)}),
    (F.conv2d, (1, 2, 3, 3), (2, 1, 3, 1), {"groups": 2, "padding": (2, 0)}),
])  # fmt: skip
def test_convolutions_rules_hold_at_every_index(function, size, kernel, how, bias):
    rf.manual_seed(0)
    x, w, b = (rf.rand(*shape, requires_grad=True) for shape in (size, kernel, kernel[:1]))
    y = function(x, w, b if bias else None, **how)
    g = rf.rand(*y.shape)
    y.backward(g)
    node = next(node for node in ir.graph(y, depth=0) if node.rule == "convolution")
    arrays = {"x": x, "w": w, "bias": b, "y": y, "g": g, "dx": x.grad, "dw": w.grad}
    arrays = {name: array.detach().numpy() for name, array in arrays.items()} | dict.fromkeys(["padding"] & how.keys())
    rules = [*map(say_rule, rules_of(node))]
    assert len(rules) == 3 + bias
    for rule in rules[:3]:
        left = arrays[rule.partition("[")[0]]
        np.testing.assert_allclose(at_every_index(rule, arrays), left, 1e-4, 1e-5, err_msg=rule)
    if bias:
        np.testing.assert_allclose(run(rules[3].partition(" = ")[2], {"g": g}), b.grad, 1e-4)


def test_a_linear_layers_bias_is_read_in_every_row_and_its_gradient_added_up():
    lin, x = rf.nn.Linear(3, 2), X[:3]
    said = show.backward(lin(x).sum()).text()
    assert "by d(lin.bias) = g, which gives" in said and "summed to [3, 3]" in said


def test_what_needs_no_gradient_has_no_rule_in_the_panel_of_a_convolution():
    img, conv = rf.ones(2, 1, 4), rf.nn.Conv1d(1, 2, 2)
    said = str(show.graph(conv(img).sum()).scene)
    assert "d(conv.weight)[o, c, p] = sum(g[n, o, i] * img[n, c, i + p])" in said and "dimg" not in said


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("function", [rf.cumsum, rf.cumprod, rf.logcumsumexp])
def test_what_runs_along_an_axis_names_it(function, dim):
    x = (MANY.abs() + 0.5).requires_grad_()
    y = function(x, dim)
    g = rf.arange(1.0, y.numel() + 1).reshape(y.shape)
    node = next(node for node in ir.graph(y, depth=0) if node.kind == "op")
    forward, backward = map(say_rule, rules_of(node))
    y.backward(g)
    names = {**NAMES, "x": x.detach(), "y": y.detach(), "g": g, "dx": x.grad}
    backward = re.sub(r"prod\(\((.*?) without (.*?)\), (\d)\)", r"prod(\1, \3) / \2", backward)
    for rule in (forward, backward):
        left, _, right = rule.partition(" = ")
        for i in range(x.shape[dim]):
            terms, at = [{"i": i}], right
            if right.startswith("sum over k >= i of "):
                at = right.removeprefix("sum over k >= i of ")
                terms = [{"i": i, "k": k} for k in range(i, x.shape[dim])]
            found = sum(eval(at, names | letters) for letters in terms)
            np.testing.assert_allclose(found, eval(left, names | {"i": i}), 1e-4, err_msg=rule)


@pytest.mark.parametrize("make, said", [
    (lambda a, b: rf.addmm(a, b, b, beta=2, alpha=3), ["da = g * 2"]),
    (lambda a, b: rf.addcmul(b, a, b, value=2), ["da = g * 2 * b"]),
    (lambda a, b: rf.cdist(a, a), ["da += -sum(g["]),
    (lambda a, b: rf.cat([b, a], 1), ["each gets g of its own stretch"]),
    (lambda a, b: rf.stack([b, a], 1), ["the tensors along a new axis 1", "each gets g at its own index"]),
    (lambda a, b: a.split([1, 2])[1] * 2, ["gives runs of 1 and 2 along dim 0"]),
    (lambda a, b: a.unbind(1)[0] * 2, ["gives the slices along dim 1"]),
    (lambda a, b: a[0].expand(1, 3) * b, ["%3 = %2 with axes of size 1 in front", "d(%2) = g without them"]),
    (lambda a, b: a.prod(0), ["da = g * the product of all other cells along dim 0"]),
    (lambda a, b: a.amax(1), ["by the cells where a == y"]),
    (lambda a, b: a.nan_to_num(), ["da = g where a is finite, else 0"]),
    (lambda a, b: written(a * 2, b[0]), ["d(%5) = g read there"]),
    (lambda a, b: a.scatter(1, INTO[:3], 2.0), ["y = a with value at y[i, %2[i, j]]"]),
    (lambda a, b: F.max_pool2d(a[None], 2, 1), ["the largest cell of every window, and where it is"]),
    (lambda a, b: a // b, ["no gradient is defined"]),
    (lambda a, b: F.bilinear(a, b, W.expand(2, 3, 3)), ["->no', %2, %3, %4)", "d(%2) = einsum("]),
    (lambda a, b: rf.linalg.svd(a)[1], ["s[..., None] * n) @ v.mT", " n = parted("]),
    (lambda a, b: F.scaled_dot_product_attention(a[None, None], a[None, None], b[None, None]),
     ["d @ %", "e = exp(", "d = p * (g @ %"]),
    (lambda a, b: rf.addbmm(b, a[None], b[None], alpha=3), ["d(%2) = 3 * (g @ %4.mT)"]),
])  # fmt: skip
def test_the_panel_says_what_each_operand_gets(make, said):
    a, b = X[:3].clone().requires_grad_(), X[1:] * 2
    y = make(a, b)
    panel = re.sub(r"['\"], ['\"] +", " ", str(show.graph(y).scene))  # its lines are short
    for words in said:
        assert words in panel


def test_nothing_is_said_to_repeat_where_nothing_does():
    layer = rf.nn.Linear(3, 2)
    for rows in (1, 2):
        assert ("repeat" in str(show.graph(layer(X[:rows])).scene).replace("nothing is repeated", "")) == (rows > 1)


def test_a_convolution_whose_filters_are_gone_says_no_other_ones():
    x = rf.rand(1, 1, 4, requires_grad=True)
    y = F.conv1d(x, rf.rand(2, 1, 2))
    y.sum().backward()
    assert "[n, o, i, j]" not in str(show.graph(y).scene)
