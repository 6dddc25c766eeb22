"""Reads what the checks of the test beds need from a model file."""

import json
import pathlib
import sys

Matrix = list[list[float | None]]


def full_matrix(parameter: dict, field: str) -> Matrix:
    """n x n; a symmetric matrix may leave out what is below its diagonal."""
    rows = parameter[field]
    n = len(rows)
    if not parameter.get("symmetric") or all(len(row) == n for row in rows):
        return rows
    return [[rows[min(i, j)][max(i, j) - min(i, j)] for j in range(n)] for i in range(n)]


def load(path: pathlib.Path) -> dict:
    return json.loads(path.read_text())


def model(document: dict, name: str) -> dict:
    models = document["models"]
    if name not in models or models[name] is None:
        sys.exit(f"no model {name} in the file: it has {', '.join(models) or 'none'}")
    return models[name]


def report(lines: list[str], wrong: list[str]) -> None:
    """Prints the table, then what is wrong; exit code 1 if anything is."""
    print("\n".join(lines))
    for line in wrong:
        print(f"WRONG: {line}")
    sys.exit(1 if wrong else 0)
