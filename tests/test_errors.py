"""How an error reaches its reader."""
import subprocess
import sys

import pytest

CELLS = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("colors", "NoColor")
{mode}
shell.run_cell("import rustyflow as torch\\ndef f(a):\\n    return a + torch.ones(4)")
shell.run_cell("f(torch.ones(3, 2))")
shell.run_cell("x = torch.ones(2, requires_grad=True)\\nx.register_hook(lambda g: g.view(5))\\nx.sum().backward()")
"""


def shown(mode=""):
    pytest.importorskip("IPython")
    return subprocess.run([sys.executable, "-c", CELLS.format(mode=mode)], capture_output=True, text=True, check=True, encoding="utf-8").stdout


def test_a_notebook_shows_the_readers_lines_and_the_message_alone():
    text = shown()
    assert "----> 3     return a + torch.ones(4)" in text and "lambda g: g.view(5)" in text
    assert "size of tensor a (2) must match the size of tensor b (4)" in text and "try:" in text
    assert "rustyflow/" not in text.replace("\\", "/") and "another exception occurred" not in text


def test_verbose_mode_shows_every_line():
    assert "dispatch.py" in shown('shell.run_line_magic("xmode", "Verbose")')
