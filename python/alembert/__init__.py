"""Motion of constrained mechanical systems: accurate, without drift, with every reaction force.

    >>> import numpy as np
    >>> import alembert as al
    >>> pendulum = al.System(
    ...     mass=1.0,
    ...     force=lambda t, q, v: [0.0, -9.81],
    ...     holonomic=lambda t, q: q[0]**2 + q[1]**2 - 1.0,
    ...     q=["x", "y"],
    ... )
    >>> sol = al.solve(pendulum, (0.0, 10.0), [1.0, 0.0], rtol=1e-8)
    >>> bool(abs(np.hypot(sol["x"], sol["y"]) - 1.0).max() < 1e-14)
    True

- :func:`load`, :class:`Model`: model files; :class:`Mechanism`: bodies, joints and forces
- :class:`System`, :func:`solve`: equations of your own, in SciPy's manner
- :class:`Solution`: what a run gave; :func:`open` reads one back
- :class:`AlembertError` and its kinds: what goes wrong, with fields
"""

from ._addresses import ctypes_signature, numba_signature
from ._alembert import __version__, formatted
from ._analyses import Certificate, Check, Comparison, Sweep
from ._columns import State
from ._errors import (
    AlembertError,
    CallbackWarning,
    IntegrationError,
    Mistake,
    ModelError,
    ResultWarning,
    UsageError,
)
from ._integrator import Integrator, Step
from ._mechanism import Mechanism
from ._methods import Method, methods
from ._model import Model, load, load_text
from ._page import Page, Picture
from ._solution import Event, Solution
from ._solution import open_folder as open
from ._solve import solve
from ._system import System
from ._trace import Untraceable

__all__ = [
    "AlembertError",
    "CallbackWarning",
    "Certificate",
    "Check",
    "Comparison",
    "Event",
    "IntegrationError",
    "Integrator",
    "Mechanism",
    "Method",
    "Mistake",
    "Model",
    "ModelError",
    "Page",
    "Picture",
    "ResultWarning",
    "Solution",
    "State",
    "Step",
    "Sweep",
    "System",
    "Untraceable",
    "UsageError",
    "__version__",
    "ctypes_signature",
    "formatted",
    "load",
    "load_text",
    "methods",
    "numba_signature",
    "open",
    "solve",
]
