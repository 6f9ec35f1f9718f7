"""All figures in one hand: their sizes of type, their heights and edges, on a page of any width and on a projector.

How numbers fly, with every flight stopped in its middle and at its end.
"""

import io
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from PIL import Image, ImageChops, ImageFilter, ImageStat

import rustyflow as rf
from rustyflow import show
from rustyflow.lessons import models, your_own_engine
from tests.browser.panel import HOST, resize
from tests.show.models import GPT, loss_of

pytestmark = pytest.mark.browser

X = np.arange(12.0).reshape(3, 4)
SCALE = {14, 18, 24, 32}


def loss():
    x, w = (rf.tensor(numbers, requires_grad=True) for numbers in (X[:, :2] / 4, X[:2] / 8 - 0.5))
    return (x @ w).tanh().sum()


def model():
    net, loss = loss_of(GPT)
    return show.backward(loss, title=f"{type(net).__name__}, backward")


FIGURES = {
    "strides": lambda: show.strides(X, X.T[1:, :2], names=["x", "y"]),
    "broadcast": lambda: show.broadcast(X[:, :1], X[0] / 4, op="*", names=["a", "b"]),
    "clash": lambda: show.broadcast(X, X[:, 0], op="-", names=["a", "b"]),
    "matmul": lambda: show.matmul(X / 4, X.T[:, :2] / 8, names=["a", "b"]),
    "unmatched": lambda: show.matmul(X, X, names=["a", "b"]),
    "reduce": lambda: show.reduce(X / 8, "mean", 1, name="x"),
    "op": lambda: show.op("softmax", X[:2] / 4, dim=1),
    "conv": lambda: show.op("conv2d", rf.tensor(X[None, None] / 4), rf.tensor(X[None, None, :2, :2])),
    "backward": lambda: show.backward(loss()),
    "graph": lambda: show.graph(loss()),
    "model": model,
    "curve": lambda: show.curve(lambda x: x * x, 3.0),
    "engine": lambda: your_own_engine.training(your_own_engine.CARS, models.backward, many=3),
}

MEASURED = """(host, fullscreen) => {
    const {shadowRoot: root, svg, scene} = host, said = [], scale = svg.getScreenCTM().a;
    const sizes = new Set(), page = new Set();
    const sides = ["", ...Object.keys(scene.toggles)];
    let tall = 0, out = "";
    for (const side of sides) for (let frame = 0; frame < scene.frames.length; frame++) {
        host.show({frame, toggles: [...side]});
        host.stage.getAnimations().forEach(one => one.finish());
        for (const text of svg.querySelectorAll("text")) {
            if (!text.textContent || !host.seen(text)) continue;
            sizes.add(parseFloat(getComputedStyle(text).fontSize));
        }
        tall = Math.max(tall, root.host.getBoundingClientRect().height);
    }
    for (const part of root.querySelectorAll(".head p, .head span, .bar button, .count"))
        if (part.textContent && part.checkVisibility()) page.add(parseFloat(getComputedStyle(part).fontSize));
    const box = e => e.getBoundingClientRect(), title = box(root.querySelector(".title")), says = box(host.says);
    return {sizes: [...sizes], page: [...page], tall, wide: box(host.body).width, scale, letters: says.width / 18 / .5,
        even: Math.abs(says.left - title.left) < 1, below: says.top >= title.bottom - 1,
        above: says.bottom <= box(host.stage).top + 1};
}"""


@pytest.mark.parametrize("name", FIGURES)
def test_type_and_edges_are_of_one_scale_at_every_width(opened, name):
    tab = opened(FIGURES[name]())
    host = tab.locator(HOST)
    for width in (1280, 1920, 640, 390):
        resize(tab, width, 900)
        seen = host.evaluate(MEASURED, False)
        assert {*seen["sizes"], *seen["page"]} <= SCALE, name
        assert seen["below"] and seen["even"] and seen["above"] and seen["letters"] <= 80
        if width >= 1280:
            assert seen["tall"] <= 720 and seen["wide"] <= 1104 and seen["scale"] == pytest.approx(1, abs=0.01)
    resize(tab, 1280, 720)
    tab.keyboard.press("f")
    seen = host.evaluate(MEASURED, True)
    assert {*seen["sizes"]} <= SCALE and all(size in (21, 27, 36, 48) for size in seen["page"] if size != 21.06)


