"""Results as tables in Markdown, among them the one of times at equal error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ratios import at_error
from variants import PROBLEMS


def milliseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{1e3 * seconds:.3g}" if seconds < 1 else f"{1e3 * seconds:.0f}"


def show(heading: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    print("| " + " | ".join(heading) + " |\n" + "|---" * len(heading) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def main_table(rows: Sequence[dict[str, Any]]) -> None:
    listed = []
    for row in rows:
        level = f"{row['level']:.0e}" if row["tool"] != "exudyn" else f"{row['level']:.0f} steps"
        named = [row["problem"], f"{row['tool']}, {row['form']}", level]
        if "failure" in row:
            listed.append([*named, f"failed: {row['failure']}", "", "", "", row["lines"]])
            continue
        times = [milliseconds(row["whole"]), milliseconds(row["alone"])]
        listed.append([*named, *times, f"{row['error']:.1e}", f"{row['residual']:.0e}", row["lines"]])
    heading = ["problem", "solver", "tolerance", "whole call, ms", "run alone, ms", "error", "residual", "lines"]
    show(heading, listed)


def ladders(rows: Sequence[dict[str, Any]], problem: str, time_of: str) -> dict[str, list[tuple[float, float]]]:
    found: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if row["problem"] == problem and "failure" not in row:
            found.setdefault(f"{row['tool']}, {row['form']}", []).append((row["error"], row[time_of]))
    return found


def equal_errors(rows: Sequence[dict[str, Any]], wanted: Sequence[float]) -> list[dict[str, Any]]:
    """Times at equal error, between two runs of a ladder, both logarithms taken to be linear."""
    found = []
    for problem in PROBLEMS:
        whole, alone = (ladders(rows, problem, key) for key in ("whole", "alone"))
        for error in wanted:
            for solver in whole:
                times = {"whole": at_error(error, whole[solver]), "alone": at_error(error, alone[solver])}
                found.append({"problem": problem, "error": error, "solver": solver, **times})
    return found


def equal_table(found: Sequence[dict[str, Any]], ours: str) -> None:
    base = {(row["problem"], row["error"]): row for row in found if row["solver"] == ours}
    listed = []
    for row in found:
        if row["alone"] is None:
            listed.append([row["problem"], f"{row['error']:.0e}", row["solver"], "not reached", "", "", ""])
            continue
        mine = base.get((row["problem"], row["error"]), {})
        times = [f"{row[key] / mine[key]:.3g}" if mine.get(key) else "" for key in ("whole", "alone")]
        shown = [milliseconds(row["whole"]), times[0], milliseconds(row["alone"]), times[1]]
        listed.append([row["problem"], f"{row['error']:.0e}", row["solver"], *shown])
    print(f"Times are in units of {ours}; where the coarsest run is better than the error, its time stands here.\n")
    show(["problem", "error", "solver", "whole call, ms", "times", "run alone, ms", "times"], listed)


def remarks(rows: Sequence[dict[str, Any]]) -> None:
    for row in rows:
        if "missing" in row:
            print(f"{row['tool']}, {row['form']} is left out of {row['problem']}: {row['missing']}")
        for doubt in row.get("warnings", ()):
            print(f"{row['problem']}, alembert, {row['form']} at {row['level']:.0e} warns: {doubt}")
    print()
