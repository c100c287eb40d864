#!/usr/bin/env python3
"""Lets Pearmut's own code read what annotate exports, and annotate read what that code writes.

    check_pearmut.py ANNOTATE EXPORT.zip…

ANNOTATE is the program. Each EXPORT.zip is from `annotate export --format pearmut`. The module pearmut must be importable
(its folder server, commits 0079fbd and 13e7a1f). The script works in a temporary folder. It prints what it compared, and every difference.
"""

import collections
import copy
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import zipfile

annotate, exports = os.path.abspath(sys.argv[1]), [os.path.abspath(f) for f in sys.argv[2:]]
root = tempfile.mkdtemp()
os.makedirs(root + "/data/annotations")
os.environ["PEARMUT_ROOT"] = root
with open(root + "/data/progress.json", "w") as f:
    f.write("{}")

from pearmut import app, cli, results_export, utils  # noqa: E402
from pearmut.assignment import reset_task  # noqa: E402

problems = []


def check(what, theirs, ours):
    if theirs != ours:
        problems.append(f"{what}: Pearmut {theirs!r}, annotate {ours!r}")


def ratings(files, *more):
    """What annotate reads: the ratings by user, document, segment and system."""
    out = os.path.join(root, "ratings.jsonl")
    if os.path.exists(out):
        os.remove(out)
    run = subprocess.run([annotate, "convert", "--to", "ratings", "--language-pair", "en-de", *more, *files, out], capture_output=True, text=True)
    if run.returncode != 0:
        problems.append(f"annotate refuses {files}: {run.stderr.strip()}")
        return {}, run.stderr
    with open(out, encoding="utf-8") as f:
        return {(r["annotator"], r["doc_id"], r["segment_id"], r["system"]): r for r in map(json.loads, f)}, run.stderr


