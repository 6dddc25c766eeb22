#!/usr/bin/python3
"""Programs on a machine of two levels, emulated and in SimGrid's SMPI: the times are the same.

    fabric_smpi.py BIN DIRECTORY

Six equal hosts that follow LMO exactly, three behind each of two uplinks; the same with nested groups and a
backbone. The platform is written by hand (links shared by max-min fairness), and made by `export` of the model.
Emulated with `--sharing all`, exchanges across, an all-to-all, scatters and gathers must take within 0.5 % of
what they take on either platform; what SMPI adds to messages is in the model's latency.
Exit code 77: SimGrid is missing.
"""

import json
import pathlib
import shutil
import subprocess
import sys

import exact_machine
import simgrid_xml

HERE = pathlib.Path(__file__).parent
RANKS = 6
LARGEST_ERROR = 0.005
C, T, L, PER_BYTE = 30e-6, 2e-9, 20e-6, 10e-9
# As the emulator and SMPI call the same messages.
COLLECTIVES = {"alltoall": ("shift", "ring"), "gather": ("flat", "ompi_basic_linear"),
               "scatter": ("flat", "ompi_basic_linear"), "allgather": ("ring", "NTSLR")}
OPERATIONS = ("across", "alltoall", "sendrecv", "halo", "gather", "scatter", "allgather", "pipeline")

TWO_GROUPS = {"groups": [([0, 1, 2], None, 8e-9, 6e-9), ([3, 4, 5], None, 7e-9, 9e-9)], "backbone": None}
NESTED = {"groups": [([0, 1, 2, 3], None, 5e-9, 5e-9), ([0, 1], 0, 9e-9, None), ([4, 5], None, None, 7e-9)],
          "backbone": ([[0, 1, 2, 3], [4, 5]], 4e-9)}


def passed(fabric: dict, source: int, to: int) -> list[str]:
    """Names of the links between hosts on the way."""
    out = [(len(hosts), f"out{g}") for g, (hosts, _, way, _) in enumerate(fabric["groups"])
           if source in hosts and to not in hosts and way]
    into = [(-len(hosts), f"in{g}") for g, (hosts, _, _, way) in enumerate(fabric["groups"])
            if to in hosts and source not in hosts and way]
    across = []
    if fabric["backbone"]:
        side = {host: k for k, hosts in enumerate(fabric["backbone"][0]) for host in hosts}
        across = ["backbone"] if side[source] != side[to] else []
    return [name for _, name in sorted(out)] + across + [name for _, name in sorted(into)]


def platform(fabric: dict) -> str:
    properties = "".join(f'<prop id="smpi/{name}" value="0:{C}:{T}"/>' for name in ("os", "ois", "or"))
    links = {f"l{i}-{j}": (1 / PER_BYTE, L) for i in range(RANKS) for j in range(RANKS) if i != j}
    for g, (_, _, out, into) in enumerate(fabric["groups"]):
        links |= {f"out{g}": (1 / out, 0)} if out else {}
        links |= {f"in{g}": (1 / into, 0)} if into else {}
    if fabric["backbone"]:
        links["backbone"] = (1 / fabric["backbone"][1], 0)

    def route(source: str, to: str) -> list[str]:
        i, j = int(source[1:]), int(to[1:])
        return [f"l{i}-{j}", *passed(fabric, i, j)]

    return simgrid_xml.with_shared_links({f"h{i}": properties for i in range(RANKS)}, links, route)


def interval(value: float | None) -> dict:
    return {"value": value, "low": value, "high": value}


def names(hosts: list[int]) -> list[str]:
    return [f"h{host}" for host in hosts]


def fabric_json(fabric: dict) -> dict:
    groups = [{"hosts": names(hosts), "parent": parent, "out": interval(out), "in": interval(into)}
              for hosts, parent, out, into in fabric["groups"]]
    backbone = None
    if fabric["backbone"]:
        sides, per_byte = fabric["backbone"]
        backbone = {**interval(per_byte), "sides": [names(side) for side in sides]}
    return {"groups": groups, "backbone": backbone, "full_load": interval(1e8), "alone": 1e8, "misfit": 0,
            "rounds": 1, "message_bytes": 1e6, "notes": [],
            "replicates": {"out": [], "in": [], "backbone": []}}


