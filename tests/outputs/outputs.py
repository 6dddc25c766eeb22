#!/usr/bin/python3
"""What must not change while the inside is rebuilt: every output, recorded before and compared after.

    outputs.py inputs PROGRAMS INPUTS [--real]
    outputs.py record PROGRAMS INPUTS RESULTS [--quick]
    outputs.py compare BEFORE AFTER

PROGRAMS is a build's bin/. `inputs` writes measurement files: of imaginary machines with noise, of
calibrations of emulated ones that others disturb, with --real of this machine as well. Any other
measurement files may be put beside them. `record` writes into RESULTS, for each of them and for all
that fit together, what `fit`, `show`, `predict`, `export`, `compare`, `thresholds fit` and the report
print and write, and the emulated times of random programs; --quick leaves those out. `compare` prints
which files differ, with their first difference, and ends with 1 if one does. The same INPUTS serve
both recordings; what a change of the program says about itself (its version) is no difference, nor is
it that only one recording's model files have the members "diagnostics".
"""

import argparse
import difflib
import filecmp
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
import synthetic  # noqa: E402

SIZES = "0,1,64,100,1KiB,4000,8255,8256,16KiB,64KiB,1MiB"
FORMATS = ["csv", "simgrid", "loggopsim", "dimemas", "ompi-rules", "mpich-coll"]
KINDS = ["hockney", "lom", "lmo", "bottleneck", "loggps"]
OPTIONAL_MEMBERS = ["diagnostic", "diagnostics", "sizes_bytes", "sweep_run"]  # newer than some files
DISTURBED = ["--disturb", "rank=1,period=70ms,length=3ms", "--disturb", "rank=0,period=110ms,length=9ms"]


class Programs:
    def __init__(self, directory: pathlib.Path):
        self.directory = directory
        self.mpiexec = shutil.which("mpiexec.mpich") or shutil.which("mpiexec")

    def path(self, name: str) -> str:
        return str(self.directory / name)

    def python(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.directory.parent / "python"),
                "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"}

    def emulate(self, model: pathlib.Path, ranks: int, *command: str, more=()) -> list[str]:
        return [self.mpiexec, "-n", str(ranks), self.path("emulate"), "--model", str(model),
                "--compute", "none", *more, *command]


def run(command: list, where: pathlib.Path, name: str, **more) -> None:
    """Writes what it printed and how it ended into `where`/`name`."""
    done = subprocess.run(list(map(str, command)), cwd=where, stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, check=False, **more)
    words = " ".join(pathlib.Path(word).name if os.sep in word else word for word in map(str, command))
    (where / name).write_text(f"$ {words}\n{done.stdout}--\n{done.stderr}ended with {done.returncode}\n")


def write_inputs(args) -> None:
    programs = Programs(args.programs)
    args.inputs.mkdir(parents=True, exist_ok=True)
    for ranks, seed, logp in ((2, 1, True), (3, 2, True), (4, 3, False), (4, 4, False), (6, 5, False)):
        synthetic.write(args.inputs / f"made{ranks}.{seed}.json", synthetic.Machine(ranks), seed=seed,
                        logp=logp, noise=0.01)
    for kind, ranks in itertools.product(KINDS, (2, 4)):
        if kind != "hockney" and kind != "loggps" and ranks < 3:
            continue
        truth = args.inputs / f"truth.{kind}{ranks}.json"
        limit = [] if kind == "lom" else ["20000"]
        truth.write_text(subprocess.run(
            [programs.path("write-machine"), kind, str(ranks), "7", *limit],
            check=True, text=True, capture_output=True).stdout)
        subprocess.run(
            programs.emulate(truth, ranks, programs.path("estimate-model"), "calibrate", "--measurements",
                             str(args.inputs / f"emulated.{kind}{ranks}.json"), "--models", "all",
                             "--wait", "blocking", "--passes", "4", "--min-reps", "3", "--max-reps", "5",
                             "--progress", "never", more=DISTURBED), check=False, stdin=subprocess.DEVNULL)
    if args.real:
        for ranks, models in ((2, "all"), (4, "hockney,lom,lmo,bottleneck")):
            subprocess.run([programs.mpiexec, "-n", str(ranks), programs.path("estimate-model"),
                            "calibrate", "--measurements", args.inputs / f"real{ranks}.json",
                            "--models", models, "--progress", "never"],
                           check=False, stdin=subprocess.DEVNULL)


def predictions(tool: str, model: pathlib.Path, ranks: int, where: pathlib.Path) -> None:
    pairs = [(0, 1), (1, 0)] + ([(2, 1), (0, ranks - 1)] if ranks > 2 else [])
    for source, target in pairs:
        for side in ("receiver", "sender"):
            run([tool, "predict", model, "--model", "all", "--from", source, "--to", target, "--size",
                 SIZES, "--side", side], where, f"p2p.{source}.{target}.{side}.txt")
    for operation, algorithm in itertools.product(("scatter", "gather", "bcast"), ("flat", "binomial")):
        for root in {0, ranks - 1}:
            run([tool, "predict", model, "--model", "all", "--operation", operation, "--algorithm",
                 algorithm, "--from", root, "--size", SIZES], where,
                f"{operation}.{algorithm}.{root}.txt")
    run([tool, "predict", model, "--model", "all", "--operation", "master-worker", "--tasks", "1000",
         "--task-time", "1ms", "--ranks", "64"], where, "master-worker.txt")