for path in exports:
    archive = zipfile.ZipFile(path)
    for name in archive.namelist():
        target = os.path.join(root, "data", name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as f:
            f.write(archive.read(name))
        if name.endswith(".json"):
            campaign = json.loads(archive.read(name))
    written = copy.deepcopy(campaign)
    cli._add_single_campaign(campaign, False, "http://localhost")
    log = utils.get_active_db_log(campaign["campaign_id"])
    check(f"{path}: users of the log", sorted({x["user_id"] for x in log} - set(campaign["info"]["users"] if log else [])), [])
    for entry in log:
        check(f"{path}: item {entry['item_i']}", [x["src"] for x in written["data"][entry["item_i"]]], [x["src"] for x in entry["item"]])
    last = collections.defaultdict(dict)
    for entry in log:
        for item, annotation in zip(entry["item"], entry["annotation"], strict=True):
            for system, a in annotation.items():
                if a["score"] is not None:
                    last[system][item["doc_id"], item["segment_id"]] = a["score"]
    results = results_export.compute_model_scores(campaign["campaign_id"])
    check(f"{path}: results", {r["model"]: (r["score"], r["count"]) for r in results},
          {s: (statistics.mean(v.values()), len(v)) for s, v in last.items()})
    print(f"{os.path.basename(path)}: {len(written['data'])} documents, {len(log)} submissions, results {[(r['model'], round(r['score'], 3), r['count']) for r in results][:4]}")

# A campaign of each kind of assignment, worked on by Pearmut's code.
rng = random.Random(int(os.environ.get("SEED", "1")))
words = "the cat 🚀 sat\non a mat, über alles 走路 e\u0301 fin".split(" ")


def text():
    return " ".join(rng.choice(words) for _ in range(rng.randint(3, 9)))


def document(n, systems, size=3, **more):
    return [{"item_id": f"doc{n}_#_{k}", "src": text(), "tgt": {s: text() for s in systems}, **more} for k in range(size)]


def spans(shown):
    units = len(shown.replace("\n", "").encode("utf-16-le")) // 2
    out, at = [], 0
    while at < units and rng.random() < 0.7:
        first = at
        last = min(units - 1, first + rng.randint(0, 4))
        whole = shown.replace("\n", "").encode("utf-16-le")
        try:  # a browser selects no half of a pair
            whole[2 * first:2 * last + 2].decode("utf-16-le")
        except UnicodeDecodeError:
            at = last + 1
            continue
        out.append({"start_i": first, "end_i": last, "category": None, "severity": rng.choice(["minor", "major"])})
        at = last + 2
    if rng.random() < 0.1:
        out.append({"start_i": units, "end_i": units, "category": None, "severity": "major"})
    return out


def payload(items, t, systems=None):
    annotation, actions = [], [{"time": t, "action": "load"}]
    for k, item in enumerate(items):
        if item.get("skippable") and rng.random() < 0.5:
            annotation.append(None)
            continue
        shown = systems or list(item["tgt"])
        annotation.append({s: {"score": rng.randint(0, 100), "error_spans": spans(item["tgt"][s]), "textfield": None} for s in shown})
        for s in shown:
            t += rng.random() * 80
            actions.append({"time": t, "action": "score", "index": k, "model": s, "value": annotation[-1][s]["score"]})
    actions.append({"time": t + 1, "action": "submit"})
    shown_items = [item | {"tgt": {s: item["tgt"][s] for s in systems or item["tgt"]}} for item in items]
    return {"annotation": annotation, "actions": actions, "item": shown_items, "validations": [True]}


for assignment in "task-based", "single-stream", "dynamic":
    systems = ["A", "b.2", "Ünï"]
    form = [{"text": "Native language?", "form": "string"}]
    documents = [document(n, systems, skippable=True) if n % 3 == 2 and assignment != "dynamic" else document(n, systems) for n in range(9)]
    campaign = {
        "campaign_id": "made_" + assignment, "data_welcome": [form, document(90, systems, 1)], "data_random": [document(91, systems, 1)],
        "info": {"assignment": assignment, "protocol": "ESA", "users": ["ann", "ben", "cy"], "data_random_prob": 0.1},
        "data": [documents[0:3], documents[3:6], documents[6:9]] if assignment == "task-based" else documents,
    }
    file = os.path.join(root, campaign["campaign_id"] + ".json")
    with open(file, "w", encoding="utf-8") as f:
        json.dump(campaign, f)
    cli._add_single_campaign(campaign, False, "http://localhost")
    app.load()
    now = 1.77e9
    for user in "ann", "ben", "cy":
        def submit(item_i, items, systems=None):
            global now
            now += 500
            app.log_response(campaign["campaign_id"], user, item_i, payload(items, now, systems))
        app.log_response(campaign["campaign_id"], user, "welcome_0", {"annotation": ["German"], "item": form, "actions": [{"time": now, "action": "submit"}]})
        submit("welcome_1", campaign["data_welcome"][1])
        task = app.tasks_data[campaign["campaign_id"]]["data"]
        task = list(enumerate(task[user] if assignment == "task-based" else task))
        for i, items in task[:6]:
            submit(i, items, ["A", "b.2"] if assignment == "dynamic" else None)
            if rng.random() < 0.3:
                submit(i, items, ["Ünï"] if assignment == "dynamic" else None)  # again
        submit("random_0", campaign["data_random"][0])
        if user == "ben":
            reset_task(campaign["campaign_id"], user, app.tasks_data, app.progress_data)
            submit(*task[0])
    expected = {}
    active = utils.get_active_db_log(campaign["campaign_id"])
    for entry in active:
        if isinstance(entry["item_i"], str):
            continue
        for item, annotation in zip(entry["item"], entry["annotation"]):
            for system in item["tgt"]:  # a skipped item replaces an earlier rating of it, as when its page is opened again
                expected.pop((entry["user_id"], item["item_id"], system), None)
            for system, a in (annotation or {}).items():
                expected[entry["user_id"], item["item_id"], system] = a, item["tgt"][system]
    # The task file and the log as Pearmut stores them, and the campaign as its author wrote it.
    log = os.path.join(root, "data/annotations", campaign["campaign_id"] + ".jsonl")
    download = os.path.join(root, "annotations.json")
    with open(log) as f, open(download, "w") as g:
        json.dump({campaign["campaign_id"]: [json.loads(line) for line in f]}, g)
    for files in [file, log], [os.path.join(root, "data/tasks", campaign["campaign_id"] + ".json"), log], [log], [file, download]:
        read, said = ratings(files)
        got = {(who, f"{doc}_#_{seg}", system): r for (who, doc, seg, system), r in read.items()}
        check(f"{assignment} {len(files)} files: ratings", sorted(set(expected) - set(got)), sorted(set(got) - set(expected)))
        for key, (a, shown) in expected.items():
            r = got.get(key)
            if r is None:
                continue
            check(f"{assignment} {key}: score", a["score"], r["scores"]["score"])
            theirs = []
            units = shown.replace("\n", "").encode("utf-16-le")
            for s in a["error_spans"]:
                theirs.append((units[2 * s["start_i"]:2 * s["end_i"] + 2].decode("utf-16-le"), s["severity"]))
            check(f"{assignment} {key}: marks", theirs, [(s["text"].replace("\n", ""), s["severity"]) for s in r["spans"]])
            check(f"{assignment} {key}: text", [shown[s["start"]:s["end"]] for s in r["spans"]], [s["text"] for s in r["spans"]])
    print(f"{assignment}: {len(expected)} ratings of {len(active)} active submissions")
    if os.environ.get("VERBOSE"):
        print(said)

print(f"{len(problems)} differences")
print("\n".join(problems[:20]))
sys.exit(1 if problems else 0)
