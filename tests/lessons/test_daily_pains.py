"""Lessons 19 and 20: programs that are drawn as they run, and what they say held to PyTorch over many draws."""

import warnings
from random import Random

import pytest

import rustyflow
from rustyflow.errors import ArgumentValueError
from rustyflow.lessons import again_and_again as again, who_cut_the_graph as cuts
from rustyflow.lessons.engine import Engine, run
from rustyflow.lessons.kit.programs.arrivals import arrivals
from rustyflow.lessons.kit.programs.trace import remembers, trace, watched


def programs():
    """Programs of the questions, with the names of their leaves."""
    for seed in range(40):
        random = Random(seed)
        case = cuts._one_line_each(random)
        for form in ("keep", "copy", "new", "whole"):
            yield cuts._program(case["names"], cuts._line(case["names"], case[form]), case["at"])
        yield cuts._lines(**cuts._a_spoilt_leaf(random))
        yield cuts._with_a_cut(**cuts._a_cut(random))
        yield again._two_rounds(**again.the_second_time.another(random))
        case = again._forms(random)
        for form in ("curve", "result", "linear", "product"):
            yield again._written(case["names"], again._of(case["names"], case[form]))
        yield again._behind(**again.behind_its_back.another(random))
        yield again._writes(**again._some_writes(random))


def what_comes(text, torch):
    """The error, or the gradients and versions of all tensors, after a program."""
    known, error = {"torch": torch}, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(text, known)
        except RuntimeError as problem:
            error = problem
    found = {name: x for name, x in known.items() if isinstance(x, torch.Tensor)}
    return error is not None, {name: (x.requires_grad, x.is_leaf, x._version, x.grad.tolist() if x.is_leaf and
                                      x.grad is not None else None) for name, x in found.items()}  # fmt: skip


def test_pytorch_does_the_same_in_each_program():
    torch = pytest.importorskip("torch")
    many = set(programs())
    assert len(many) > 200
    for text in many:
        ours, theirs = what_comes(text, rustyflow), what_comes(text, torch)
        assert ours[0] == theirs[0], text
        for name, (wants, leaf, version, grad) in theirs[1].items():
            assert ours[1][name][:3] == (wants, leaf, version), (text, name)
            assert ours[1][name][3] == (grad if grad is None else pytest.approx(grad)), (text, name)


def test_rounding_and_signs_are_recorded_and_send_0():
    for torch in (rustyflow, pytest.importorskip("torch")):
        for f in (torch.round, torch.sign):
            x = torch.tensor([1.2, -3.4], requires_grad=True)
            f(x).sum().backward()
            assert x.grad.tolist() == [0, 0]


def test_a_cut_has_a_cross_and_a_memory_has_none():
    scene = cuts.record("w = torch.ones(2, requires_grad=True)\nh = w * 2\np = h.detach() + w").scene
    assert "edge" in scene.index["a1_2"].cls and "dashed" in scene.index["a1_2"].cls
    assert scene.index["a0_1"].cls == scene.index["a0_2"].cls == ("arrow",)
    assert [shape.text for top in scene.shapes for shape in top.walk()].count("✕") == 1


def test_an_error_stands_at_its_line_by_the_name_that_others_know():
    figure = cuts.record("w = torch.ones(2, requires_grad=True)\np = w.argmax()\np.backward()\nq = 1")
    assert len(figure.sentences) == 3
    assert figure.sentences[-1].startswith("p.backward() raises RuntimeError: element 0 of tensors does not require")


@pytest.mark.parametrize("text", ["", "# nothing", "x = 1\n" * 13])
def test_what_is_nothing_or_too_much_is_refused(text):
    with pytest.raises(ArgumentValueError, match="1 to 12"):
        cuts.record(text)


def test_long_lines_blocks_and_large_tensors_stay_inside_of_the_picture():
    text = ("w = torch.ones(40, 3, requires_grad=True)\nfor k in range(3):\n    loss = (w * w).sum()\n"
            f"x = {' + '.join(['w'] * 60)}\n")  # fmt: skip
    for figure in (cuts.record(text), again.watch(text, "w", "w * 2", "x.shape", "kept(x)")):
        held = [part.text for shape in figure.scene.shapes for part in shape.walk()]
        assert figure.scene.width <= 1104 and "for k in range(3): …" in held and max(map(len, held)) < 80
    with pytest.raises(ArgumentValueError, match="at most 4"):
        again.watch(text, *"abcde")


def test_what_is_no_python_is_told_so():
    with pytest.raises(SyntaxError):
        again.watch("w = = 3", "w")


def test_what_a_graph_kept_is_named_then_let_go_or_written_over():
    lines = "w = torch.tensor(3., requires_grad=True)\nloss = w * w\n"
    seen = [step.seen["kept(loss)"] for step in trace(lines + "loss.backward()", watched("kept(loss)"))]
    assert seen == ["", "w", "let go"]
    step = trace(lines + "with torch.no_grad(): w -= 1", watched("kept(loss)", "w._version", "no.such"))[-1]
    assert dict(step.seen) == {"kept(loss)": "written over", "w._version": 1, "no.such": ""}


