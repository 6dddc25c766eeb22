#!/usr/bin/python3
"""Jobs on some hosts of a simulated LMO machine, calibrated once: what holds, and which host has changed?

    refresh_smpi.py PROGRAM DIRECTORY [--hosts 16] [--cases 3]

PROGRAM is the smpi preset's estimate-model, DIRECTORY takes all files. Each case is a job on at least a quarter of the hosts, in
random order:

- on the machine as it was: the model must hold, to 1 % without drift;
- with one of its hosts slower, whose overheads (C and t) are 1.8 to 3 times: that host must be told, and no other.

Exit code 77: SimGrid or PROGRAM is missing.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
OVERHEADS = ("smpi/os", "smpi/ois", "smpi/or")
EXACT = ["--passes", "1", "--min-reps", "3", "--max-reps", "3", "--models", "lmo", "--no-checks", "--no-thresholds",
         "--classes", "none", "--design", "sparse", "--triplets", "4", "--size", "16KiB", "--no-fabric",
         "--progress", "never"]


def run(directory: pathlib.Path, platform: pathlib.Path, *command: object) -> subprocess.CompletedProcess:
    done = subprocess.run([HERE / "smpi-run", directory, "--platform", platform, "--", *map(str, command)], text=True,
                          capture_output=True, check=False)
    if done.returncode == 77:
        print(done.stderr, file=sys.stderr)
        sys.exit(77)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"{command[1]} ended with {done.returncode}: {done.stderr}")
    return done


def job(args: argparse.Namespace, rng: random.Random) -> tuple[pathlib.Path, list[str]]:
    directory = args.directory / "job"
    directory.mkdir(exist_ok=True)
    hosts = rng.sample([f"h{i}" for i in range(args.hosts)], rng.randint(max(3, args.hosts // 4), args.hosts))
    (directory / "hosts").write_text("".join(f"{host}\n" for host in hosts))
    return directory, hosts


def refreshed(args: argparse.Namespace, directory: pathlib.Path, platform: pathlib.Path) -> tuple[bool, set[str], str]:
    done = run(directory, platform, args.program, "refresh", args.directory / "model.json", "--check")
    return done.returncode == 0, set(re.findall(r"host (h\d+) and others", done.stdout)), done.stdout + done.stderr


def slowed(args: argparse.Namespace, host: str, factor: float) -> pathlib.Path:
    tree = ElementTree.parse(args.directory / "platform.xml")
    for prop in tree.find(f".//host[@id='{host}']").iter("prop"):
        if prop.get("id") not in OVERHEADS:
            continue
        bound, *values = prop.get("value").split(":")
        prop.set("value", ":".join([bound, *(repr(factor * float(value)) for value in values)]))
    platform = args.directory / "slowed.xml"
    text = ElementTree.tostring(tree.getroot(), encoding="unicode")
    platform.write_text('<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n' + text)
    return platform


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--hosts", type=int, default=16)
    parser.add_argument("--cases", type=int, default=3)
    args = parser.parse_args()
    if not args.program.exists():
        print(f"skipped: no {args.program} (build the smpi preset)", file=sys.stderr)
        return 77
    args.directory.mkdir(parents=True, exist_ok=True)
    subprocess.run([HERE / "smpi_platform.py", "--hosts", str(args.hosts), "--seed", "7", "-o", args.directory], check=True)
    machine = args.directory / "platform.xml"
    run(args.directory, machine, args.program, "calibrate", "-o", args.directory / "model.json", *EXACT)
    failed = 0
    for seed in range(args.cases):
        rng = random.Random(seed)
        directory, hosts = job(args, rng)
        holds, told, text = refreshed(args, directory, machine)
        ratios = [float(ratio) for ratio in re.findall(r"([\d.]+) \([\d.]+ to [\d.]+\)", text)]
        exact = bool(ratios) and all(abs(ratio - 1) <= 0.01 for ratio in ratios)
        slow, factor = rng.choice(hosts), rng.uniform(1.8, 3)
        _, accused, slow_text = refreshed(args, directory, slowed(args, slow, factor))
        print(f"case {seed}, {len(hosts)} hosts: {'holds' if holds and exact else 'WRONG, not as it was'}; "
              f"{slow} {factor:.2f} times: told {sorted(accused)}{'' if accused == {slow} else ', WRONG'}", flush=True)
        if not (holds and exact):
            failed += 1
            print(text)
        if accused != {slow}:
            failed += 1
            print(slow_text)
    print(f"{failed} of {2 * args.cases} cases failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
