"""A real JupyterLab, driven in a real Chromium.

`page`      one tab with JupyterLab in it, shared by all tests (7 s once, then about 2 s a test)
`notebook`  opens a notebook in it (a path, or a notebook as a dict) and runs it
`shared`    opens one and runs it once for all tests of a module, and draws its figures anew for each
`py`        runs Python in the kernel of the notebook in front and returns what it printed
`theme`     `theme("dark")` until the end of the test
`plain`     a tab with no Jupyter: an HTML file or text, as a reader offline would open it
`opened`    opens a figure in such a tab, with the keyboard on it; `tab` has opened one of two tensors
`heard`     console errors and requests that left this machine; a test that leaves any behind fails
"""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from rustyflow import show
from rustyflow.cli import quiet
from rustyflow.cli.doctor import find_browser

FLAGS = """--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --force-color-profile=srgb""".split()
FOLDERS = """JUPYTER_CONFIG_DIR JUPYTER_DATA_DIR JUPYTER_RUNTIME_DIR JUPYTERLAB_WORKSPACES_DIR
    JUPYTERLAB_SETTINGS_DIR IPYTHONDIR""".split()
CONFIG = {
    "default_setting_overrides.json": {"@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"}},
    # it complains on the console when a notebook is closed as soon as it was opened
    "page_config.json": {"disabledExtensions": {"@jupyterlab/debugger-extension": True}},
}
WINDOW = {"width": 1280, "height": 1000}
HERE = ("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:", "file:", "about:")
FRONT = "jupyterapp.shell.currentWidget"
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason='playwright is missing: pip install -e ".[test]"')
    path = find_browser()
    if path is None:
        missing = "no Chromium on this machine: install it, or set CHROMIUM to its path"
        pytest.fail(missing, pytrace=False) if os.environ.get("CI") else pytest.skip(missing)
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)  # in a new, empty profile
        yield chromium
        chromium.close()


@dataclass(frozen=True)
class Lab:
    root: Path  # the folder JupyterLab shows
    url: str


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    root, home, token = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home"), secrets.token_hex(8)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = home / "JUPYTER_CONFIG_DIR" / "labconfig"
    config.mkdir(parents=True)
    for name, content in CONFIG.items():
        (config / name).write_text(json.dumps(content), encoding="utf-8")
    log = home / "lab.log"
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    command += ["--ServerApp.port_retries=0", f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={root}"]
    command += ["--LabApp.expose_app_in_browser=True"]
    with log.open("w", encoding="utf-8") as output:
        environment = os.environ | {name: str(home / name) for name in FOLDERS} | quiet() | {"RUSTYFLOW_DISPLAY": ""}
        server = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT)
    try:
        wait_for(f"http://127.0.0.1:{port}/api/status?token={token}", server, log)
        yield Lab(root, f"http://127.0.0.1:{port}/lab?token={token}&reset")
    finally:
        server.terminate()
        server.wait(20)


def wait_for(url, server, log, seconds=90):
    deadline = time.monotonic() + seconds
    while True:
        said = f"JupyterLab did not start. Its log, {log}, ends:\n"
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except OSError:
            if server.poll() is not None or time.monotonic() > deadline:
                pytest.fail(said + log.read_text(encoding="utf-8", errors="replace")[-4000:], pytrace=False)
            time.sleep(0.1)


@dataclass
class Heard:
    """What a student would never see, and must never happen."""

    console: list[str] = field(default_factory=list)
    away: list[str] = field(default_factory=list)

    def listen(self, page):
        page.on("console", lambda message: self.console.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.console.append(str(error)))
        page.on("request", lambda request: None if request.url.startswith(HERE) else self.away.append(request.url))

    def clear(self):
        self.console.clear()
        self.away.clear()


@pytest.fixture(scope="session")
def ears():
    return Heard()


