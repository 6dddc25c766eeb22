"""Measurements of an imaginary machine that follows the LMO model exactly, but for small noise."""

import json
import random

SIZES = [128, 1024, 8192, 65536]
CHECK_SIZES = [4096, 32768]
ONE_TO_TWO_SIZE = 8192
BULK_SIZES = [8192, 65536]
EAGER_LIMIT = 1 << 20


class Machine:
    """Delays of ranks C [s], t [s/byte]; of links L [s], gap [s/byte], the same for all."""

    def __init__(self, ranks=4):
        self.C = [(10 + i) * 1e-6 for i in range(ranks)]
        self.t = [(1 + 0.1 * i) * 1e-9 for i in range(ranks)]
        self.L = 20e-6
        self.gap = 8e-9

    @property
    def ranks(self):
        return len(self.C)

    def one_way(self, i, j, size):
        return self.C[i] + self.L + self.C[j] + size * (self.t[i] + self.gap + self.t[j])

    def round_trip(self, i, j, out, back=0):
        return self.one_way(i, j, out) + self.one_way(j, i, back)

    def one_to_many(self, root, peers, out):
        serving = (self.C[root] + self.t[root] * out) * (len(peers) - 1)
        return serving + self.round_trip(root, peers[-1], out)

    def concurrent(self, root, peers, size):
        """One-to-many or many-to-one: the root's own time for each, then the last one's way."""
        serving = (self.C[root] + self.t[root] * size) * (len(peers) - 1)
        return serving + max(self.round_trip(root, peer, size) for peer in peers)

    def flat(self, root, size):
        others = [i for i in range(self.ranks) if i != root]
        serving = (self.C[root] + self.t[root] * size) * (len(others) - 1)
        return serving + max(self.one_way(root, i, size) for i in others)

    def time(self, kind, root, peers, out, back, messages=1):
        if kind in ("send_overhead", "receive_overhead"):
            return self.C[root] + self.t[root] * (out + back)
        if kind == "flood":
            return self.round_trip(root, peers[0], out) + (messages - 1) * (
                2 * self.C[root] + self.gap * out)
        if kind == "round_trip":
            return self.round_trip(root, peers[0], out, back)
        if kind == "one_to_k":
            return self.one_to_many(root, peers, out)
        if kind in ("one_to_k_concurrent", "k_to_one_concurrent"):
            return self.concurrent(root, peers, out + back)
        return self.flat(root, out + back)


def logp_experiments():
    """Overheads and floods between ranks 0 and 1."""
    for i, j in ((0, 1), (1, 0)):
        for size in [0] + SIZES:
            yield "send_overhead", i, [j], size, 0, False
            yield "receive_overhead", j, [i], 0, size, False
            yield "flood", i, [j], size, 0, False


def experiments(machine):
    """(kind, root, peers, out, back, check) of one pass."""
    ranks = range(machine.ranks)
    for i in ranks:
        others = [j for j in ranks if j != i]
        for j in others:
            for size in [0] + SIZES + CHECK_SIZES:
                yield "round_trip", i, [j], size, 0, size in CHECK_SIZES
        for fast in others:
            for slow in others:
                if machine.C[fast] < machine.C[slow]:
                    yield "one_to_k", i, [fast, slow], 0, 0, False
                    yield "one_to_k", i, [fast, slow], ONE_TO_TWO_SIZE, 0, False
        for size in BULK_SIZES:
            yield "one_to_k_concurrent", i, others, size, 0, False
            yield "k_to_one_concurrent", i, others, 0, size, False
        for size in CHECK_SIZES:
            yield "scatter", i, others, size, 0, True
            yield "gather", i, others, 0, size, True


def launch(machine, passes):
    return {
        "time_utc": "2024-01-02T03:04:05Z", "commgauge_version": "0.1.0",
        "mpi_library": "an imaginary one", "mpi_standard": "3.1",
        "ranks": [{"host": f"h{i}", "cores": [0]} for i in range(machine.ranks)],
        "environment": {}, "options": {}, "seed": 1, "confidence": 0.95, "precision": 0.025,
        "clock_resolution_s": 1e-9, "clock_cost_s": 1e-8,
        "wait": "blocking", "buffers": "rotating", "schedule": "parallel",
        "contention": {"tested": False, "ratio": 0.0, "low": 0.0, "high": 0.0},
        "eager_limit_bytes": EAGER_LIMIT, "passes": passes, "rounds": 10 * passes,
        "elapsed_s": 10.0, "timed_s": 5.0, "complete": True, "incomplete_reason": "",
    }


def measurements(machine, passes=6, noise=0.001, seed=1, logp=False):
    """A document of the schema commgauge.measurements/1; with the LogP family's part if `logp`."""
    draw = random.Random(seed)
    columns = {}
    for number in range(passes):
        for kind, root, peers, out, back, check in [
                *experiments(machine), *(logp_experiments() if logp else [])]:
            messages = 10 if kind == "flood" else 1
            time_s = machine.time(kind, root, peers, out, back, messages) * draw.gauss(1, noise)
            row = {
                "kind": kind, "root": root, "peers": peers, "reply_order": peers,
                "out_bytes": out, "back_bytes": back, "check": check, "launch": 0, "pass": number,
                "time_s": time_s, "low_s": time_s * (1 - noise), "high_s": time_s * (1 + noise),
                "sd_s": time_s * noise, "level": 0.96, "blocks": 9, "block_length": 100,
                "converged": True,
            }
            if logp:
                row |= {"messages": messages, "delay_s": 0.0, "processes": 0}
            for name, value in row.items():
                columns.setdefault(name, []).append(value)
    return {"schema": "commgauge.measurements/1", "n": machine.ranks,
            "launches": [launch(machine, passes)], "experiments": columns}


def write(path, machine, **more):
    path.write_text(json.dumps(measurements(machine, **more)))
