#!/usr/bin/env python3
"""Cuts the slice in internal/metaeval/testdata/wmt23 out of the WMT23 scores.

    scripts/fidelity/slice.py WMT23 internal/metaeval/testdata/wmt23

WMT23 is the folder of the test set in the layout of mt-metrics-eval version 2. The slice has
the segments of the domain speech that have human scores, all systems but the references, the
six metrics below, and the scores of systems over the whole test set. It has no texts. Names
of documents are left out: all segments are of one document. Needs Python 3.8 alone.
"""
import os
import sys

PAIR, DOMAIN = "en-de", "speech"
METRICS = ["BLEU-refA", "COMET-refA", "GEMBA-MQM-src", "MetricX-23-QE-src", "XCOMET-Ensemble-refA", "chrF-refA"]
REFERENCES = ["refA", "synthetic_ref"]


def rows(path):
    """Yields the system and the score, as text, of each line."""
    with open(path, encoding="utf-8") as f:
        for line in f:
            system, score = line.rstrip("\n").split("\t")
            yield system, score


def segment_scores(path):
    """Maps each system to its scores."""
    out = {}
    for system, score in rows(path):
        out.setdefault(system, []).append(score)
    return out


def main():
    source, target = sys.argv[1:]
    human = os.path.join("human-scores", PAIR + ".mqm")
    scores = segment_scores(os.path.join(source, human + ".seg.score"))
    systems = sorted(set(scores) - set(REFERENCES))
    with open(os.path.join(source, "documents", PAIR + ".docs"), encoding="utf-8") as f:
        domains = [line.split("\t")[0] for line in f]
    kept = [i for i, d in enumerate(domains) if d == DOMAIN and any(scores[s][i] != "None" for s in systems)]
    files = [human] + [os.path.join("metric-scores", PAIR, m) for m in METRICS]
    for folder in ["documents", "human-scores", os.path.join("metric-scores", PAIR)]:
        os.makedirs(os.path.join(target, folder), exist_ok=True)
    with open(os.path.join(target, "documents", PAIR + ".docs"), "w", encoding="utf-8") as f:
        f.write((DOMAIN + "\t" + DOMAIN + "\n") * len(kept))
    for name in files:
        scores = segment_scores(os.path.join(source, name + ".seg.score"))
        with open(os.path.join(target, name + ".seg.score"), "w", encoding="utf-8") as f:
            for system in systems:
                f.writelines(system + "\t" + scores[system][i] + "\n" for i in kept)
        with open(os.path.join(target, name + ".sys.score"), "w", encoding="utf-8") as f:
            f.writelines(s + "\t" + v + "\n" for s, v in sorted(rows(os.path.join(source, name + ".sys.score"))) if s in systems)


main()
