#!/usr/bin/python3
"""MPI reads exported rules for collectives and changes its algorithm at the exported sizes.

    export_rules.py openmpi|mpich ESTIMATE_MODEL DIRECTORY

Exports the model of an imaginary machine of 6 or 8 ranks, whose trees are faster for small messages, and
counts the messages of rank 0, the root, at the last size of each range and at the next one: 5 or 7 of a flat
algorithm, 3 of a binomial tree, and as many as without rules where there is none, within the file's sizes
(a broadcast of six ranks by Open MPI) and above. The same of MPI_DOUBLE, which shows what the library counts, bytes or items,
and with MPI_IN_PLACE at a scatter's root. Without the rules the library must do otherwise, or the test would
show nothing. Open MPI's messages are counted by its own monitoring, MPICH's before UCX.
Exit code 77: that MPI is missing.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
import synthetic  # noqa: E402

BINOMIAL = 3  # messages at the root, of 6 or 8 ranks
OPERATIONS = ("scatter", "gather", "bcast")
VARIANTS = {"scatter": ("", "-double", "-in-place"), "gather": ("", "-double"),
            "bcast": ("", "-double")}
DOUBLE_BYTES = 8
TIME_LIMIT_S = 60


def run(command: list, **more) -> str:
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, check=False,
                          capture_output=True, text=True, timeout=TIME_LIMIT_S, **more)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def rules_of_openmpi(text: str, for_ranks: int) -> dict[str, list[tuple[int, int]]]:
    """(first size as Open MPI counts it, algorithm) of each operation's rules for so many ranks."""
    numbers = iter(int(word) for word in re.sub("#.*", "", text).split())
    rules = {}
    for _ in range(next(numbers)):
        operation = {15: "scatter", 9: "gather", 7: "bcast"}[next(numbers)]
        for _ in range(next(numbers)):
            ranks = next(numbers)
            found = []
            for _ in range(next(numbers)):
                size, algorithm, _, _ = (next(numbers) for _ in range(4))
                found.append((size, algorithm))
            if ranks == for_ranks:
                rules[operation] = found
    return rules


class OpenMpi:
    name = "Open MPI"
    compiler, launcher = "mpicxx.openmpi", "mpiexec.openmpi"
    counts_items: tuple[str, ...] = ()
    ranks = 6  # takes what is compared at many sizes, and a binary tree at some

    def __init__(self, directory: pathlib.Path, program: pathlib.Path):
        self.directory, self.program = directory, program

    def ranges(self, text: str):
        """(operation, first block, last block, messages at the root; None: its own choice)"""
        for operation, rules in rules_of_openmpi(text, self.ranks).items():
            factor = 1 if operation == "bcast" else self.ranks
            for (first, algorithm), (after, _) in zip(rules, [*rules[1:], (4 * rules[-1][0], 0)]):
                messages = {0: None, 1: self.ranks - 1}.get(algorithm, BINOMIAL)
                yield operation, first // factor, after // factor - 1, messages

    def count(self, operation: str, sizes: list[int], rules: pathlib.Path | None) -> list[int]:
        return [self.count_one(operation, size, rules) for size in sizes]

    def count_one(self, operation: str, size: int, rules: pathlib.Path | None) -> int:
        settings = {"pml": "^ucx,cm", "pml_monitoring_enable": 2,
                    "pml_monitoring_enable_output": 3,
                    "pml_monitoring_filename": self.directory / "messages"}
        if rules:
            settings |= {"coll_tuned_use_dynamic_rules": 1,
                         "coll_tuned_dynamic_rules_filename": rules}
        options = [word for name, value in settings.items() for word in ("--mca", name, value)]
        run([self.launcher, "--allow-run-as-root", "--oversubscribe", "-n", self.ranks, *options,
             self.program, operation, size])
        return sum(self.messages(rank, operation) for rank in range(self.ranks))

    def messages(self, rank: int, operation: str) -> int:
        """That a rank sent from the root, or to it; the barriers' empty ones left out."""
        text = (self.directory / f"messages.{rank}.prof").read_text()
        total = 0
        for line in text.splitlines():
            fields = line.split("\t")
            if fields[0] != "I":
                continue
            at_root = int(fields[2 if operation.startswith("gather") else 1]) == 0
            if at_root:
                total += sum(int(count) for count in fields[5].split(",")[1:])
        return total


