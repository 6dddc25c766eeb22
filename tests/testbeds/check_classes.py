#!/usr/bin/python3
"""Checks classes and parameters of a model file against a simulated cluster's truth.

    check_classes.py model.json truth.json [--tolerance 0.005]

Hosts that are alike in the truth have to be of one kind, others not; the slow host and the slow link have to be
named, and nothing else. One-way times of every class, an empty message's and what each byte adds, by hockney and by
lmo, have to be those of the machine's mean over the class.
"""

import argparse
import collections
import itertools
import pathlib

import model_file


def host_kinds(classes: dict, ranks: int) -> list[int]:
    """Of each host: the kind of its first rank."""
    kinds = [run["kind"] for run in classes["ranks"] for _ in range(run["count"])]
    return kinds[::ranks]


def groups(labels: list) -> set[frozenset]:
    found = collections.defaultdict(set)
    for host, label in enumerate(labels):
        found[label].add(host)
    return {frozenset(group) for group in found.values()}


def expected_groups(truth: dict) -> set[frozenset]:
    """The slow host is alone, and so are the two of the slow link, whose pair has its own class."""
    labels = [tuple(label) for label in truth["alike"]]
    alone = [truth["slow_host"], *(truth["slow_link"] or ())]
    for host in alone:
        if host is not None:
            labels[host] = ("alone", host)
    return groups(labels)


def named(deviations: list[dict]) -> set[tuple]:
    return {(one["where"], *sorted(one["hosts"])) for one in deviations}


def expected_names(truth: dict) -> set[tuple]:
    names = set()
    if truth["slow_host"] is not None:
        names.add(("host", f"n{truth['slow_host']}"))
    if truth["slow_link"]:
        names.add(("between_hosts", *sorted(f"n{host}" for host in truth["slow_link"])))
    return names


class Times:
    """One-way times by class: of kind a to kind b, within a host or not; an empty message's, and a byte's."""

    def __init__(self, document: dict):
        self.kinds = len(document["classes"]["kinds"])
        self.document = document

    def value(self, model: str, name: str, a: int, b: int, within: bool) -> float:
        """Of a parameter of pairs the class's, of one of ranks that of kind a."""
        values = model_file.model(self.document, model)[name]["value"]
        if len(values) == self.kinds:
            return values[a]
        return values[((self.kinds if within else 0) + a) * self.kinds + b]

    def of(self, model: str, a: int, b: int, within: bool) -> tuple[float, float]:
        def value(name: str, kind: int = a) -> float:
            return self.value(model, name, kind, b, within)

        if model == "hockney":
            return value("alpha"), value("beta")
        fixed = value("C") + value("C", b) + value("L")
        return fixed, value("t") + value("t", b) + value("inverse_beta")


def true_times(truth: dict, hosts_a: list[int], hosts_b: list[int], within: bool) -> tuple[float, float]:
    pairs = [(i, i) for i in hosts_a] if within else [(i, j) for i in hosts_a for j in hosts_b if i != j]
    return tuple(sum(truth[name][i][j] for i, j in pairs) / len(pairs) for name in ("fixed_s", "per_byte_s"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("truth", type=pathlib.Path)
    parser.add_argument("--tolerance", type=float, default=0.005)
    args = parser.parse_args()
    document, truth = model_file.load(args.model), model_file.load(args.truth)
    if "classes" not in document:
        model_file.report([], ["all ranks were measured: the model knows no classes"])
    wrong = []
    kinds = host_kinds(document["classes"], truth["ranks"])
    if groups(kinds) != expected_groups(truth):
        wrong.append(f"kinds of hosts are {sorted(map(sorted, groups(kinds)))}")
    if named(document["classes"]["deviations"]) != expected_names(truth):
        wrong.append(f"named are {named(document['classes']['deviations'])}, not {expected_names(truth)}")
    hosts = collections.defaultdict(list)
    for host, kind in enumerate(kinds):
        hosts[kind].append(host)
    times = Times(document)
    lines = ["model     worst error of an empty message    of a byte"]
    for model in ("hockney", "lmo"):
        worst = [0.0, 0.0]
        for within, a, b in itertools.product((False, True), hosts, hosts):
            if (within and a != b) or (not within and a == b and len(hosts[a]) == 1):
                continue
            found, true = times.of(model, a, b, within), true_times(truth, hosts[a], hosts[b], within)
            for part in (0, 1):
                worst[part] = max(worst[part], abs(found[part] / true[part] - 1))
        lines.append(f"{model:<9} {worst[0]:28.4%} {worst[1]:12.4%}")
        if max(worst) > args.tolerance:
            wrong.append(f"{model} is off by {max(worst):.3%}, more than {args.tolerance:.3%}")
    launch = document["launches"][0]
    lines.append(f"rounds    {launch['rounds'] / launch['passes']:g} a pass, {len(document['classes']['sample'])} of "
                 f"{document['n']} ranks")
    model_file.report(lines, wrong)


if __name__ == "__main__":
    main()
