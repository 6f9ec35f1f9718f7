"""Storages: in elements as a textbook reads them, in bytes as they lie, both seen by every view."""
import copy

import numpy as np
import pytest

import rustyflow as rf


def points():
    return rf.tensor([[4.0, 1.0], [5.0, 3.0], [2.0, 1.0]])


def test_a_typed_storage_counts_elements():
    s = points().t().storage()
    assert list(s) == s.tolist() == [4, 1, 5, 3, 2, 1] and len(s) == s.size() == 6
    assert s.nbytes() == 24 and s.element_size() == 4 and s.dtype is rf.float32 and s[-1] == 1


def test_an_untyped_storage_counts_bytes():
    u = rf.tensor([1, 256], dtype=rf.int16).untyped_storage()
    assert list(u) == u.tolist() == [1, 0, 0, 1] and len(u) == u.size() == u.nbytes() == 4 and u.element_size() == 1


def test_a_storage_prints_its_numbers_and_what_it_is():
    assert repr(rf.tensor([1.5, 2]).storage()) == (
        " 1.5\n 2.0\n[rustyflow.storage.TypedStorage(dtype=rustyflow.float32, device=cpu) of size 2]")
    assert repr(rf.tensor([258], dtype=rf.int16).untyped_storage()) == (
        " 2\n 1\n[rustyflow.storage.UntypedStorage(device=cpu) of size 2]")
    assert len(repr(rf.zeros(10**6).storage())) < 10**4


def test_a_write_is_seen_by_every_view():
    x = points()
    y = x.t()
    x.storage()[1] = 9
    y.untyped_storage()[23] = 64
    y.untyped_storage()[22] = 0
    assert x[0, 1] == 9 and y[1, 0] == 9 and x[2, 1] == 2
    assert x.storage().fill_(7).tolist() == [7] * 6 and y.eq(7).all()
    x.storage()[2:4] = -1
    assert x.tolist() == [[7, 7], [-1, -1], [7, 7]]


def test_views_have_one_storage_and_a_clone_another():
    x = points()
    assert x[1:].untyped_storage() is x.view(rf.int32).untyped_storage() is x.storage().untyped() is x.untyped_storage()
    assert x.view(rf.int32).storage().tolist()[0] == np.float32(4).view("i").item()
    copy = x.storage().clone()
    copy[0] = 0
    bare = x.untyped_storage().clone()
    bare.fill_(0)
    assert x[0, 0] == 4 and copy.dtype is rf.float32 and copy.data_ptr() != x.data_ptr() == x.storage().data_ptr()


def test_a_slice_of_bytes_is_the_same_memory():
    x = points()
    part = x.untyped_storage()[4:8]
    part.copy_(rf.tensor([0.5]).untyped_storage())
    assert x[0, 1] == 0.5 and part.data_ptr() == x.data_ptr() + 4 and len(part) == 4


def test_an_expanded_tensor_has_one_slot():
    assert rf.ones(1).expand(10**12).storage().tolist() == [1.0]


def test_storages_are_made_of_numbers_and_sizes():
    assert rf.TypedStorage([1, 2], dtype=rf.int64).tolist() == [1, 2] and rf.TypedStorage(2).tolist() == [0.0, 0.0]
    assert rf.UntypedStorage([1, 255]).tolist() == [1, 255] and len(rf.UntypedStorage(3)) == 3
    assert rf.tensor(rf.TypedStorage([1, 2], dtype=rf.int64)).tolist() == [1, 2]


def test_a_write_through_a_storage_is_no_silent_wrong_gradient():
    w = rf.ones(2, requires_grad=True)
    y = (w * w).sum()
    w.storage()[0] = 5
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_memory_that_is_lent_for_reading_is_not_written():
    a = np.arange(3.0)
    a.flags.writeable = False
    for write in (lambda s: s.fill_(1), lambda s: s.__setitem__(0, 1), lambda s: s.copy_(s.clone())):
        with pytest.raises(RuntimeError, match="may only be read"):
            write(rf.from_numpy(a).storage())
    assert a.tolist() == [0, 1, 2]