AT = """(host, at) => {
    for (const flight of host.flights) { flight.pause(); flight.currentTime = at; }
    const middle = e => (({x, y, width, height}) => [x + width / 2, y + height / 2])(e.getBoundingClientRect());
    const wraps = [...host.svg.lastElementChild.children].map(middle);
    return {wraps, ends: host.routes().map(pair => pair.map(id => middle(host.shapes.get(id)))),
        long: Math.max(...host.flights.map(f => f.effect.getComputedTiming().endTime))};
}"""


def product():
    return show.matmul(X[:2, :3], X.T[:3, :2], names=["a", "b"])


HOLD = """() => {
    const begin = Element.prototype.animate;
    Element.prototype.animate = function (...how) {
        const one = begin.apply(this, how);
        one.pause();
        return one;
    };
}"""


def told(tab, frame):
    """Steps to a frame that lights a cell; what moves then is held where it begins, until somebody looks."""
    tab.evaluate(HOLD)
    for _ in range(frame):
        tab.keyboard.press("PageDown")
    return tab.locator(HOST)


def test_numbers_fly_from_what_is_read_to_what_reads_it(opened):
    host = told(opened(product()), 3)
    seen = host.evaluate(AT, 240)
    assert len(seen["wraps"]) == len(seen["ends"]) == 6 and seen["long"] <= 900
    (start, end), there = seen["ends"][0], seen["wraps"][0]
    assert min(start[0], end[0]) - 1 <= there[0] <= max(start[0], end[0]) + 1 and there != start
    seen = host.evaluate(AT, 739)  # all have arrived
    assert [there for there in seen["wraps"]] == [pytest.approx(end, abs=1) for _, end in seen["ends"]]


def test_any_key_ends_a_flight_and_nothing_flies_for_those_who_want_no_motion(opened):
    flying = "host => host.flights.length"
    tab = opened(product())
    host = told(tab, 3)
    assert host.evaluate(flying) > 0
    tab.keyboard.press("ArrowLeft")
    assert host.evaluate(flying) == 0
    gone = "host => !host.svg.querySelector('g:not([id]) > g:not([id]) > g.cell')"
    tab.wait_for_function(gone, arg=host.element_handle())
    tab.emulate_media(reduced_motion="reduce")
    tab.keyboard.press("Home")
    host = told(tab, 3)
    assert host.evaluate("host => host.routes().length") == 6 and host.evaluate(flying) == 0


STACKED = """host => {
    const {svg, stage} = host, box = e => e.getBoundingClientRect(), pieces = [...svg.querySelectorAll(".piece")];
    stage.getAnimations().forEach(one => one.finish());
    const seen = pieces.filter(piece => piece.getClientRects().length).map(box), page = box(stage);
    const apart = seen.every((a, k) => seen.slice(k + 1).every(b => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top));
    return {many: seen.length, apart, inside: seen.every(one => one.left >= page.left && one.right <= page.right),
        scale: svg.getScreenCTM().a, scrolls: stage.scrollWidth > stage.clientWidth, room: page.bottom - Math.max(...seen.map(one => one.bottom)),
        notes: host.notes.innerText};
}"""  # noqa: E501


@pytest.mark.parametrize("name, many, formula", [
    ("op", (4, 6), "= 0.7788 / 2.858 ≈ 0.273"), ("conv", (3, 6), "y[0, 0, 0, 0] ="),
    ("matmul", (3, 6), "0·0.5 + 0.25·0.625"), ("broadcast", (4, 5), "= 0·0.25 = 0"), ("reduce", (2, 5), "/ 4 ≈"),
    ("strides", (6, 6), "1·4 + 1·1 = 5"),
])  # fmt: skip
def test_on_a_phone_grids_stand_under_each_other_in_their_own_size(opened, name, many, formula):
    tab = opened(FIGURES[name]())
    host = tab.locator(HOST)
    result = {"matmul": "c1", "conv": "y0", "op": "y6", "broadcast": "r1", "reduce": "r1", "strides": "a5"}[name]
    before = host.evaluate("host => host.svg.getAttribute('viewBox')")
    resize(tab, 390, 900)
    for side, count in zip(([], ["g"]), many):
        host.evaluate("(host, [side, id]) => host.show({link: id, toggles: side})", [side, result])
        seen = host.evaluate(STACKED)
        assert seen["many"] == count and seen["apart"] and seen["inside"] and not seen["scrolls"], (name, side)
        assert seen["scale"] == pytest.approx(1, abs=0.01) and 0 <= seen["room"] < 40
        assert side or formula in seen["notes"]
    if name == "op":
        host.evaluate("host => host.show({link: 'p0', toggles: ['g']})")
        assert "≈ 0.0574" in host.evaluate(STACKED)["notes"]
    resize(tab, 1280, 900)
    host.evaluate("host => host.show({link: null, toggles: []})")
    assert host.evaluate("host => host.svg.getAttribute('viewBox')") == before


