"""Which file is which, for pictures that need several."""

from __future__ import annotations

import csv
import pathlib
import re
from dataclasses import dataclass
from typing import Iterable

import numpy as np
from numpy.typing import NDArray

from .._commgauge import InputError
from .._files import Measurements, ModelFile, load, load_measurements

_VALIDATION = ("operation", "model", "from", "to", "size_bytes", "measured_s", "predicted_s")


@dataclass
class Inputs:
    """Files by what they hold; None for what was not given."""

    model: ModelFile | None = None
    measurements: Measurements | None = None
    sweeps: str | None = None
    """A path: the CSV of ``thresholds measure --sweep``."""
    thresholds: str | None = None
    """A path: what was found in those sweeps, or in the measurements."""
    validation: dict[str, NDArray] | None = None
    """Columns of the CSV of ``estimate-model validate``, as `ModelFile.checks`, and `disagreement`:
    how far two validations differ, NaN where nothing was measured twice."""
    trace: str | None = None
    """A path: the archive of ``record`` or ``emulate --record``."""
    tasks: str | None = None
    """A path: the CSV of tasks' times."""


def read(paths: Iterable[str]) -> Inputs:
    """Reads and checks files in any order. Raises `InputError` for two of one kind, or another."""
    result = Inputs()
    for path in paths:
        kind = _kind_of(path)
        if getattr(result, kind) is not None:
            raise InputError(f"{path}: a second file with {_WORDS[kind]} (one is drawn): give one")
        setattr(result, kind, _LOADERS[kind](path))
    return result


_WORDS = {
    "model": "a model",
    "measurements": "measurements",
    "sweeps": "sweeps",
    "thresholds": "thresholds",
    "validation": "validated times",
    "trace": "a trace",
    "tasks": "times of tasks",
}


def _kind_of(path: str) -> str:
    if pathlib.Path(path).is_dir() or pathlib.Path(path).suffix == ".otf2":
        return "trace"
    start = _start_of(path)
    if start.lstrip("\ufeff \t\r\n").startswith("{"):
        found = re.search(r'"schema"\s*:\s*"commgauge\.(\w+)/', start)
        schema = found.group(1) if found else "model"
        if schema in ("model", "measurements", "thresholds"):
            return schema
        raise InputError(
            f'{path}: schema: is "commgauge.{schema}" (pictures are drawn of models and '
            "measurements): give such a file"
        )
    lines = [line for line in start.splitlines() if line.strip() and not line.startswith("#")]
    names = [name.strip() for name in lines[0].lstrip("\ufeff").split(",")] if lines else []
    if names[:1] == ["i1"]:
        return "tasks"
    return "validation" if "measured_s" in names else "sweeps"


def _start_of(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(8192).decode("utf-8", "replace")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its name has a null character"
        raise InputError(f"cannot read {path} ({reason}): give a file that can be read") from error


def _validation(path: str) -> dict[str, NDArray]:
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        reader = csv.DictReader(file)
        missing = [name for name in _VALIDATION if name not in (reader.fieldnames or ())]
        if missing:
            raise InputError(
                f"{path}: line 1: no column {missing[0]} (estimate-model validate -o writes it): "
                "give such a file"
            )
        rows = [_row(path, reader.line_num, row) for row in reader]
    names = (*_VALIDATION, "disagreement")
    columns = zip(*rows) if rows else [[] for _ in names]
    return {name: np.array(column) for name, column in zip(names, columns)}


def _row(path: str, line: int, row: dict[str, str]) -> tuple:
    try:
        times = float(row["measured_s"]), float(row["predicted_s"])
        if not np.all(np.isfinite(times)):
            raise ValueError
        ranks = int(row["from"]), int(row["to"]) if row["to"] else -1
        differ = float(row.get("disagreement") or "nan")  # files of older versions have none
        return (row["operation"], row["model"], *ranks, int(row["size_bytes"]), *times, differ)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{path}: line {line}: not a row of validated times (a number is missing or none): "
            "write the file again with estimate-model validate"
        ) from error


_LOADERS = {
    "model": load,
    "measurements": load_measurements,
    "sweeps": str,
    "thresholds": str,
    "validation": _validation,
    "trace": str,
    "tasks": str,
}