@pytest.fixture(autouse=True)
def heard(ears):
    ears.clear()
    yield ears
    # JupyterLab 4.6 says this of any notebook, figure or none, whose kernel is gone while something still asks for it
    own = "null (reading 'kernel')", "null (reading 'changed')", "Disposed"  # JupyterLab's, of one that is closed early
    own += ('"stream.stderr" is not valid JSON',)  # and of what a kernel prints while its connection is being made
    own += ("Canceled future for ",)  # of what it still asks a kernel that is shut down with its notebook
    ears.console[:] = [said for said in ears.console if not any(one in said for one in own)]
    assert not ears.console, "the browser's console says: " + "\n".join(ears.console)
    assert not ears.away, "something left this machine: " + "\n".join(ears.away)


@pytest.fixture(scope="session")
def page(lab, browser, ears):
    tab = browser.new_page(viewport=WINDOW)
    ears.listen(tab)
    tab.goto(lab.url)
    tab.wait_for_selector(".jp-Launcher")
    tab.wait_for_selector("#jupyterlab-splash", state="detached")
    yield tab
    tab.close()


class Notebook:
    """A notebook open in JupyterLab: its panel, its file, and what can be done with it."""

    def __init__(self, page, path):
        self.page, self.path = page, path
        self.panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")

    def open(self, kernel):
        arguments = {"path": self.path.name, "factory": "Notebook", "kernelPreference": {"shouldStart": kernel}}
        # it asks the server first, and gives the notebook the keys then, also one that is in front
        opened = "jupyterapp.commands.execute('docmanager:open', a).then(() => {})"  # the widget itself cannot travel
        self.page.evaluate(f"a => {{ document.activeElement?.blur(); return {opened} }}", arguments)
        self.page.wait_for_function(
            f"""([path, kernel]) => {{
                const context = {FRONT}?.context;
                if (context?.path !== path || !context.isReady) return false;
                if (!{FRONT}.node.contains(document.activeElement)) return false;
                const session = context.sessionContext;  // without a kernel, too, it is settled that none comes
                return kernel ? session.session?.kernel?.status === 'idle' : session.isReady;
            }}""",
            arg=[self.path.name, kernel],
        )

    def run(self):
        """Run all cells; returns when the last one is done."""
        self.page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")

    def redraw(self):
        """Show all outputs once more, each as if it had just come."""
        self.page.evaluate(
            f"""() => {{
                for (const cell of {FRONT}.content.model.cells) {{
                    if (cell.type !== 'code') continue;
                    const outputs = cell.outputs.toJSON();
                    cell.outputs.clear();
                    cell.outputs.fromJSON(outputs);
                }}
            }}"""
        )

    def outputs(self):
        """The outputs of every cell, as nbformat writes them; an empty list for a cell of text."""
        return self.page.evaluate(
            f"() => Array.from({FRONT}.content.model.cells, c => c.type === 'code' ? c.outputs.toJSON() : [])"
        )

    def errors(self):
        return [output for outputs in self.outputs() for output in outputs if output["output_type"] == "error"]

    def save(self):
        """Write the notebook to its file and return what the file then holds."""
        self.page.evaluate(f"() => {FRONT}.context.save()")
        return json.loads(self.path.read_text(encoding="utf-8"))

    def close(self):
        self.page.evaluate(
            """async path => {
                const panel = Array.from(jupyterapp.shell.widgets('main')).find(w => w.context?.path === path);
                if (!panel) return;
                if (panel.context.sessionContext.session) await panel.context.sessionContext.shutdown();
                panel.context.model.dirty = false;
                panel.close();
            }""",
            self.path.name,
        )


@contextmanager
def notebooks(lab, page):
    """What opens notebooks; all of them are closed in the end."""
    opened = []

    def open_notebook(source, run=True, kernel=True):
        path = lab.root / f"{secrets.token_hex(4)}.ipynb"
        if isinstance(source, dict):
            path.write_text(json.dumps(source), encoding="utf-8")
        else:
            shutil.copy(source, path)
        opened.append(Notebook(page, path))
        opened[-1].open(kernel)
        if run and kernel:
            opened[-1].run()
        return opened[-1]

    yield open_notebook
    for book in opened:
        book.close()


