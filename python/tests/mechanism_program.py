"""What the tests of mechanisms ask of the program: whether a text is a model, and what its run gives."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import numpy.typing as npt
from conftest import MODELS, PROJECT

import alembert as al

MECHANISMS = MODELS / "mechanisms"

__all__ = ["MECHANISMS", "PROJECT", "mistakes", "run_text"]


def mistakes(text: str) -> list[str]:
    """What is wrong with a text, each with its hint; nothing if it is a model with a start."""
    try:
        checked = al.Model(text).check()
    except al.ModelError as error:
        return [f"{mistake.message}\nhint: {mistake.hint or ''}" for mistake in error.mistakes]
    return [] if checked.good else [line for line in str(checked).splitlines() if line.startswith("start: none")]


def run_text(text: str, folder: Path | None = None) -> dict[str, npt.NDArray[np.float64]]:
    """The columns of a run of a model."""
    with warnings.catch_warnings():
        # Some models of the project are told to be doubtful, which is no matter here.
        warnings.simplefilter("ignore", al.ResultWarning)
        solution = al.Model(text, folder=folder).run(dense=False)
    assert solution.success, solution.message
    return {name: solution[name] for name in solution.names}
