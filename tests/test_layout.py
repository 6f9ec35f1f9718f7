"""The integer maths of views, against NumPy's own strides, brute force, and PyTorch where it is installed."""

from math import prod

import numpy as np
import pytest
from hypothesis import given, strategies as st

from rustyflow import layout
from rustyflow.errors import (
    ArgumentValueError,
    BroadcastError,
    DimError,
    IndexOutOfRange,
    ShapeError,
    StorageBoundsError,
    ViewError,
)

shapes = st.lists(st.integers(0, 4), max_size=4).map(tuple)
full_shapes = st.lists(st.integers(1, 4), max_size=4).map(tuple)


@st.composite
def layouts(draw, sizes=st.integers(0, 4)):
    """Any layout: strides of 0, of other axes, with holes, overlapping."""
    shape = tuple(draw(st.lists(sizes, max_size=4)))
    stride = tuple(draw(st.lists(st.integers(0, 9), min_size=len(shape), max_size=len(shape))))
    return shape, stride, draw(st.integers(0, 5))


def array_of(shape, stride, offset):
    """The slot of every cell, as an array."""
    return np.array(list(layout.slots(shape, stride, offset)), dtype=int).reshape(shape)


def numpy_view(shape, stride, offset):
    """A NumPy array of exactly that layout over a storage that counts its slots."""
    storage = np.arange(layout.extent(shape, stride, offset)[1] + 1)
    return np.lib.stride_tricks.as_strided(storage[offset:], shape, [s * storage.itemsize for s in stride])


@given(layouts())
def test_slots_are_where_numpy_reads(it):
    assert array_of(*it).tolist() == numpy_view(*it).tolist()


@given(layouts())
def test_extent_is_the_first_slot_and_one_past_the_last(it):
    cells = array_of(*it)
    assert layout.extent(*it) == ((cells.min(), cells.max() + 1) if cells.size else (it[2], it[2]))


@given(layouts())
def test_overlap_is_never_missed_and_dense_means_a_block(it):
    shape, stride, offset = it
    cells = array_of(*it).ravel()
    shared = len(set(cells)) < cells.size
    assert layout.has_overlap(shape, stride) or not shared
    block = sorted(cells) == list(range(offset, offset + cells.size))
    assert layout.is_dense(shape, stride) == (block or not cells.size)


@given(full_shapes, st.data())
def test_overlap_is_exact_for_the_views_of_a_contiguous_tensor(shape, data):
    it = (shape, layout.contiguous_stride(shape), 0)
    order = tuple(data.draw(st.permutations(range(len(shape)))))
    it = layout.permute(*it, dims=order)
    for d, n in enumerate(it[0]):
        step = data.draw(st.integers(1, 3))
        it = layout.slice_(*it, dim=d, start=data.draw(st.integers(0, n - 1)), stop=None, step=step)
    cells = array_of(*it).ravel()
    assert layout.has_overlap(*it[:2]) == (len(set(cells)) < cells.size)


@given(layouts())
def test_contiguous_means_in_order(it):
    shape, stride, offset = it
    in_order = array_of(*it).ravel().tolist() == list(range(offset, offset + prod(shape)))
    assert layout.is_contiguous(shape, stride) == (in_order or 0 in shape)


@given(shapes, shapes)
def test_broadcast_shapes_is_numpys(a, b):
    try:
        expected = np.broadcast_shapes(a, b)
    except ValueError:
        with pytest.raises(BroadcastError):
            layout.broadcast_shapes(a, b)
    else:
        assert layout.broadcast_shapes(a, b) == expected
        added, stretched = layout.broadcast_axes(a, expected)
        assert added + tuple(range(len(added), len(expected))) == tuple(range(len(expected)))
        assert all(expected[d] != 1 and a[d - len(added)] == 1 for d in stretched)


def test_a_clash_shows_the_shapes_aligned_and_a_repair_that_works():
    with pytest.raises(BroadcastError) as error:
        layout.broadcast_shapes((3, 4), (3,))
    assert "a:  3  4\nb:     3\n       ^" in str(error.value)
    assert layout.broadcast_shapes((3, 4), (3, 1)) == (3, 4) and "(3, 1) and would broadcast" in error.value.fix


