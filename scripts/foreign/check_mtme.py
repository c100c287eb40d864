#!/usr/bin/env python3
"""Compares what mt-metrics-eval reads from a directory with what annotate says of the same campaign.

    check_mtme.py DIR PAIR JSONL RATINGS GOLD [METRIC-SCORES]

DIR is an mt-metrics-eval directory for the language pair PAIR. The other files are of the same campaign, from
`annotate export` or `annotate convert` with the formats jsonl, ratings, gold-jsonl and scores. The module
mt_metrics_eval must be importable. The script prints how many values it compared, and every difference.
"""

import json
import os
import re
import sys

from mt_metrics_eval import data, meta_info

directory, pair = os.path.abspath(sys.argv[1]), sys.argv[2]
problems, compared = [], {}


def check(kind, where, theirs, ours):
    compared[kind] = compared.get(kind, 0) + 1
    if theirs != ours:
        problems.append(f"{kind} {where}: mt-metrics-eval {theirs!r}, annotate {ours!r}")


def one_line(text):
    """mt-metrics-eval reads lines, without white space at their ends."""
    return re.sub(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]", " ", text).rstrip()


def near(a, b):
    return a is None and b is None or a is not None and b is not None and abs(a - b) <= 1e-12 * max(1, abs(a), abs(b))


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


references = sorted(f.split(".")[-2] for f in os.listdir(os.path.join(directory, "references"))) if os.path.isdir(os.path.join(directory, "references")) else []
if not references:
    print("there is no reference, so EvalSet refuses the directory; the check of references is left out")
    data.EvalSet.std_ref = property(lambda self: "none")
    data.EvalSet.ref_names = property(lambda self: {"none"})
evs = data.EvalSet(
    os.path.basename(directory), pair, read_stored_metric_scores=True, read_stored_ratings=True, strict=True,
    info=meta_info.MetaInfo(references[0] if references else "none", {}, set(), set()), path=os.path.dirname(directory))

segments, gold, ratings = lines(sys.argv[3]), lines(sys.argv[5]), lines(sys.argv[4])
check("number", "of segments", len(evs.src), len(segments))
index = {(s["doc_id"], s["segment_id"]): i for i, s in enumerate(segments)}
for i, s in enumerate(segments):
    check("source", i + 1, evs.src[i], one_line(s["source"]))
    for system, text in s["translations"].items():
        check("output", (i + 1, system), evs.sys_outputs[system][i], one_line(text))
    texts = dict(s.get("references", {}))
    for name in evs.ref_names - {"none"}:
        if name in texts:
            check("reference", (i + 1, name), evs.all_refs[name][i], one_line(texts[name]))
    check("domain", i + 1, evs.DomainsPerSeg()[i], s.get("domain") or "none")
blocks = [i for i in range(1, len(segments)) if segments[i]["doc_id"] != segments[i - 1]["doc_id"]]
check("documents", "begin", [v[0] for v in evs.docs.values()], [0] + blocks)

for g in gold:
    i = index[g["doc_id"], g["segment_id"]]
    for suffix, scores in ("", g["scores"]), ("-z", g.get("z", {})):
        for name, value in scores.items():
            table = evs.Scores("seg", name + suffix)
            if table is None:
                problems.append(f"score {name}{suffix}: not in the directory")
                continue
            theirs = table[g["system"]][i]
            check("score", (g["doc_id"], g["segment_id"], g["system"], name + suffix), theirs, theirs if near(theirs, value) else value)
for name in evs.human_score_names:
    present = sum(x is not None for row in (evs.Scores("seg", name) or {}).values() for x in row)
    check("number", f"of scores {name}", present, sum(1 for g in gold if "." not in name and (g["scores"] if not name.endswith("-z") else g.get("z", {})).get(name.removesuffix("-z")) is not None) if "." not in name else present)
    for system, (value,) in (evs.Scores("sys", name) or {}).items():
        row = [x for x in evs.Scores("seg", name)[system] if x is not None]
        check("system score", (name, system), value if not row or not near(value, sum(row) / len(row)) and abs(value - sum(row) / len(row)) > 1e-9 else "mean", "mean" if row else None)
    for system, values in (evs.Scores("domain", name) or {}).items():
        for domain, value in zip(evs.domain_names, values):
            row = [x for d, x in zip(evs.DomainsPerSeg(), evs.Scores("seg", name)[system]) if d == domain and x is not None]
            check("domain score", (name, system, domain), value if not row or abs(value - sum(row) / len(row)) > 1e-9 else "mean", "mean" if row else None)

# The last complete round of a translation is in gold. Ratings of mt-metrics-eval are matched by their errors and rater.
letters = {}
for name in evs.rating_names | {n for n in evs.human_score_names if "." in n}:
    letters.setdefault(name.rsplit(".", 1)[-1], []).append(name)
last = {}
for r in ratings:
    if r.get("adjudicated"):
        continue
    key = index[r["doc_id"], r["segment_id"]], r["system"]
    last.setdefault(key, {}).setdefault(r.get("round", 1), []).append(r)
settled = {(index[g["doc_id"], g["segment_id"]], g["system"]) for g in gold if g["scores"] and not g.get("adjudicated")}


def marks(errors):
    return sorted((e.start, e.end, e.severity, e.is_source_error) for e in errors)


for (i, system), rounds in last.items():
    if (i, system) not in settled:
        continue
    ours = sorted(sorted((s["start"], s["end"], s["severity"].lower(), s["side"] == "source") for s in r["spans"]) for r in rounds[max(rounds)])
    tables = {n for n in evs.rating_names}
    bases = {n.split(".")[0] for n in tables}
    for base in bases:
        theirs = sorted(marks(evs.Ratings(n)[system][i].errors) for n in tables if n.split(".")[0] == base and evs.Ratings(n)[system][i] is not None)
        check("marks", (segments[i]["doc_id"], segments[i]["segment_id"], system, base), theirs, ours)
    for name in {n.split(".")[0] for n in evs.human_score_names if "." in n}:
        values = sorted(x for n in evs.human_score_names if n.startswith(name + ".") for x in [evs.Scores("seg", n)[system][i]] if x is not None)
        own = sorted(x for r in rounds[max(rounds)] for x in [r["scores"].get({"esa": "score"}.get(name, name))] if x is not None)
        if own:
            check("scores of raters", (segments[i]["doc_id"], segments[i]["segment_id"], system, name), values, own)

if len(sys.argv) > 6:
    for m in lines(sys.argv[6]):
        i = index[m["doc_id"], m["segment_id"]] if "segment_id" in m else 0
        level = "seg" if "segment_id" in m else "sys"
        table = next((evs.Scores(level, n) for n in (m["metric"], m["metric"] + "-src") if evs.Scores(level, n)), None)
        if table is None:
            problems.append(f"metric {m['metric']}: not in the directory")
            continue
        check("metric score", (m["metric"], m["system"], i), table[m["system"]][i], m["score"])

print(", ".join(f"{n:,} of {kind}" for kind, n in sorted(compared.items())))
print(f"{len(problems)} differences")
print("\n".join(problems[:20]))
sys.exit(1 if problems else 0)