def test_what_a_program_remembers_is_found_through_all_of_its_graph():
    w = rustyflow.ones(2, requires_grad=True)
    far = w
    for _ in range(500):
        far = far + far
    assert remembers(far, w) and not remembers(far, rustyflow.ones(2, requires_grad=True))
    assert not remembers(3.0, w) and not remembers(rustyflow.ones(2), w)


def test_a_total_holds_each_graph_and_a_number_none():
    assert [cuts._held(n) for n in (1, 3, 7)] == [1, 3, 7]


def test_the_mean_that_forgets_differs_by_a_gradient_alone():
    w = rustyflow.tensor([1.0, 2.0], requires_grad=True)
    graph = rustyflow.ir.graph((w * w).mean(), names={"w": w})
    right, broken = run(Engine(), graph), run(cuts.MeanForgets(), graph)
    assert right.gradients["w"].tolist() == [1.0, 2.0] and broken.gradients == {} and not broken.error
    values = [[e.value.tolist() for e in found.events if e.kind == "value"] for found in (right, broken)]
    assert values[0] == values[1]


def test_a_function_that_moves_what_it_is_given_is_sent_back():
    def pull(student, teacher):
        ((student - teacher.detach()) ** 2).mean().backward()
        teacher.data += 1

    said = cuts.pull(pull)
    assert said.score == 0 and "teacher is not as it was" in said.text


def test_a_teacher_that_wants_a_gradient_again_afterwards_is_as_it_was():
    def pull(student, teacher):
        ((student - teacher.requires_grad_(False)) ** 2).mean().backward()
        teacher.requires_grad_(True)

    assert cuts.pull(pull).score == 1


def test_what_arrives_is_counted_with_the_graphs_that_are_kept_by_then():
    def program(x, y):
        loss, other = (x * x).sum(), (x * y).sum()
        loss.backward()
        other.backward(retain_graph=True)

    leaves = {"x": rustyflow.ones(2, requires_grad=True), "y": rustyflow.ones(2, requires_grad=True)}
    assert arrivals(program, leaves) == {"x": (2, 1), "y": (1, 1)}  # a product is kept as each of both comes
    assert arrivals(lambda x, y: None, leaves) == {"x": (0, 0), "y": (0, 0)}


KEPT = {"w * 3": "3", "(w + 1) / 2": "2", "w ** 3": "w, 3", "w * x": "x", "w + 3": "nothing", "w.sum()": "nothing"}


@pytest.mark.parametrize("form, kept", KEPT.items())
def test_a_number_that_a_product_keeps_is_kept_and_a_second_backward_stops(form, kept):
    lines = "w = torch.tensor([1., 2.], requires_grad=True)\nx = torch.tensor([3., 4.])\n"
    lines += f"h = {form}\nh.sum().backward()"
    seen = [step.seen["kept(h)"] for step in trace(lines, watched("kept(h)"))]
    assert seen[2:] == [kept, kept if kept == "nothing" else "let go"]
    for torch in (rustyflow, pytest.importorskip("torch")):
        assert what_comes(f"{lines}\nh.sum().backward()", torch)[0] == (kept != "nothing")
        assert torch is rustyflow or float((torch.ones(1, requires_grad=True) * 3).grad_fn._saved_other) == 3


@pytest.mark.parametrize("torch", ["rustyflow", "torch"])
def test_what_lesson_20_claims_of_versions_and_writes(torch):
    torch = pytest.importorskip(torch)
    base = torch.tensor([1.0, 2.0])
    view, detached, data = base.view(2, 1), base.detach(), base.data
    base += 0
    assert [x._version for x in (base, view, detached, data)] == [1, 1, 1, 0]
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    h = w.exp()
    h += 0
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        h.sum().backward()
    with pytest.raises(RuntimeError, match="leaf"):
        w += 1
    with torch.no_grad():
        w += 1
    assert w.tolist() == [2, 3]


@pytest.mark.parametrize("torch", ["rustyflow", "torch"])
def test_what_lesson_19_claims_of_leaves(torch):
    torch = pytest.importorskip(torch)
    assert (torch.tensor([4.0]) * 0.25).is_leaf and not (torch.tensor([4.0], requires_grad=True) * 0.25).is_leaf
    w = torch.tensor([4.0], requires_grad=True) * 0.25
    w.retain_grad()
    (w * 3).sum().backward()
    assert w.grad.tolist() == [3]


def test_the_names_of_find_the_cut_are_in_quotes_also_where_one_is_asked_for_or_two():
    assert "a comma behind it, as in (\"b\",)." in " ".join(cuts.find_the_cut(7, "b").text.split())
    for seed in range(20):
        assert "without quotes" not in cuts.find_the_cut(7, "b", seed=seed).text


def test_the_example_of_each_docstring_is_so():
    assert cuts.pull.key(**cuts.pull.example())[0].tolist() == [-2, 1]
    assert again.accumulate.key(**again.accumulate.example())[0].tolist() == [3, 1]
