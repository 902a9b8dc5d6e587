"""Mechanisms built in Python: ``Mechanism``, and what its methods return.

- ``builder.py``: the class; ``core.py``: names, references and entries; ``sections.py``: parameters and their like
- ``handles.py``, ``columns.py``: bodies, joints, and the names of their results
- ``shapes.py``, ``values.py``, ``formulas.py``, ``telling.py``: what values may be, and what is said where they are not
- written by ``python/tools/generate_mechanism.py``: ``joints.py``, ``points.py``, ``directions.py``, ``couplings.py``,
  ``forces.py``, ``bodies.py``, ``outputs.py``, ``settings.py`` have the methods, ``keys.py`` and ``tables.py`` the shapes
"""

from .builder import Mechanism
from .columns import Column, Marker
from .handles import Body, Coupling, Driver, Force, Ground, Joint

__all__ = ["Body", "Column", "Coupling", "Driver", "Force", "Ground", "Joint", "Marker", "Mechanism"]
