#!/usr/bin/python3
"""A model of a namespace cluster, exported to SimGrid, simulates what was measured there.

    export_namespaces.py ESTIMATE_MODEL MEASURED DIRECTORY

MEASURED is the directory of calibrate-namespaces: its model.json is exported as hosts with limited links
(`bottleneck`), and the flat scatters and gathers of its two validations, which no fit saw, are simulated on
that platform: for each operation, root and size within 5 % of the measured time, of the two that which was
disturbed less.
Exit code 77: SimGrid is missing.
"""

import argparse
import csv
import pathlib
import shutil
import subprocess
import sys

import model_file

HERE = pathlib.Path(__file__).resolve().parent
LARGEST_ERROR = 0.05


def measured(path: pathlib.Path) -> dict[tuple[str, str, str], float]:
    """(operation, root, size) -> time [s]; the same for every model."""
    with path.open(newline="") as file:
        return {(row["operation"], row["from"], row["size_bytes"]): float(row["measured_s"])
                for row in csv.DictReader(file) if row["operation"] != "p2p"}


def simulated(directory: pathlib.Path, ranks: int, sizes: list[str]) -> dict:
    program = directory / "flat_collectives"
    subprocess.run(["smpicxx", "-std=c++20", "-O1", "-o", program, HERE / "flat_collectives.cpp"],
                   check=True)
    hosts = directory / "hosts"
    hosts.write_text("".join(f"rank{i}\n" for i in range(ranks)))
    out = subprocess.run(
        ["smpirun", "-np", str(ranks), "-platform", directory / "platform.xml", "-hostfile", hosts,
         "--log=root.thresh:warning", "--cfg=smpi/simulate-computation:no", program, *sizes],
        check=True, capture_output=True, text=True).stdout
    rows = (line.split(",") for line in out.splitlines())
    return {(operation, root, size): float(time) for operation, root, size, time in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("measured", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    args = parser.parse_args()
    if shutil.which("smpirun") is None:
        print("skipped (smpirun is missing): install libsimgrid-dev")
        sys.exit(77)
    shutil.rmtree(args.directory, ignore_errors=True)
    args.directory.mkdir(parents=True)
    model = args.measured / "model.json"
    ranks = model_file.load(model)["n"]
    subprocess.run([args.program, "export", model, "--format", "simgrid", "--model", "bottleneck",
                    "-o", args.directory / "platform.xml"], check=True)
    again = measured(args.measured / "validation_again.csv")
    real = {key: min(time, again[key]) for key, time in measured(args.measured / "validation.csv").items()}
    there = simulated(args.directory, ranks, sorted({size for _, _, size in real}, key=int))
    lines, wrong = ["operation  root     bytes  measured ms  simulated ms    error"], []
    for key, time in sorted(real.items()):
        operation, root, size = key
        error = there[key] / time - 1
        lines.append(f"{operation:9} {root:>5} {size:>9} {time * 1e3:12.2f} "
                     f"{there[key] * 1e3:13.2f} {error:+8.2%}")
        if abs(error) > LARGEST_ERROR:
            wrong.append(f"{operation} of {size} bytes from rank {root}: off by {error:+.2%}")
    if len(real) < 2 * ranks:
        wrong.append(f"only {len(real)} times were measured")
    model_file.report(lines, wrong)


if __name__ == "__main__":
    main()
