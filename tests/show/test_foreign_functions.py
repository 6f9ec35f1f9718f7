"""PyTorch's and NumPy's own functions, methods and modules given to show.op: run as ours, or told what to write."""

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show

A = np.array([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])


def results(figure):
    """The numbers of the result's cells."""
    scene, found = figure.scene, []
    shape = next(line for line in scene.about if line.startswith("y: shape"))
    size = int(np.prod(eval(shape.removeprefix("y: shape ")), dtype=int))
    for n in range(size):
        texts = [child.text for child in scene.index[f"y{n}"].walk() if child.tag == "text"]
        found.append(float(texts[0]))
    return found


@pytest.mark.parametrize("f, rest", [
    (np.cumsum, (0,)), (np.ndarray.cumsum, (0,)), (A.cumsum, None), (np.add, (A,)), (np.exp2, ()), (np.std, ()),
    (np.var, (1,)), (np.median, ()), (np.repeat, (2, 1)), (np.sort, ()), (np.power, (2,)), (np.maximum, (A,)),
    (np.ndarray.sum, ()), (np.ndarray.__add__, (A,)),
])  # fmt: skip
def test_numpy_s_own_is_run_as_ours_with_numpy_s_numbers(f, rest):
    if rest is None:
        with pytest.raises(TypeError):  # a method that is bound has its tensor within
            show.op(f, 0)
        return
    assert np.allclose(results(show.op(f, A, *rest)), np.ravel(f(A, *rest)), atol=6e-3)


@pytest.mark.parametrize("f, rest", [(np.split, (3, 1)), (np.polyfit, (A, 1)), (np.random.default_rng(0).permuted, ())])
def test_numpy_s_own_that_means_something_else_is_refused_in_words(f, rest):
    with pytest.raises((TypeError, ValueError)) as caught:
        show.op(f, A, *rest)
    assert caught.value.rule and caught.value.fix


def test_pytorch_s_own_is_run_as_ours():
    torch = pytest.importorskip("torch")
    x = torch.tensor(A, dtype=torch.float32)
    calls = [(torch.Tensor.cumsum, (0,)), (torch.add, (x,)), (torch.nn.functional.relu, ()), (torch.cumsum, (1,)),
             (torch.Tensor.__mul__, (x,)), (torch.softmax, (1,)), (torch.Tensor.add, (1,)), (torch.special.expit, ()),
             (torch.nn.functional.linear, (x,)), (torch.Tensor.t, ()), (torch.sum, ())]  # fmt: skip
    for f, rest in calls:
        assert np.allclose(results(show.op(f, x, *rest)), f(x, *rest).ravel().numpy(), atol=6e-3), f
        with pytest.raises(TypeError, match="try:"):
            show.op(f, x, *rest, nonsense=3)


def test_pytorch_s_modules_are_told_what_to_write():
    torch = pytest.importorskip("torch")
    x = torch.ones(2, 3)
    for module in (torch.nn.ReLU(), torch.nn.Linear(3, 2), torch.nn.Conv2d(3, 2, 3), torch.nn.Softmax(1)):
        with pytest.raises(TypeError, match="a figure follows operations of rustyflow's") as caught:
            show.op(module, x)
        assert type(eval(caught.value.fix, {"rustyflow": rf})).__name__ == type(module).__name__
    for f in (torch.nn.ReLU, torch.relu_, torch.Tensor.zero_, x.cumsum, torch.fft.fft):
        with pytest.raises((TypeError, ValueError)) as caught:
            show.op(f, x)
        assert caught.value.rule and caught.value.fix, f
