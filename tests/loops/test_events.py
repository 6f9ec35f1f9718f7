"""The loops backend's events: every read and every write of a slot, in order, and nothing else."""

import rustyflow as rf
from rustyflow.backends import loops, use


def test_every_read_and_write_of_a_product_in_order():
    events = []
    with use("loops"):
        a, b = rf.tensor([[2.0, 3.0]]), rf.tensor([[5.0], [7.0]])
        with loops.watch(events.append):
            y = a @ b
        names = {loops.storage_number(t): name for name, t in (("a", a), ("b", b), ("y", y))}
    assert [(e.kind, names[e.storage], e.slot, e.value) for e in events] == [
        ("read", "a", 0, 2.0),
        ("read", "b", 0, 5.0),
        ("read", "a", 1, 3.0),
        ("read", "b", 1, 7.0),
        ("write", "y", 0, 31.0),
    ]


def test_a_stretched_operand_is_read_again_and_its_gradient_written_once():
    events = []
    with use("loops"):
        a, b = rf.tensor([2.0], requires_grad=True), rf.tensor([1.0, 10.0, 100.0])
        with loops.watch(events.append):
            y = (a * b).sum()
        assert [e.value for e in events if e.storage == loops.storage_number(a)] == [2.0, 2.0, 2.0]
        events.clear()
        with loops.watch(events.append):
            y.backward()
        grad = [(e.kind, e.slot, e.value) for e in events if e.storage == loops.storage_number(a.grad)]
    assert grad == [("write", 0, 111.0)]


def test_looking_at_a_tensor_is_no_event():
    events = []
    with use("loops"):
        x = rf.tensor([1.5, 2.5])
        with loops.watch(events.append):
            assert (x.tolist(), repr(x), x[0].item()) == ([1.5, 2.5], "tensor([1.5000, 2.5000])", 1.5)
    assert events == []


def test_a_watch_can_be_stopped():
    events = []
    seen = loops.watch(events.append)
    seen.stop()
    seen.stop()
    with use("loops"):
        rf.ones(2)
    assert events == []
