"""Functions written with NumPy become formulas of model files.

A function is called once with symbolic numbers, and what it does with them is recorded as a graph of operations, from
which formulas are printed. Nothing of Python is left for the integration, and derivatives are exact.

- ``graph.py``: operations, each once; ``values.py``: what they come to; ``node.py``: symbolic numbers and conditions
- ``functions.py``, ``arrays.py``, ``array_functions.py``: NumPy's functions of them
- ``patches.py``, ``reachable.py``: what stands in for functions that need floats
- ``record.py``: the call; ``printing.py``: the formulas; ``refusal.py``: what cannot be traced
"""

# Imported for the functions that it declares, before anything stands in the places of NumPy's.
from . import array_functions as _array_functions  # noqa: F401
from .graph import Graph
from .node import Condition, Node
from .printing import Printer
from .record import compare, numbers_of, record
from .refusal import Untraceable

__all__ = ["Condition", "Graph", "Node", "Printer", "Untraceable", "compare", "numbers_of", "record"]