@pytest.fixture
def notebook(lab, page):
    """`notebook(source)` opens a copy and runs it; `run=False` only opens it, `kernel=False` without a kernel."""
    with notebooks(lab, page) as open_notebook:
        yield open_notebook


@pytest.fixture(scope="module")
def shared(lab, page):
    """`shared(source)` brings a notebook to the front: run when it is asked for first, with its outputs drawn anew."""
    known = {}
    with notebooks(lab, page) as open_notebook:

        def bring(source):
            key = json.dumps(source)
            if key not in known:
                known[key] = open_notebook(source)
                assert known[key].errors() == []
            else:
                known[key].open(kernel=True)
                known[key].redraw()
            return known[key]

        yield bring


@pytest.fixture
def py(page):
    """`py(code)` runs it in the kernel of the notebook in front; what it printed, or the error's text."""
    run = f"""async code => {{
        let said = '';
        const kernel = {FRONT}.context.sessionContext.session.kernel;
        const future = kernel.requestExecute({{code, store_history: false}});
        future.onIOPub = message => {{ said += message.content.text ?? message.content.evalue ?? '' }};
        await future.done;
        return said.trim();
    }}"""
    return lambda code: page.evaluate(run, code)


@pytest.fixture
def theme(page):
    def change(name):
        page.evaluate("t => jupyterapp.commands.execute('apputils:change-theme', {theme: t})", THEMES[name])
        page.wait_for_function("l => document.body.dataset.jpThemeLight === l", arg=str(name == "light").lower())
        page.wait_for_selector("#jupyterlab-splash", state="detached")

    yield change
    change("light")


@pytest.fixture(scope="session")
def tabs(browser, ears):
    """`tabs(scheme)`: a tab that has no network, of those that no test has just now, as it was when it was new."""
    free = []

    def take(scheme):
        if not free:
            free.append(browser.new_context(offline=True).new_page())
            ears.listen(free[-1])
        tab = free.pop()
        tab.set_viewport_size(WINDOW)
        tab.emulate_media(media="null", color_scheme=scheme, reduced_motion="null", forced_colors="null")
        return tab

    def give_back(tab):
        tab.mouse.move(0, 0)
        tab.goto("about:blank")
        free.append(tab)

    yield take, give_back


@pytest.fixture
def plain(tabs, tmp_path):
    """`plain(source)` opens a file, or HTML text, in a tab that has no network; `dark=True` prefers dark."""
    taken, (take, give_back) = [], tabs

    def open_page(source, dark=False):
        if isinstance(source, str):
            text, source = source, tmp_path / f"page-{len(taken)}.html"
            source.write_text(text, encoding="utf-8")
        taken.append(take("dark" if dark else "light"))
        taken[-1].goto(source.resolve().as_uri())
        figures = "[...document.querySelectorAll('[data-lm-suppress-shortcuts]')]"
        # the window, too, has its size a little after it was given one
        ready = f"w => innerWidth === w && {figures}.every(figure => figure.scene)"
        taken[-1].wait_for_function(ready, arg=WINDOW["width"])
        return taken[-1]

    yield open_page
    for tab in taken:
        give_back(tab)


@pytest.fixture
def opened(plain, tmp_path):
    def open_figure(figure, **how):
        tab = plain(figure.save(tmp_path / "figure.html"), **how)
        tab.locator(".stage").focus()
        return tab

    return open_figure


@pytest.fixture
def tab(opened):
    x = np.arange(12).reshape(3, 4)
    return opened(show.strides(x, x.T[1:, :2], names=["x", "y"], title="y = x.T[1:, :2]"))
