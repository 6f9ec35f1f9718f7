"""Maps: which cells each cell reads, as a view where that is one; and what figures light and say by them."""

import json

import numpy as np
import pytest

from rustyflow import show
from rustyflow.scene.maps import Map, Mapped, Way
from rustyflow.scene.templates import Templates
from rustyflow.scene.wire import encode, pack

LISTS = {
    "rows": [[0, 1, 2], [3, 4, 5]],
    "columns": [[0, 3], [1, 4], [2, 5]],
    "windows": [[k, k + 1, k + 5, k + 6] for k in (0, 1, 2, 3, 5, 6, 7, 8)],
    "backwards": [[4], [3], [2], [1], [0]],
    "again and again": [[0], [0], [1], [1]],
    "one": [[7]],
}
OTHERS = {"triangle": [[0], [0, 1], [0, 1, 2]], "picked": [[3], [0], [2]], "nothing": [[], []], "none": []}


@pytest.mark.parametrize("name", LISTS | OTHERS)
def test_a_map_reads_what_its_lists_say(name):
    lists = {**LISTS, **OTHERS}[name]
    made = Map.of(lists)
    assert (made.lists is None) == (name in LISTS)
    assert [list(made.cells(n)) for n in range(len(lists))] == lists
    readers = {m: [n for n, cells in enumerate(lists) if m in cells] for m in sum(lists, [])}
    assert {m: Way(made, True).cells(m) for m in readers} == readers
    assert Way(made, True).cells(99) == []


def test_a_map_is_a_view_of_any_shape():
    random = np.random.default_rng(0)
    for _ in range(60):
        shape, over = (tuple(random.integers(1, 4, random.integers(0, 4)).tolist()) for _ in range(2))
        steps = random.integers(-9, 9, len(shape) + len(over)).tolist()
        places = np.full(shape + over, 400)
        for step, axis in zip(steps, np.indices(shape + over)):
            places += step * axis
        lists = places.reshape(int(np.prod(shape)), -1).tolist()
        made = Map.of(lists)
        assert made.lists is None and [list(made.cells(n)) for n in range(len(lists))] == lists


def figures(n):
    x, row = np.arange(n * n * 1.0).reshape(n, n) - 9, np.arange(n * 1.0)
    return {
        "op": show.op("matmul", x, x.T, names=["a", "b"]),
        "op that copies": show.op("transpose", x, dim0=0, dim1=1, names=["a"]),
        "broadcast": show.broadcast(x, row, names=["a", "b"]),
        "reduce": show.reduce(x, "sum", 1, name="x"),
        "matmul": show.matmul(x[:, :6], x[:6], names=["a", "b"]),
    }


def test_links_are_told_by_maps_and_stay_small():
    for name, figure in figures(8).items():
        assert all(isinstance(family.links, Mapped) for family in figure.scene.links), name
        data = json.loads(encode(figure.scene))
        assert sum(map(len, data["links"])) < 200 and len(json.dumps(data["links"])) < 12 * 1024, name
    assert len(pack(figures(16)["op"].scene)) < 40 * 1024


def test_a_link_and_its_map_know_the_same_cells():
    figure = figures(4)["op"]
    links = {id: link for family in figure.scene.links for id, link in family.links.items()}
    assert len(links) == 3 * 16 * 2 and not links.keys() & {"z0", "y16"}
    for n in range(16):
        i, j = divmod(n, 4)
        row, column = {f"a{4 * i + k}" for k in range(4)}, {f"b{4 * k + j}" for k in range(4)}
        assert set(links[f"y{n}"].lights[""]) == {f"y{n}"} | row | column
        assert set(links[f"a{n}"].lights[""]) == {f"a{n}"} | {f"y{4 * i + k}" for k in range(4)}
    with pytest.raises(KeyError, match="no link at 'y16'"):
        figure.state(link="y16")


def test_sentences_that_differ_in_numbers_are_one_template():
    told = Templates()
    said = [
        f"a[{i}, {j}] = {v:g} + ({-v:g}) = 0 along dim 1" for i in range(3) for j in range(4) for v in [i + j / 8 + 1]
    ]
    assert told.number(tuple(said)) == len(told.entries) - 1
    (template,) = told.entries[-1]["t"]
    assert [piece for piece in template if isinstance(piece, str)] == ["a[", ", ", "] = ", " + ", " = 0 along dim 1"]
    assert told.entries[0]["by"] == (1, 0)[: len(told.entries[0]["by"])] and told.entries[1]["by"] == (0, 1)
    assert told.number(tuple(said)) == len(told.entries) - 1 == 4


def test_a_list_of_words_comes_back_from_its_templates():
    random = np.random.default_rng(0)
    numbers = "0", "-1", "(-2.5)", "12", "1e+20", "007", "nan", "2.", "(x)", "-0", "(-3)"
    for _ in range(200):
        texts = [random.choice(["", "y[", " + ", "(", " · -", "inf"], 3).tolist() for _ in range(2)]
        said = tuple(
            None
            if random.integers(9) == 0
            else "".join(text + random.choice(numbers) for text in texts[random.integers(2)])
            for _ in range(random.integers(1, 12))
        )
        told = Templates()
        assert _rows(told.entries, told.number(said)) == list(said)


def _rows(entries, number):
    """The words of an entry, as maps.js finds them."""
    entry = entries[number]
    if isinstance(entry, str | tuple):
        return entry.split(" ") if isinstance(entry, str) else list(entry)
    if "d" in entry:
        return [
            str(Map(entry["d"], entry["at"], entry["by"], entry["o"]).cells(n)[0])
            for n in range(np.prod(entry["d"], dtype=int))
        ]
    filled = [[_filled(entries, piece) for piece in template] for template in entry["t"]]
    met = [iter(range(len(entry["k"]))) for _ in filled]
    places = [next(met[which], None) if which >= 0 else None for which in entry["k"]]
    return [None if n is None else "".join(piece if isinstance(piece, str) else piece[n] for piece in filled[which])
            for which, n in zip(entry["k"], places)]  # fmt: skip


def _filled(entries, piece):
    if isinstance(piece, list):
        return [f"({word})" if word[0] == "-" else word for word in _rows(entries, piece[0])]
    return piece if isinstance(piece, str) else _rows(entries, piece)