class Mpich:
    name = "MPICH"
    compiler, launcher = "mpicxx.mpich", "mpiexec.mpich"
    counts_items = ("scatter", "gather")  # whatever their size
    ranks = 8  # of which MPICH broadcasts more than 12 KiB by scatter and allgather
    settings = {"UCX_TLS": "tcp,self", "MPIR_CVAR_NOLOCAL": "1"}

    def __init__(self, directory: pathlib.Path, program: pathlib.Path):
        self.program = program
        self.rule_settings: dict[str, str] = {}

    def read_usage(self, usage: str) -> None:
        """The settings that the exporter asks for."""
        self.rule_settings = dict(re.findall(r"(MPIR_CVAR_\w+)=(\S+)", usage))

    def ranges(self, text: str):
        tree = json.loads(text)
        for operation in OPERATIONS:
            rules = tree[f"collective={operation}"]["comm_type=intra"][f"comm_size<={self.ranks}"]
            if operation == "bcast":
                rules = rules["comm_size=pow2"]["comm_hierarchy=any"]
            factor = 1 if operation == "bcast" else self.ranks
            first = 0
            for limit, choice in rules.items():
                if "<=" not in limit:
                    continue
                last = int(limit.split("<=")[1]) // factor
                flat = "allcomm_nb" in next(iter(choice))
                yield operation, first, last, self.ranks - 1 if flat else BINOMIAL
                first = last + 1
            for size in (first, 2 * first, 64 * first):
                yield operation, size, size + DOUBLE_BYTES - 1, None

    def count(self, operation: str, sizes: list[int], rules: pathlib.Path | None) -> list[int]:
        environment = os.environ | self.settings
        if rules:
            environment |= self.rule_settings
            environment["MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"] = str(rules)
        out = run([self.launcher, "-disable-auto-cleanup", "-n", self.ranks, self.program, operation,
                   *sizes], env=environment)
        column = 1 if operation.startswith("gather") else 0
        return [int(line.split()[column]) for line in out.splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", choices=["openmpi", "mpich"])
    parser.add_argument("estimate_model", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    args = parser.parse_args()
    library = OpenMpi if args.library == "openmpi" else Mpich
    for program in (library.compiler, library.launcher):
        if shutil.which(program) is None:
            print(f"skipped ({program} is missing): install {library.name}")
            sys.exit(77)
    shutil.rmtree(args.directory, ignore_errors=True)
    args.directory.mkdir(parents=True)

    machine = synthetic.Machine(library.ranks)
    machine.C = [(50 + i) * 1e-6 for i in range(library.ranks)]
    machine.t, machine.L, machine.gap = [2e-9] * library.ranks, 10e-6, 10e-9
    synthetic.write(args.directory / "measurements.json", machine)
    model, rules = args.directory / "model.json", args.directory / "rules"
    run([args.estimate_model, "fit", args.directory / "measurements.json", "-o", model])
    exported = subprocess.run(
        [args.estimate_model, "export", model, "--model", "lmo", "-o", rules, "--format",
         "ompi-rules" if args.library == "openmpi" else "mpich-coll"],
        capture_output=True, text=True, check=True)

    program = args.directory / "collective_messages"
    run([library.compiler, "-std=c++20", "-O1", "-rdynamic", "-o", program,
         HERE / "collective_messages.cpp", "-ldl"])
    mpi = library(args.directory, program)
    if isinstance(mpi, Mpich):
        mpi.read_usage(exported.stderr)

    wrong, changed = [], set()
    ranges = list(mpi.ranges(rules.read_text()))
    for operation, variant in ((operation, variant) for operation, variants in VARIANTS.items()
                               for variant in variants):
        by_bytes = variant == "-double" and operation not in mpi.counts_items
        unit = DOUBLE_BYTES if by_bytes else 1
        name = operation + variant
        sizes, expected = [], []
        for _, first, last, messages in (entry for entry in ranges if entry[0] == operation):
            ends = [size for size in sorted({-(-first // unit), last // unit}) if size > 0]
            sizes += ends
            expected += [messages] * len(ends)
        if len(set(expected) - {None}) > 1:
            changed.add(operation)
        counted = mpi.count(name, sizes, rules)
        without = mpi.count(name, sizes, None)
        expected = [plain if messages is None else messages
                    for messages, plain in zip(expected, without)]
        for size, is_counted, is_expected, plain in zip(sizes, counted, expected, without):
            print(f"{name:16} {size:6} items: {is_counted} messages at the root, "
                  f"{plain} without rules")
            if is_counted != is_expected:
                wrong.append(f"{name} of {size} items: {is_counted} where the file means "
                             f"{is_expected}")
        if len(counted) != len(sizes):
            wrong.append(f"{name}: {len(counted)} counts of {len(sizes)}")
        if without == expected:
            wrong.append(f"{name}: the library does the same without the rules")
    wrong += [f"{operation}: the file never changes" for operation in OPERATIONS
              if operation not in changed]
    for line in wrong:
        print(f"WRONG: {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
