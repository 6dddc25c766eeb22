#!/usr/bin/python3
"""Memory that ranks of a host share, on machines that SimGrid simulates: a calibration finds what is there, and no more.

    memory_smpi.py PROGRAM BIN DIRECTORY [--seeds N]

PROGRAM is the smpi preset's estimate-model; BIN has estimate-model, emulate and operations of MPICH. Each seed is a machine of one to
three hosts of 4 to 16 ranks. A pair alone gets a core's rate; the pairs of a host share its memory, which
carries a third to four fifths of all of them, by max-min fairness. On every third machine it carries more than all pairs, and none must
be found. The time per byte must come back within 1 %, and in its interval, also where two ranks of a host are measured in place of all. Then, on machines of
one host, exchanges around a ring and an all-to-all are emulated with the model file. They must take within 2 % of what SMPI
makes of them, and the line says how wrong they are without memory. Exit code 77: SimGrid is missing.
"""

import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys

import exact_machine
import simgrid_xml

HERE = pathlib.Path(__file__).resolve().parent
CORE = 2e9  # [B/s] that a pair gets alone
BETWEEN = 1e9  # [B/s]
TOLERANCE = 0.01
ROUNDING = 1e-5
PREDICTED = 0.02
BYTES = 400_000
OPERATIONS = {"sendrecv": [], "alltoall": ["alltoall=shift"]}
THEIRS = ["--cfg=smpi/alltoall:ring"]
QUICK = ["--models", "hockney", "--eager-limit", "none", "--no-thresholds", "--no-checks", "--passes", "3",
         "--min-reps", "3", "--max-reps", "3", "--no-fabric", "--progress", "never"]


class Machine:
    def __init__(self, seed: int) -> None:
        rng = random.Random(f"memory {seed}")
        self.ranks = rng.choice([4, 8, 12, 16])
        self.hosts = 1 if seed % 2 else rng.choice([2, 3])
        pairs = self.ranks // 2
        self.memory = CORE * pairs * (rng.uniform(1.2, 2) if seed % 3 == 0 else rng.uniform(0.35, 0.8))
        if self.memory < CORE:  # a pair alone would fill it
            self.memory = CORE * 1.2
        self.limits = self.memory < CORE * pairs

    def write(self, directory: pathlib.Path) -> None:
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        names = [f"h{host}" for host in range(self.hosts)]
        lines = [f'    <host id="{name}" speed="1Gf"/>' for name in names]
        for name in names:
            lines += [f'    <link id="core-{name}" bandwidth="{CORE}Bps" latency="2us" sharing_policy="FATPIPE"/>',
                      f'    <link id="memory-{name}" bandwidth="{self.memory}Bps" latency="0s"/>',
                      f'    <link id="way-{name}" bandwidth="{BETWEEN}Bps" latency="10us" sharing_policy="FATPIPE"/>']
        lines += [f'    <route src="{name}" dst="{name}"><link_ctn id="core-{name}"/><link_ctn id="memory-{name}"/></route>'
                  for name in names]
        lines += [f'    <route src="{a}" dst="{b}" symmetrical="NO"><link_ctn id="way-{a}"/></route>'
                  for a in names for b in names if a != b]
        (directory / "platform.xml").write_text(simgrid_xml.platform(simgrid_xml.full_zone(lines)))
        (directory / "hosts").write_text("".join(f"{name}\n" * self.ranks for name in names))


def run(command: list, directory: pathlib.Path, good: tuple = (0,)) -> str:
    done = subprocess.run([str(word) for word in command], cwd=directory, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode not in good:
        print(f"{command[0]} ended with {done.returncode}: {done.stdout[-500:]}", file=sys.stderr)
        sys.exit(77 if done.returncode == 77 else 1)
    return done.stdout


def emulated(args: argparse.Namespace, machine: Machine, directory: pathlib.Path, model: str, operation: str) -> float:
    rules = ["--collectives", ",".join(["trees", *OPERATIONS[operation]])]
    run(["mpiexec.mpich", "-n", machine.hosts * machine.ranks, args.bin / "emulate", "--model", model, "--kind", "hockney",
         "--compute", "none", "--sharing", "all", "--report", "report.json", *rules, args.bin / "operations",
         operation, BYTES], directory)
    return json.loads((directory / "report.json").read_text())["whole"]["time_s"]


def tried(args: argparse.Namespace, seed: int) -> bool:
    machine = Machine(seed)
    directory = args.directory / str(seed)
    machine.write(directory)
    run([HERE / "smpi-run", directory, "--", args.program, "calibrate", "-o", "model.json", *QUICK], directory, (0, 3))
    model = json.loads((directory / "model.json").read_text())
    inside = model["models"]["host_links"]["inside"]
    value = inside["value"][0]
    said = f"{seed}: {machine.hosts} hosts of {machine.ranks}, memory for {machine.memory / CORE:.2f} pairs: "
    if not machine.limits:
        print(said + ("none found, right" if value is None else f"invented, {1 / value / CORE:.2f} pairs"), flush=True)
        return value is None
    if value is None:
        print(said + "not found", flush=True)
        return False
    error = 1 / value / machine.memory - 1
    # Without noise an interval is as narrow as rounding.
    holds = (1 - ROUNDING) / inside["high"][0] <= machine.memory <= (1 + ROUNDING) / inside["low"][0]
    good = abs(error) <= TOLERANCE and holds
    said += f"found to {100 * error:+.2f} %{'' if holds else ', not in its interval'}"
    if machine.hosts > 1:
        print(said, flush=True)
        return good
    del model["models"]["host_links"]
    (directory / "without.json").write_text(json.dumps(model))
    for operation in OPERATIONS:
        truth = exact_machine.simulated_seconds(run(
            exact_machine.smpirun(directory, machine.hosts * machine.ranks, *exact_machine.SMPI_OPTIONS, *THEIRS,
                                  args.directory / "operations", operation, BYTES), directory))
        ours, without = (emulated(args, machine, directory, name, operation) / truth - 1
                         for name in ("model.json", "without.json"))
        good = good and abs(ours) <= PREDICTED
        said += f"; {operation} {100 * ours:+.2f} %, without it {100 * without:+.1f} %"
    print(said, flush=True)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=6)
    args = parser.parse_args()
    args.program, args.bin, args.directory = (path.resolve() for path in (args.program, args.bin, args.directory))
    if not shutil.which("smpicxx") or not args.program.exists():
        print("memory_smpi: skipped (SimGrid or the smpi preset is missing)", file=sys.stderr)
        return 77
    shutil.rmtree(args.directory, ignore_errors=True)
    args.directory.mkdir(parents=True)
    run(["smpicxx", "-std=c++20", "-O1", "-o", "operations", HERE / "operations.cpp"], args.directory)
    right = [tried(args, seed) for seed in range(1, args.seeds + 1)]
    print(f"{sum(right)} of {len(right)} are right")
    return int(not all(right))


if __name__ == "__main__":
    sys.exit(main())
