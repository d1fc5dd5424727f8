"""Which colours does ddpwatch bring along? One dark theme, the only place with colour values.

Roles: `primary` is the value over all ranks, `warning` a rank that stands out, `error` a gap or a
failure, `success` agreement and life. Textual's own themes fill the same roles.
"""

from __future__ import annotations

from textual.theme import Theme

DDPWATCH = Theme(
    name="ddpwatch",
    primary="#56c8e8",
    secondary="#7d8fa9",
    accent="#b48ee0",
    warning="#f0a35e",
    error="#f26d8b",
    success="#8ccf6e",
    foreground="#d7dce2",
    background="#111418",
    surface="#181c22",
    panel="#222933",
    dark=True,
    variables={
        "text-primary": "#56c8e8",
        "text-warning": "#f0a35e",
        "text-error": "#f26d8b",
        "text-success": "#8ccf6e",
        "block-cursor-background": "#2c3a4b",
        "block-cursor-foreground": "#ffffff",
        "input-selection-background": "#56c8e8 35%",
        "scrollbar": "#2f3947",
        "scrollbar-hover": "#3d4a5c",
        "scrollbar-active": "#56c8e8",
        "scrollbar-background": "#111418",
        "scrollbar-background-hover": "#111418",
        "scrollbar-background-active": "#111418",
    },
)
