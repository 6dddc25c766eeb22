#!/usr/bin/python3
"""A ring replayed here and by SimGrid, in turn; and a long run, recorded and replayed.

    replay.py PROGRAMS [--rounds 3000] [--long 70000]

PROGRAMS is the folder with record, emulate, replay, benchmark-ring and write-machine. 16 ranks, each round a receive, a
send and a wait of each rank; the machine is an exact LMO one, the same on both sides: the simulated times are told, too.
Times are of whole programs: start and reading included, the fastest of five runs. The long run is recorded in virtual
time, by `emulate --record`: --long rounds, 144 events each. --long 0 leaves it out.
"""

import argparse
import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/testbeds"))
import exact_machine  # noqa: E402

RANKS = 16
RUNS = 5
SIZE = 64
MPI_BYTE = 6  # among SimGrid's numbers of datatypes


def timed(command: list, directory: pathlib.Path) -> tuple[float, str]:
    start = time.perf_counter()
    done = subprocess.run([str(word) for word in command], cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr[-400:]}")
    return time.perf_counter() - start, done.stdout + done.stderr


def write_for_simgrid(directory: pathlib.Path, rounds: int) -> pathlib.Path:
    index = directory / "actions.txt"
    index.write_text("".join(f"actions.{rank}\n" for rank in range(RANKS)))
    for r in range(RANKS):
        before, after = (r - 1) % RANKS, (r + 1) % RANKS
        one_round = (f"{r} irecv {before} 0 {SIZE} {MPI_BYTE}\n{r} send {after} 0 {SIZE} {MPI_BYTE}\n"
                     f"{r} wait {before} {r} 0\n")
        (directory / f"actions.{r}").write_text(f"{r} init\n{one_round * rounds}{r} finalize\n")
    return index


def record(programs: pathlib.Path, directory: pathlib.Path, rounds: int) -> tuple[pathlib.Path, float]:
    trace = directory / f"ring.{rounds}"
    seconds, _ = timed(["mpiexec.mpich", "-n", RANKS, programs / "emulate", "--model", directory / "model.json", "--compute",
                        "none", "--record", trace, programs / "benchmark-ring", rounds, SIZE], directory)
    return trace, seconds


def replay(programs: pathlib.Path, directory: pathlib.Path, trace: pathlib.Path) -> list:
    return [programs / "replay", "run", trace, "--model", directory / "model.json", "--compute", "none", "--no-interval",
            "-o", directory / "replayed.json"]


def compare(programs: pathlib.Path, directory: pathlib.Path, rounds: int) -> None:
    ours = replay(programs, directory, record(programs, directory, rounds)[0])
    theirs = exact_machine.smpirun(directory, RANKS, *exact_machine.SMPI_OPTIONS, "-replay",
                                   write_for_simgrid(directory, rounds))
    here, there = [], []
    for _ in range(RUNS):
        here.append(timed(ours, directory)[0])
        seconds, text = timed(theirs, directory)
        there.append(seconds)
    found = json.loads((directory / "replayed.json").read_text())["time_s"]
    expected = exact_machine.simulated_seconds(text)
    print(f"ring of {RANKS} ranks, {rounds} rounds: replay {min(here):.3f} s, smpirun -replay {min(there):.3f} s: "
          f"{min(there) / min(here):.1f} times as long; simulated {found:.6f} and {expected:.6f} s: "
          f"{100 * (found / expected - 1):+.3f} %")


def long_run(programs: pathlib.Path, directory: pathlib.Path, rounds: int) -> None:
    trace, recording = record(programs, directory, rounds)
    size = sum(file.stat().st_size for file in trace.rglob("*") if file.is_file())
    seconds, _ = timed(replay(programs, directory, trace), directory)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    _, text = timed([programs / "replay", "info", trace], directory)
    events = int(re.search(r"^  events +(\d+)$", text, re.M)[1])
    print(f"{rounds} rounds, {events} events: recorded in {recording:.1f} s, {size / 2**20:.0f} MiB; replayed in {seconds:.1f} s, "
          f"{events / seconds / 1e6:.1f} million events a second, at most {memory:.0f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3000)
    parser.add_argument("--long", type=int, default=70000)
    args = parser.parse_args()
    if shutil.which("smpirun") is None:
        sys.exit("replay.py: smpirun is missing (its replay is what ours is compared with): install libsimgrid-dev")
    programs = args.programs.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch)
        exact_machine.write(directory, RANKS, 1, programs)
        compare(programs, directory, args.rounds)
        if args.long:
            long_run(programs, directory, args.long)


if __name__ == "__main__":
    main()
