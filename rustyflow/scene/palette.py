"""The colours, by role, in both themes.

Ink is what is lit. A warm fill is a gradient, and nothing else is warm; red is what does not fit, and green what is
right. Axes are blue, green, violet and plum, on letters, edges and in formulas alone.

A role is a CSS variable: `--ink` and so on. `PAIRS` lists which text stands on which ground, and `EDGES` which line: a
test holds them to a contrast of 4.5:1 and of 3:1.
"""

LIGHT = {
    "ground": "#ffffff", "panel": "#f6f7f9", "line": "#c3c9d1", "ink": "#1c1e21", "muted": "#57606b",
    "grad": "#f7c4a6", "grad-ink": "#863400",
    "hatch": "#d8dce2", "ghost": "#8a939d", "warn": "#a32020", "right": "#00573f",
    "ax0": "#dcedf7", "ax0-ink": "#0a5a86", "ax1": "#d9efe6", "ax1-ink": "#00573f",
    "ax2": "#e6e1f5", "ax2-ink": "#4b3b8f", "ax3": "#ecdff1", "ax3-ink": "#6a2a7a",
    "ax4": "#e3e6ea", "ax4-ink": "#454c55",
}  # fmt: skip

DARK = {
    "ground": "#111418", "panel": "#191c22", "line": "#3d444d", "ink": "#f0f2f4", "muted": "#a7afb9",
    "grad": "#6e3e25", "grad-ink": "#ffb894",
    "hatch": "#343a42", "ghost": "#7d8691", "warn": "#ff9d9d", "right": "#7fdcbf",
    "ax0": "#1b3f55", "ax0-ink": "#9bd6fa", "ax1": "#163f35", "ax1-ink": "#7fdcbf",
    "ax2": "#332c55", "ax2-ink": "#c9bdfb", "ax3": "#43254a", "ax3-ink": "#e3b3f2",
    "ax4": "#353b43", "ax4-ink": "#ccd2d9",
}  # fmt: skip

PAIRS = (
    ("ink", "ground"), ("muted", "ground"), ("grad-ink", "ground"), ("warn", "ground"), ("right", "ground"),
    ("ink", "panel"), ("muted", "panel"), ("ink", "grad"), ("grad-ink", "grad"), ("grad-ink", "panel"),
    ("muted", "hatch"),
    *((f"ax{k}-ink", ground) for k in range(5) for ground in (f"ax{k}", "ground")),
)  # fmt: skip

EDGES = ("ink", "ground"), ("ink", "grad"), ("ghost", "ground"), ("grad-ink", "ground"), ("grad-ink", "grad")
"""Which line stands on which ground: what is lit, and the borders of cells."""


def variables(theme: dict[str, str]) -> str:
    """The theme as CSS declarations."""
    return "".join(f"--{role}:{colour};" for role, colour in theme.items())
