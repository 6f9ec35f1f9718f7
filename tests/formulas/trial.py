"""One call of an op beside its rules: what the library works out of them, and what the op computes and hands on."""

import zlib
from contextlib import contextmanager

import numpy as np

import rustyflow as rf
from rustyflow.claims.rules import Rules
from rustyflow.dispatch.promotion import promoted
from rustyflow.dispatch.run import apply_view
from rustyflow.ops import apply
from rustyflow.ops.views.split import apply_views
from rustyflow.tensor.table import fill
from tests.formulas.exceptions import apart
from tests.formulas.moving import PARTS

fill()

class Trial:
    """An op run once in float64, and run backward from random numbers.

    Attributes:
        arrays: the operands by the op's own names, in the dtype that the op computes in; None for one not given.
        results: the results by name; those of any number of views go by one name.
        rules: the rules of this call.
        sent: the upstream gradients of the results that have a rule and a gradient.
    """

    def __init__(self, op, operands, attrs):
        self.op, self.attrs = op, attrs
        self.names = op.operands or [f"tensors[{k}]" for k in range(len(operands))]
        given = dict(zip(self.names, operands))
        if "value" in given and op.promote is None:  # what is written is first brought to x's dtype, and fills its part
            value = rf.as_tensor(given["value"]).detach().to(given["x"].dtype)
            given["value"] = value.expand(given["x"].shape) if op.name == "copy_into" else value
        self.tensors = {name: leaf(given.get(name), "own" in attrs) for name in self.names}
        ready = promoted(op, tuple(self.tensors.values())) if op.promote and op.operands else self.tensors.values()
        self.arrays = {name: x if x is None or isinstance(given[name], (int, float)) else np.array(getattr(x, "_a", x))
                       for name, x in zip(self.names, ready)}
        if op.name == "isclose":  # to which bools are 0 and 1
            self.arrays = {name: np.add(x, 0) for name, x in self.arrays.items()}
        self.results = self.run(self.tensors)
        self.rules = Rules(op.doc, self.arrays, attrs, {name: array_of(x) for name, x in self.results.items()})
        random = np.random.default_rng(zlib.crc32(op.name.encode()))
        self.sent = {name: spread(x, random) for name, x in self.results.items()
                     if name in self.rules.rules and has_gradient(x)}  # fmt: skip

    def run(self, tensors):
        run = apply_views if self.op.name in PARTS else apply_view if self.op.layout else apply
        y = run(self.op, *tensors.values(), **self.attrs)
        wanted = [name for name in self.op.results if self.attrs.get(name, True)]
        return dict(zip(wanted, y if isinstance(y, tuple) and len(self.op.results) > 1 else [y]))

    def forms(self):
        """What each form in which the op works out a result comes to, and the result."""
        some = all(x is None or np.size(x) for x in self.arrays.values())  # of nothing there is no greatest cell
        for left, y in self.results.items():
            if some and (form := self.rules.form(left)):
                yield left, form[0].value(left), array_of(y)

    def backward(self, unsaid=()):
        """For each operand that a gradient reaches, what its rule comes to and what the op hands on; there are rules
        of all that are not unsaid."""
        if not self.sent or not self.rules.gradient_of:
            return
        gradients = self.rules.gradients(self.sent)
        pairs = [pair for name, g in self.sent.items() for pair in zip(listed(self.results[name]), listed(g))]
        rf.autograd.backward([x for x, _ in pairs], [rf.from_numpy(np.array(g)) for _, g in pairs])
        for place, name in enumerate(self.names):
            x = self.tensors[name]
            shown = self.op.shown if self.op.vjp and isinstance(self.op.shown, list) else range(place + 1)
            differentiable = place in shown and (self.op.vjp or self.op.grads[place if self.op.operands else 0])
            if has_gradient(x) and differentiable and (name in gradients or f"d{name}" not in unsaid):
                assert name in gradients, f"{self.op.name}: there is no d{name} = ..."
                yield name, gradients[name], np.zeros(x.shape) if x.grad is None else array_of(x.grad)


def leaf(x, as_it_lies):
    """An operand as a leaf of its own, in float64, unless that would move its cells."""
    if not isinstance(x, rf.Tensor):
        return x
    x = x.detach()
    return (x if as_it_lies else x.to(rf.float64)).requires_grad_() if x.is_floating_point() else x


def listed(x):
    return list(x) if isinstance(x, (list, tuple)) else [x]


def has_gradient(x):
    return bool(listed(x)) and all(getattr(part, "requires_grad", False) for part in listed(x))


def array_of(x):
    """The array of a tensor, or those of several."""
    return [array_of(part) for part in x] if isinstance(x, (list, tuple)) else np.array(x.detach().numpy())


def spread(x, random):
    """Numbers for what arrives at a result, or at each of several."""
    if isinstance(x, (list, tuple)):
        return [spread(part, random) for part in x]
    return random.uniform(-2, 2, x.shape).astype(array_of(x).dtype)


def agree(worked, computed, of, rtol=1e-9, atol=1e-11):
    """Compare what a rule comes to with numbers: it may keep axes of size 1, or be one number for all cells."""
    if isinstance(computed, list):
        assert len(worked) == len(computed), of
        return [agree(*pair, of, rtol, atol) for pair in zip(worked, computed)]
    worked, computed = np.asarray(worked), np.asarray(computed)
    alike = worked.size == computed.size
    worked = worked.reshape(computed.shape) if alike else np.broadcast_to(worked, computed.shape)
    if computed.dtype.kind in "biu" and worked.dtype.kind in "biu":  # whole numbers wrap, and bools say what is not 0
        worked = worked.astype(computed.dtype)
    if computed.dtype.kind == "f":
        rtol, atol = max(rtol, 8 * np.finfo(computed.dtype).eps), max(atol, 8 * np.finfo(computed.dtype).eps)
    kind = float if computed.dtype.kind in "bf" else None
    np.testing.assert_allclose(np.asarray(computed, kind), np.asarray(worked, kind), rtol, atol, err_msg=of)


@contextmanager
def in_float64():
    """Let whole numbers become float64 where an op makes floats of them."""
    before = rf.get_default_dtype()
    rf.set_default_dtype(rf.float64)
    try:
        yield
    finally:
        rf.set_default_dtype(before)


def equations(op, operands, attrs):
    """Compare an op with its rules in one call, but for those apart; return how many were worked out, forward and
    backward, and those under which it falls."""
    with in_float64(), np.errstate(all="ignore"):
        trial = Trial(op, operands, attrs)
        for left, worked, computed in trial.forms():
            agree(worked, computed, f"{op.name}: {left}, in the form in which it is worked out")
        falls = apart(op, trial.arrays.values(), attrs)
        if any(not (one.left or one.kinks) for one in falls):
            return 0, 0, falls
        kinks, count = any(one.kinks for one in falls), [0, 0]
        for k, sides in enumerate((trial.rules.forward(), trial.backward([one.left for one in falls]))):
            for left, worked, computed in sides:
                if kinks and k:
                    worked = np.where(np.isnan(worked), computed, worked)
                agree(worked, computed, f"{op.name}: {'d' * k}{left}")
                count[k] += 1
    assert count[0], f"{op.name}: no rule of a result"
    return *count, falls
