"""The program ``alembert``, which comes with the package."""

from __future__ import annotations

import sys

from . import _alembert


def main() -> None:
    """Does what the command line asks for, and ends with the program's exit code."""
    sys.exit(_alembert.program(["alembert", *sys.argv[1:]]))
