"""Times of a solver on a problem, in a process of its own."""

from __future__ import annotations

import functools
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from equations import Array
from lines import user_lines
from others import Run
from variants import PROBLEMS, VARIANTS, Errors, Variant

REPEATS, ENOUGH = 3, 0.5


class Failed(Exception):
    """A run that did not come to its end."""


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    before = time.perf_counter()
    result = work()
    return time.perf_counter() - before, result


def begin(variant: Variant, level: float) -> tuple[Any, Run]:
    """The result of the whole call, and a function that integrates again."""
    made = variant.function(level, **dict(variant.options))
    if variant.tool != "alembert":
        return made(), made
    # A model file asks for many rows; everybody else has those of the steps at most.
    rows = {"output_every": PROBLEMS[variant.problem].t_end} if variant.file else {}
    return made, functools.partial(made.model.run, rtol=level, **rows)


def end_of(variant: Variant, result: Any) -> Array:
    """q at the end; raises if it was not reached."""
    problem = PROBLEMS[variant.problem]
    if variant.tool == "exudyn":
        return np.asarray(result)
    if not result.success:
        raise Failed(" ".join(str(result.message).split()))
    if variant.tool == "alembert":
        return problem.place(result.last) if variant.form == "bodies and joints" else np.asarray(result.last.q)
    last = result.y[-1] if variant.tool == "scikit-sundae" else result.y[:, -1]
    return np.asarray(last[: problem.size])


def is_short(times: Sequence[float]) -> bool:
    """Whether another repeat is needed."""
    return len(times) < REPEATS or sum(times) < ENOUGH


def measure(variant: Variant, level: float) -> dict[str, Any]:
    wholes: list[float] = []
    while is_short(wholes):
        seconds, (result, again) = timed(lambda: begin(variant, level))
        wholes.append(seconds)
    q = end_of(variant, result)
    if not np.all(np.isfinite(q)):
        raise Failed("the result is not finite")
    times: list[float] = []
    inside: list[float] = []
    while is_short(times):
        seconds, result = timed(again)
        times.append(seconds)
        if variant.tool == "alembert":
            inside.append(result.summary["wall_seconds"])
    row = {
        "whole": min(wholes),
        "alone": min(times),
        "q": q.tolist(),
        "residual": float(np.abs(PROBLEMS[variant.problem].constraints(0.0, q)).max()),
    }
    if variant.tool == "alembert":
        doubts = list(result.warnings)
        row.update(inside=min(inside), steps=result.stats["steps"], evaluations=result.nfev, warnings=doubts)
    return row


def say(**row: Any) -> None:
    print(json.dumps(row), flush=True)


def child(index: int) -> None:
    """All levels of a variant, one line each."""
    warnings.simplefilter("ignore")
    variant = VARIANTS[index]
    try:
        __import__(variant.needs)
        if "numba" in variant.form:
            __import__("numba")
    except ImportError as missing:
        say(missing=str(missing))
        return
    for level in variant.levels:
        try:
            say(level=level, **measure(variant, level))
        except Exception as error:
            # Whatever a tool raises at a problem belongs into the table.
            say(level=level, failure=f"{type(error).__name__}: {error}"[:300])


def fresh(index: int, level: float) -> None:
    """The first call of ours in a process: by the library's own clock, and by ours without imports."""
    import alembert  # noqa: F401

    seconds, solution = timed(lambda: VARIANTS[index].function(level))
    say(inside=solution.summary["wall_seconds"], whole=seconds)


def own_process(*words: str, limit: float | None) -> tuple[list[dict[str, Any]], str | None]:
    """The lines of a process of this folder, and what went wrong with it; a limit costs up to 50 ms."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as told:
        command = [sys.executable, str(pathlib.Path(__file__).resolve().parent), *words]
        try:
            code: int | None = subprocess.run(command, stdout=out, stderr=told, timeout=limit).returncode
        except subprocess.TimeoutExpired:
            code = None
        out.seek(0)
        told.seek(0)
        found = [json.loads(line) for line in out if line.startswith("{")]
        last = (told.read().strip().splitlines() or [""])[-1]
    if code is None:
        return found, f"did not finish in {limit} s"
    return found, f"the process ended with {code}: {last}" if code else None


def rows_of(index: int, variant: Variant, errors: Errors, limit: float) -> Iterator[dict[str, Any]]:
    lines = user_lines(variant)
    found, wrong = own_process("--child", str(index), limit=limit)
    known = {"problem": variant.problem, "tool": variant.tool, "form": variant.form, "lines": lines}
    for row in found:
        if "missing" in row:
            yield {**known, **row}
            return
        if "q" in row:
            row["error"] = errors.of(variant.problem, row.pop("q"))
        yield {**known, **row}
    for level in variant.levels[len(found) :]:
        yield {**known, "level": level, "failure": wrong or "no result"}


def fastest(rounds: Sequence[Sequence[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Each run with its least times; one that failed in any round has failed."""
    found = [dict(row) for row in rounds[0]]
    for others in rounds[1:]:
        for row, other in zip(found, others, strict=True):
            if "failure" in other:
                row["failure"] = other["failure"]
            for key in ("whole", "alone", "inside"):
                if key in row and key in other:
                    row[key] = min(row[key], other[key])
    return found
