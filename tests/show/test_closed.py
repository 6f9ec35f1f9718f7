"""The graphs of models: closed boxes by module, what is in the open one, repeated layers, sizes of gradients."""

import re

import pytest

import rustyflow as rf
from rustyflow import nn, show
from tests.show.models import GPT, Recurrent, ResNet, loss_of


def texts(figure, group):
    """The boxes of a level by their first line, with their ids and second lines."""
    found = {}
    for shape in figure.scene.index[group].children:
        lines = [part.text for part in shape.children if part.tag == "text"]
        if shape.id[:1] in ("n", "s") and lines:
            found[lines[0]] = (shape.id, *lines[1:])
    return found


def shown(figure, link):
    """The levels that are seen while a box is pinned."""
    levels = [id for id in figure.scene.index if re.fullmatch(r"L\d+", id)]
    classes = figure.state(link=link).classes
    levels.sort(key=lambda id: int(id[1:]))  # each after what it is in
    return [id for id in levels if "off" not in classes.get(id, figure.scene.index[id].cls)]


@pytest.fixture(scope="module")
def gpt():
    net, loss = loss_of(GPT)
    return net, loss, show.graph(loss, names=["loss"])


def test_a_gpt_of_four_layers_is_a_row_of_closed_boxes_of_which_the_alike_are_said_to_be(gpt):
    _, loss, figure = gpt
    assert len(rf.ir.graph(loss)) > 200
    boxes = texts(figure, "L0")
    assert [*boxes][:2] == ["tok", "pos"] and {"ln", "head", "cross_entropy"} <= {*boxes}
    assert [boxes[f"blocks.{k}"][1:] for k in range(4)] == [("67 nodes",), ("alike",), ("alike",), ("alike",)]
    assert figure.sentences[-1] == "blocks.1, blocks.2 and blocks.3 are made like blocks.0."
    assert figure.scene.search and "off" not in figure.scene.index["L0"].cls
    assert all("off" in figure.scene.index[id].cls for id in figure.scene.index if re.fullmatch(r"L[1-9]\d*", id))


def test_every_node_has_one_box_and_no_box_says_nothing(gpt):
    _, loss, figure = gpt
    count = len(rf.ir.graph(loss))
    assert {f"n{k}" for k in range(count)} == {id for id in figure.scene.index if re.fullmatch(r"n\d+", id)}
    reached = {id for group in figure.scene.paths for row in group for id in row}
    assert {f"n{k}" for k in range(count)} <= reached and all(figure.state(link=id).sentence for id in reached)


def test_a_box_that_is_opened_shows_what_is_in_it_under_the_others_until_one_leaves(gpt):
    _, _, figure = gpt
    block = texts(figure, "L0")["blocks.2"][0]
    levels = shown(figure, block)
    assert len(levels) == 2 and [*texts(figure, levels[1])] == ["ln1", "attn", "add", "ln2", "mlp"]  # add twice
    state = figure.state(link=block)
    assert state.sentence.startswith("blocks.2: 67 nodes, 50 operations; it reads blocks.1 and gives (2, 4, 8).")
    heights = figure.scene.height
    assert heights[block] > heights[""] and "lit" in state.classes[block]
    inner = texts(figure, levels[1])["ln1"][0]
    three = shown(figure, inner)
    assert three[:2] == levels and [*texts(figure, three[2])][1:] == ["weight", "bias"] and len(three) == 3
    weight = texts(figure, three[2])["weight"][0]
    assert shown(figure, weight) == three  # what is in it leaves it open
    assert figure.state(link=weight).sentence.endswith("blocks.2.ln1.weight.grad.")
    assert heights[weight] == heights[inner]


def test_the_results_number_opens_into_what_made_it(gpt):
    _, _, figure = gpt
    last = max((id for id in figure.scene.index if re.fullmatch(r"n\d+", id)), key=lambda id: int(id[1:]))
    unfolds = figure.opened.unfolds
    assert last in unfolds.opens and len(unfolds.levels) > 20


def test_the_steps_of_an_lstm_are_rounds_and_the_weights_that_all_read_have_one_arrow():
    net, loss = loss_of(Recurrent)
    figure = show.graph(loss)
    lstm = texts(figure, "L0")["lstm"][0]
    boxes = texts(figure, shown(figure, lstm)[1])
    assert [boxes[f"{k} of 6"][1] for k in (3, 4, 5)] == ["alike"] * 3
    weight = boxes["weight_hh_l0"]
    assert weight[1] == "read 4 times"
    rounds = {boxes[f"{k} of 6"][0] for k in range(2, 6)}
    assert rounds <= {id for id, classes in figure.state(link=weight[0]).classes.items() if "lit" in classes}


def test_a_resnet_of_18_layers_calls_a_module_twice_and_each_call_is_a_box():
    net, loss = loss_of(ResNet)
    figure = show.graph(loss)
    assert {"layer1", "layer4", "fc"} <= {*texts(figure, "L0")}
    second = texts(figure, shown(figure, texts(figure, "L0")["layer2"][0])[1])["0"][0]
    level = figure.scene.index[shown(figure, second)[2]]
    names = [part.children[1 + (part.id[0] == "s")].text for part in level.children if part.id[:1] in ("n", "s")]
    assert names.count("relu") == 2 and "down" in names


def test_backward_of_a_model_has_the_size_of_each_gradient():
    net, loss = loss_of(GPT)
    figure = show.backward(loss)
    loss.backward()
    numbers = {node.name: k for k, node in enumerate(rf.ir.graph(loss, names={"w": net.blocks[3].mlp[0].weight}))
               if node.name}  # fmt: skip
    grad = net.blocks[3].mlp[0].weight.grad
    said = figure.state(link=f"n{numbers['w']}").sentence
    size = float(re.search(r"the size of the gradient that reaches it [=≈] ([\d.e-]+)\.$", said)[1])
    assert size == pytest.approx(grad.norm().item(), rel=6e-3)
    cell = figure.scene.index[f"gn{numbers['w']}"]
    assert cell.cls == ("cell", "grad") and float(cell.children[1].text) == size


def test_a_long_program_without_modules_is_in_stretches_of_what_ran_and_one_beyond_all_bounds_in_words():
    y = rf.ones(2, requires_grad=True)
    for _ in range(150):
        y = (y * 0.5).tanh()
    figure = show.graph(y)
    boxes = [id for id in texts(figure, "L0").values() if id[0][0] == "s"]
    assert boxes and all("nodes" in box[1] or box[1] == "alike" for box in boxes)
    last = next(id for id in figure.scene.index if id == f"n{len(rf.ir.graph(y)) - 1}")
    assert len(shown(figure, last)) > 1
    for _ in range(900):
        y = (y * 0.5).tanh()
    assert "more than the 2,000 that are drawn" in show.graph(y).sentences[0]


def test_names_from_outside_are_text_and_a_small_model_is_drawn_as_it_was():
    class Odd(nn.Module):
        def __init__(self):
            super().__init__()
            self.add_module("<b>", nn.Sequential(*[nn.Tanh() for _ in range(20)]))

        def forward(self, x):
            for _ in range(3):
                x = getattr(self, "<b>")(x) * 2
            return x

    net = Odd()  # kept: a module that is gone has no name
    svg = show.graph(net(rf.ones(2, requires_grad=True))).svg()
    assert "<b>" not in svg and svg.count("&lt;b&gt;") == 3 + 1 + 1  # its boxes, the title of the open one, the way in
    assert "L0" not in show.graph(nn.Linear(2, 1)(rf.ones(1, 2))).scene.index
