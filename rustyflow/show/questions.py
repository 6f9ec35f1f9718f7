"""show.help: which figure answers which question, each with a line to copy."""

from html import escape

ASKED = (
    ("Where does each number of a view lie in memory?", "show.strides(x.T)"),
    ("Do these tensors share their numbers?", "show.strides(x, x[1:], x.clone())"),
    ("Which numbers meet, and who is repeated?", "show.broadcast(x, x[0], op='*')"),
    ("Why do these shapes not fit, and what would?", "show.broadcast(x, x[:, 0])"),
    ("Which axis disappears, and who shares a gradient?", "show.reduce(x, 'mean', 1)"),
    ("Which row met which column, and why the transposes?", "show.matmul(x, w)"),
    ("What does any operation read, and send back?", "show.op('softmax', x, dim=1)"),
    ("How steep is it here: by a nudge, and by backward?", "show.curve(lambda x: x * x, 3)"),
    ("What did my program compute, and what does it keep?", "show.graph(y)"),
    ("How do gradients flow, event by event?", "show.backward(y)"),
    ("Where does this number come from?", "show.backward(y)   # Enter on it, twice; or .where('x.grad[0, 1]')"),
    ("Where does another engine, or program, go wrong?", "show.compare(y, other)"),
    ("How does a network learn, layer by layer?", "show.training(loader, model)   # loop over it"),
    ("What did each line of my cell make or change?", "%%see   # over the cell, after %load_ext rustyflow"),
    ("What is the same, as text?", "print(rustyflow.ir.graph(y))"),
)
"""Questions of a class, and what to type: x, w are tensors, y is what was computed from them, other an engine."""


class Help:
    """The questions and lines, as a table in a notebook and as text elsewhere."""

    def __repr__(self) -> str:
        wide = max(len(question) for question, _ in ASKED)
        return "\n".join(f"{question:<{wide}}  {line}" for question, line in ASKED)

    def _repr_html_(self) -> str:
        rows = (
            f'<tr><td style="text-align:left">{escape(question)}</td>'
            f'<td style="text-align:left"><code>{escape(line)}</code></td></tr>'
            for question, line in ASKED
        )
        head = '<tr><th style="text-align:left">question</th><th style="text-align:left">line to copy</th></tr>'
        return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"


def help() -> Help:
    """Returns a table of the figures by the questions they answer, each with a line to copy.

    In the lines x and w are tensors, y was computed from them, and other is an engine.

    Example:
        >>> import rustyflow as rf
        >>> print(str(rf.show.help()).splitlines()[0])
        Where does each number of a view lie in memory?      show.strides(x.T)
    """
    return Help()