@pytest.mark.parametrize("shapes, fix", [
    (((3,), (3, 4)), "a.unsqueeze(1) has shape (3, 1)"), (((2, 3, 4), (2, 4)), "b.unsqueeze(1) has shape (2, 1, 4)"),
    (((3, 2), (2, 3)), "b.mT has shape (3, 2)"), (((3,), (4,)), "two of one size; or for every pair a.unsqueeze(1)"),
    (((2, 3), (2, 4)), "sizes that are equal on dim -1"), (((2, 4), (3, 4)), "sizes that are equal on dim -2"),
])
def test_a_repair_makes_neither_shape_larger_unless_it_says_so(shapes, fix):
    with pytest.raises(BroadcastError) as error:
        layout.broadcast_shapes(*shapes)
    assert error.value.fix.startswith(fix)


@pytest.mark.parametrize("shapes", [((3,), (3, 4)), ((3, 4), (5,)), ((4,), (2,))])
def test_no_repair_of_a_write_changes_what_is_written_to(shapes):
    with pytest.raises(BroadcastError) as error:
        layout.broadcast_shapes(*shapes, written=True)
    assert error.value.fix.startswith("sizes that are equal on dim -1")


@given(layouts(), full_shapes)
def test_view_stride_says_the_same_slots_in_order_or_that_none_can(it, size):
    """Whenever some stride can read the cells in order under the new shape, it is found; and what is found is right."""
    shape, stride, offset = it
    if prod(shape) != prod(size):
        return
    found = layout.view_stride(shape, stride, size)
    cells = array_of(*it).ravel()
    steps = [cells[prod(size[d + 1:])] - cells[0] if size[d] > 1 else 1 for d in range(len(size))] if cells.size else []
    possible = not cells.size or array_of(size, steps, offset).ravel().tolist() == cells.tolist()
    assert (found is not None) == possible
    if found is not None:
        assert array_of(size, found, offset).ravel().tolist() == cells.tolist()


def test_a_view_that_cannot_be_names_the_axes():
    with pytest.raises(ViewError, match="dims 0 and 1 cannot merge"):
        layout.view((4, 3), (1, 4), 0, size=(12,))


