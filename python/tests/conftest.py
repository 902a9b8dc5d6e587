"""What the tests share: models, and where those of the project are."""

from __future__ import annotations

import os
import pathlib

import pytest

import alembert as al

#: The models of the project; tests run from another folder, and are told where it is.
PROJECT = pathlib.Path(os.environ.get("ALEMBERT_PROJECT", pathlib.Path(__file__).parents[2]))
MODELS = PROJECT / "models"

PENDULUM = """
format = 1
name = "pendulum"
[variables]
coordinates = ["x", "y"]
[equations]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
holonomic = ["x^2 + y^2 - 1"]
[initial]
x = 1
y = 0
[run]
t_end = 2
"""

OSCILLATOR = """
format = 1
name = "oscillator"
[parameters]
k = 4.0
[variables]
coordinates = ["x"]
[equations]
mass = [1]
force = ["-k*x"]
[initial]
x = 1
[run]
t_end = 2
"""


@pytest.fixture
def pendulum() -> al.Model:
    return al.Model(PENDULUM)


@pytest.fixture
def oscillator() -> al.Model:
    return al.Model(OSCILLATOR)
