"""Names for the types of what a mechanism takes: numbers, formulas, places.

Signatures are made of these names. They say what type checkers should allow; what is really given is looked at in
:mod:`alembert._mechanism.shapes`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, SupportsFloat

import numpy.typing as npt

from .columns import Marker
from .handles import Body, Ground, Joint

Array = npt.NDArray[Any]

#: A number, or a formula of parameters: ``0.5``, ``"l/2"``.
Value = str | SupportsFloat
#: Several of them.
Values = Sequence[Value] | Array
#: A formula of everything, or a function of Python that computes one: ``"10*sin(t)"``, ``lambda t: 10*np.sin(t)``.
Formula = Value | Callable[..., Any]
#: Components as formulas, or a function that returns all of them.
Formulas = Sequence[Formula] | Callable[..., Any] | Array
#: An axis by its letter or components, or a formula that is a triple.
Vector = str | Values
#: An end of a joint or of a force: a body, a point of it, the ground.
End = str | Body | Ground | Marker
#: A joint, by itself or by its name.
JointName = str | Joint
#: A body, by itself or by its name.
BodyName = str | Body
#: Where something is drawn: components, a formula, or a place on a body.
Place = str | Values | Body | Ground | Marker
#: Knots and values of tables: numbers, rows of numbers, or the name of a column.
Rows = str | Sequence[Any] | Array
