"""Draws the pictures of ``docs/python.md``: ``docs/images/python-*.svg``.

Run it with the package, matplotlib and SciPy installed: ``python python/tools/pictures.py``; another folder may be
named. The same versions of them draw the same files: nothing in them depends on the time or on chance.
"""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from scipy.integrate import solve_ivp

import alembert as al

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

TARGET = Path(__file__).parents[2] / "docs" / "images"
G = 9.81

#: Text stays text, names of parts follow from a fixed salt, and colours are those of the other pictures' curves.
STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "alembert",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "0.9",
    "legend.frameon": False,
}


def saved(figure: Any, path: Path) -> None:
    """Writes a figure without the date."""
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    pyplot.close(figure)


def pendulum_system() -> al.System:
    """The pendulum of the page."""
    return al.System(
        mass=1.0,
        force=lambda t, q, v: [0.0, -G],
        holonomic=lambda t, q: q[0] ** 2 + q[1] ** 2 - 1.0,
        q=["x", "y"],
        name="pendulum",
    )


def pendulum(path: Path) -> None:
    """Coordinates over time, and the force of the rod."""
    sol = al.solve(pendulum_system(), (0.0, 4.0), [1.0, 0.0], rtol=1e-8)
    times = np.linspace(0, 4, 401)
    state = sol(times)
    figure, (above, below) = pyplot.subplots(2, 1, sharex=True, figsize=(7, 4.4))
    above.plot(times, state["x"], label="x")
    above.plot(times, state["y"], label="y")
    above.plot(sol.t, sol["x"], "o", color="C0", markersize=3)
    above.plot(sol.t, sol["y"], "o", color="C1", markersize=3)
    above.set_ylabel("coordinates (m)")
    above.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    below.plot(times, 2 * state.lam[0], color="C2")
    below.axhline(3 * G, color="0.6", linewidth=0.8, linestyle="--")
    below.text(4.02, 3 * G, "3 m g", va="center", color="0.4")
    below.set_ylabel("pull of the rod (N)")
    below.set_xlabel("time t (s)")
    below.set_xlim(0, 4)
    saved(figure, path)


def skate(path: Path) -> None:
    """The path of a skate on a slope."""
    system = al.System(
        mass=[2.0, 2.0, 0.1],
        force=[4.0, 0.0, 0.0],
        nonholonomic=lambda t, q, v: v[0] * np.sin(q[2]) - v[1] * np.cos(q[2]),
        q=["x", "y", "phi"],
    )
    sol = al.solve(system, (0.0, 6.0), [0.0, 0.0, 0.0], [0.0, 0.0, 1.5], rtol=1e-9)
    path_of = sol(np.linspace(0, 6, 601))
    edges = sol(np.linspace(0.1, 5.9, 30))
    figure, ax = pyplot.subplots(figsize=(7, 1.9))
    ax.plot(path_of["y"], path_of["x"], color="0.6")
    for x, y, phi in zip(edges["x"], edges["y"], edges["phi"]):
        along = 0.05 * np.array([np.cos(phi), np.sin(phi)])
        ax.plot([y - along[1], y + along[1]], [x - along[0], x + along[0]], color="C0", linewidth=2)
    ax.set_aspect("equal")
    ax.invert_yaxis()
    ax.set_xlabel("across the slope, y (m)")
    ax.set_ylabel("down, x (m)")
    saved(figure, path)


def drift(path: Path) -> None:
    """How far the pendulum is off its circle, with SciPy after two derivatives of the constraint, and here."""

    def reduced(t: float, y: Any) -> list[float]:
        q, v = y[:2], y[2:]
        lam = (v @ v - G * q[1]) / (2 * q @ q)
        return [v[0], v[1], -2 * lam * q[0], -G - 2 * lam * q[1]]

    ours = al.solve(pendulum_system(), (0.0, 100.0), [1.0, 0.0], rtol=1e-6)
    theirs = solve_ivp(reduced, (0.0, 100.0), [1.0, 0.0, 0.0, 0.0], method="Radau", rtol=1e-6, atol=1e-6)
    figure, ax = pyplot.subplots(figsize=(7, 2.8))
    for t, q, label in ((theirs.t, theirs.y[:2], "solve_ivp, Radau"), (ours.t, ours.q, "alembert")):
        # A curve of a logarithm has no place for the rows that are off by nothing at all.
        ax.semilogy(t, np.maximum(abs(np.hypot(*q) - 1), 1e-17), label=f"{label}, rtol = 1e-6", linewidth=1)
    ax.set_xlim(0, 100)
    ax.set_ylim(1e-18, 1)
    ax.set_xlabel("time t (s)")
    ax.set_ylabel("off the circle (m)")
    ax.legend(loc="center right")
    saved(figure, path)


