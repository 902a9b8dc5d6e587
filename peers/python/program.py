"""Andrews' mechanism from Python beside the program; what an import takes, and versions."""

from __future__ import annotations

import ast
import functools
import json
import os
import pathlib
import platform
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from typing import Any

from measure import ENOUGH, Failed, own_process, timed
from places import MODELS, PEERS
from tables import milliseconds, show
from variants import TOLERANCES, index_of

#: Processes of each run; the program's are short, and need more to meet a quiet moment.
FRESH, FRESH_OF_PROGRAM = 5, 100


def program() -> tuple[str, list[str]] | None:
    """The program, and which it is: the one that is named, that of this repository, or the one of the package."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", PEERS.parent / "target")) / "release" / "alembert"
    places = {
        "PEERS_ALEMBERT": os.environ.get("PEERS_ALEMBERT", ""),
        "target/release/alembert": str(target),
        "the package's, which starts Python": str(pathlib.Path(sys.executable).parent / "alembert"),
    }
    return next(((name, [place]) for name, place in places.items() if place and os.access(place, os.X_OK)), None)


def program_fresh(command: list[str], tol: float) -> tuple[int, float, float]:
    """`alembert run`: its steps, its own clock around the integration, and the whole process; the fastest of some."""
    words = ["run", str(MODELS / "andrews.toml"), "--rtol", repr(tol), "--output-every", "0.03", "--json", "-q"]
    steps = 0
    inside: list[float] = []
    whole: list[float] = []
    while len(whole) < FRESH or len(whole) < FRESH_OF_PROGRAM and sum(whole) < 4 * ENOUGH:
        seconds, done = timed(lambda: subprocess.run([*command, *words], check=True, capture_output=True, text=True))
        told = json.loads(done.stdout)
        steps = told["statistics"]["steps"]
        whole.append(seconds)
        inside.append(told["wall_seconds"])
    return steps, min(inside), min(whole)


def python_fresh(index: int, tol: float) -> tuple[float, float]:
    """The same from Python."""
    inside, whole = [], []
    for _ in range(FRESH):
        seconds, (found, wrong) = timed(lambda: own_process("--fresh", str(index), repr(tol), limit=None))
        if wrong or not found:
            raise Failed(wrong or "no result")
        whole.append(seconds)
        inside.append(found[0]["inside"])
    return min(inside), min(whole)


def beside_program(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Integrations of Andrews' mechanism by the program and by every form of ours, at each tolerance.

    The program is `alembert run`, whose summary has the time of its integration. Solutions in Python have it by the
    same clock, so that the first integrations of two processes are compared, without start-up, reading, compiling and
    the consistent start of either. What a whole call of `run` takes in Python, repeated, stands beside it.
    """
    chosen = program()
    if chosen is None:
        print("The program `alembert` is not there: it is left out.\n")
        return []
    name, command = chosen
    print(f"The program is {name}.\n")
    found = []
    for tol in TOLERANCES:
        steps, cold, process = program_fresh(command, tol)
        found.append({"tol": tol, "form": "the program", "steps": steps, "fresh": cold, "process": process})
        for row in rows:
            # Only ours have a clock inside.
            if (row["problem"], row.get("level")) == ("andrews", tol) and "inside" in row:
                cold, process = python_fresh(index_of("andrews", row["form"]), tol)
                known = {key: row[key] for key in ("form", "steps", "inside", "alone")}
                found.append({"tol": tol, **known, "fresh": cold, "process": process})
    return found


def program_table(found: Sequence[dict[str, Any]]) -> None:
    base = {row["tol"]: row["fresh"] for row in found if row["form"] == "the program"}
    listed = []
    for row in found:
        shown = [f"{row['tol']:.0e}", row["form"], row["steps"]]
        for key in ("fresh", "inside", "alone"):
            shown += [milliseconds(row.get(key)), f"{row[key] / base[row['tol']]:.3g}" if key in row else ""]
        listed.append([*shown, milliseconds(row["process"])])
    times = ["first integration, ms", "times", "integration again, ms", "times", "call of run again, ms", "times"]
    show(["rtol", "from", "steps", *times, "process, ms"], listed)


def import_times() -> dict[str, Any]:
    """Seconds of a process that imports nothing, NumPy, ours; and what ours has imported besides."""

    def least(code: str) -> float:
        run = functools.partial(subprocess.run, [sys.executable, "-c", code], check=True)
        return min(timed(run)[0] for _ in range(10))

    heavy = "[m for m in ('matplotlib', 'pandas', 'scipy', 'sympy', 'numba', 'casadi', 'xarray') if m in sys.modules]"
    told = subprocess.run(
        [sys.executable, "-c", f"import alembert, sys; print({heavy})"], check=True, capture_output=True, text=True
    )
    seconds = {"nothing": least("pass"), "numpy": least("import numpy"), "alembert": least("import alembert")}
    return {**seconds, "besides": ast.literal_eval(told.stdout)}


def show_imports(found: dict[str, Any]) -> None:
    extra = found["alembert"] - found["numpy"]
    print(
        f"`import alembert` takes {1e3 * extra:.0f} ms more than `import numpy` (processes of "
        f"{1e3 * found['alembert']:.0f} and {1e3 * found['numpy']:.0f} ms, {1e3 * found['nothing']:.0f} ms without "
        f"imports; fastest of ten); large packages among its imports: {', '.join(found['besides']) or 'only NumPy'}.\n"
    )


def versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for name in ("alembert", "numpy", "scipy", "numba", "scipy-dae", "scikit-sundae", "exudyn"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found