def record_model(programs: Programs, model: pathlib.Path, where: pathlib.Path) -> None:
    tool = programs.path("estimate-model")
    document = json.loads(model.read_text())
    run([tool, "show", model], where, "show.txt")
    predictions(tool, model, document["n"], where)
    names = ["", *document["models"]]
    for format_, name in itertools.product(FORMATS, names):
        chosen = ["--model", name] if name else []
        run([tool, "export", model, "--format", format_, *chosen], where,
            f"export.{format_}.{name or 'best'}.txt")
    run(["/usr/bin/python3", "-m", "commgauge", "report", model.name, "-o", "report.html"], where,
        "report.txt", env=programs.python())


def record_measured(programs: Programs, files: list[pathlib.Path], where: pathlib.Path) -> None:
    where.mkdir(parents=True)
    model = where / "model.json"
    run([programs.path("estimate-model"), "fit", *files, "-o", model.name], where, "fit.txt")
    if len(files) == 1:
        run([programs.path("thresholds"), "fit", files[0], "-o", "thresholds.json"], where,
            "thresholds.txt")
    if model.exists():
        record_model(programs, model, where)


def record_emulated(programs: Programs, inputs: pathlib.Path, results: pathlib.Path) -> None:
    for truth in sorted(inputs.glob("truth.*.json")):
        ranks = json.loads(truth.read_text())["n"]
        for program, options in (("random-programs", ["60", "1000"]), ("mixed-programs", ["30", "100", "0"])):
            run(programs.emulate(truth, ranks, programs.path(f"emulated-{program}"), *options), results,
                f"emulated.{truth.stem}.{program}.txt")


def record(args) -> None:
    programs = Programs(args.programs.resolve())
    args.results.mkdir(parents=True)
    inputs, results = args.inputs.resolve(), args.results.resolve()
    measured = [file for file in sorted(inputs.glob("*.json")) if not file.name.startswith("truth.")]
    for file in measured:
        record_measured(programs, [file], results / file.stem)
    together = [file for file in measured if file.name.startswith("made4.")]
    record_measured(programs, together, results / "merged")
    for one, other in itertools.combinations(together + [measured[-1]], 2):
        models = [results / file.stem / "model.json" for file in (one, other)]
        run([programs.path("estimate-model"), "compare", *models], results,
            f"compare.{one.stem}.{other.stem}.txt")
    for series in sorted((HERE.parents[1] / "data/segmentation").glob("v*.csv")):
        sweep = results / f"sweep.{series.name}"
        sweep.write_text(series.read_text().replace("x,y", "size_bytes,time_s", 1))
        run([programs.path("thresholds"), "fit", sweep.name], results, f"thresholds.{series.stem}.txt")
    if not args.quick:
        record_emulated(programs, inputs, results)


def without(names: set, value):
    if isinstance(value, dict):
        return {name: without(names, one) for name, one in value.items() if name not in names}
    return [without(names, one) for one in value] if isinstance(value, list) else value


def comparable(before: pathlib.Path, after: pathlib.Path) -> list[str]:
    """Their texts; of our files without those optional members that only one of them has at all.
    Numbers stay as they are written."""
    texts = [before.read_text(), after.read_text()]
    names = {name for name in OPTIONAL_MEMBERS if len({f'"{name}"' in text for text in texts}) == 2}
    if not names or not all('"schema": "commgauge.' in text[:100] for text in texts):
        return texts
    numbers = {"parse_float": "number {}".format, "parse_int": "number {}".format}
    return [json.dumps(without(names, json.loads(text, **numbers)), indent=1) for text in texts]


def first_difference(before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return "\n".join(f"    {line[:300]}" for line in itertools.islice(lines, 2, 8))


def compare(args) -> None:
    names = [{str(file.relative_to(top)) for file in top.rglob("*") if file.is_file()}
             for top in (args.before, args.after)]
    wrong = [f"{name}: only {'before' if name in names[0] else 'after'}"
             for name in sorted(names[0] ^ names[1])]
    for name in sorted(names[0] & names[1]):
        if filecmp.cmp(args.before / name, args.after / name, shallow=False):
            continue
        before, after = comparable(args.before / name, args.after / name)
        if before != after:
            wrong.append(f"{name}\n{first_difference(before, after)}")
    for line in wrong:
        print(line)
    print(f"{len(names[0] | names[1])} files, {len(wrong)} differ")
    sys.exit(1 if wrong else 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, use, places in (("inputs", write_inputs, ["programs", "inputs"]),
                              ("record", record, ["programs", "inputs", "results"]),
                              ("compare", compare, ["before", "after"])):
        one = commands.add_parser(name)
        one.set_defaults(use=use)
        for place in places:
            one.add_argument(place, type=pathlib.Path)
        if name == "inputs":
            one.add_argument("--real", action="store_true")
        if name == "record":
            one.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    args.use(args)


if __name__ == "__main__":
    main()