@pytest.mark.parametrize("call, error", [
    (lambda s, u: s[6], IndexError), (lambda s, u: s[-7], IndexError), (lambda s, u: s["a"], RuntimeError),
    (lambda s, u: s[True], TypeError), (lambda s, u: s[0:2], RuntimeError), (lambda s, u: u["a"], TypeError),
    (lambda s, u: u[::2], RuntimeError), (lambda s, u: u[24], IndexError),
    (lambda s, u: s.__setitem__(6, 1), IndexError),
    (lambda s, u: s.__setitem__(0, "a"), TypeError), (lambda s, u: s.__setitem__(slice(0, 2), [1, 2]), TypeError),
    (lambda s, u: u.__setitem__(0, 1.5), RuntimeError), (lambda s, u: u.__setitem__(0, 256), RuntimeError),
    (lambda s, u: s.copy_(rf.ones(5).storage()), RuntimeError), (lambda s, u: s.copy_(u), TypeError),
    (lambda s, u: s.resize_(9), NotImplementedError), (lambda s, u: rf.UntypedStorage(-1), RuntimeError),
    (lambda s, u: rf.TypedStorage("ab"), TypeError), (lambda s, u: rf.UntypedStorage(None), TypeError),
])
def test_mistakes_are_explained_and_change_nothing(call, error):
    x = points()
    with pytest.raises(error) as said:
        call(x.storage(), x.untyped_storage())
    assert "\nrule: " in str(said.value) and "\ntry: " in str(said.value)
    assert x.equal(points()) and not x._version


def test_the_loops_backend_has_elements_and_says_why_it_has_no_bytes():
    with rf.backends.use("loops"):
        x = rf.tensor([1.0, 2.0])
        x.storage()[1] = 3
        assert x.tolist() == [1, 3] and len(x.untyped_storage()) == 8
        with pytest.raises(NotImplementedError, match="no bytes"):
            x.untyped_storage()[0]


def test_pytorchs_storages_agree():
    torch = pytest.importorskip("torch")
    for dtype in ("float32", "float64", "int64", "int16", "uint8", "bool"):
        ours, theirs = [lib.tensor([[1, 0, 1], [1, 1, 0]], dtype=getattr(lib, dtype)).t() for lib in (rf, torch)]
        a, b = ours.untyped_storage(), theirs.untyped_storage()
        assert a.tolist() == b.tolist() and len(a) == len(b) and a[2] == b[2]
        a, b = ours.storage(), theirs.storage()
        assert a.tolist() == b.tolist() and len(a) == len(b) and str(a).replace("rustyflow", "torch") == str(b)


def test_a_slice_takes_as_many_numbers_of_a_tensor_and_a_slot_numpys_number():
    x = points()
    x.storage()[0:2] = rf.tensor([7, 8])
    x.storage()[5] = np.int64(3)
    assert x.storage().tolist() == [7, 8, 5, 3, 2, 3]
    with pytest.raises(TypeError):
        x.storage()[0:2] = rf.tensor([1.0, 2, 3])


def test_copies_of_a_storage_have_memory_of_their_own():
    s = points().storage()
    for made in (copy.copy(s), copy.deepcopy(s), copy.copy(s.untyped())):
        assert made.data_ptr() != s.data_ptr() and made.untyped().tolist() == s.untyped().tolist()


def test_copy_is_of_bytes_and_what_a_storage_has_not_is_said():
    x, bits = rf.zeros(2), rf.tensor([1, 2], dtype=rf.int32)
    assert x.storage().copy_(bits.storage()).dtype is rf.float32 and x.view(rf.int32).equal(bits)
    with pytest.raises(RuntimeError, match="size does not match"):
        x.storage().copy_(rf.tensor([1, 2]).storage())
    for name in ("float", "cpu", "type"):
        with pytest.raises(AttributeError, match="rule: "):
            getattr(x.storage(), name)
    with pytest.raises(TypeError, match="rule: "):
        rf.TypedStorage(wrap_storage=5)


def test_a_storage_is_made_of_no_array_of_others():
    for thing in (np.array([object()] * 4, dtype=object), np.ones(3), np.broadcast_to(np.ones(2), (3, 2)), rf.ones(2)):
        with pytest.raises(TypeError, match="rule: "):
            rf.UntypedStorage(thing)
