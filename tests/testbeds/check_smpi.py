#!/usr/bin/python3
"""Checks that a calibration under SMPI recovered the platform's LMO parameters.

    check_smpi.py model.json truth.json [--tolerance 0.001] [--root-bound RANK] [--most-rounds N]

The envelope counts as latency: the true L is the platform's L + 16*inverse_beta.
With --root-bound that rank is too slow for differenced one-to-twos with any peer: the model must warn
about it. With --most-rounds a pass may have taken that many rounds.
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
    parser.add_argument("--root-bound", type=int, metavar="RANK")
    parser.add_argument("--most-rounds", type=int, metavar="N")
    args = parser.parse_args()

    document = model_file.load(args.model)
    truth = model_file.load(args.truth)
    worst = worst_errors(model_file.model(document, "lmo"), truth, list(range(len(truth["C"]))))

    lines = ["parameter     worst error at       fitted         true"]
    wrong = []
    for name, (error, where, fitted, true) in worst.items():
        shown = "null" if fitted is None else f"{fitted:.6g}"
        lines.append(f"{name:<13} {error:10.4%}  {where:<8} {shown:<14} {true:.6g}")
        if fitted is None:
            wrong.append(f"{name}{where} has no value")
        elif error > args.tolerance:
            wrong.append(f"{name}{where} is off by {error:.3%}, more than {args.tolerance:.3%}")
    lom = document["models"].get("lom")
    if lom:
        lines.append(f"residual      lmo {document['models']['lmo']['residual']:.2e}, "
                     f"lom {lom['residual']:.2e}")
    if document["ranking"] and document["preferred"] != "lmo":
        wrong.append(f"the file prefers {document['preferred']}")
    if args.root_bound is not None and not warned_about(document, args.root_bound):
        wrong.append(f"no warning about rank {args.root_bound}")
    launch = document["launches"][0]
    rounds = launch["rounds"] / launch["passes"]
    lines.append(f"rounds        {rounds:g} a pass")
    if args.most_rounds is not None and rounds > args.most_rounds:
        wrong.append(f"{rounds:g} rounds a pass, more than {args.most_rounds}")
    model_file.report(lines, wrong)


if __name__ == "__main__":
    main()
