"""One call from a system to its motion, in the manner of ``scipy.integrate.solve_ivp``."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._callbacks import model_of
from ._errors import UsageError
from ._mechanism import Mechanism
from ._model import Model
from ._progress import Progress
from ._solution import Solution
from ._system import System


def solve(
    system: System | Model | Mechanism,
    t_span: tuple[float, float],
    q0: npt.ArrayLike | None = None,
    v0: npt.ArrayLike | None = None,
    method: str | None = None,
    t_eval: npt.ArrayLike | None = None,
    dense_output: bool = True,
    events: Any = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    h: float | None = None,
    max_step: float | None = None,
    progress: Progress = False,
    **options: Any,
) -> Solution:
    """The motion of a system over a span of time.

    >>> import numpy as np
    >>> import alembert as al
    >>> bead = al.System(
    ...     mass=2.0,
    ...     force=lambda t, q, v: [0.0, 0.0, -2.0 * 9.81],
    ...     holonomic=lambda t, q: q[2] - 0.5 * (q[0] ** 2 + q[1] ** 2),
    ...     q=["x", "y", "z"],
    ... )
    >>> sol = al.solve(bead, (0, 3), [1, 0, 0.499], [0, 2, 0], t_eval=np.linspace(0, 3, 31))
    >>> sol.q.shape, sol.lam.shape
    ((3, 31), (1, 31))

    Args:
        system: equations of your own; a model or a mechanism, which knows its start.
        t_span: beginning and end.
        q0, v0: coordinates and velocities at the beginning; velocities are zero if omitted. A start off the constraints is moved to
            the closest one on them.
        method: ``"radau"`` (which is the default), ``"bdf"``, ``"soi2"`` or ``"hht"``; names of SciPy's methods for stiff problems
            mean ours.
        t_eval: times of the rows; without them there is a row after each step. Rows on both sides of events that change the motion
            are always there.
        dense_output: whether ``sol(t)`` is the state at any time.
        events: one or several: functions of ``(t, q, v)`` with SciPy's attributes ``terminal`` and ``direction``.
        rtol, atol: errors meet these tolerances; ``rtol`` is 1e-6 if omitted, ``atol`` follows from the sizes of the variables.
        h: steps of this size instead.
        max_step: the longest step.
        options: further ones of :meth:`Model.run`.
    """
    t0, t1 = (float(t) for t in t_span)
    if not (np.isfinite(t0) and np.isfinite(t1) and t0 < t1):
        raise UsageError(f"t_span must go forward in time, not from {t0} to {t1}", parameter="t_span")
    if max_step is not None and "h_max" in options:
        raise UsageError("both max_step and h_max are given, which are the same", parameter="h_max")
    options.setdefault("h_max", max_step)
    chosen = None if method is None else {"Radau": "radau", "BDF": "bdf"}.get(method, method)
    if not isinstance(system, (System, Model, Mechanism)):
        raise UsageError(
            f"the first argument is a System, a Model or a Mechanism, not {type(system).__name__}",
            hint="write System(mass=…, force=lambda t, q, v: …), with q'' = force/mass",
            parameter="system",
        )
    if isinstance(system, System):
        if q0 is None:
            raise UsageError("a system needs its coordinates at the beginning", hint="give q0", parameter="q0")
        model = model_of(system, q0, v0, (t0, t1))
    else:
        if q0 is not None or v0 is not None:
            raise UsageError(
                "a model knows where it starts", hint="use model.with_(initial={...}) for another start", parameter="q0"
            )
        model = system.model() if isinstance(system, Mechanism) else system
        if model._facts["t_start"] != t0:
            raise UsageError(
                f"the model starts at t = {model._facts['t_start']}, not at {t0}", parameter="t_span"
            )
    return model.run(
        t1, rtol=rtol, atol=atol, h=h, method=chosen, t_eval=t_eval, events=events, dense=dense_output,
        progress=progress, **options,
    )  # fmt: skip
