"""A scene is a value: its states are absolute, and a mistake in it is found when it is made."""

import pytest

from rustyflow.scene import Frame, Link, Links, Look, Scene, Shape, draw


def scene(**changes):
    shapes = (draw.cell("a", 0, 0, 1), draw.cell("b", 50, 0, 2, "off"), draw.text(0, 90, "still", id="t"))
    look = Look({"-off": ("b",), "dimmed": ("a",)}, {("t", "text"): "moved", ("a", "transform"): draw.place(9, 9)})
    parts = {
        "shapes": shapes,
        "frames": (Frame("First."), Frame("Second.", (look,)), Frame({"": "Third.", "g": "Third, back."}, link="a")),
        "links": (Links(("cell ", 0, " of {0}"), {"a": Link(("a", "b"), ("<A>",))}, {("t", "text"): ("at ", 0)}),),
        "toggles": {"g": "backward"},
    }
    return Scene("title", 100, 100, **(parts | changes))


def test_frames_are_absolute():
    made = scene()
    second = made.state(1)
    assert second.classes == {"a": ("cell", "dimmed"), "b": ("cell",)}
    assert second.sets == {("t", "text"): "moved", ("a", "transform"): "translate(9 9)"}
    assert made.state(0).classes == {} and made.state(0).sets == {}
    assert made.state(1) == second


def test_a_link_is_laid_over_the_frame():
    state = scene().state(1, "a")
    assert state.classes["a"] == ("cell", "dimmed", "lit") and state.classes["b"] == ("cell", "lit")
    assert state.sets["t", "text"] == "at <A>"
    assert state.sentence == "cell <A> of {0}"


def test_a_frame_lights_a_link_of_its_own_and_keeps_its_own_sentence():
    state = scene().state(2)
    assert state.link == "a" and state.classes["b"] == ("cell", "off", "lit") and state.sentence == "Third."


def test_a_toggle_changes_the_sentence():
    assert scene().state(2, toggles=("g",)).sentence == "Third, back."
    assert scene(frames=(Frame({"": "On.", "g": "Back."}, toggles=("g",)),)).state().sentence == "Back."


def test_turned_over_a_frame_is_without_its_looks():
    look = Look({"off": ("a",)})
    made = scene(frames=(Frame({"": "On.", "g": "Back."}, (look,)), Frame("Back.", (look,), toggles=("g",))))
    assert [bool(made.state(k, toggles=side).classes) for k in (0, 1) for side in ((), ("g",))] == [
        True, False, False, True,
    ]  # fmt: skip


def test_frames_count_from_the_end_and_the_last_is_the_still_one():
    assert scene().state().frame == 2 == scene().state(-1).frame
    assert scene(still=0).state().frame == 0


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"shapes": (draw.cell("a", 0, 0), draw.cell("a", 9, 9))}, "two shapes have the id 'a'"),
        ({"frames": (Frame("x", (Look({"lit": ("nobody",)}),)),)}, "no shape has the id 'nobody'"),
        ({"frames": (Frame("x", (Look({}, {("nobody", "text"): ""}),)),)}, "no shape has the id 'nobody'"),
        ({"frames": (Frame("x", (Look({}, {("a", "fill"): "red"}),)),)}, "a state sets text"),
        ({"frames": (Frame("x", link="nobody"),)}, "no shape has the id 'nobody'"),
        ({"links": (Links("x", {"a": Link(("nobody",))}),)}, "no shape has the id 'nobody'"),
        ({"paths": ((("nobody",),),)}, "no shape has the id 'nobody'"),
        ({"frames": (Frame(""),)}, "a frame has no sentence"),
        ({"frames": ()}, "a scene has at least one frame"),
    ],
)
def test_what_cannot_be_drawn_is_refused_when_it_is_made(wrong, message):
    with pytest.raises(ValueError, match=message):
        scene(**wrong)


def test_asking_for_what_is_not_there():
    with pytest.raises(IndexError, match=r"no frame 3; this scene has \d, from 0 to \d"):
        scene().state(3)
    with pytest.raises(KeyError, match="no link at 'b'"):
        scene().state(0, "b")
    with pytest.raises(KeyError, match="no toggle 'h'"):
        scene().state(0, toggles=("h",))


def test_ids_are_one_word():
    with pytest.raises(ValueError, match="an id is one word"):
        scene(shapes=(Shape("g", "two words"),), frames=(Frame("x"),), links=())