def four_bar(path: Path) -> None:
    """The four-bar of the page, in motion."""
    m = al.Mechanism("four-bar", gravity=[0, -G])
    m.parameters(base=0.3)
    crank = m.body("crank", mass=0.4, inertia=4e-4, centre=[0.05, 0], points={"A": [0.1, 0]})
    coupler = m.body(
        "coupler", mass=1, inertia=8e-3, centre=[0.14, 0.04],
        points={"A": [0, 0], "B": [0.28, 0], "P": [0.14, 0.12]},
        pose={"at": [0.05, 0.1], "angle": 0.3},
    )  # fmt: skip
    rocker = m.body("rocker", mass=0.8, inertia=4e-3, centre=[0.12, 0], points={"B": [0.24, 0]})
    m.revolute("O", "ground", crank, start={"angle": "60*deg", "speed": 12})
    m.revolute("A", crank["A"], coupler["A"])
    m.revolute("B", coupler["B"], rocker["B"])
    m.revolute("C", m.ground.at(["base", 0]), rocker)
    m.view(coupler, trace=["P"])
    m.run(t_end=1.0, output_every=0.01).animate(path)


# The notebook is drawn by hand: pictures of pages have no place in a repository.

CELL = ['model = al.load("models/pendulum.toml")', "sol = model.run(t_end=3.0, rtol=1e-9)", "sol"]
_MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"
_SANS = "system-ui, -apple-system, Segoe UI, sans-serif"
_LINE, _LEFT, _WIDTH = 22, 70, 700


def text(x: float, y: float, words: str, **style: Any) -> str:
    """A line of text."""
    given = {"font_family": _SANS, "font_size": 13, "fill": "#222", **style}
    marks = " ".join(f'{key.replace("_", "-")}="{value}"' for key, value in given.items())
    return f'<text x="{x}" y="{y}" xml:space="preserve" {marks}>{html.escape(words, quote=False)}</text>'


def notebook(path: Path) -> None:
    """What a notebook shows of a result: the verdict and the table of ``Solution._repr_html_``."""
    sol = al.load(Path(__file__).parents[2] / "models" / "pendulum.toml").run(t_end=3.0, rtol=1e-9)
    shown = sol._repr_html_()
    verdict = re.search(r'<strong style="color: (#\w+)">(.*?)</strong>', shown)
    assert verdict is not None
    rows = re.findall(r"<tr><th[^>]*>(.*?)</th><td[^>]*>(.*?)</td></tr>", shown)
    parts = []
    code = 16 + _LINE * len(CELL)
    size = f'width="{_WIDTH - _LEFT - 8}" height="{code}"'
    parts.append(f'<rect x="{_LEFT}" y="8" {size} fill="#f7f7f7" stroke="#cfcfcf"/>')
    parts.append(text(8, 30, "In [1]:", font_family=_MONO, fill="#303f9f"))
    parts += [text(_LEFT + 10, 30 + _LINE * k, line, font_family=_MONO) for k, line in enumerate(CELL)]
    y = 8 + code + 28
    parts.append(text(8, y, "Out[1]:", font_family=_MONO, fill="#d84315"))
    parts.append(text(_LEFT + 10, y, html.unescape(verdict[2]), fill=verdict[1], font_weight="bold"))
    y += 12
    for number, (name, value) in enumerate(rows):
        if number % 2 == 0:
            parts.append(f'<rect x="{_LEFT + 4}" y="{y}" width="480" height="{_LINE}" fill="#f5f5f5"/>')
        parts.append(text(_LEFT + 10, y + 16, html.unescape(name), font_weight="bold"))
        parts.append(text(_LEFT + 150, y + 16, html.unescape(value)))
        y += _LINE
    height = y + 10
    size = f'width="{_WIDTH}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {_WIDTH} {height}">'
    back = f'<rect {size} fill="white"/>'
    path.write_text("\n".join([head, back, *parts, "</svg>"]) + "\n", encoding="utf-8", newline="\n")


PICTURES = {"pendulum": pendulum, "skate": skate, "drift": drift, "four-bar": four_bar, "notebook": notebook}


def main() -> None:
    """Draws all of them."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    matplotlib.rcParams.update(STYLE)
    for name, draw in PICTURES.items():
        draw(folder / f"python-{name}.svg")


if __name__ == "__main__":
    main()
