"""The page that `rustyflow export` makes, opened by a reader who has no network."""

import json

from rustyflow import cli

SCRIPT = '<p id="ran">asleep</p><script>document.getElementById("ran").textContent = "it ran"</script>'
FORMULA = "$x^2$, ![a dot](attachment:dot.svg) and\n\n```mermaid\ngraph LR\n```\n"
DOT = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><circle r='9'/></svg>"


def test_an_exported_page_is_alive_asks_the_network_for_nothing_and_runs_no_script_of_the_notebooks(plain, tmp_path):
    output = {"output_type": "display_data", "data": {"text/html": SCRIPT}, "metadata": {}}
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": FORMULA,
         "attachments": {"dot.svg": {"image/svg+xml": DOT}}},
        {"cell_type": "code", "id": "b", "metadata": {}, "source": "1", "outputs": [output], "execution_count": 1},
    ]
    metadata = {"widgets": {"application/vnd.jupyter.widget-state+json": {"state": {}}}}
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    (tmp_path / "lesson.ipynb").write_text(json.dumps(book), encoding="utf-8")
    assert cli.main(["export", str(tmp_path / "lesson.ipynb")]) == 0
    tab = plain(tmp_path / "lesson.html")
    tab.wait_for_load_state("networkidle")
    assert tab.locator("#ran").inner_text() == "asleep"
    assert tab.locator("math").bounding_box()["width"] > 5
    assert tab.evaluate("document.querySelector('img[alt=\"a dot\"]').naturalWidth") == 9


def test_two_figures_on_an_exported_page_share_one_player_and_both_live(plain, tmp_path):
    import numpy as np

    from rustyflow import show

    data = [{"text/html": show.strides(np.arange(n)).html()} for n in (3, 4)]
    outputs = [{"output_type": "display_data", "data": html, "metadata": {}} for html in data]
    cells = [{"cell_type": "code", "id": "a", "metadata": {}, "source": "1", "outputs": outputs, "execution_count": 1}]
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (tmp_path / "two.ipynb").write_text(json.dumps(book), encoding="utf-8")
    assert cli.main(["export", str(tmp_path / "two.ipynb")]) == 0
    assert (tmp_path / "two.html").read_text(encoding="utf-8").count("customElements.define") == 1
    tab = plain(tmp_path / "two.html")
    alive = "e => e.localName.startsWith('rustyflow-figure') && e.shadowRoot"
    assert tab.evaluate(f"[...document.querySelectorAll('*')].filter({alive}).length") == 2