def write_model(directory: pathlib.Path, bin_folder: pathlib.Path, fabric: dict) -> None:
    written = subprocess.run([bin_folder / "write-machine", "lmo", str(RANKS), "1"], check=True,
                             stdout=subprocess.PIPE)
    model = json.loads(written.stdout)
    latency = L + 16 * PER_BYTE
    pair = [[[None if i == j else value for j in range(RANKS)] for i in range(RANKS)]
            for value in (latency, PER_BYTE)]
    model["models"]["lmo"] |= {"C": exact_machine.vector([C] * RANKS), "t": exact_machine.vector([T] * RANKS),
                               "L": exact_machine.matrix(pair[0]), "inverse_beta": exact_machine.matrix(pair[1])}
    model["fabric"] = fabric_json(fabric)
    (directory / "model.json").write_text(json.dumps(model))


def run(command: list, directory: pathlib.Path) -> str:
    done = subprocess.run([str(word) for word in command], cwd=directory, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stdout[-500:]}")
    return done.stdout


def emulated(directory: pathlib.Path, bin_folder: pathlib.Path, operation: str, bytes_: int) -> float:
    algorithms = ",".join(["trees", *(f"{name}={ours}" for name, (ours, _) in COLLECTIVES.items())])
    run(["mpiexec.mpich", "-n", RANKS, bin_folder / "emulate", "--model", "model.json", "--kind", "lmo",
         "--compute", "none", "--sharing", "all", "--report", "report.json", "--collectives", algorithms,
         bin_folder / "operations", operation, bytes_], directory)
    return json.loads((directory / "report.json").read_text())["whole"]["time_s"]


def simulated(directory: pathlib.Path, xml: str, host: str, operation: str, bytes_: int) -> float:
    (directory / "hosts").write_text("".join(f"{host}{i}\n" for i in range(RANKS)))
    theirs = [f"--cfg=smpi/{name}:{algorithm}" for name, (_, algorithm) in COLLECTIVES.items()]
    return exact_machine.simulated_seconds(
        run(["smpirun", "-np", RANKS, "-platform", xml, "-hostfile", "hosts", *exact_machine.SMPI_OPTIONS, *theirs,
             directory.parent / "operations", operation, bytes_], directory))


def main() -> int:
    bin_folder, directory = map(lambda name: pathlib.Path(name).resolve(), sys.argv[1:])
    if not shutil.which("smpicxx"):
        print("fabric_smpi: skipped (smpicxx is missing): install libsimgrid-dev", file=sys.stderr)
        return 77
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    run(["smpicxx", "-std=c++20", "-O1", "-o", "operations", HERE.resolve() / "operations.cpp"], directory)
    worst = 0.0
    for name, fabric in {"two groups": TWO_GROUPS, "nested": NESTED}.items():
        folder = directory / name.replace(" ", "-")
        folder.mkdir()
        (folder / "by-hand.xml").write_text(platform(fabric))
        write_model(folder, bin_folder, fabric)
        run([bin_folder / "estimate-model", "export", "model.json", "--format", "simgrid", "--model", "lmo", "-o",
             "exported.xml"], folder)
        for operation in OPERATIONS:
            ours = emulated(folder, bin_folder, operation, 200_000)
            theirs = [simulated(folder, xml, host, operation, 200_000)
                      for xml, host in (("by-hand.xml", "h"), ("exported.xml", "rank"))]
            errors = [ours / time - 1 for time in theirs]
            worst = max([worst, *map(abs, errors)])
            print(f"{name}, {operation}: {ours:.6g} s emulated, in SMPI {theirs[0]:.6g} s ({100 * errors[0]:+.3f} %), "
                  f"exported {theirs[1]:.6g} s ({100 * errors[1]:+.3f} %)", flush=True)
    print(f"at most {100 * worst:.3f} % apart")
    return int(worst > LARGEST_ERROR)


if __name__ == "__main__":
    sys.exit(main())
