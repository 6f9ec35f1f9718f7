"""MyGrad, HIPS autograd and tinygrad: how each is asked for a result, gradients, a step; `peer_cases` has the programs.

MyGrad and HIPS autograd both follow NumPy: one text serves the two, with `m` for the library; what they have or lack (a
softmax, a cross-entropy, a convolution) is in a class for each. tinygrad is lazy, so its programs end when all they
return has been computed. It is timed twice: as written, where each call plans its kernels anew ("tinygrad"), and under
its TinyJit, as its training loops run, where the plan of the second call is replayed ("tinyjit").
"""
from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from .harness import libraries


class InNumPyTerms:
    """MyGrad and autograd alike: a library whose functions are NumPy's, and whose arrays are updated where they lie."""

    def __init__(self, module):
        vars(self).update(vars(module))  # found as fast as in the module itself

    def text(self, numpys, tinys, given):
        return partial(numpys, self, *given)

    def unchanged(self, arrays):
        return lambda grads: ()

    def sgd(self, arrays):
        def update(grads):
            for a, g in zip(arrays, grads):
                a -= g * np.float32(0.0)
        return update

    def adam(self, arrays):
        moments = [(np.zeros_like(a), np.zeros_like(a)) for a in arrays]

        def update(grads):
            for a, g, (first, second) in zip(arrays, grads, moments):
                first *= 0.9
                first += 0.1 * g
                second *= 0.999
                second += 0.001 * g * g
                a -= 0.0 * first / (np.sqrt(second) + 1e-8)
        return update


class MyGrad(InNumPyTerms):
    def __init__(self):
        import mygrad.nnet
        super().__init__(mygrad)
        nnet = mygrad.nnet
        self.relu, self.softmax = nnet.activations.relu, nnet.activations.softmax
        self.cross_entropy = nnet.losses.softmax_crossentropy
        self.conv = partial(nnet.layers.conv_nd, stride=1, padding=1)

    def result(self, text, arrays, recorded):
        operands = [self.tensor(a, constant=not recorded) for a in arrays]
        return lambda: text(*operands)

    def gradients(self, text, arrays, rule):
        operands = [self.tensor(a) for a in arrays]
        update = getattr(self, rule)([x.data for x in operands])

        def run():
            text(*operands).backward()
            grads = [x.grad for x in operands]
            update(grads)
            return grads
        return run


class Autograd(InNumPyTerms):
    def __init__(self):
        import autograd.numpy
        super().__init__(autograd.numpy)
        self.autograd = autograd

    def relu(self, x):
        return self.maximum(x, 0)

    def softmax(self, x):
        e = self.exp(x - self.max(x, axis=-1, keepdims=True))
        return e / self.sum(e, axis=-1, keepdims=True)

    def cross_entropy(self, x, target):
        x = x - self.max(x, axis=-1, keepdims=True)
        return self.mean(self.log(self.sum(self.exp(x), axis=-1)) - x[np.arange(len(target)), target])

    def conv(self, x, w):
        n, c, h, _ = x.shape
        m, o = self, len(w)
        x = m.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), "constant")
        windows = m.stack([x[:, :, i:i + h, j:j + h] for i in range(3) for j in range(3)], axis=2)
        return m.reshape(m.reshape(w, (o, -1)) @ m.reshape(windows, (n, 9 * c, h * h)), (n, o, h, h))

    def result(self, text, arrays, recorded):
        run = self.autograd.make_vjp(text, tuple(range(len(arrays))))
        return lambda: run(*arrays)[1]

    def gradients(self, text, arrays, rule):
        gradient = self.autograd.grad(text, tuple(range(len(arrays))))
        update = getattr(self, rule)(arrays)

        def run():
            grads = gradient(*arrays)
            update(grads)
            return grads
        return run


class TinyGrad:
    def __init__(self):
        import tinygrad
        self.Tensor, self.TinyJit, self.wait = tinygrad.Tensor, tinygrad.TinyJit, tinygrad.Device["CPU"].synchronize
        self.rate = self.numbers(np.zeros(1, np.float32))  # a Python number would be simplified away with the update

    def numbers(self, array):
        return self.Tensor(np.asarray(array)).clone().realize()

    def text(self, numpys, tinys, given):
        return tinys and partial(tinys, *map(self.numbers, given))

    def unchanged(self, tensors):
        return lambda grads: ()

    def sgd(self, tensors):
        return lambda grads: [x.assign(x - self.rate * g) for x, g in zip(tensors, grads)]

    def adam(self, tensors):
        moments = [[self.numbers(np.zeros(x.shape, np.float32)) for x in tensors] for _ in range(2)]

        def update(grads):
            for x, g, first, second in zip(tensors, grads, *moments):
                first.assign(first * 0.9 + g * 0.1)
                second.assign(second * 0.999 + g * g * 0.001)
                x.assign(x - self.rate * first / (second.sqrt() + 1e-8))
            return [*tensors, *moments[0], *moments[1]]
        return update

    def ended(self, plan):
        """A program: the plan, and the wait for the thread that computes."""
        def run():
            out = plan()
            self.wait()
            return out
        return run

    def result(self, text, arrays, recorded):
        operands = [self.numbers(a) for a in arrays]
        return self.ended(lambda: text(*operands).realize())

    def gradients(self, text, arrays, rule):
        operands = [self.numbers(a) for a in arrays]
        update = getattr(self, rule)(operands)

        def plan():
            grads = text(*operands).gradient(*operands)
            self.Tensor.realize(*grads, *update(grads))
            return grads
        return self.ended(plan)


class TinyGradReplayed(TinyGrad):
    def ended(self, plan):
        run = super().ended(self.TinyJit(plan))
        run(), run()  # the second call is the one that is kept
        return run


LIBRARIES = {"mygrad": MyGrad, "autograd": Autograd, "tinygrad": TinyGrad, "tinyjit": TinyGradReplayed}


def said(how: str, without: tuple[str, ...] = ()) -> Callable:
    """Make of a program what a `Case` has in `make`.

    The program is a function of the shape. It returns the arrays to differentiate by; the text in NumPy's terms, `(m,
    *given, *operands)`, and in tinygrad's, `(*given, *operands)`, or None; and what is given besides.

    Args:
        how: 'result' of the text, recorded, or 'unrecorded'; or its gradients, and what is then done to the arrays:
            'unchanged', 'sgd' or 'adam'.
        without: the libraries that cannot say it.
    """
    def make(library, program, shape):
        arrays, numpys, tinys, *given = program(shape)
        m = LIBRARIES[library]()
        text = m.text(numpys, tinys, given)
        if text is None:
            return None
        if how in ("result", "unrecorded"):
            return m.result(text, arrays, how == "result")
        return m.gradients(text, arrays, how)
    names = [name for name in LIBRARIES if name in libraries() and name not in without]
    return lambda program: {name: partial(make, name, program) for name in names}
