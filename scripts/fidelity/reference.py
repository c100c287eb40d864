#!/usr/bin/env python3
"""Computes statistics of metrics from their definitions, to compare annotate with.

    scripts/fidelity/reference.py internal/metaeval/testdata/wmt23 > internal/metaeval/testdata/wmt23/script.json

It shares no code with annotate and needs Python 3.8 alone. It visits every pair, counts in whole
numbers and adds with math.fsum. The definitions are those of docs/fidelity.md.
"""
import json
import math
import os
import platform
import sys
from fractions import Fraction

PAIR, HUMAN = "en-de", "mqm"


def read(path):
    out = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            system, score = line.rstrip("\n").split("\t")
            out.setdefault(system, []).append(float(score))
    return out


def pearson(x, y):
    mx, my = math.fsum(x) / len(x), math.fsum(y) / len(y)
    xx = math.fsum((a - mx) ** 2 for a in x)
    yy = math.fsum((b - my) ** 2 for b in y)
    if len(set(x)) < 2 or len(set(y)) < 2:
        return None
    return math.fsum((a - mx) * (b - my) for a, b in zip(x, y)) / math.sqrt(xx) / math.sqrt(yy)


def ranks(x):
    """The mean place of each value: those below it, and half of the others that equal it."""
    below = {v: sum(w < v for w in x) for v in set(x)}
    equal = {v: sum(w == v for w in x) for v in set(x)}
    return [below[v] + (equal[v] + 1) / 2 for v in x]


def spearman(x, y):
    return pearson(ranks(x), ranks(y))


def sign(v):
    return (v > 0) - (v < 0)


def kendall(x, y):
    alike = opposite = ties_x = ties_y = 0
    for i in range(len(x)):
        for j in range(i):
            a, b = sign(x[i] - x[j]), sign(y[i] - y[j])
            alike += a * b > 0
            opposite += a * b < 0
            ties_x += a == 0 and b != 0
            ties_y += b == 0 and a != 0
    n, m = alike + opposite + ties_x, alike + opposite + ties_y
    return (alike - opposite) / math.sqrt(n) / math.sqrt(m) if n and m else None


def calibrated(groups):
    """The best accuracy with ties over groups of equal size, and its smallest threshold.

    A pair is right if both scores tie or both order it alike. The metric ties up to the threshold.
    """
    changes, right, pairs = {}, 0, 0
    for human, metric in groups:
        for i in range(len(human)):
            for j in range(i):
                h, m = sign(human[i] - human[j]), sign(metric[i] - metric[j])
                pairs += 1
                right += h == m
                if m != 0:  # at its own difference the pair becomes a tie
                    d = abs(metric[i] - metric[j])
                    changes[d] = changes.get(d, 0) + (h == 0) - (h == m)
    best, epsilon = right, 0.0
    for d in sorted(changes):
        right += changes[d]
        if right > best:
            best, epsilon = right, d
    return {"right": best, "pairs": pairs, "acc_t": float(Fraction(best, pairs)), "epsilon": epsilon}


def average(statistic, groups):
    values = [v for v in (statistic(h, m) for h, m in groups) if v is not None]
    return {"value": math.fsum(values) / len(values), "groups": len(values)}


def rescaled(x):
    low, high = min(x), max(x)
    return [(v - low) / (high - low) for v in x]


def student(tail, degrees):
    """The t that Student's distribution exceeds with the probability tail: bisection of Simpson's rule over atan(t / sqrt(degrees))."""
    def above(t):
        low, steps = math.atan(t / math.sqrt(degrees)), 2000
        width = (math.pi / 2 - low) / steps
        parts = [(1 if i in (0, steps) else 2 + 2 * (i % 2)) * math.cos(low + i * width) ** (degrees - 1) for i in range(steps + 1)]
        return math.fsum(parts) * width / 3 * math.gamma((degrees + 1) / 2) / math.gamma(degrees / 2) / math.sqrt(math.pi)

    low, high = 0.0, 1e6
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if above(middle) > tail else (low, middle)
    return low


def pearson_interval(human, metric, units):
    """All r whose distance from the ratio is not significant, by the jackknife of the distance. Bounds are found by bisection."""
    names = sorted(set(units))
    t = student(0.025, len(names) - 1)

    def parts(left_out):
        kept = [k for k, d in enumerate(units) if d != left_out]
        h, m = ([math.fsum(row[k] for k in kept) / len(kept) for row in rows] for rows in (human, metric))
        mh, mm = math.fsum(h) / len(h), math.fsum(m) / len(m)
        return math.fsum((a - mh) * (b - mm) for a, b in zip(h, m)), math.sqrt(math.fsum((a - mh) ** 2 for a in h) * math.fsum((b - mm) ** 2 for b in m))

    whole, without = parts(None), [parts(name) for name in names]
    n = len(names)

    def significant(r):
        distance = whole[0] - r * whole[1]
        pseudo = [n * distance - (n - 1) * (p - r * s) for p, s in without]
        mean = math.fsum(pseudo) / n
        error = math.sqrt(math.fsum((x - mean) ** 2 for x in pseudo) / (n - 1) / n)
        return abs(distance) > t * error

    def bound(inside, outside):
        if not significant(outside):
            return outside
        for _ in range(100):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if significant(middle) else (middle, outside)
        return inside

    r = whole[0] / whole[1]
    return [bound(r, -1.0), bound(r, 1.0)]


def main():
    folder = sys.argv[1]
    human = read(os.path.join(folder, "human-scores", f"{PAIR}.{HUMAN}.seg.score"))
    systems = sorted(human)
    segments = [str(i) for i in range(len(human[systems[0]]))]  # all are of one document, so that each is a unit
    scores = os.path.join(folder, "metric-scores", PAIR)
    out = {}
    for file in sorted(f for f in os.listdir(scores) if f.endswith(".seg.score")):
        metric = read(os.path.join(scores, file))
        by_system = [(human[s], metric[s]) for s in systems]
        by_item = [([human[s][i] for s in systems], [metric[s][i] for s in systems]) for i in range(len(human[systems[0]]))]
        h, m = sum((a for a, _ in by_system), []), sum((b for _, b in by_system), [])
        errors = [a - b for a, b in zip(rescaled(m), rescaled(h))]
        out[file[: -len(".seg.score")]] = {
            "pooled": {"pearson": pearson(h, m), "spearman": spearman(h, m), "kendall": kendall(h, m), "acc_t": calibrated([(h, m)])},
            "by_item": {**{f.__name__: average(f, by_item) for f in (pearson, spearman, kendall)}, "acc_t": calibrated(by_item)},
            "by_system": {**{f.__name__: average(f, by_system) for f in (pearson, spearman, kendall)}, "acc_t": calibrated(by_system)},
            "system_pearson_interval": pearson_interval([human[s] for s in systems], [metric[s] for s in systems], segments),
            "mae": math.fsum(abs(e) for e in errors) / len(errors),
            "mse": math.fsum(e * e for e in errors) / len(errors),
        }
    made = {"script": "scripts/fidelity/reference.py", "python": platform.python_version()}
    print(json.dumps({"made": made, "systems": systems, "segments": len(human[systems[0]]), "metrics": out}, indent=1))


main()
