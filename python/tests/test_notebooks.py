"""The notebooks of the documentation run from top to bottom, and show what they tell of."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import PROJECT

NOTEBOOKS = PROJECT / "docs" / "python"

#: Runs a notebook in a program of its own, whose threads and sockets end with it.
_RUN = """
import sys
import nbformat
from nbclient import NotebookClient

source, target = sys.argv[1:]
notebook = nbformat.read(source, as_version=4)
NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
nbformat.write(notebook, target)
"""


def read(path: Path) -> Any:
    """A notebook as nested tables."""
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


class Executed:
    """A notebook with the outputs of its cells."""

    def __init__(self, notebook: Any) -> None:
        self.outputs: list[Any] = [output for cell in notebook.cells for output in cell.get("outputs", ())]

    def printed_as(self, name: str) -> str:
        """Everything that was written to a stream."""
        return "".join(one.text for one in self.outputs if one.output_type == "stream" and one.name == name)

    @property
    def printed(self) -> str:
        """Everything that was printed."""
        return self.printed_as("stdout")

    def shown(self, kind: str) -> list[str]:
        """What was displayed in one of the formats."""
        return [one.data[kind] for one in self.outputs if kind in one.get("data", {})]

    def number(self, pattern: str) -> float:
        """The number in what was printed, where the pattern has a group."""
        found = re.search(pattern, self.printed)
        assert found, f"{pattern} is not in\n{self.printed}"
        return float(found[1])


def execute(name: str, folder: Path) -> Executed:
    """Runs a notebook in a folder, and says what it did there."""
    target = folder / name
    program = [sys.executable, "-c", _RUN, str(NOTEBOOKS / name), str(target)]
    # A notebook draws its figures itself, where nobody says otherwise.
    environment = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    done = subprocess.run(program, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = Executed(read(target))
    assert not [one for one in found.outputs if one.output_type == "error"]
    # Warnings of the package would be there.
    assert "Warning" not in found.printed_as("stderr")
    return found


def has_a_page(shown: list[str]) -> bool:
    """Whether a report is shown, in a frame that keeps to itself and needs no network."""
    pages = [text for text in shown if '<iframe sandbox="allow-scripts"' in text]
    return bool(pages) and not any(re.search(r'(?:src|href)=(?:&quot;|")https?:', text) for text in pages)


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.name)
def test_notebooks_are_stored_without_outputs(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert cell.cell_type == "markdown" or (cell.outputs == [] and cell.execution_count is None)
    assert path.stat().st_size < 20_000


def test_the_pendulum(tmp_path: Path) -> None:
    found = execute("pendulum.ipynb", tmp_path)
    assert found.number(r"largest pull: ([\d.]+) N") == pytest.approx(3 * 9.81, rel=1e-4)
    assert found.number(r"alembert (\S+) m") < 1e-13 < 1e-6 < found.number(r"solve_ivp (\S+) m")
    assert found.number(r"period ([\d.]+) s") == pytest.approx(found.number(r"exact ([\d.]+) s"), abs=1e-8)
    tables = found.shown("text/html")
    assert any("pendulum from the horizontal: reached t = 10" in text and "largest residual" in text for text in tables)
    assert has_a_page(tables) and len(found.shown("image/png")) == 2


def test_the_four_bar(tmp_path: Path) -> None:
    found = execute("four_bar.ipynb", tmp_path)
    assert "1 degree of freedom" in found.printed and "<Mechanism 'four-bar'" in "".join(found.shown("text/plain"))
    # Rows are 5 ms apart, and the result of the run sees all between them.
    peak = found.number(r"the result of the run: ([\d.]+) N")
    assert 0.98 * peak < found.number(r"pin B carries ([\d.]+) N") <= peak + 0.01
    assert "\ntrusted\n" in found.printed
    tables = found.shown("text/html")
    assert has_a_page(tables) and any("<table" in text and "drive" in text for text in tables)
    assert any("<svg" in text for text in found.shown("image/svg+xml")) and len(found.shown("image/png")) == 2
    assert (tmp_path / "four_bar.toml").read_text(encoding="utf-8") in found.printed
