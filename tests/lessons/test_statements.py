"""What lessons and the glossary say of PyTorch, held to both: where the two are the same, and where they are not."""

import pytest

import rustyflow
from rustyflow import ir


@pytest.fixture(params=["rustyflow", "torch"])
def torch(request):
    """Rustyflow, then PyTorch itself."""
    return pytest.importorskip(request.param)


def grid(torch):
    return torch.arange(10, 130, 10).view(3, 4)


def test_pytorch_sees_shared_slots_by_a_stride_of_0_alone(torch):
    t = grid(torch)
    w = torch.as_strided(t, (4, 3), (2, 1), 1)
    if torch is rustyflow:
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            w += 1
        assert t.tolist() == grid(torch).tolist()
    else:
        w += 1
        assert [n for n in t.flatten().tolist() if n % 10 == 2] == [42, 62, 82]
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.zeros(3, 1).expand(3, 4).add_(1)


def test_not_every_new_tensor_is_contiguous(torch):
    t = grid(torch)
    assert t.is_contiguous() and torch.zeros(3, 4).is_contiguous()
    assert (t.T + 1).stride() == (1, 4) and not (t.T + 1).is_contiguous() and not t.T.is_contiguous()


def test_flattened_numbers_lie_in_the_order_of_the_slots_where_the_offset_is_0(torch):
    t = grid(torch)
    rows = t[1:]
    assert t.flatten()[6] == t[1, 2] and rows.is_contiguous()
    assert rows.flatten()[6] != t[1, 2] and rows.storage_offset() + 2 == 6 and rows[0, 2] == t[1, 2]


def test_a_transpose_changes_sizes_and_strides(torch):
    t = grid(torch)
    assert tuple(t.T.shape) == (4, 3) and t.T.stride() == (1, 4) and t.T.data_ptr() == t.data_ptr()


@pytest.mark.parametrize("name", ["sum", "mean", "amax"])
def test_some_reductions_take_several_axes(torch, name):
    assert tuple(getattr(torch.ones(2, 3, 4), name)(dim=(0, 2)).shape) == (3,)


@pytest.mark.parametrize("name", ["prod", "max", "argmax"])
def test_others_take_one(torch, name):
    with pytest.raises(TypeError):
        getattr(torch.ones(2, 3, 4), name)(dim=(0, 2))


def test_a_stretched_operand_has_no_node_of_its_own_but_in_the_text_here(torch):
    b = torch.zeros(4, requires_grad=True)
    y = torch.zeros(3, 4) + b
    assert [type(node).__name__ for node, _ in y.grad_fn.next_functions if node] == ["AccumulateGrad"]
    assert torch is not rustyflow or "expand" in ir.graph(y).text()


def test_a_factor_that_is_no_tensor_is_kept_by_the_node_and_not_told_as_saved(torch):
    y = torch.tensor(3.0, requires_grad=True) * 2
    assert float(y.grad_fn._saved_other) == 2
    assert torch is not rustyflow or "saved" not in ir.graph(y).text()


def test_not_each_name_that_ends_in_a_stroke_writes_numbers(torch):
    t = torch.ones(2)
    before = t._version
    assert t.requires_grad_() is t and t._version == before
    assert t.detach().add_(1).tolist() == [2, 2] and t._version == before + 1
