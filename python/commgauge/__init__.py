"""What commgauge measured of a machine, in Python.

Loads model, measurement and threshold files, predicts times of messages and collectives for whole
arrays of sizes and ranks, replays recorded programs, tells what would help them and how long they
would take on other machines, runs tasks of masters and workers, and compares models. Formulas and
checks are those of commgauge's library: a prediction is the one that ``estimate-model predict``
prints.

    >>> import commgauge
    >>> machine = commgauge.load("model.json")
    >>> machine.model().predict("p2p", ["1KiB", "64KiB"], src=0, dst=3).time

Times are in seconds, sizes in bytes, gaps in seconds per byte; what intervals hold,
`ModelFile.interval_meaning` says in words. What is wrong with a file or an argument raises
`InputError`, a `ValueError`.
"""

from ._commgauge import Error, FitError, InputError, parse_size
from ._classes import Classes, Deviation, RankKind
from ._explanations import (
    BOUNDS,
    Answer,
    Balance,
    CriticalPath,
    DominoPath,
    DominoStep,
    Efficiency,
    Explanation,
    PathMessage,
    PathPart,
    PathStep,
    RegionEfficiency,
    explain,
)
from ._fabric import Fabric, HostGroup
from ._files import (
    Comparison,
    Diagnostic,
    Measurements,
    ModelFile,
    Sweep,
    Threshold,
    Thresholds,
    compare,
    load,
    load_measurements,
    load_sweeps,
    load_thresholds,
)
from ._predictions import (
    MasterWorker,
    Model,
    Parameter,
    Prediction,
    PredictionWarning,
)
from ._replay import DOINGS, Messages, RankTimes, Replay, Stretches, replay
from ._what_if import QUANTITIES, Change, Changed, Curve, Tolerance, WhatIf, what_if
from ._tasks import (
    BestProcesses,
    Doubtful,
    TaskPlan,
    TaskPrediction,
    TaskTimes,
    equal_tasks,
    load_tasks,
    plan_tasks,
    tasks_from,
)

__all__ = [
    "BOUNDS",
    "DOINGS",
    "QUANTITIES",
    "Answer",
    "Balance",
    "Change",
    "Changed",
    "BestProcesses",
    "Classes",
    "Comparison",
    "CriticalPath",
    "Curve",
    "Deviation",
    "Diagnostic",
    "DominoPath",
    "DominoStep",
    "Efficiency",
    "Doubtful",
    "Error",
    "Explanation",
    "Fabric",
    "FitError",
    "HostGroup",
    "InputError",
    "MasterWorker",
    "Measurements",
    "Messages",
    "Model",
    "ModelFile",
    "Parameter",
    "PathMessage",
    "PathPart",
    "PathStep",
    "Prediction",
    "PredictionWarning",
    "RankKind",
    "RankTimes",
    "RegionEfficiency",
    "Replay",
    "Stretches",
    "Sweep",
    "TaskPlan",
    "TaskPrediction",
    "TaskTimes",
    "Threshold",
    "Thresholds",
    "Tolerance",
    "WhatIf",
    "compare",
    "explain",
    "equal_tasks",
    "load",
    "load_measurements",
    "load_sweeps",
    "load_tasks",
    "load_thresholds",
    "parse_size",
    "plan_tasks",
    "replay",
    "what_if",
    "tasks_from",
]