def test_on_a_phone_cells_that_move_are_placed_where_they_come_to_rest(opened):
    moving = "[...host.svg.getAnimations({subtree: true})]"
    placed = """host => {
        host.fit();
        return [...host.svg.querySelectorAll('.piece')].map(piece => piece.getAttribute('transform'));
    }"""
    tab = opened(show.strides(np.ones(()), names="x"))
    resize(tab, 560, 900)
    host = told(tab, 2)
    assert host.evaluate(f"host => {moving}.filter(one => (one.pause(), one.currentTime = 240)).length") > 0
    meanwhile = host.evaluate(placed)
    assert host.evaluate(f"host => {moving}.every(one => one.currentTime === 240)")  # they go on from there
    host.evaluate(f"host => {moving}.forEach(one => one.finish())")
    assert host.evaluate(placed) == meanwhile


WRITTEN = """(host, frame) => {
    host.show({frame});
    host.land();
    const size = e => Math.round(parseFloat(getComputedStyle(e).fontSize)), said = host.says.querySelector("[aria-hidden]") ?? host.says;
    const texts = [...host.svg.querySelectorAll("text")].filter(t => t.textContent && host.seen(t) && [...t.querySelectorAll("[id]")].length === 0);
    const words = e => e.textContent.replace(/\\s+/g, " ").trim();
    return {head: [[words(host.heading), size(host.heading)], [words(said), size(said)]],
        drawn: texts.map(t => [words(t), size(t)]).filter(([said]) => said).sort()};
}"""  # noqa: E501


@pytest.mark.parametrize("name", ["strides", "broadcast", "matmul", "reduce", "op"])
def test_a_saved_picture_has_the_words_of_the_page_in_their_sizes(opened, name):
    figure = FIGURES[name]()
    page = opened(figure).locator(HOST).evaluate(WRITTEN, figure.scene.still)
    drawing = ElementTree.fromstring(figure.svg())
    texts = [one for one in drawing.iter("{http://www.w3.org/2000/svg}text") if "".join(one.itertext()).strip()]
    heads = [one for one in texts if one.get("class") in ("title", "said")]
    of = {cls: [(one.text, int(one.get("font-size"))) for one in heads if one.get("class") == cls]
          for cls in ("title", "said")}  # fmt: skip
    said = " ".join(words for words, _ in of["said"])
    (title, large), sized = of["title"][0], of["said"][0][1]
    assert [(" ".join(title.split()), large), (said, sized)] == [tuple(one) for one in page["head"]]
    alone = [one for one in texts if one not in heads and one.get("class") != "muted" and not one.findall(".//*[@id]")]
    drawn = {("".join(one.itertext()).strip(), round(float(one.get("font-size")))) for one in alone}
    assert drawn <= {tuple(one) for one in page["drawn"]} and len(drawn) > 5


SHADED = """host => {
    const {svg, stage} = host, box = e => e.getBoundingClientRect(), page = box(stage);
    const size = t => Math.round(parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().d);
    const texts = [...svg.querySelectorAll("text")].filter(t => t.textContent && t.getClientRects().length);
    const round = texts.every(t => Math.abs(t.getScreenCTM().a - t.getScreenCTM().d) < 0.01);  // none squeezed
    const apart = texts.every((a, k) => texts.slice(k + 1).every(b => {
        const [one, two] = [box(a), box(b)];
        return one.right <= two.left + 1 || two.right <= one.left + 1 || one.bottom <= two.top + 4 || two.bottom <= one.top + 4;
    }));
    return {scrolls: stage.scrollWidth > stage.clientWidth, sizes: [...new Set(texts.map(size))], round, apart,
        inside: texts.every(t => box(t).left >= page.left && box(t).right <= page.right + 1),
        shades: Object.fromEntries([...svg.querySelectorAll("g.cell > [class^=shade]")].map(r => [r.parentNode.id, r.getAttribute("class")]))};
}"""  # noqa: E501


