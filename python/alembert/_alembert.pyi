"""The compiled module: numbers as arrays, everything else as JSON."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

__all__ = [
    "Functions",
    "Integrator",
    "Model",
    "Motion",
    "__version__",
    "citation",
    "compare",
    "formatted",
    "methods",
    "picture",
    "program",
    "read",
    "report",
    "report_certificate",
    "save",
    "sweep",
]

__version__: str

_Array = npt.NDArray[np.float64]
_Table = tuple[Sequence[str], _Array]
_Progress = Callable[[float], object] | None

@final
class Functions:
    def __new__(cls) -> Functions: ...
    def size(self, q: int, v: int, holonomic: int, nonholonomic: int, along: int) -> None: ...
    def quantity(self, name: str, function: Callable[..., object] | tuple[int, object] | npt.NDArray[np.float64]) -> None: ...
    def event(self, name: str, function: Callable[..., object] | tuple[int, object]) -> None: ...
    def has_equations(self) -> bool: ...
    def copy(self) -> Functions: ...
    @staticmethod
    def quantities() -> list[str]: ...

@final
class Model:
    def __new__(
        cls,
        name: str,
        text: str,
        settings: Sequence[tuple[str, str]],
        folder: str | os.PathLike[str] | None = None,
        files: Mapping[str, bytes] | None = None,
        functions: Functions | None = None,
    ) -> Model: ...
    def facts(self) -> str: ...
    def files(self) -> dict[str, bytes]: ...
    def has_functions(self) -> bool: ...
    def check(self) -> tuple[str, str]: ...
    def consistent(self) -> tuple[_Array, list[str], str]: ...
    def dynamics(self, t: float, q: _Array, v: _Array, states: _Array) -> _Array: ...
    def run(
        self, options: str, dense: bool, progress: _Progress = None
    ) -> tuple[
        _Array,
        tuple[list[str], _Array],
        str,
        str,
        list[tuple[int, float, bool, str, list[float], list[float]]],
        Motion | None,
    ]: ...
    def verify(self, options: str, progress: _Progress = None) -> tuple[str, str, bool]: ...

@final
class Motion:
    def at(self, times: _Array, before: bool) -> _Array: ...
    def range(self) -> tuple[float, float]: ...

@final
class Integrator:
    def __new__(cls, model: Model, options: str) -> Integrator: ...
    def step(self, t_end: float | None = None) -> tuple[float, list[str]] | None: ...
    def numbers(self) -> _Array: ...
    def set(self, name: str, value: float) -> None: ...
    def t_end(self) -> float: ...

def program(arguments: Sequence[str]) -> int: ...
def formatted(text: str) -> str | None: ...
def methods() -> str: ...
def sweep(
    name: str,
    text: str,
    settings: Sequence[tuple[str, str]],
    folder: str | os.PathLike[str] | None,
    files: Mapping[str, bytes] | None,
    axes: Sequence[tuple[str, Sequence[str]]],
    options: str,
    jobs: int,
    progress: _Progress = None,
) -> tuple[list[str], _Array, list[tuple[str, int, float | None, list[str]]]]: ...
def compare(
    model: Model, name: str, chosen: Sequence[str], options: str, repeats: int, progress: _Progress = None
) -> tuple[str, str, str, bytes]: ...
def report(model: Model | None, summary: str, rows: _Table, steps: _Table) -> bytes: ...
def report_certificate(found: str) -> bytes: ...
def picture(
    model: Model,
    rows: _Table,
    *,
    moves: bool,
    png: bool,
    count: int = 6,
    overlay: bool = False,
    width: int = 640,
    arrows: bool = True,
) -> bytes: ...
def save(folder: str | os.PathLike[str], summary: str, rows: _Table, steps: _Table, force: bool) -> None: ...
def read(folder: str | os.PathLike[str]) -> tuple[str, tuple[list[str], _Array], tuple[list[str], _Array]]: ...
def citation(method: str, steps: str) -> str: ...
