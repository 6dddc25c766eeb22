"""Pictures of models and measurements, as matplotlib figures; needs matplotlib.

    >>> from commgauge import load, plots
    >>> plots.times(load("model.json"), src=0, dst=3).savefig("times.svg")

Times and intervals are the library's. Nothing opens a window, and pyplot's state stays untouched.
"""

from ._explanation import explanation
from ._inputs import Inputs, read
from ._masters import tasks
from ._matrices import matrices
from ._models import models
from ._overhead import overhead
from ._ranks import ranks
from ._style import check_name, save
from ._sweep import Analysis, analyse, sweep
from ._timeline import timeline
from ._times import times
from ._what_if import what_if

__all__ = [
    "Analysis",
    "Inputs",
    "analyse",
    "check_name",
    "explanation",
    "matrices",
    "models",
    "overhead",
    "ranks",
    "read",
    "save",
    "sweep",
    "tasks",
    "timeline",
    "times",
    "what_if",
]
