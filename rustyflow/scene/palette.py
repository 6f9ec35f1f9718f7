"""The colours, by role, in both themes.

The hues of the axes are those of Okabe and Ito (2008), lightened so that dark text reads on them.

A role is a CSS variable: `--ink` and so on. `PAIRS` lists which text stands on which ground; a test holds each of them
to a contrast of 4.5:1.
"""

LIGHT = {
    "ground": "#ffffff", "panel": "#f6f7f9", "line": "#c3c9d1", "ink": "#1c1e21", "muted": "#57606b",
    "lit": "#d55e00", "lit-ink": "#b04a00", "lit-fill": "#fff1e6",
    "value": "#b3d4f2", "value-ink": "#0b5a94", "grad": "#f7c4a6", "grad-ink": "#863400",
    "hatch": "#d8dce2", "ghost": "#8a939d", "warn": "#a32020",
    "ax0": "#bfe3f7", "ax0-ink": "#0a5a86", "ax1": "#f9dda4", "ax1-ink": "#7a4e00",
    "ax2": "#b9e6d6", "ax2-ink": "#00573f", "ax3": "#f1d2e3", "ax3-ink": "#7d2a5a",
    "ax4": "#e3e6ea", "ax4-ink": "#454c55",
}  # fmt: skip

DARK = {
    "ground": "#111418", "panel": "#191c22", "line": "#3d444d", "ink": "#f0f2f4", "muted": "#a7afb9",
    "lit": "#ff9a5c", "lit-ink": "#ffa76f", "lit-fill": "#33241a",
    "value": "#234a69", "value-ink": "#8ccaf5", "grad": "#6e3e25", "grad-ink": "#ffb894",
    "hatch": "#343a42", "ghost": "#7d8691", "warn": "#ff9d9d",
    "ax0": "#1f4d66", "ax0-ink": "#9bd6fa", "ax1": "#5c4210", "ax1-ink": "#f7cd72",
    "ax2": "#124a3b", "ax2-ink": "#7fdcbf", "ax3": "#552642", "ax3-ink": "#f2b3d5",
    "ax4": "#353b43", "ax4-ink": "#ccd2d9",
}  # fmt: skip

PAIRS = (
    ("ink", "ground"), ("muted", "ground"), ("lit-ink", "ground"), ("value-ink", "ground"), ("grad-ink", "ground"),
    ("warn", "ground"), ("ink", "panel"), ("muted", "panel"), ("lit-ink", "panel"), ("ink", "lit-fill"),
    ("muted", "lit-fill"),
    ("ink", "value"), ("value-ink", "value"), ("ink", "grad"), ("grad-ink", "grad"), ("grad-ink", "panel"),
    ("value-ink", "panel"), ("muted", "hatch"),
    *((f"ax{k}-ink", ground) for k in range(5) for ground in (f"ax{k}", "ground")),
    *(("ink", f"ax{k}") for k in range(5)),
)  # fmt: skip


def variables(theme: dict[str, str]) -> str:
    """The theme as CSS declarations."""
    return "".join(f"--{role}:{colour};" for role, colour in theme.items())
