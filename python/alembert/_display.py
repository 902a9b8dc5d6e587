"""Results in notebooks: a small table of what a run came to."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._solution import Solution

#: Colours of a verdict that are legible on light and on dark pages.
_GOOD, _DOUBT, _BAD = "#2e8b57", "#c77700", "#cc3333"


def ending(summary: Mapping[str, Any]) -> str:
    """How a run ended, where only its summary is there."""
    at = summary["t_reached"]
    model = summary["model"]
    if summary["outcome"] == "reached":
        return f"{model}: reached t = {at:g}"
    if summary["outcome"] == "event":
        return f"{model}: ended by `{summary['message']}` at t = {at:g}"
    why = f"\n{summary['message']}" if summary["message"] else ""
    return f"{model}: stopped at t = {at:g} of {summary['t_end']:g}; results are partial{why}"


def _facts(sol: Solution) -> list[tuple[str, str]]:
    summary, stats = sol.summary, sol.stats
    facts = [
        ("method", f"{summary['method']}, {summary['steps_chosen']}"),
        ("rows", f"{len(sol)} from t = {sol.t[0]:g} to {sol.t[-1]:g}"),
        ("steps", f"{stats['steps']}, {stats['rejected']} rejected, {stats['newton_iterations']} iterations"),
    ]
    worst = max(sol.residuals, key=lambda one: one["residual"], default=None)
    if worst is not None:
        facts.append(("largest residual", f"{worst['residual']:.1e} ({worst['constraint']}, {worst['level']})"))
    if sol.energy is not None:
        facts.append(("energy defect", f"{sol.energy['largest_defect']:.1e}"))
    facts += [("event", f"{event.name} at t = {event.t:.6g}") for event in sol.events[:5]]
    if len(sol.events) > 5:
        facts.append(("", f"and {len(sol.events) - 5} more events"))
    facts += [(name, f"{value:.6g}") for name, value in sol.results.items() if value is not None]
    return facts


def table(sol: Solution) -> str:
    """The table as HTML."""
    colour = _BAD if not sol.success else _DOUBT if sol.warnings else _GOOD
    rows = [
        f'<tr><th style="text-align: left">{html.escape(name)}</th><td style="text-align: left">{html.escape(text)}</td></tr>'
        for name, text in _facts(sol)
    ]
    doubts = "".join(f"<li>{html.escape(warning)}</li>" for warning in sol.warnings)
    return (
        f'<div><p><strong style="color: {colour}">{html.escape(sol.message)}</strong></p>'
        f"<table>{''.join(rows)}</table>{f'<ul>{doubts}</ul>' if doubts else ''}</div>"
    )
