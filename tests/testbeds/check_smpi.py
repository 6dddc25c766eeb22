#!/usr/bin/python3
"""Checks that a calibration under SMPI recovered the platform's LMO parameters.

    check_smpi.py model.json truth.json [--tolerance 0.001] [--unreliable RANK]

The envelope counts as latency: the true L is the platform's L + 16*inverse_beta.
With --unreliable the machine breaks the assumption of differenced one-to-twos for that rank: the
model must warn about it, and everything that does not involve that rank must still be right.
"""

import argparse
import itertools
import pathlib
import re

import model_file


def effective_latency(truth: dict) -> model_file.Matrix:
    envelope = truth["envelope_bytes"]
    return [[None if L is None else L + envelope * gap for L, gap in zip(*rows)]
            for rows in zip(truth["L"], truth["inverse_beta"])]


def comparisons(lmo: dict, truth: dict, ranks: list[int]):
    """(parameter, where, fitted, true) of everything that these ranks have."""
    for name in ("C", "t"):
        for i in ranks:
            yield name, f"[{i}]", lmo[name]["value"][i], truth[name][i]
    for name, true in (("L", effective_latency(truth)), ("inverse_beta", truth["inverse_beta"])):
        fitted = model_file.full_matrix(lmo[name], "value")
        for i, j in itertools.permutations(ranks, 2):
            yield name, f"[{i}][{j}]", fitted[i][j], true[i][j]


def worst_errors(lmo: dict, truth: dict, ranks: list[int]) -> dict[str, tuple]:
    """For each parameter the largest relative error, where it is, fitted and true value."""
    worst: dict[str, tuple] = {}
    for name, where, fitted, true in comparisons(lmo, truth, ranks):
        error = float("inf") if fitted is None else abs(fitted - true) / true
        if name not in worst or error > worst[name][0]:
            worst[name] = (error, where, fitted, true)
    return worst


def warned_about(document: dict, rank: int) -> bool:
    warnings = document["models"]["lmo"].get("warnings", []) + document.get("warnings", [])
    return any(re.search(rf"\brank {rank}\b|\[{rank}\]", text) for text in warnings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("truth", type=pathlib.Path)
    parser.add_argument("--tolerance", type=float, default=0.001)
    parser.add_argument("--unreliable", type=int, metavar="RANK")
    args = parser.parse_args()

    document = model_file.load(args.model)
    truth = model_file.load(args.truth)
    ranks = [i for i in range(len(truth["C"])) if i != args.unreliable]
    worst = worst_errors(model_file.model(document, "lmo"), truth, ranks)

    lines = ["parameter     worst error at       fitted         true"]
    wrong = []
    for name, (error, where, fitted, true) in worst.items():
        shown = "null" if fitted is None else f"{fitted:.6g}"
        lines.append(f"{name:<13} {error:10.4%}  {where:<8} {shown:<14} {true:.6g}")
        if fitted is None:
            wrong.append(f"{name}{where} has no value")
        elif error > args.tolerance:
            wrong.append(f"{name}{where} is off by {error:.3%}, more than {args.tolerance:.3%}")
    if args.unreliable is not None and not warned_about(document, args.unreliable):
        wrong.append(f"no warning about rank {args.unreliable}")
    model_file.report(lines, wrong)


if __name__ == "__main__":
    main()
