"""Curves of results with matplotlib, which is imported when the first one is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._solution import Solution

#: Curves that are drawn where none are chosen.
_MOST = 6


def _chosen(sol: Solution, names: tuple[str, ...]) -> list[str]:
    """The columns that names choose; without names outputs with the most common unit, or coordinates, of what moves."""
    if names:
        found: list[str] = []
        for name in names:
            places = sol.columns.find(name)
            found += [sol.names[k] for k in ([places] if isinstance(places, int) else places)]
        return found
    moving = [name for name in sol.columns.parts["q"] if np.ptp(sol[name]) > 1e-12 * (1 + np.abs(sol[name]).max())]
    return (moving or list(sol.columns.parts["q"]))[:_MOST]


def _label(sol: Solution, name: str) -> str:
    return sol.columns.labels.get(name, name)


def _axis(sol: Solution, names: list[str]) -> str:
    """What stands beside an axis: the name of its only column, and the unit that all of its columns have."""
    if names == ["t"]:
        return "time t (s)"
    units = {sol.columns.units.get(name) for name in names}
    words = _label(sol, names[0]) if len(names) == 1 else ""
    unit = units.pop() if len(units) == 1 else None
    return f"{words} ({unit})".strip() if unit else words


def plot(sol: Solution, names: tuple[str, ...], over: str, ax: Axes | None, style: dict[str, Any]) -> Axes:
    """Draws curves, and where events happened a line each."""
    from matplotlib import pyplot

    if ax is None:
        ax = pyplot.figure().gca()
    chosen = _chosen(sol, names)
    across = sol[over]
    for name in chosen:
        ax.plot(across, sol[name], label=_label(sol, name), **style)
    if over == "t":
        for event in sol.events[:50]:
            ax.axvline(event.t, color="0.7", linewidth=0.8, zorder=0)
    ax.set_xlabel(_axis(sol, [over]))
    ax.set_ylabel(_axis(sol, chosen))
    if len(chosen) > 1:
        ax.legend()
    ax.set_title(sol.summary["model"])
    return ax