def test_a_grid_that_is_wider_than_a_phone_has_smaller_numbers_or_shades_whose_number_is_said(opened):
    tab = opened(show.op("cumsum", np.arange(12) / 8, 0, names="x"))  # 0 to 1.375, and sums up to 8.25
    host = tab.locator(HOST)
    places = "host => [...host.svg.querySelectorAll('.piece *')].map(e => JSON.stringify(e.getBoundingClientRect()))"
    before = host.evaluate(places)
    resize(tab, 390, 900)
    seen = host.evaluate(SHADED)
    assert not seen["scrolls"] and seen["round"] and seen["apart"] and seen["inside"] and {*seen["sizes"]} <= SCALE
    each = seen["shades"]
    assert (each["a0"], each["a6"], each["a11"]) == ("shade0", "shade3", "shade7")  # 7 * 0.75 / 1.375 is 3.8
    assert (each["y0"], each["y6"], each["y11"]) == ("shade0", "shade2", "shade7")  # 7 * 2.625 / 8.25 is 2.2
    host.evaluate("host => host.pin('a6')")
    assert tab.locator("#says").inner_text().startswith("pinned 0.75: x[6] ")
    tab.keyboard.press("ArrowRight")
    assert "0.875: x[7] " in tab.locator("#says").text_content()  # as it is heard, too
    tab.keyboard.press("g")
    seen = host.evaluate(SHADED)  # upstream of one digit has room as numbers
    assert not seen["scrolls"] and seen["apart"] and 14 in seen["sizes"] and "a0" in seen["shades"]
    assert not any(id.startswith("g") for id in seen["shades"])
    tab.keyboard.press("g")
    tab.keyboard.press("Escape")
    resize(tab, 1280, 900)
    host.evaluate("host => host.show({frame: 0})")
    assert host.evaluate(places) == before and host.evaluate(SHADED)["shades"] == {}


def test_what_stands_beside_a_squeezed_grid_keeps_its_place(opened):
    tab = opened(show.broadcast(X[:, :1], np.arange(14) / 4, names=["a", "b"]))
    host = tab.locator(HOST)
    resize(tab, 390, 900)
    for side in ([], ["g"]):
        host.evaluate("(host, toggles) => host.show({frame: host.scene.frames.length - 1, toggles})", side)
        seen = host.evaluate(SHADED)
        assert not seen["scrolls"] and seen["round"] and seen["apart"] and seen["inside"], side


def apart(figure, tab, folder, frame=None):
    """How far the drawing of a saved PNG is from what a page shows of a frame, by default of the same one.

    Of 255 levels, the mean, and that of the worst square of 64 pixels; after as much blur as letters differ by between
    programs that draw them, and at the best of four heights: a page may begin a drawing between two pixels.
    """
    host, frame = tab.locator(HOST), figure.scene.still if frame is None else frame
    host.evaluate("(host, frame) => { host.show({frame}); host.land(); }", frame)
    tab.evaluate("() => document.activeElement.blur()")
    page = Image.open(io.BytesIO(tab.locator(".stage > svg").screenshot(animations="disabled"))).convert("RGB")
    with Image.open(figure.save(folder / "figure.png")) as saved:
        whole = saved.convert("RGB")  # in twice the size
    head = whole.height - 2 * page.height
    page = page.crop((0, 0, page.width, page.height - 2))  # whose last rows may be those under the drawing
    assert 0 <= page.width - figure.scene.width < 1 and 120 < head < 400
    squares = [(x, y, x + 64, y + 64) for x in range(0, page.width - 63, 32) for y in range(0, page.height - 63, 32)]
    found = []
    for top in range(head, head + 4):
        drawn = whole.crop((0, top, 2 * page.width, top + 2 * page.height)).reduce(2)
        left = ImageChops.difference(*(one.filter(ImageFilter.GaussianBlur(3)) for one in (page, drawn))).convert("L")
        worst = max(ImageStat.Stat(left.crop(square)).mean[0] for square in squares)
        found.append((ImageStat.Stat(left).mean[0], worst))
    return min(found)


def test_a_saved_png_shows_what_the_page_shows(opened, tmp_path):
    figure = FIGURES["matmul"]()
    tab = opened(figure)
    mean, worst = apart(figure, tab, tmp_path)
    assert mean < 0.6 and worst < 3
    mean, worst = apart(figure, tab, tmp_path, figure.scene.still + 1)  # other cells are lit
    assert worst > 5
