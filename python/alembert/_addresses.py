"""Functions that are compiled already: numba, ctypes, SciPy's LowLevelCallable. They run without Python's lock.

All of them have one signature::

    void f(double t, const double *q, const double *v, const double *a, const double *mu, double *out)

``mu`` are the multipliers, holonomic ones first; ``out`` is to be filled and is zero before, matrices row by row. What a quantity does
not depend on must not be read: ``a`` is there for ``mass_q``, ``mu`` for ``reaction`` and its derivatives.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

#: What functions of ctypes are.
_CFuncPtr: Any = ctypes.CFUNCTYPE(None).__mro__[1]
#: The signature for ctypes.
Signature = ctypes.CFUNCTYPE(None, ctypes.c_double, *[ctypes.POINTER(ctypes.c_double)] * 5)


def ctypes_signature() -> Any:
    """The signature for ctypes: ``al.ctypes_signature()(function)``, or the type of a function of a library."""
    return Signature


def numba_signature() -> Any:
    """The signature for ``numba.cfunc``.

    ::

        @numba.cfunc(al.numba_signature())
        def force(t, q, v, a, mu, out):
            out[1] = -9.81
    """
    from numba import types

    numbers = types.CPointer(types.float64)  # type: ignore[no-untyped-call, unused-ignore]
    return types.void(types.float64, numbers, numbers, numbers, numbers, numbers)


def address(function: Any) -> int | None:
    """The address of a compiled function; nothing if it is not one."""
    if type(function).__name__ == "LowLevelCallable":
        return _of_scipy(function)
    found = getattr(function, "address", None)
    if isinstance(found, int):
        return found
    if isinstance(function, _CFuncPtr):
        return ctypes.cast(function, ctypes.c_void_p).value
    return None


def _of_scipy(function: Any) -> int | None:
    inside = function.function
    if isinstance(inside, _CFuncPtr):
        return ctypes.cast(inside, ctypes.c_void_p).value
    named, pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    named.restype, named.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    found: int | None = pointer(inside, named(inside))
    return found


def compiled(place: int) -> Callable[[Mapping[str, Any], Any], Any]:
    """The function at an address, to be called from Python: it takes arguments by name and fills an array."""
    function = Signature(place)

    def call(values: Mapping[str, Any], out: Any) -> Any:
        parts = [values.get(name, ()) for name in ("q", "v", "a")]
        multipliers = [np.ravel(values.get(name, ())) for name in ("lam", "psi")]
        arrays = [np.ascontiguousarray(part, dtype=float) for part in (*parts, np.concatenate(multipliers))]
        pointers = [array.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for array in (*arrays, out)]
        function(values["t"], *pointers)
        return out

    return call