@given(layouts(st.integers(1, 4)), st.data())
def test_the_axes_named_are_those_that_this_view_would_have_to_merge(made, data):
    shape, stride, _ = made
    sizes = [n for n in range(1, prod(shape) + 1) if prod(shape) % n == 0]
    first = data.draw(st.sampled_from(sizes))
    size = (first, *data.draw(st.sampled_from([(prod(shape) // first,), (1, prod(shape) // first)])))
    if layout.view_stride(shape, stride, size) is not None:
        return
    d, e = layout.parted(shape, stride, size)
    assert stride[d] != stride[e] * shape[e] and 1 not in (shape[d], shape[e]) and set(shape[d + 1 : e]) <= {1}
    # an axis of the view would have to run over both: no axis of it ends between them
    assert prod(shape[e:]) not in {prod(size[k:]) for k in range(len(size) + 1)}


def test_a_view_that_leaves_an_axis_alone_does_not_blame_it():
    with pytest.raises(ViewError, match=r"dims 0 and 1 cannot merge: stride\[0\] is 4, .* is 24"):
        layout.view((3, 2, 4), (4, 12, 1), 0, size=(6, 4))


@given(full_shapes, st.data())
def test_expand_reads_what_broadcasting_reads(shape, data):
    shape = tuple(data.draw(st.sampled_from((1, n))) for n in shape)
    lead = tuple(data.draw(st.lists(st.integers(0, 3), max_size=2)))
    size = lead + tuple(n if n > 1 else data.draw(st.integers(0, 4)) for n in shape)
    it = shape, layout.contiguous_stride(shape), 0
    assert array_of(*layout.expand(*it, size=size)).tolist() == np.broadcast_to(array_of(*it), size).tolist()


def items(rank):
    part = st.one_of(st.integers(-5, 4), st.slices(4), st.none())
    return st.lists(part, max_size=rank + 1).map(tuple)


@given(st.data(), layouts(st.integers(1, 4)))
def test_one_pass_over_square_brackets_is_numpys_basic_indexing(data, it):
    key = data.draw(items(len(it[0])))
    if data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(key)))
        key = (*key[:at], Ellipsis, *key[at:])
    try:
        expected = numpy_view(*it)[key]
    except IndexError:
        with pytest.raises((IndexOutOfRange, ArgumentValueError)):
            layout.read(*it, items=key)
        return
    if any(isinstance(k, slice) and k.step is not None and k.step < 1 for k in key):
        with pytest.raises(ArgumentValueError):
            layout.read(*it, items=key)
        return
    assert array_of(*layout.read(*it, items=key)).tolist() == expected.tolist()


@given(layouts(st.integers(1, 4)), st.integers(-4, 4), st.data())
def test_diagonal_is_numpys(it, diag, data):
    if len(it[0]) < 2:
        return
    a, b = data.draw(st.permutations(range(len(it[0]))))[:2]
    assert array_of(*layout.diagonal(*it, diag=diag, dim1=a,
                                     dim2=b)).tolist() == numpy_view(*it).diagonal(diag, a, b).tolist()


@given(layouts(st.integers(1, 5)), st.integers(1, 5), st.integers(1, 3), st.data())
def test_unfold_is_a_sliding_window(it, size, step, data):
    if not it[0]:
        return
    d = data.draw(st.integers(0, len(it[0]) - 1))
    if size > it[0][d]:
        with pytest.raises(ShapeError):
            layout.unfold(*it, dim=d, size=size, step=step)
        return
    windows = np.lib.stride_tricks.sliding_window_view(numpy_view(*it), size, d)
    every = (slice(None),) * d + (slice(None, None, step),)
    assert array_of(*layout.unfold(*it, dim=d, size=size, step=step)).tolist() == windows[every].tolist()


@given(layouts(), st.integers(0, 40))
def test_as_strided_never_leaves_the_storage(it, slots):
    shape, stride, offset = it
    inside = all(0 <= slot < slots for slot in array_of(*it).ravel())
    if inside:
        assert layout.as_strided(slots, size=shape, stride=stride, offset=offset) == it
    else:
        with pytest.raises(StorageBoundsError, match="needs slot"):
            layout.as_strided(slots, size=shape, stride=stride, offset=offset)


@pytest.mark.parametrize("size, stride, offset", [((2,), (1, 1), 0), ((-1,), (1,), 0), ((2,), (-1,), 3),
                                                  ((2,), (1,), -1)])
def test_as_strided_refuses_what_is_no_layout(size, stride, offset):
    with pytest.raises(ShapeError):
        layout.as_strided(9, size=size, stride=stride, offset=offset)


@given(st.integers(-6, 6), st.integers(0, 4))
def test_wrap_dim_counts_from_either_end(dim, rank):
    n = max(rank, 1)
    if -n <= dim < n:
        assert layout.wrap_dim(dim, rank) == range(n)[dim]
    else:
        with pytest.raises(DimError, match="out of range"):
            layout.wrap_dim(dim, rank)


@given(full_shapes, st.data())
def test_torch_gives_the_same_strides_after_any_chain_of_views(shape, data):
    torch = pytest.importorskip("torch")
    x, it = torch.arange(prod(shape)).view(shape), (shape, layout.contiguous_stride(shape), 0)
    for _ in range(data.draw(st.integers(1, 4))):
        kind = data.draw(st.sampled_from(("permute", "unsqueeze", "expand", "squeeze", "slice", "view")))
        rank = len(it[0])
        if kind == "permute":
            order = tuple(data.draw(st.permutations(range(rank))))
            x, it = x.permute(order), layout.permute(*it, dims=order)
        elif kind == "unsqueeze":
            d = data.draw(st.integers(-rank - 1, rank))
            x, it = x.unsqueeze(d), layout.unsqueeze(*it, dim=d)
        elif kind == "expand":
            size = (2,) * data.draw(st.integers(0, 1)) + tuple(3 if n == 1 else -1 for n in it[0])
            x, it = x.expand(size), layout.expand(*it, size=size)
        elif kind == "squeeze":
            x, it = x.squeeze(), layout.squeeze(*it, dims=tuple(range(rank)))
        elif kind == "slice" and rank:
            x, it = x[..., 1::2], layout.slice_(*it, dim=-1, start=1, stop=None, step=2)
        elif kind == "view":
            size = (prod(it[0]),)
            try:
                x = x.view(size)
            except RuntimeError:
                assert layout.view_stride(*it[:2], size) is None
            else:
                it = layout.view(*it, size=size)
        assert (tuple(x.shape), x.stride(), x.storage_offset()) == it
