"""`%%see` on PyTorch's programs: each tensor's memory held against PyTorch's, nothing of it changed by looking."""

import pytest

torch = pytest.importorskip("torch")

from torch import nn, optim  # noqa: E402

from rustyflow import see  # noqa: E402
from rustyflow.see.record import recorded  # noqa: E402
from rustyflow.see.stepper import figure  # noqa: E402

from ..see.programs import KIN, TRAINING, really, storages  # noqa: E402


@pytest.mark.parametrize("program", KIN)
def test_each_tensor_of_a_pytorch_program_is_a_view_of_what_it_shares_its_memory_with(program):
    text, kin = KIN[program]
    space = {"torch": torch, "nn": nn, "optim": optim}
    record = recorded(text, space)
    assert record.fault is None
    assert {x.name: x.of for x in record.steps[-1].tensors} == kin
    assert storages(record) == really(space, kin)
    assert "lines of PyTorch, run once" in str(figure(record))


def test_a_program_comes_to_the_same_numbers_and_versions_as_without():
    spaces = {"torch": torch, "nn": nn, "optim": optim}, {"torch": torch, "nn": nn, "optim": optim}
    see.cell(TRAINING, spaces[0])
    exec(TRAINING, spaces[1])
    seen, plain = spaces
    assert seen["losses"] == plain["losses"] and torch.rand(1).item() != torch.rand(1).item()
    for one, other in zip(seen["model"].parameters(), plain["model"].parameters()):
        assert torch.equal(one, other) and torch.equal(one.grad, other.grad) and one._version == other._version


def test_a_memory_may_grow_after_it_was_looked_at():
    space = {"torch": torch}
    see.cell("x = torch.arange(3.)\ny = x[1:]\nx.resize_(100)\ny[0] = 5", space)
    assert space["x"].shape == (100,) and space["y"].tolist() == [5, 2]


def test_what_another_device_or_layout_holds_is_shown_by_its_shape():
    said = see.cell("""a = torch.ones(2, device='meta')
b = torch.eye(2).to_sparse()
c = torch.ones(3, dtype=torch.bfloat16)
c[1] = 2
d = torch.complex(torch.ones(2), torch.ones(2)).conj()""", {"torch": torch}).sentences
    assert "a: shape (2,), whose numbers are not read here" in said[0] and "b: shape (2, 2), whose" in said[1]
    assert said[2] == "Line 3 makes c: shape (3,), new memory for 3 numbers."
    assert said[3] == "Line 4 writes slot 1 of c, in place."


def test_looking_is_no_operation_that_a_mode_counts():
    from torch.utils.flop_counter import FlopCounterMode

    space = {"torch": torch, "counter": FlopCounterMode(display=False), "x": torch.ones(4, 4)}
    see.cell("with counter:\n    y = x @ x\n    z = y.t()", space)
    assert space["counter"].get_total_flops() == 2 * 4**3


def test_inference_mode_has_no_versions_and_is_shown():
    said = see.cell("with torch.inference_mode():\n    x = torch.ones(3)\n    x += 1", {"torch": torch}).sentences
    assert said[1] == "Line 2 makes x: shape (3,), new memory for 3 numbers."
    assert said[2] == "Line 3 writes 3 of 3 numbers of x, in place."
